// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// The clock that deadlines and spin budgets are measured on: CLOCK_MONOTONIC in nanoseconds.
package enum MonotonicTime {
  /// Nanoseconds since an arbitrary point; never goes back.
  ///
  /// About 25 ns; any thread.
  package static func nanoseconds() -> UInt64 {
    var time = timespec()
    // SAFETY: `time` is a valid timespec for the duration of the call; CLOCK_MONOTONIC always
    // exists on Linux.
    unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
  }

  /// The moment `duration` from now; a negative duration gives now, a huge one the end of time.
  package static func deadline(after duration: Duration) -> UInt64 {
    let now = nanoseconds()
    let parts = duration.components
    guard parts.seconds >= 0, parts.attoseconds >= 0 else { return now }
    let (whole, tooLong) = UInt64(parts.seconds).multipliedReportingOverflow(by: 1_000_000_000)
    guard !tooLong else { return .max }
    let (length, longer) = whole.addingReportingOverflow(UInt64(parts.attoseconds / 1_000_000_000))
    let (moment, beyond) = now.addingReportingOverflow(length)
    return longer || beyond ? .max : moment
  }
}
