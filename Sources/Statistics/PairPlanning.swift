// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// How small an effect the pairs at hand can show, and how many pairs a question needs.
///
/// Everything is reckoned on natural log ratios, on which effects and noise add up. The normal
/// approximation of the signed-rank test is behind all of it: good to a pair or two from about
/// ten pairs on. Pure functions; any thread. O(1).
/// Source: Noether, Journal of the American Statistical Association 82, 1987 (sample sizes); the
/// factor pi / 3 is the efficiency of the signed-rank test against the t test on normal noise.
package enum PairPlanning {
  /// The probability with which an effect of the minimum detectable size is found.
  package static let power = 0.8

  /// The pairs that find a relative effect with the usual power, from the spread of log ratios.
  ///
  /// `deviation` is the standard deviation of the log ratio of one pair, robust where there are
  /// outliers. Stops the process unless `deviation` and `effect` are positive and finite.
  package static func pairs(
    toFind effect: Double, deviation: Double, alpha: Double = 0.05, power: Double = power
  ) -> Int {
    guard effect > 0, deviation > 0, effect.isFinite, deviation.isFinite else {
      fatalError(
        "PairPlanning: effect \(effect), deviation \(deviation); expected positive finite figures")
    }
    let reach = quantiles(alpha: alpha, power: power) * deviation / log(1 + effect)
    return wholePairs(.pi / 3 * reach * reach)
  }

  /// The smallest relative slow-down that a comparison with such an interval would call slower.
  ///
  /// With probability `power`, and beyond a relative difference of `tolerance`; 0 for the raw test.
  /// The width of the interval stands for the noise, so that outliers count as the test counts
  /// them. Stops the process when the interval reaches 0 or the tolerance is negative.
  package static func minimumDetectableEffect(
    _ interval: Interval, tolerance: Double = 0, power: Double = power
  ) -> Double {
    requireTolerance(tolerance)
    let alpha = 1 - interval.level
    let reach = quantiles(alpha: alpha, power: power) * standardError(interval)
    return expm1(log1p(tolerance) + reach)
  }

  /// The pairs after which a comparison that is still inconclusive would be settled.
  ///
  /// `interval` and `ratio` are what `pairs` pairs delivered. The answer takes the estimate for the
  /// truth and the verdict that is nearer: slower or faster if the ratio lies further from the
  /// tolerance than from the margin of equivalence, else equivalent. Nil when it is settled.
  package static func pairsToSettle(
    ratio: Double, interval: Interval, pairs: Int, tolerance: Tolerance, power: Double = power
  ) -> Int? {
    guard tolerance.verdict(of: interval) == .inconclusive else { return nil }
    let distance = log(ratio).magnitude
    let margin = max(
      distance - log1p(tolerance.difference), log1p(tolerance.equivalence) - distance)
    let reach = quantiles(alpha: 1 - interval.level, power: power) * standardError(interval)
    let growth = (reach / margin) * (reach / margin)
    return max(pairs + 1, wholePairs(Double(pairs) * growth))
  }

  /// The standard error of the log ratio to which an interval of the ratio belongs.
  private static func standardError(_ interval: Interval) -> Double {
    guard interval.low > 0 else {
      fatalError("PairPlanning: interval from \(interval.low); expected ratios above 0")
    }
    let halfWidth = (log(interval.high) - log(interval.low)) / 2
    return halfWidth / upperNormalQuantile(tail: (1 - interval.level) / 2)
  }

  private static func quantiles(alpha: Double, power: Double) -> Double {
    guard alpha > 0, alpha < 1, power > 0.5, power < 1 else {
      fatalError(
        "PairPlanning: alpha \(alpha), power \(power); expected 0 < alpha < 1 and 0.5 < power < 1")
    }
    return upperNormalQuantile(tail: alpha / 2) + upperNormalQuantile(tail: 1 - power)
  }

  private static func requireTolerance(_ tolerance: Double) {
    guard tolerance >= 0, tolerance.isFinite else {
      fatalError("PairPlanning: tolerance \(tolerance); expected a fraction from 0 up, as 0.01")
    }
  }

  /// Rounds up; a number of pairs that no machine could ever measure becomes the largest one.
  private static func wholePairs(_ pairs: Double) -> Int {
    Int(exactly: pairs.rounded(.up)) ?? Int.max
  }
}
