// SPDX-License-Identifier: Apache-2.0

/// The Wilcoxon signed-rank test of paired differences against zero.
///
/// Differences of zero are dropped (Wilcoxon's rule), equal magnitudes share their mean rank. Up to
/// `exactLimit` differences the p-value is exact, also with shared ranks: the distribution is that
/// of the ranks at hand under random signs. Beyond, it is normal with tie and continuity
/// correction. A plain value; any thread.
/// Source: Hollander, Wolfe and Chicken, Nonparametric Statistical Methods, 3rd edition, 3.1.
package struct SignedRank: Sendable, Equatable {
  /// The largest number of differences for which the distribution is computed exactly.
  package static let exactLimit = 50

  /// How many differences were not zero.
  package let count: Int
  /// The sum of the ranks of the positive differences.
  package let positiveRankSum: Double
  /// The two-sided p-value; 1 when every difference is zero.
  package let pValue: Double

  /// Whether the positive differences outweigh the negative ones.
  package var isPositive: Bool {
    4 * positiveRankSum > Double(count * (count + 1))
  }

  /// Tests the differences, or log ratios, of one pair each.
  ///
  /// Stops the process when a difference is not a number. O(n log n); with shared ranks the exact
  /// part takes O(n³).
  package init(differences: [Double]) {
    guard !differences.contains(where: \.isNaN) else {
      fatalError("SignedRank: a difference is not a number; expected finite log ratios of pairs")
    }
    let ordered = differences.filter { $0 != 0 }.sorted { $0.magnitude < $1.magnitude }
    let ranks = doubledMidranks(ofOrderedMagnitudes: ordered.map(\.magnitude))
    var doubledSum = 0
    for (difference, rank) in zip(ordered, ranks) where difference > 0 { doubledSum += rank }
    count = ordered.count
    positiveRankSum = Double(doubledSum) / 2
    if ordered.isEmpty {
      pValue = 1
    } else if ordered.count <= Self.exactLimit {
      let total = ranks.reduce(0, +)
      // Random signs make the distribution symmetric, so the smaller of both sums gives the tail.
      let smaller = min(doubledSum, total - doubledSum)
      if ranks.indices.allSatisfy({ ranks[$0] == 2 * ($0 + 1) }) {
        let distribution = RankSumDistribution(count: ranks.count)
        pValue = min(1, 2 * distribution.exactLowerTail(smaller / 2))
      } else {
        pValue = min(1, 2 * rankSumMasses(ranks: ranks)[...smaller].reduce(0, +))
      }
    } else {
      pValue = Self.normalPValue(ranks: ranks, doubledSum: doubledSum)
    }
  }

  private static func normalPValue(ranks: [Int], doubledSum: Int) -> Double {
    // Under random signs each rank counts with probability one half, so the variance is a quarter
    // of the sum of squares; with shared ranks this is the usual tie correction.
    let mean = Double(ranks.reduce(0, +)) / 4
    let variance = ranks.reduce(0.0) { $0 + Double($1 * $1) } / 16
    let distance = max(0, (Double(doubledSum) / 2 - mean).magnitude - 0.5)
    return min(1, 2 * upperNormalTail(distance / variance.squareRoot()))
  }
}

/// Returns twice the rank of each magnitude, equal magnitudes sharing their mean rank.
///
/// Doubled, because a mean of whole ranks is a multiple of one half. Takes ascending magnitudes.
func doubledMidranks(ofOrderedMagnitudes magnitudes: [Double]) -> [Int] {
  var ranks: [Int] = []
  ranks.reserveCapacity(magnitudes.count)
  var start = 0
  while start < magnitudes.count {
    var end = start + 1
    while end < magnitudes.count && magnitudes[end] == magnitudes[start] { end += 1 }
    // Ranks start + 1 through end: twice their mean is start + 1 + end.
    ranks += Array(repeating: start + 1 + end, count: end - start)
    start = end
  }
  return ranks
}

/// Returns the probability of each sum of ranks when every rank counts with probability one half.
///
/// Element `s` is the probability of the sum `s`. O(n * total).
func rankSumMasses(ranks: [Int]) -> [Double] {
  var masses = [Double](repeating: 0, count: ranks.reduce(0, +) + 1)
  masses[0] = 1
  var reached = 0
  for rank in ranks {
    reached += rank
    var sum = reached
    while sum >= 0 {
      let without = masses[sum]
      let with = sum >= rank ? masses[sum - rank] : 0
      masses[sum] = (without + with) / 2
      sum -= 1
    }
  }
  return masses
}
