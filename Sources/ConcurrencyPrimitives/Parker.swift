// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Blocks one thread until another hands it a token; holds at most one token.
///
/// Only one thread may park on a parker at a time. `park` may return true although nobody called
/// `unpark` for this wait, so the caller always looks at its own condition in a loop. What happened
/// before `unpark` is visible after the `park` that took its token.
package final class Parker: Sendable {
  private static let empty: UInt32 = 0
  private static let parked: UInt32 = 1
  private static let token: UInt32 = 2

  private let futex = Futex()

  /// A parker without a token.
  package init() {}

  /// Waits for a token and takes it.
  package func park() { _ = park(until: nil) }

  /// Waits for a token, at most until `deadline` on `MonotonicTime`; nil waits for ever.
  ///
  /// Returns true when it took a token, false when the deadline passed first.
  package func park(until deadline: UInt64?) -> Bool {
    // relaxed: announces the sleeper; on failure the word holds a token, which the exchange below
    // takes.
    let announced = futex.word.value.compareExchange(
      expected: Self.empty, desired: Self.parked, ordering: .relaxed
    ).exchanged
    guard announced else {
      // acquiring, edge TokenTaken: pairs with the release in unpark().
      _ = futex.word.value.exchange(Self.empty, ordering: .acquiring)
      return true
    }
    while true {
      let inTime = futex.wait(while: Self.parked, until: deadline)
      // acquiring, edge TokenTaken, as above.
      if futex.word.value.compareExchange(
        expected: Self.token, desired: Self.empty, ordering: .acquiring
      ).exchanged {
        return true
      }
      if !inTime {
        // acquiring, edge TokenTaken: a token that arrived after the deadline is taken, not lost.
        return futex.word.value.exchange(Self.empty, ordering: .acquiring) == Self.token
      }
    }
  }

  /// Hands over a token and wakes the thread that waits for it; any thread.
  ///
  /// A token that was not taken yet is enough for both calls. One system call when the thread
  /// sleeps, else none.
  package func unpark() {
    // releasing, edge TokenTaken: pairs with the acquiring operations in park(until:). Every write
    // of the word is a read-modify-write, so two unparks in a row publish both callers' writes.
    if futex.word.value.exchange(Self.token, ordering: .releasing) == Self.parked { futex.wake(1) }
  }
}
