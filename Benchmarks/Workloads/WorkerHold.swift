// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Harness

/// Bodies and submitters that let time pass.
package enum WorkerHold {
  /// Keeps the calling thread busy for that long by the monotonic clock and returns the stamp of
  /// the end.
  ///
  /// The duration is exact whatever the host does to the cores, up to the cost of reading the
  /// clock; a thread that is pre-empted past its deadline stops when it runs again.
  @discardableResult
  package static func spin(nanoseconds: UInt64) -> UInt64 {
    let deadline = MonotonicClock.nanoseconds() &+ nanoseconds
    return spin(until: deadline)
  }

  /// Keeps the calling thread busy until the deadline and returns the stamp of the end, not before
  /// the deadline.
  package static func spin(until deadline: UInt64) -> UInt64 {
    var now = MonotonicClock.nanoseconds()
    while now < deadline { now = MonotonicClock.nanoseconds() }
    return now
  }

  /// Gives the CPU away for about that long; at least a microsecond, and tens of them more on most
  /// kernels.
  package static func sleep(nanoseconds: UInt64) {
    usleep(UInt32(clamping: max(nanoseconds / 1000, 1)))
  }
}
