// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Wake-up tokens that sleeping threads wait for: every token lets one thread through.
///
/// The caller counts its sleepers under its own lock and hands out no more tokens than there are,
/// so that no token outlives its sleeper. Edge TokenHandOver: the release that adds tokens pairs
/// with the acquire that takes one.
package struct WakeTokens: ~Copyable, Sendable {
  private let futex = Futex()

  /// No tokens.
  package init() {}

  /// Sleeps until there is a token, and takes it; looks for it for `spinNanoseconds` first.
  package borrowing func take(spinNanoseconds: UInt64 = 0) {
    if spinNanoseconds > 0 { spin(until: MonotonicTime.nanoseconds() &+ spinNanoseconds) }
    while true {
      // relaxed: a look before the ordered attempt.
      let seen = futex.word.value.load(ordering: .relaxed)
      if seen == 0 {
        _ = futex.wait(while: 0)
        continue
      }
      // acquire, edge TokenHandOver; relaxed on failure: the next round looks again.
      if futex.word.value.weakCompareExchange(
        expected: seen, desired: seen - 1,
        successOrdering: .acquiring, failureOrdering: .relaxed
      ).exchanged {
        return
      }
    }
  }

  private borrowing func spin(until deadline: UInt64) {
    // relaxed: a look before the ordered attempt in take().
    while futex.word.value.load(ordering: .relaxed) == 0, MonotonicTime.nanoseconds() < deadline {
      for _ in 0..<8 { spinPause() }
    }
  }

  /// Adds tokens and wakes as many sleepers: one system call, none for 0.
  package borrowing func add(_ count: Int) {
    guard count > 0 else { return }
    // release, edge TokenHandOver.
    futex.word.value.add(UInt32(count), ordering: .releasing)
    futex.wake(count)
  }
}
