// SPDX-License-Identifier: Apache-2.0

internal import ConcurrencyPrimitives
internal import Scheduling
internal import Synchronization

/// The shared inbox for jobs from outside the pool: first in, first out within a band.
///
/// A chain goes in with one short lock, whatever its length; a worker takes a share of the oldest
/// jobs and leaves the rest to the others, so a batch spreads over the workers without a steal per
/// job and in its own order. The shares shrink as the list does (guided self-scheduling,
/// Polychronopoulos and Kuck 1987). Submitters and takers have lists of their own, so a submitter
/// never waits for a taker's walk. The edges are explained on the page Injector.
struct Injector: ~Copyable, Sendable {
  /// What submitters have added since it was last emptied into `front`.
  private let inbox = Inbox()
  private let gap = LineGap()
  /// What takers take from, older than the inbox.
  ///
  /// Its lock is taken before the inbox's.
  private let front = Padded(Locked(BandedFIFO()))
  /// Bands of the inbox, as `PriorityBand.mask`; written under its lock only.
  private let inboxBands = Padded(Atomic<UInt8>(0))
  /// Bands of the front; written under its lock only.
  private let frontBands = Padded(Atomic<UInt8>(0))

  /// The most jobs of one share.
  static var largestShare: Int { 32 }

  /// Adds every job of a non-empty chain, the first as the oldest; any thread.
  ///
  /// O(1) when the jobs share a band, else O(n) before the lock is taken.
  @inline(__always) borrowing func push(_ chain: consuming JobChain) {
    let bands = chain.bands
    guard bands & (bands &- 1) == 0 else { return pushSeveralBands(chain) }
    inbox.withLock { lists in
      let before = lists.bands
      lists.append(oneBand: chain.take())
      publish(lists, unless: before)
    }
  }

  @inline(never) private borrowing func pushSeveralBands(_ chain: consuming JobChain) {
    var sorted = BandedFIFO()
    sorted.append(chain)
    inbox.withLock { lists in
      let before = lists.bands
      lists.append(sorted.take())
      publish(lists, unless: before)
    }
  }

  @inline(__always)
  private borrowing func publish(_ lists: borrowing BandedFIFO, unless before: UInt8) {
    // Bits that are shown already were stored before under the lock, so that store, too, comes
    // before the pusher's load of the idle counts in the total order.
    guard lists.bands != before else { return }
    // sequentially consistent, edge WorkSeen: in the total order before the load of the idle counts
    // that follows a publication. The jobs themselves are published by the lock.
    inboxBands.value.store(lists.bands, ordering: .sequentiallyConsistent)
  }

  /// Takes the oldest jobs of the most urgent band, oldest first; empty when there is none.
  ///
  /// A share is what is left divided by twice the workers, at least one job; a single worker takes
  /// all, or `one` if it says so. O(share).
  borrowing func takeShare(workers: Int, one: Bool = false) -> JobChain {
    take(orElse: { JobChain() }, refillingAlways: false) { lists in
      if one { return lists.popFirst().map { JobChain($0) } ?? JobChain() }
      let share = lists.countOfFirstBand / (workers == 1 ? 1 : 2 &* workers)
      return lists.popFirst(max(1, min(Self.largestShare, share)))
    }
  }

  /// Takes the oldest job of the most urgent band, for the only thread that ever takes; nil when
  /// there is none.
  ///
  /// O(1), without the takers' lock.
  borrowing func takeAlone() -> Job? {
    guard bands != 0 else { return nil }
    return front.value.withoutLock { lists in
      refill(&lists, always: false)
      let before = lists.bands
      let job = lists.popFirst()
      // relaxed: the caller is the only reader who takes.
      if lists.bands != before { frontBands.value.store(lists.bands, ordering: .relaxed) }
      return job
    }
  }

  /// Takes the oldest job of the least urgent band; nil when there is none.
  borrowing func takeForAgeing() -> Job? {
    take(orElse: { nil }, refillingAlways: true) { lists in lists.popLeastUrgent() }
  }

  /// Takes those that `accepts` of the next `count` jobs; the others keep their places.
  ///
  /// O(count).
  borrowing func take(ofNext count: Int, where accepts: (Job) -> Bool) -> JobChain {
    take(orElse: { JobChain() }, refillingAlways: true) { lists in
      var left = JobChain()
      var taken = JobChain()
      for _ in 0..<count {
        guard let job = lists.popFirst() else { break }
        if accepts(job) { taken.append(job) } else { left.append(job) }
      }
      lists.prepend(left)
      return taken
    }
  }

  @inline(__always)
  private borrowing func take<Taken: ~Copyable>(
    orElse nothing: () -> Taken, refillingAlways always: Bool,
    _ body: (inout BandedFIFO) -> Taken
  ) -> Taken {
    guard bands != 0 else { return nothing() }
    return front.value.withLock { lists in
      refill(&lists, always: always)
      guard !lists.isEmpty else { return nothing() }
      let share = body(&lists)
      // relaxed: stores under the lock keep their order, so no later reader finds the list empty
      // for good; the taker of the last job publishes it before it looks whether somebody sleeps.
      frontBands.value.store(lists.bands, ordering: .relaxed)
      return share
    }
  }

  /// Moves the inbox to the front when that is empty or less urgent, or always.
  @inline(__always)
  private borrowing func refill(_ lists: inout BandedFIFO, always: Bool) {
    // relaxed: a look before the lock; a job that arrives now is taken next time.
    let arrived = inboxBands.value.load(ordering: .relaxed)
    if arrived.trailingZeroBitCount < lists.bands.trailingZeroBitCount || (always && arrived != 0) {
      emptyInbox(into: &lists)
    }
  }

  @inline(never) private borrowing func emptyInbox(into lists: inout BandedFIFO) {
    inbox.withLock { inbox in
      lists.append(inbox.take())
      // sequentially consistent, both, edge WorkSeen: a look reads the inbox first and then the
      // front, so it finds the jobs in one of them.
      frontBands.value.store(lists.bands, ordering: .sequentiallyConsistent)
      inboxBands.value.store(0, ordering: .sequentiallyConsistent)
    }
  }

  /// Bands that have jobs, as `PriorityBand.mask`; a hint.
  var bands: UInt8 {
    // relaxed: a hint.
    inboxBands.value.load(ordering: .relaxed) | frontBands.value.load(ordering: .relaxed)
  }

  /// True when there is no job.
  var isEmpty: Bool {
    // sequentially consistent, edge WorkSeen: part of the look that follows the announcement of
    // going to sleep.
    inboxBands.value.load(ordering: .sequentiallyConsistent) == 0
      && frontBands.value.load(ordering: .sequentiallyConsistent) == 0
  }
}

/// The lists of the submitters and their lock, side by side so that an addition touches few cache
/// lines.
///
/// A spin lock: the critical sections are a few instructions, whatever the number of jobs.
final class Inbox: Sendable {
  private let gap = LineGap()
  private let lock = SpinLock()
  // SAFETY: touched with the lock held only.
  @exclusivity(unchecked) nonisolated(unsafe) private var lists = BandedFIFO()

  @inline(__always) func withLock(_ body: (inout BandedFIFO) -> Void) {
    lock.withLock { unsafe body(&lists) }
  }
}
