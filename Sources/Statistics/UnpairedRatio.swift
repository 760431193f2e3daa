// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// The ratio of two figures that were measured apart, with an interval that matches the rank-sum
/// test.
///
/// The estimate is Hodges and Lehmann's for two samples: the median of the ratios of every figure
/// of one to every figure of the other. The interval takes the ratios that Mann and Whitney's test
/// does not reject. It takes the figures of each sample for independent draws under the same
/// conditions: what changed between the samples is in the ratio, and no interval shows it. No
/// verdict of this project rests on it. A plain value; any thread.
/// Source: Hollander, Wolfe and Chicken, Nonparametric Statistical Methods, 3rd edition, 4.2–4.3.
package struct UnpairedRatio: Sendable, Equatable {
  /// The estimated ratio; 1 means no difference.
  package let ratio: Double
  /// The interval of the ratio; nil when there are too few figures for the level.
  package let interval: Interval?

  /// Figures on either side from which there is an interval at 95 %.
  package static let leastFigures = 4

  /// Estimates the ratio of the candidate to the base.
  ///
  /// Stops the process when a side has no figure, or one that is not finite and above zero: those
  /// are the caller's to refuse. O((m + n) log(m + n)).
  package static func estimate(
    base: [Double], candidate: [Double], level: Double = 0.95
  ) -> UnpairedRatio {
    requireLevel(level)
    guard !base.isEmpty, !candidate.isEmpty,
      (base + candidate).allSatisfy({ $0 > 0 && $0.isFinite })
    else {
      fatalError(
        "UnpairedRatio: \(base.count) and \(candidate.count) figures, some not above 0 or none at "
          + "all; expected figures on both sides; leave out the comparison")
    }
    let differences = Differences(
      of: candidate.map { log($0) }.sorted(), to: base.map { log($0) }.sorted())
    let lower = differences.value(rank: (differences.count + 1) / 2)
    let upper = differences.value(rank: differences.count / 2 + 1)
    let ratio = exp(lower == upper ? lower : lower * 0.5 + upper * 0.5)
    let c = MannWhitneyDistribution(counts: (base.count, candidate.count))
      .acceptedRank(tail: (1 - level) / 2)
    guard c >= 1 else { return UnpairedRatio(ratio: ratio, interval: nil) }
    let interval = Interval(
      low: exp(differences.value(rank: c)),
      high: exp(differences.value(rank: differences.count + 1 - c)), level: level)
    return UnpairedRatio(ratio: ratio, interval: interval)
  }

  /// The differences of every figure to every other one, found by rank without forming them all.
  private struct Differences {
    let figures: [Double]
    let others: [Double]

    /// Takes both in ascending order.
    init(of figures: [Double], to others: [Double]) {
      self.figures = figures
      self.others = others
    }

    var count: Int { figures.count * others.count }

    /// The difference of rank `rank`, counted from 1.
    ///
    /// Halves the range of values, and ends on a difference that there is.
    func value(rank: Int) -> Double {
      var low = (figures[0] - others[others.count - 1]).nextDown
      var high = figures[figures.count - 1] - others[0]
      let resolution = max(low.magnitude, high.magnitude) * Double.ulpOfOne
      while high - low > resolution {
        let middle = low + (high - low) / 2
        guard low < middle, middle < high else { break }
        if upTo(middle).count >= rank { high = middle } else { low = middle }
      }
      return upTo(high).largest
    }

    /// How many differences are at most the limit, and the largest of those.
    private func upTo(_ limit: Double) -> (count: Int, largest: Double) {
      var count = 0
      var largest = -Double.infinity
      var end = 0
      // A larger figure to subtract leaves at least as many at or below the limit.
      for other in others {
        while end < figures.count, figures[end] - other <= limit { end += 1 }
        if end > 0 { largest = max(largest, figures[end - 1] - other) }
        count += end
      }
      return (count, largest)
    }
  }
}
