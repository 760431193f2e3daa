// SPDX-License-Identifier: Apache-2.0

/// Percentiles of sorted figures, in the two definitions that this project uses.
///
/// *Nearest rank* (definition 1 of Hyndman and Fan) returns a figure that was really observed: the
/// smallest sample with at least the fraction `p` of all samples at or below it. It is meant for
/// latency tails, from every sample. *Linear interpolation* (definition 7, the default of R and
/// NumPy) is meant for the few figures that processes deliver, where the median of an even count
/// should lie between the middle two.
///
/// A quantile is given as a fraction: 0.5, 0.99, 0.999; 0 is the minimum and 1 the maximum.
/// Pure functions; any thread. Source: Hyndman and Fan, The American Statistician 50(4), 1996.
package enum Percentile {
  /// How many samples must lie beyond a tail quantile before it says anything.
  package static let samplesRequiredBeyond = 10

  /// Interpolates the `p` quantile linearly between the two nearest figures.
  ///
  /// Definition 7: position `p * (count - 1)` counted from 0. Stops the process when `sorted` is
  /// empty or `p` is not a fraction. O(1).
  package static func value(_ p: Double, ofSorted sorted: [Double]) -> Double {
    requireFigures(count: sorted.count, p)
    let position = p * Double(sorted.count - 1)
    let below = Int(position)
    let above = min(below + 1, sorted.count - 1)
    let share = position - Double(below)
    // Not `low + share * (high - low)` when nothing is to be interpolated: that may leave the data.
    if share == 0 || sorted[below] == sorted[above] { return sorted[below] }
    return sorted[below] * (1 - share) + sorted[above] * share
  }

  /// Returns the sample of nearest rank: number `ceil(p * count)` counted from 1.
  ///
  /// Stops the process when `sorted` is empty or `p` is not a fraction. O(1).
  package static func nearestRank<Figure: Comparable>(
    _ p: Double, ofSorted sorted: [Figure]
  ) -> Figure {
    sorted[rank(p, count: sorted.count) - 1]
  }

  /// Whether so many samples support a statement about the `p` quantile.
  ///
  /// A tail quantile (above the median, below the maximum) needs `samplesRequiredBeyond` samples
  /// beyond its nearest rank: p99 needs 1,000 samples, p99.9 needs 10,000. The median, what lies
  /// below it and the observed maximum need one sample.
  package static func isSupported(_ p: Double, sampleCount: Int) -> Bool {
    guard sampleCount > 0 else { return false }
    requireFigures(count: sampleCount, p)
    if p <= 0.5 || p == 1 { return true }
    return sampleCount - rank(p, count: sampleCount) >= samplesRequiredBeyond
  }

  /// The nearest rank of the `p` quantile among `count` samples, counted from 1.
  ///
  /// Stops the process when there is no sample or `p` is not a fraction.
  static func rank(_ p: Double, count: Int) -> Int {
    requireFigures(count: count, p)
    // 0.999 * 1000 may round to just above 999; four units in the last place bring it back, and
    // cannot reach the next whole number for any count that fits in memory.
    let product = p * Double(count) * (1 - 4 * Double.ulpOfOne)
    return max(1, Int(product.rounded(.up)))
  }

  private static func requireFigures(count: Int, _ p: Double) {
    guard count > 0 else {
      fatalError("Percentile: no figures; expected at least one; check the count before asking")
    }
    guard p >= 0, p <= 1 else {
      fatalError("Percentile: quantile \(p); expected a fraction from 0 to 1; write 0.99 for p99")
    }
  }
}
