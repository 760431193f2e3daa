// SPDX-License-Identifier: Apache-2.0

/// How a series of iteration times behaves: a label stored beside the figures, never a filter.
///
/// The verdicts of this project hold whatever the label says; it tells a reader whether the series
/// had settled.
package enum SeriesState: String, Sendable, CaseIterable {
  /// No change of level and no cycle was found in a series long enough to find one.
  case steady
  /// The level changes along the series, by steps or slowly.
  case drifting
  /// The figures repeat a pattern of fixed length.
  case cyclic
  /// Too short a series, or one whose figures depend on each other in another way.
  case unknown
}

/// Labels series of iteration times and finds how many iterations to leave out.
///
/// Answers depend on order and relative size only: multiplying all figures changes nothing.
/// One thread at a time; many series of one length share one permutation test.
package struct SeriesLabeller: Sendable {
  /// The fewest figures that get a label other than unknown.
  package static let fewestFigures = 20
  /// The fewest repetitions of a pattern that count as a cycle.
  package static let fewestCycles = 3
  /// The share of the variance of scores below which a cycle does not matter.
  package static let smallestCycleShare = 0.1
  /// The relative size below which a change of level, or all variation, does not matter.
  package static let smallestDrift = 0.01
  /// The rank correlation with time from which a series drifts, whatever else it does.
  package static let largestTrend = 0.7
  /// The correlation of neighbours above which an unexplained series is unknown.
  package static let largestAutocorrelation = 0.5

  private var detector: ChangePointDetector

  /// Sets the seed and the number of permutations behind the labels, whose error is 1 % each.
  ///
  /// Stops the process below 1,000 permutations.
  package init(seed: UInt64, permutations: Int = 1_000) {
    detector = ChangePointDetector(alpha: 0.01, permutations: permutations, seed: seed)
  }

  /// The label of a series in order of measurement.
  ///
  /// Steady is also what varies by less than `smallestDrift` between its 10 % and 90 % quantiles.
  /// Cyclic goes before drifting, since a cycle of few repetitions looks like changes of level; the
  /// test of the cycle looks at normal scores from which the correlation of neighbours is taken.
  /// Stops the process when a figure is not a number. O(n²) and one scan for change points.
  package mutating func label(_ series: [Double]) -> SeriesState {
    guard series.count >= Self.fewestFigures else { return .unknown }
    if Self.variesLittle(series) { return .steady }
    let scores = normalScores(series)
    if Self.isCyclic(scores) { return .cyclic }
    if Self.trend(series).magnitude >= Self.largestTrend { return .drifting }
    if firstDrift(in: series) != nil { return .drifting }
    return lagOneAutocorrelation(scores) > Self.largestAutocorrelation ? .unknown : .steady
  }

  /// How many iterations to leave out before measuring, from those of a calibrating process.
  ///
  /// The first index after which a scan for change points finds nothing that matters, rounded up to
  /// a power of two so that the answer hardly varies from run to run; 0 when nothing needs to be
  /// left out, nil when fewer than `fewestFigures` settled figures are left. Both sides of a
  /// comparison must use the same number.
  package mutating func warmUpIterations(_ series: [Double]) -> Int? {
    var start = 0
    while series.count - start >= Self.fewestFigures {
      guard let change = firstDrift(in: Array(series[start...])) else {
        var rounded = start > 0 ? 1 : 0
        while rounded < start { rounded *= 2 }
        return rounded
      }
      start += change
    }
    return nil
  }

  /// The place of the strongest change of level that matters; nil when there is none.
  private mutating func firstDrift(in series: [Double]) -> Int? {
    guard let change = detector.strongestChange(in: series) else { return nil }
    // Within a pure trend neighbours are alike, so that no split of it is surprising.
    guard change.pValue <= detector.alpha || Self.trend(series).magnitude >= Self.largestTrend
    else { return nil }
    let before = median(Array(series[..<change.index]))
    let after = median(Array(series[change.index...]))
    let scale = min(before.magnitude, after.magnitude)
    return (after - before).magnitude > Self.smallestDrift * scale ? change.index : nil
  }

  private static func variesLittle(_ series: [Double]) -> Bool {
    let sorted = sortedFigures(series)
    let spread = Percentile.value(0.9, ofSorted: sorted) - Percentile.value(0.1, ofSorted: sorted)
    return spread <= smallestDrift * Percentile.value(0.5, ofSorted: sorted).magnitude
  }

  /// Spearman's rank correlation of a series with time.
  ///
  /// 0 when all figures are equal.
  private static func trend(_ series: [Double]) -> Double {
    let order = series.indices.sorted { series[$0] < series[$1] }
    let doubledRanks = doubledMidranks(ofOrderedMagnitudes: order.map { series[$0] })
    let middle = Double(series.count + 1)
    var products = 0.0
    var rankSquares = 0.0
    var timeSquares = 0.0
    for (index, doubledRank) in zip(order, doubledRanks) {
      let rank = Double(doubledRank) - middle
      let time = Double(2 * (index + 1)) - middle
      products += rank * time
      rankSquares += rank * rank
      timeSquares += time * time
    }
    return rankSquares > 0 ? products / (rankSquares * timeSquares).squareRoot() : 0
  }

  private static func isCyclic(_ scores: [Double]) -> Bool {
    // Positive correlation of neighbours lifts all slow frequencies, which are no cycles. A fast
    // alternation correlates negatively, and must stay.
    let correlation = max(0, lagOneAutocorrelation(scores))
    let whitened = zip(scores.dropFirst(), scores).map { $0 - correlation * $1 }
    guard let cycle = Periodogram(whitened).strongestCycle(fewest: fewestCycles) else {
      return false
    }
    return cycle.excessShare >= smallestCycleShare && cycle.pValue <= 0.01
  }
}
