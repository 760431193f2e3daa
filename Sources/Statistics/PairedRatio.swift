// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// The ratio of two figures measured in pairs, with an interval that matches the signed-rank test.
///
/// The estimate is Hodges and Lehmann's: the median of all Walsh averages (means of two log ratios,
/// each also with itself), turned back into a ratio. The interval takes the Walsh averages that the
/// signed-rank test at the same level does not reject: exact up to `SignedRank.exactLimit` pairs,
/// normal with continuity correction beyond. Valid by the random order inside each pair alone,
/// whatever the drift from pair to pair. Any thread.
/// Source: Hollander, Wolfe and Chicken, Nonparametric Statistical Methods, 3rd edition, 3.2–3.3.
package struct PairedRatio: Sendable, Equatable {
  /// The estimated ratio; 1 means no difference.
  package let ratio: Double
  /// The interval of the ratio; nil when there are too few pairs for the level.
  package let interval: Interval?

  /// Whether the interval excludes 1, that is, whether a difference is established.
  package var isEstablished: Bool {
    interval.map { !$0.contains(1) } ?? false
  }

  /// Estimates the ratio from one natural log ratio per pair.
  ///
  /// At 95 % the interval needs 6 pairs. Stops the process when there is no pair or a log ratio is
  /// not finite: figures that are zero or missing are the caller's to refuse. O(n² log n).
  package static func estimate(logRatios: [Double], level: Double = 0.95) -> PairedRatio {
    requireLevel(level)
    guard !logRatios.isEmpty, logRatios.allSatisfy(\.isFinite) else {
      fatalError(
        "PairedRatio: \(logRatios.count) log ratios, some not finite or none at all; "
          + "expected finite log ratios of at least one pair; leave out pairs without a figure")
    }
    let averages = walshAverages(logRatios)
    let ratio = exp(Percentile.value(0.5, ofSorted: averages))
    let c = acceptedRank(pairs: logRatios.count, tail: (1 - level) / 2)
    guard c >= 1 else { return PairedRatio(ratio: ratio, interval: nil) }
    let interval = Interval(
      low: exp(averages[c - 1]), high: exp(averages[averages.count - c]), level: level)
    return PairedRatio(ratio: ratio, interval: interval)
  }

  /// All means of two figures, each also with itself, ascending.
  private static func walshAverages(_ figures: [Double]) -> [Double] {
    var averages: [Double] = []
    averages.reserveCapacity(figures.count * (figures.count + 1) / 2)
    for first in figures.indices {
      for second in first..<figures.count {
        averages.append((figures[first] + figures[second]) / 2)
      }
    }
    return averages.sorted()
  }

  /// The largest `c` with P(rank sum < c) <= tail under random signs; 0 when there is none.
  private static func acceptedRank(pairs: Int, tail: Double) -> Int {
    guard pairs <= SignedRank.exactLimit else {
      let n = Double(pairs)
      let deviation = (n * (n + 1) * (2 * n + 1) / 24).squareRoot()
      let limit = n * (n + 1) / 4 - 0.5 - upperNormalQuantile(tail: tail) * deviation
      return max(0, Int(limit.rounded(.down)) + 1)
    }
    var cumulative = 0.0
    var c = 0
    for mass in rankSumMasses(ranks: Array(1...pairs)) {
      cumulative += mass
      if cumulative > tail { break }
      c += 1
    }
    return c
  }
}
