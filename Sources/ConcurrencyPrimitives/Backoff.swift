// SPDX-License-Identifier: Apache-2.0

public import CSystemShims

/// Waiting for something that another running thread is about to do: first pause, then give the
/// processor away.
///
/// One value per wait, on the waiting thread.
@usableFromInline package struct Backoff {
  @usableFromInline internal var round = 0

  /// Rounds of pauses before the first yield; round k pauses 2^k times.
  private static let pausingRounds = 6

  /// A wait that has not begun.
  @inlinable package init() {}

  /// Waits a little longer than the last time, up to one yield.
  @inline(never) package mutating func wait() {
    guard round < Self.pausingRounds else { return shim_thread_yield() }
    for _ in 0..<(1 << round) { shim_pause() }
    round += 1
  }
}

/// Tells the processor that the caller spins.
@inlinable @inline(__always) package func spinPause() { shim_pause() }
