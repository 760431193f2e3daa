// SPDX-License-Identifier: Apache-2.0

/// Replaces figures by the normal quantiles of their ranks, equal figures sharing their mean rank.
///
/// Rank r of n becomes the quantile at r / (n + 1), as van der Waerden proposed: outliers lose
/// their weight, and what is computed from the scores no longer depends on the distribution of the
/// figures. Takes figures that are numbers. O(n log n).
func normalScores(_ figures: [Double]) -> [Double] {
  let order = figures.indices.sorted { figures[$0] < figures[$1] }
  let doubledRanks = doubledMidranks(ofOrderedMagnitudes: order.map { figures[$0] })
  let places = Double(2 * (figures.count + 1))
  var scores = figures
  for (index, doubledRank) in zip(order, doubledRanks) {
    scores[index] = normalQuantile(Double(doubledRank) / places)
  }
  return scores
}

/// The correlation of each figure with the one before it, after the mean is taken away.
///
/// 0 when all figures are equal. O(n).
/// Source: Box, Jenkins and Reinsel, Time Series Analysis, 4th edition, 2.1.
func lagOneAutocorrelation(_ figures: [Double]) -> Double {
  let mean = figures.reduce(0, +) / Double(figures.count)
  var products = 0.0
  var squares = 0.0
  var previous: Double?
  for figure in figures {
    let deviation = figure - mean
    squares += deviation * deviation
    if let previous { products += deviation * previous }
    previous = deviation
  }
  return squares > 0 ? products / squares : 0
}
