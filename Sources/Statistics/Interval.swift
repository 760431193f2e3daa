// SPDX-License-Identifier: Apache-2.0

/// A confidence interval with the level it was asked for.
///
/// A plain value; any thread. The bounds have the unit of the figures they came from.
package struct Interval: Sendable, Hashable {
  /// The lower bound.
  package let low: Double
  /// The upper bound, at least `low`.
  package let high: Double
  /// The nominal level, between 0 and 1; the interval covers the truth at least about this often.
  package let level: Double

  /// Makes an interval from its bounds.
  ///
  /// Stops the process when the bounds are out of order or not numbers, or the level is not between
  /// 0 and 1: intervals come from the functions of this room or from a reader that checked its
  /// input.
  package init(low: Double, high: Double, level: Double) {
    guard low <= high else {
      fatalError("Interval: bounds \(low) and \(high); expected low <= high; fix the caller")
    }
    requireLevel(level)
    self.low = low
    self.high = high
    self.level = level
  }

  /// Whether the value lies between the bounds, bounds included.
  package func contains(_ value: Double) -> Bool {
    low <= value && value <= high
  }
}

/// Stops the process unless `level` lies strictly between 0 and 1.
func requireLevel(_ level: Double) {
  guard level > 0, level < 1 else {
    fatalError("confidence level \(level); expected more than 0 and less than 1, such as 0.95")
  }
}
