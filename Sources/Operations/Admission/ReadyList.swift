// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
import Scheduling

/// Ready jobs of a queue that cannot start at once: strict priority order, first in first out
/// within a level.
///
/// What was with the scheduler and came back is older than what lies here, and is ahead of it in
/// its level.
struct ReadyList: ~Copyable {
  struct Jobs: Sendable {
    var ready = BandedFIFO()
    /// What came back from the scheduler.
    var returned = ReturnedJobs()
    /// Cancelled operations that a resumption will flush.
    var deferred = JobChain()

    /// The job that `popFirst()` would return.
    var first: Job? {
      guard let old = returned.first else { return ready.first }
      if let new = ready.first, new.band < old.band { return new }
      return old
    }

    mutating func popFirst() -> Job? {
      guard let old = returned.first else { return ready.popFirst() }
      if let new = ready.first, new.band < old.band { return ready.popFirst() }
      return returned.popFirst()
    }

    /// O(levels) where all of them go and none came back, else O(count).
    mutating func popFirst(_ count: Int) -> JobChain {
      var chain = JobChain()
      while chain.count < count {
        if returned.first == nil {
          let level = ready.popFirst(count - chain.count)
          guard !level.isEmpty else { break }
          chain.append(level)
        } else if let job = popFirst() {
          chain.append(job)
        }
      }
      return chain
    }
  }
  private let jobs = Locked(Jobs())

  /// Adds jobs behind the others of their levels; `note` looks at them under the list's lock.
  borrowing func append(_ chain: JobChain, _ note: (JobChain) -> Void) {
    jobs.withLock { jobs in
      note(chain)
      jobs.ready.append(chain)
    }
  }
  /// Adds a job that came back from the scheduler.
  borrowing func putBack(_ job: Job, ticket: UInt64, _ note: (JobChain) -> Void) {
    jobs.withLock { jobs in
      note(JobChain(job))
      jobs.returned.insert(job, ticket: ticket)
    }
  }
  /// Takes the best job.
  borrowing func popFirst() -> Job? { jobs.withLock { $0.popFirst() } }
  /// Takes the best `count` jobs, best first.
  ///
  /// Not inlined into its caller's loop, from which the optimiser takes the read of the lock's
  /// constant pointer out: for ThreadSanitizer every access through that pointer counts as a change
  /// of it.
  @inline(never) borrowing func popFirst(_ count: Int) -> JobChain {
    jobs.withLock { $0.popFirst(count) }
  }

  /// Takes the best job that `accepts`, or the best of all if it does; the others keep their order.
  ///
  /// O(count).
  borrowing func popFirst(onlyFirst: Bool, where accepts: (Job) -> Bool) -> Job? {
    jobs.withLock { jobs in
      guard !onlyFirst else { return jobs.first.map(accepts) == true ? jobs.popFirst() : nil }
      var found: Job?
      jobs.returned.removeAll { job in
        guard found == nil, accepts(job) else { return false }
        found = job
        return true
      }
      return found ?? jobs.ready.popFirst(where: accepts)
    }
  }

  /// Handles that were taken out of the list.
  struct Removed {
    /// Of the ready ones.
    var ready = JobChain()
    /// How many of those have stayed because of the limit.
    var left = 0
    /// Of the flushes that wait for the resumption.
    var deferred = JobChain()

    /// True when the job of a ready one is taken out.
    fileprivate mutating func take(_ job: Job, _ limit: Int, _ isStale: (Job) -> Bool) -> Bool {
      guard isStale(job) else { return false }
      guard ready.count < limit else {
        left += 1
        return false
      }
      ready.append(job)
      return true
    }
  }

  /// Takes out the jobs that `isStale` accepts, of the ready ones at most `limit`; the others keep
  /// their order.
  borrowing func remove(atMost limit: Int, where isStale: (Job) -> Bool) -> Removed {
    jobs.withLock { jobs in
      var removed = Removed()
      jobs.returned.removeAll { removed.take($0, limit, isStale) }
      var kept = BandedFIFO()
      while let job = jobs.ready.popFirst() {
        if !removed.take(job, limit, isStale) { kept.append(job) }
      }
      jobs.ready = kept
      var deferred = jobs.deferred.take()
      while let job = deferred.popFirst() {
        if isStale(job) { removed.deferred.append(job) } else { jobs.deferred.append(job) }
      }
      return removed
    }
  }
  /// Keeps a flush for the resumption if `isSuspended` still holds under the list's lock; `note`
  /// looks at it there.
  borrowing func deferFlush(
    _ job: Job, while isSuspended: () -> Bool, _ note: (JobChain) -> Void
  ) -> Bool {
    jobs.withLock { jobs in
      guard isSuspended() else { return false }
      let flush = JobChain(job)
      note(flush)
      jobs.deferred.append(flush)
      return true
    }
  }
  /// How many flushes wait for the resumption.
  var deferredCount: Int { jobs.withLock { $0.deferred.count } }
  /// Takes the flushes that waited for the resumption.
  borrowing func takeDeferred() -> JobChain { jobs.withLock { $0.deferred.take() } }
}
