// SPDX-License-Identifier: Apache-2.0

/// The comparison of two samples that Criterion.rs makes, kept to show what it says here.
///
/// A t statistic is compared with those of resamples of both samples thrown together; if that is
/// significant, the bootstrap interval of the relative change of the mean must lie wholly beyond
/// the noise threshold. It takes the figures for independent, which iterations of a scheduler are
/// not: no verdict of this project rests on it. A plain value; any thread.
/// Sources: the analysis chapter of the Criterion.rs book; Efron and Tibshirani, An Introduction to
/// the Bootstrap, chapters 13 and 16.
package struct BootstrapComparison: Sendable, Equatable {
  /// The defaults of Criterion.rs 0.5.
  package static let significanceLevel = 0.05
  /// The relative change of the mean that counts as noise.
  package static let noiseThreshold = 0.01
  /// How many resamples each of the two bootstraps draws.
  package static let resamples = 100_000

  /// The two-sided p-value of the bootstrapped t test.
  package let pValue: Double
  /// The relative change of the mean from the first to the second sample.
  package let change: Double
  /// The percentile interval of the relative change.
  package let interval: Interval
  /// What the rule says about the second sample: slower, faster, or inconclusive.
  package let verdict: Verdict

  /// Compares a sample with an earlier one, the same seed giving the same answer.
  ///
  /// Nil when a sample has fewer than two figures, one that is not finite and positive, or when
  /// neither varies. O(resamples * n).
  package init?(
    base: [Double], candidate: [Double], seed: UInt64, resamples: Int = resamples,
    level: Double = 0.95
  ) {
    requireLevel(level)
    guard resamples >= 1, let observed = Self.tStatistic(candidate, base),
      (base + candidate).allSatisfy({ $0 > 0 })
    else { return nil }
    var generator = SplitMix64(seed: seed)
    let pooled = candidate + base
    var below = 0
    var counted = 0
    for _ in 0..<resamples {
      let one = Self.resample(pooled, count: candidate.count, &generator)
      let other = Self.resample(pooled, count: base.count, &generator)
      // A resample of equal figures has no statistic; Criterion.rs leaves it out too.
      guard let statistic = Self.tStatistic(one, other) else { continue }
      counted += 1
      if statistic < observed { below += 1 }
    }
    guard counted > 0 else { return nil }
    pValue = 2 * Double(min(below, counted - below)) / Double(counted)

    var changes: [Double] = []
    changes.reserveCapacity(resamples)
    for _ in 0..<resamples {
      let one = Self.mean(Self.resample(candidate, count: candidate.count, &generator))
      changes.append(one / Self.mean(Self.resample(base, count: base.count, &generator)) - 1)
    }
    changes.sort()
    change = Self.mean(candidate) / Self.mean(base) - 1
    interval = Interval(
      low: Percentile.value((1 - level) / 2, ofSorted: changes),
      high: Percentile.value((1 + level) / 2, ofSorted: changes), level: level)
    if pValue >= Self.significanceLevel {
      verdict = .inconclusive
    } else if interval.low > Self.noiseThreshold {
      verdict = .slower
    } else {
      verdict = interval.high < -Self.noiseThreshold ? .faster : .inconclusive
    }
  }

  private static func resample(
    _ figures: [Double], count: Int, _ generator: inout SplitMix64
  ) -> [Double] {
    var drawn: [Double] = []
    drawn.reserveCapacity(count)
    for _ in 0..<count { drawn.append(figures[generator.index(below: figures.count)]) }
    return drawn
  }

  private static func tStatistic(_ one: [Double], _ other: [Double]) -> Double? {
    guard let first = SampleMean(one), let second = SampleMean(other) else { return nil }
    let squared = first.squaredError + second.squaredError
    return squared > 0 ? (first.mean - second.mean) / squared.squareRoot() : nil
  }

  private static func mean(_ figures: [Double]) -> Double {
    figures.reduce(0, +) / Double(figures.count)
  }
}
