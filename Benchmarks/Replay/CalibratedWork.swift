// SPDX-License-Identifier: Apache-2.0

internal import Harness

/// CPU work in units of the time that it takes on this machine, undisturbed.
package struct CalibratedWork: Sendable {
  /// Steps of `spend` per nanosecond.
  package let stepsPerNanosecond: Double

  /// Uses that rate; 0 or more.
  package init(stepsPerNanosecond: Double) { self.stepsPerNanosecond = stepsPerNanosecond }

  /// Measures the rate: the fastest of several trials of a few milliseconds, so that a disturbed
  /// one does not count.
  package static func calibrate() -> CalibratedWork {
    var best = 0.0
    var steps = 1000
    for _ in 0..<40 {
      let start = MonotonicClock.nanoseconds()
      spend(steps: steps)
      let elapsed = MonotonicClock.nanoseconds() - start
      if elapsed < trialNanoseconds {
        steps *= 2
      } else {
        best = max(best, Double(steps) / Double(elapsed))
      }
    }
    return CalibratedWork(stepsPerNanosecond: best)
  }

  /// Does the work of that many nanoseconds.
  package func spend(nanoseconds: Int64) {
    Self.spend(steps: Int((Double(nanoseconds) * stepsPerNanosecond).rounded()))
  }

  private static let trialNanoseconds: UInt64 = 1_000_000

  /// Steps of a xorshift generator, each of which needs the one before.
  private static func spend(steps: Int) {
    var word: UInt = 0x9e37_79b9_7f4a_7c15
    for _ in 0..<max(steps, 0) {
      word ^= word << 13
      word ^= word >> 7
      word ^= word << 17
    }
    blackHole(word)
  }
}
