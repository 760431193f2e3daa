// SPDX-License-Identifier: Apache-2.0

internal import ConcurrencyPrimitives
internal import Scheduling
internal import Synchronization

/// The shared inbox for jobs from outside the pool: a stack that is only pushed to and only taken whole.
///
/// Push-only plus take-all has no ABA. One exchange per chain, whatever its length. The links run from the newest job
/// to the oldest, so a taker that pushes in that order pops the oldest first. The edges are explained on the page
/// Injector.
struct Injector: ~Copyable, Sendable {
  /// Word of the newest job, or 0.
  private let head = Padded(Atomic<UInt>(0))
  /// Unusual bands that may be among the jobs; may keep a bit too long, never misses one.
  private let bandHint = Padded(Atomic<UInt8>(0))

  /// Adds every job of a non-empty chain, the first as the oldest; any thread.
  ///
  /// O(n) for turning the links round, one successful exchange.
  borrowing func push(_ chain: consuming JobChain) {
    let bands = chain.bands & ~PriorityBand.normal.mask
    guard let (newest, oldest) = Self.reversed(chain) else { return }
    // relaxed: the exchange below decides; the value is only written into a link.
    var expected = head.value.load(ordering: .relaxed)
    while true {
      oldest.next = Job(word: expected)
      // sequentially consistent, edges JobInjected (releases the jobs and their links to takeAll()) and WorkSeen (in
      // the total order before the load of the idle counts that follows a publication).
      let (done, original) = head.value.weakCompareExchange(
        expected: expected, desired: newest.word,
        successOrdering: .sequentiallyConsistent, failureOrdering: .relaxed)
      if done { break }
      expected = original
    }
    if bands != 0 {
      // relaxed: a hint. Set after the jobs are in, and cleared before they are taken, so it never misses one.
      bandHint.value.bitwiseOr(bands, ordering: .relaxed)
    }
  }

  /// Takes every job: the newest, whose links lead to the oldest; nil when there is none.
  borrowing func takeAll() -> Job? {
    // relaxed: a cheap look; whoever must not miss a job uses isEmpty.
    guard head.value.load(ordering: .relaxed) != 0 else { return nil }
    // relaxed: see push(). The exchange below stays behind it, because it acquires and releases.
    if bandHint.value.load(ordering: .relaxed) != 0 { bandHint.value.store(0, ordering: .relaxed) }
    // acquiring, edge JobInjected: pairs with the exchange in push(); releasing keeps the hint's store before it.
    return Job(word: head.value.exchange(0, ordering: .acquiringAndReleasing))
  }

  /// Unusual bands that may be waiting, as `PriorityBand.mask`; a hint.
  var bands: UInt8 {
    // relaxed: a hint.
    bandHint.value.load(ordering: .relaxed)
  }

  /// True when there is no job.
  var isEmpty: Bool {
    // sequentially consistent, edge WorkSeen: part of the look that follows the announcement of going to sleep.
    head.value.load(ordering: .sequentiallyConsistent) == 0
  }

  /// Turns the links round and returns both ends.
  private static func reversed(_ chain: JobChain) -> (newest: Job, oldest: Job)? {
    guard let oldest = chain.first else { return nil }
    var newest = oldest
    var rest = oldest.next
    while let job = rest {
      rest = job.next
      job.next = newest
      newest = job
    }
    return (newest, oldest)
  }
}
