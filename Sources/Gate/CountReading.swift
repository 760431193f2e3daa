// SPDX-License-Identifier: Apache-2.0

package import Statistics

/// A count that was taken several times: the middle of what it was, and from where to where it went.
///
/// Repetitions of one program differ a little where threads meet. A plain value; any thread.
package struct CountReading: Sendable, Hashable {
  package let value: Double
  package let least: Double
  package let most: Double

  /// Stops the process unless `0 <= least <= value <= most` and all are finite: counts come from a
  /// counter or from a reader that checked its input.
  package init(value: Double, least: Double, most: Double) {
    guard least >= 0, least <= value, value <= most, most.isFinite else {
      fatalError(
        "CountReading: \(value) from \(least) to \(most); expected 0 <= least <= value <= most")
    }
    self.value = value
    self.least = least
    self.most = most
  }

  /// What a reading says against that of the base.
  ///
  /// Slower means more, beyond the tolerance, whichever of the repetitions are compared; faster
  /// means fewer in the same way. Equivalent means that no pair of repetitions is that far apart
  /// upwards. O(1).
  package func verdict(against base: CountReading, tolerance: Double) -> Verdict {
    if least > base.most * (1 + tolerance) { return .slower }
    if most * (1 + tolerance) < base.least { return .faster }
    return most <= base.least * (1 + tolerance) || most <= base.most ? .equivalent : .inconclusive
  }

  /// What a reading says against a bound that has no spread.
  package func verdict(against limit: Double) -> Verdict {
    if least > limit { return .slower }
    return most <= limit ? .equivalent : .inconclusive
  }
}
