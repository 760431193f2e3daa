// SPDX-License-Identifier: Apache-2.0

/// The default rule of package-benchmark, kept to show what it says here.
///
/// A change is reported when the 25th, 50th or 75th percentile of one process is further from that
/// of another than a fixed share. It knows no noise: no verdict of this project rests on it.
/// Pure functions; any thread.
package enum PercentileThreshold {
  /// The relative change that the rule lets pass.
  package static let limit = 0.05

  /// What the rule says about the second sample; equivalent when no percentile moved that far.
  ///
  /// Slower goes before faster when percentiles moved both ways. Stops the process when a sample is
  /// empty or a figure of the base is not positive. O(n log n).
  package static func verdict(base: [Double], candidate: [Double]) -> Verdict {
    let before = sortedFigures(base)
    let after = sortedFigures(candidate)
    guard before.allSatisfy({ $0 > 0 }) else {
      fatalError("PercentileThreshold: a figure of the base is not positive; expected times")
    }
    let changes = [0.25, 0.5, 0.75].map { quantile in
      Percentile.nearestRank(quantile, ofSorted: after)
        / Percentile.nearestRank(quantile, ofSorted: before) - 1
    }
    if changes.contains(where: { $0 > limit }) { return .slower }
    return changes.contains { $0 < -limit } ? .faster : .equivalent
  }
}
