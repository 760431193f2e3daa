// SPDX-License-Identifier: Apache-2.0

/// A job that has left a `JobQueue`.
package struct QueuedJob: Equatable, Sendable {
  package let job: Job
  /// A job that runs waits for it, so it does for what this one makes ready.
  package let isAwaited: Bool

  @inlinable package init(_ job: Job, isAwaited: Bool) {
    self.job = job
    self.isAwaited = isAwaited
  }
}

/// The queue of a scheduler whose workers share one: in each band the jobs that running jobs wait
/// for, the latest chain first, then the others, first in, first out.
///
/// So whoever waits finds what he has just submitted without a walk past the rest. A plain value
/// like the lists that it is made of.
package struct JobQueue: ~Copyable, Sendable {
  @usableFromInline var awaited = BandedFIFO()
  @usableFromInline var others = BandedFIFO()

  /// An empty queue.
  @inlinable package init() {}

  /// Number of jobs.
  @inlinable package var count: Int { awaited.count + others.count }
  /// True when there is no job.
  @inlinable package var isEmpty: Bool { bands == 0 }
  /// One bit per band that has a job, `PriorityBand.mask`.
  @inlinable package var bands: UInt8 { awaited.bands | others.bands }

  /// Adds every job of a chain in its order, before the awaited ones of its band or behind the
  /// others.
  ///
  /// O(1) when the chain has one band, else O(length).
  @inlinable package mutating func add(_ jobs: consuming JobChain, areAwaited: Bool = false) {
    if areAwaited { awaited.prepend(jobs) } else { others.append(jobs) }
  }

  /// Removes the next job of the most urgent band.
  ///
  /// O(1).
  @inlinable package mutating func popFirst() -> QueuedJob? {
    if !awaited.isEmpty, awaited.bands.trailingZeroBitCount <= others.bands.trailingZeroBitCount {
      return awaited.popFirst().map { QueuedJob($0, isAwaited: true) }
    }
    return others.popFirst().map { QueuedJob($0, isAwaited: false) }
  }

  /// Removes the first awaited job that `accepts`.
  ///
  /// O(awaited jobs before it).
  package mutating func popAwaited(ifAccepted accepts: (Job) -> Bool) -> QueuedJob? {
    awaited.popFirst(where: accepts).map { QueuedJob($0, isAwaited: true) }
  }

  /// Removes the first job that `accepts`, an awaited one if there is one.
  ///
  /// O(jobs before it).
  package mutating func popFirst(ifAccepted accepts: (Job) -> Bool) -> QueuedJob? {
    popAwaited(ifAccepted: accepts)
      ?? others.popFirst(where: accepts).map { QueuedJob($0, isAwaited: false) }
  }

  /// Removes the jobs that `accepts`; the others keep their order.
  ///
  /// O(jobs).
  package mutating func removeAll(where accepts: (Job) -> Bool) -> JobChain {
    var removed = awaited.removeAll(where: accepts)
    removed.append(others.removeAll(where: accepts))
    return removed
  }

  /// True when `job` would leave before everything in the queue if it were added now, waited for or
  /// not.
  @inlinable package func startsAhead(_ job: Job) -> Bool {
    awaited.startsAhead(job) && others.startsAhead(job)
  }
}
