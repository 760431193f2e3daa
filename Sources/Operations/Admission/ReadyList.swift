// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
import Scheduling

/// Ready jobs of a queue that cannot start at once: strict priority order, first in first out
/// within a level.
///
/// What was with the scheduler and came back is older than what lies here, and is ahead of it in
/// its level.
struct ReadyList: ~Copyable {
  struct Jobs: ~Copyable, Sendable {
    var ready = BandedFIFO()
    /// What came back from the scheduler.
    var returned = ReturnedJobs()
    /// Cancelled operations that a resumption will skip.
    var deferred = JobChain()
    /// Stale handles that were noted since the last look; at least as many as the list has.
    var stale = 0
    /// Some were noted: others may be on their way into the list.
    var mayGetStale = false

    /// The best job is one that came back.
    private var isReturnedFirst: Bool {
      guard let old = returned.first else { return false }
      return ready.first.map { old.band <= $0.band } ?? true
    }

    /// The job that `popFirst()` would return.
    var first: Job? { isReturnedFirst ? returned.first : ready.first }

    mutating func popFirst() -> Job? {
      isReturnedFirst ? returned.popFirst() : ready.popFirst()
    }

    /// A job that must not come into the list: nobody would look for it there.
    ///
    /// Its operation has begun. While none has ended with handles out, whoever ends finds the job
    /// in the list and notes it.
    func refuses(_ job: Job) -> Bool { mayGetStale && Operation.isStale(job) }

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

  /// Adds jobs behind the others of their levels, but for stale ones, which it returns.
  ///
  /// `count` counts what was added, under the list's lock: so the list has as many jobs as are
  /// counted, and those whose claimants have not come yet.
  borrowing func append(_ chain: consuming JobChain, _ count: (Int) -> Void) -> JobChain {
    jobs.withLock { jobs in
      var fresh = chain.take()
      let stale = jobs.mayGetStale ? fresh.takeStale() : JobChain()
      let added = fresh.count
      guard added > 0 else { return stale }
      jobs.ready.append(fresh)
      count(added)
      return stale
    }
  }
  /// As `append` for a job that came back from the scheduler; false when it is stale.
  borrowing func putBack(_ job: Job, ticket: UInt64, _ count: (Int) -> Void) -> Bool {
    jobs.withLock { jobs in
      guard !jobs.refuses(job) else { return false }
      jobs.returned.insert(job, ticket: ticket)
      count(1)
      return true
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

  /// Notes that an operation has ended while `count` other handles to it are out, and takes stale
  /// ones out of the list if they may be half of it.
  ///
  /// So a look costs O(1) for each handle noted. `ready` says how many jobs are counted, and
  /// `claim` takes up to so many off the count and returns how many: the rest is left for
  /// claimants.
  borrowing func takeStale(
    noting count: Int, ready: () -> Int, claim: (Int) -> Int
  ) -> JobChain {
    jobs.withLock { jobs in
      jobs.mayGetStale = jobs.mayGetStale || count > 0
      jobs.stale += count
      guard jobs.stale > 0, 2 * jobs.stale >= ready() + jobs.deferred.count else {
        return JobChain()
      }
      jobs.stale = 0
      var stale = jobs.ready.removeAll(where: Operation.isStale)
      jobs.returned.removeAll { job in
        guard Operation.isStale(job) else { return false }
        stale.append(job)
        return true
      }
      let claimed = claim(stale.count)
      // Left for claimants that are on their way, and noted as before.
      jobs.stale = stale.count - claimed
      while stale.count > claimed, let job = stale.popFirst() { jobs.ready.append(job) }
      stale.append(jobs.deferred.takeStale())
      return stale
    }
  }
  /// Keeps a skip for the resumption if `isSuspended` still holds under the list's lock, and it is
  /// not stale.
  borrowing func deferSkip(_ job: Job, while isSuspended: () -> Bool) -> Bool {
    jobs.withLock { jobs in
      guard isSuspended(), !jobs.refuses(job) else { return false }
      jobs.deferred.append(job)
      return true
    }
  }
  /// Takes the skips that waited for the resumption.
  borrowing func takeDeferred() -> JobChain { jobs.withLock { $0.deferred.take() } }
}

extension JobChain {
  /// Takes out the handles of operations that have begun; the others keep their order.
  fileprivate mutating func takeStale() -> JobChain {
    var stale = JobChain()
    var fresh = JobChain()
    while let job = popFirst() {
      if Operation.isStale(job) { stale.append(job) } else { fresh.append(job) }
    }
    self = fresh
    return stale
  }
}

/// Jobs that were with the scheduler when their queue ceased to be open, and came back: by level,
/// then by ticket.
///
/// Workers bring them in any order. O(log n) each.
struct ReturnedJobs: Sendable {
  private struct Entry: Comparable, Sendable {
    let job: Job
    let ticket: UInt64
    /// Decides between equal tickets.
    let arrival: UInt64

    private var place: (PriorityBand, UInt64, UInt64) { (job.band, ticket, arrival) }

    static func < (one: Self, other: Self) -> Bool { one.place < other.place }
    static func == (one: Self, other: Self) -> Bool { one.arrival == other.arrival }
  }
  private var heap = MinHeap<Entry>()
  private var arrivals: UInt64 = 0

  /// The job that `popFirst()` would return.
  var first: Job? { heap.first?.job }

  mutating func insert(_ job: Job, ticket: UInt64) {
    arrivals += 1
    heap.insert(Entry(job: job, ticket: ticket, arrival: arrivals))
  }

  mutating func popFirst() -> Job? { heap.popFirst()?.job }

  /// Takes out what `isTaken` accepts.
  mutating func removeAll(where isTaken: (Job) -> Bool) {
    heap.removeAll { isTaken($0.job) }
  }
}
