// SPDX-License-Identifier: Apache-2.0

/// Returns the median: the middle figure, or the mean of the middle two.
///
/// Stops the process when there are no figures or one is not a number. Any thread. O(n log n).
package func median(_ figures: [Double]) -> Double {
  Percentile.value(0.5, ofSorted: sortedFigures(figures))
}

/// Returns the order-statistics interval of the median, which assumes independence and nothing
/// else.
///
/// The bounds are the `k`-th smallest and the `k`-th largest figure, with the largest `k` for which
/// twice the probability of fewer than `k` heads in `n` tosses is at most `1 - level`; so the
/// coverage is at least `level`. Nil when even the extremes do not reach the level, at 95 % below
/// 6 figures. Stops the process when a figure is not a number. Any thread. O(n log n).
package func medianInterval(_ figures: [Double], level: Double) -> Interval? {
  requireLevel(level)
  let sorted = sortedFigures(figures)
  let k = medianRank(count: sorted.count, tail: (1 - level) / 2)
  guard k >= 1 else { return nil }
  return Interval(low: sorted[k - 1], high: sorted[sorted.count - k], level: level)
}

/// The largest `k` with P(Binomial(count, 1/2) < k) <= tail; 0 when there is none.
private func medianRank(count: Int, tail: Double) -> Int {
  // Masses relative to the one in the middle: what underflows far out is truly negligible, whereas
  // starting from 1 / 2^count would lose everything from about 1,000 figures on.
  let middle = count / 2
  var masses = [Double](repeating: 1, count: middle + 1)
  var heads = middle
  while heads > 0 {
    masses[heads - 1] = masses[heads] * Double(heads) / Double(count - heads + 1)
    heads -= 1
  }
  let lowerHalf = masses.reduce(0, +)
  let total = count.isMultiple(of: 2) ? 2 * lowerHalf - 1 : 2 * lowerHalf
  var cumulative = 0.0
  var k = 0
  while 2 * k < count {
    cumulative += masses[k] / total
    if cumulative > tail { break }
    k += 1
  }
  return k
}

/// Sorts ascending, after making sure that every figure is a number.
func sortedFigures(_ figures: [Double]) -> [Double] {
  guard !figures.contains(where: \.isNaN) else {
    fatalError("a figure is not a number; expected finite figures; look for a division by zero")
  }
  return figures.sorted()
}
