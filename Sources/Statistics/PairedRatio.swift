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

  /// Pairs from which there is an interval at 95 %, and from which contestants are ranked.
  package static let leastPairs = 6

  /// The ratio of the sides the other way round.
  package var inverse: PairedRatio {
    PairedRatio(
      ratio: 1 / ratio,
      interval: interval.map { Interval(low: 1 / $0.high, high: 1 / $0.low, level: $0.level) })
  }

  /// Whether the interval excludes 1, that is, whether a difference is established.
  package var isEstablished: Bool {
    interval.map { !$0.contains(1) } ?? false
  }

  /// Estimates the ratio from one natural log ratio per pair.
  ///
  /// At 95 % the interval needs 6 pairs. Stops the process when there is no pair or a log ratio is
  /// not finite: figures that are zero or missing are the caller's to refuse. O(n log² n).
  package static func estimate(logRatios: [Double], level: Double = 0.95) -> PairedRatio {
    requireLevel(level)
    guard !logRatios.isEmpty, logRatios.allSatisfy(\.isFinite) else {
      fatalError(
        "PairedRatio: \(logRatios.count) log ratios, some not finite or none at all; "
          + "expected finite log ratios of at least one pair; leave out pairs without a figure")
    }
    let averages = WalshAverages(ofSorted: logRatios.sorted())
    let ratio = exp(averages.median())
    let c = RankSumDistribution(count: logRatios.count).acceptedRank(tail: (1 - level) / 2)
    guard c >= 1 else { return PairedRatio(ratio: ratio, interval: nil) }
    let interval = Interval(
      low: exp(averages.value(rank: c)), high: exp(averages.value(rank: averages.count + 1 - c)),
      level: level)
    return PairedRatio(ratio: ratio, interval: interval)
  }
}
