// SPDX-License-Identifier: Apache-2.0

internal import Harness

/// Counts down a limit in the time during which this process could run.
struct Stopwatch {
  private var left: UInt64
  private var last = MonotonicClock.nanoseconds()
  /// Longest single wait; more than this between two calls means that the process was stopped.
  private static let step: UInt64 = 1_000_000_000

  init(limit: Duration) {
    let (seconds, attoseconds) = limit.components
    left = UInt64(clamping: seconds &* 1_000_000_000 &+ attoseconds / 1_000_000_000)
  }

  /// How long to wait next, 0 when the limit is reached.
  mutating func nextWaitMilliseconds() -> Int32 {
    let now = MonotonicClock.nanoseconds()
    left -= min(left, min(now - last, Self.step + Self.step / 10))
    last = now
    return left == 0 ? 0 : Int32((min(left, Self.step) + 999_999) / 1_000_000)
  }
}
