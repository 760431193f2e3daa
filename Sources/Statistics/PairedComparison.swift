// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// A sequential comparison in pairs: the verdict at each look, at a stated overall error.
///
/// At every look the interval that decides has the level that the design leaves to that look (a
/// repeated confidence interval): all of them together cover the true ratio with probability
/// `1 - alpha`, so that stopping at the first conclusive one keeps that error. However large the
/// noise, sides that are equal are then called slower or faster with probability `alpha` at most.
/// Beside that, the estimate is shown with a plain interval of 95 %. Stopping by the verdict
/// selects what it shows: in simulations it covered the truth in 94 to 96 % of comparisons, and in
/// 92 to 94 % where the true ratio lies just beyond the tolerance. A plain value; any thread.
/// Making one takes milliseconds, for the levels of the looks. Source: Jennison and Turnbull,
/// Journal of the Royal Statistical Society B 51(3), 1989.
package struct PairedComparison: Sendable {
  /// When the comparison looks, and what each look may spend.
  package let design: SequentialDesign
  /// The overall two-sided error.
  package let alpha: Double
  /// What counts as a difference and what as none.
  package let tolerance: Tolerance
  /// The nominal two-sided level of each look.
  package let levels: [Double]

  /// Prepares comparisons of one design, error and tolerance.
  ///
  /// Stops the process unless `alpha` lies above 0 and is at most one half.
  package init(
    design: SequentialDesign = .standard, alpha: Double = 0.005, tolerance: Tolerance = .timing
  ) {
    self.design = design
    self.alpha = alpha
    self.tolerance = tolerance
    levels = design.levels(alpha: alpha)
  }

  /// Judges the natural log ratios of second to first side, in the order of measurement.
  ///
  /// Goes from look to look as far as the pairs reach and stops at the first that is conclusive;
  /// pairs beyond that look, or beyond the last one reached, do not count. Below the first look
  /// the verdict is inconclusive whatever the interval says. Stops the process when there is no
  /// pair or a log ratio is not finite. O(n log² n) per look.
  package func outcome(logRatios: [Double]) -> PairedOutcome {
    var latest: PairedOutcome?
    for (look, level) in zip(design.looks, levels) where look <= logRatios.count {
      let outcome = outcome(logRatios: Array(logRatios.prefix(look)), level: level, isLook: true)
      if outcome.verdict != .inconclusive { return outcome }
      latest = outcome
    }
    return latest ?? outcome(logRatios: logRatios, level: levels[0], isLook: false)
  }

  /// The overall p-value of a difference beyond the tolerance, and its direction.
  ///
  /// The signed-rank test of log ratios from which the tolerance is taken away, at every look that
  /// the pairs reach, joined by the design. It is no larger than `alpha` exactly when one of these
  /// looks would say slower or faster at that error. 1 below the first look. Pass no more pairs
  /// than the comparison judged. O(n log n) per look.
  package func exceedance(logRatios: [Double]) -> (verdict: Verdict, pValue: Double) {
    let shift = log1p(tolerance.difference)
    var slower: [Double] = []
    var faster: [Double] = []
    for look in design.looks where look <= logRatios.count {
      let pairs = logRatios.prefix(look)
      slower.append(Self.upwardPValue(pairs.map { $0 - shift }))
      faster.append(Self.upwardPValue(pairs.map { -$0 - shift }))
    }
    // The direction with the stronger look has the smaller overall p-value.
    let isSlower = design.strongest(slower) <= design.strongest(faster)
    let pValue = design.pValue(nominal: isSlower ? slower : faster)
    return (pValue < 1 ? isSlower ? .slower : .faster : .inconclusive, pValue)
  }

  private func outcome(logRatios: [Double], level: Double, isLook: Bool) -> PairedOutcome {
    let deciding = PairedRatio.estimate(logRatios: logRatios, level: 1 - level)
    return PairedOutcome(
      verdict: isLook ? tolerance.verdict(of: deciding.interval) : .inconclusive,
      pairs: logRatios.count, ratio: PairedRatio.estimate(logRatios: logRatios),
      decidingInterval: deciding.interval, pValue: SignedRank(differences: logRatios).pValue,
      minimumDetectableEffect: deciding.interval.map {
        PairPlanning.minimumDetectableEffect($0, tolerance: tolerance.difference)
      },
      pairsToSettle: deciding.interval.flatMap {
        PairPlanning.pairsToSettle(
          ratio: deciding.ratio, interval: $0, pairs: logRatios.count, tolerance: tolerance)
      })
  }

  /// The two-sided p-value if the differences are positive on the whole, else 1.
  private static func upwardPValue(_ differences: [Double]) -> Double {
    let test = SignedRank(differences: differences)
    return test.isPositive ? test.pValue : 1
  }
}

/// What a comparison in pairs found at the look where it stopped.
package struct PairedOutcome: Sendable, Equatable {
  /// What the deciding interval says.
  package let verdict: Verdict
  /// The pairs that were judged.
  package let pairs: Int
  /// The ratio of second to first side, with its plain interval of 95 %.
  package let ratio: PairedRatio
  /// The interval at the level of this look, on which the verdict rests.
  package let decidingInterval: Interval?
  /// The plain two-sided p-value against no difference, for these pairs alone.
  package let pValue: Double
  /// The relative slow-down that as many pairs would call slower in four of five comparisons.
  package let minimumDetectableEffect: Double?
  /// The pairs that would settle it; nil when it is settled or there is no interval yet.
  package let pairsToSettle: Int?
}
