// SPDX-License-Identifier: Apache-2.0

internal import ConcurrencyPrimitives
internal import Harness
internal import Operations
internal import Synchronization

/// How many of the tokens that operations hand on to other queues still go round.
///
/// That one queue after the other was seen quiet says nothing: a token may have moved behind the
/// observer's back to a queue that was looked at before.
final class TokenCount: Sendable {
  private let left: Atomic<Int>
  private let parker = Parker()

  init(_ count: Int) { left = Atomic(count) }

  /// A token has arrived where it goes no further; any thread, once for each token.
  fileprivate func arrive() {
    // acquiring and releasing: each arrival orders the token's bodies before those of the wait.
    if left.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 { parker.unpark() }
  }

  /// Waits until every token has arrived and the queues, in one of which the last one still ends,
  /// are quiet.
  ///
  /// - Throws: when tokens are missing after the patience of an iteration.
  func wait(for queues: [OperationQueue], _ name: String) throws(WrongAnswer) {
    let deadline = MonotonicTime.deadline(after: TimedIteration.patience)
    // acquiring: pairs with the releases of the arrivals.
    while left.load(ordering: .acquiring) > 0 {
      guard parker.park(until: deadline) else {
        throw WrongAnswer(
          message: "\(name): \(left.load(ordering: .relaxed)) tokens have not arrived after "
            + "\(TimedIteration.patience); expected every operation to run")
      }
    }
    for queue in queues { try TimedIteration.wait(for: queue, name) }
  }
}

/// The count for the bodies of a workload, which capture it without counting a reference.
@safe struct BorrowedTokenCount: Sendable {
  private let count: Unmanaged<TokenCount>

  /// Borrows `count`, which must outlive every operation that arrives through the result.
  init(_ count: TokenCount) { unsafe self.count = Unmanaged.passUnretained(count) }

  /// See `TokenCount.arrive`.
  func arrive() {
    // SAFETY: the workload keeps the count until its queues are quiet.
    unsafe count._withUnsafeGuaranteedRef { $0.arrive() }
  }
}
