// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Statistics

@Suite("Rates, samples and series against SciPy")
struct SampleReferenceTests {
  @Test("normal quantiles agree down to the smallest tails")
  func invertsNormalTails() throws {
    for row in try Reference.rows("normal-quantile") {
      let quantile = upperNormalQuantile(tail: row.given[0])
      #expect((quantile - row.expected[0]).magnitude < 1e-13 * max(1, quantile))
    }
  }

  @Test("both parts of the incomplete beta function agree")
  func integratesBeta() throws {
    for row in try Reference.rows("incomplete-beta") {
      let beta = incompleteBeta(a: row.given[0], b: row.given[1], x: row.given[2])
      #expect(agrees(beta.lower, row.expected[0], within: 1e-10), "\(row.given)")
      #expect(agrees(beta.upper, row.expected[1], within: 1e-10), "\(row.given)")
    }
  }

  @Test("the exact binomial interval agrees")
  func boundsRates() throws {
    for row in try Reference.rows("binomial") {
      let rate = BinomialRate(
        successes: Int(row.given[0]), cases: Int(row.given[1]), level: row.given[2])
      #expect(agrees(rate.interval.low, row.expected[0], within: 1e-10), "\(row.given)")
      #expect(agrees(rate.interval.high, row.expected[1], within: 1e-10), "\(row.given)")
    }
  }

  @Test("Welch's test agrees")
  func comparesMeans() throws {
    for row in try Reference.rows("welch") {
      let first = Int(row.given[0])
      let figures = row.given.dropFirst()
      let test = try #require(
        WelchTest(Array(figures.prefix(first)), Array(figures.dropFirst(first))))
      #expect(agrees(test.statistic, row.expected[0], within: 1e-10))
      #expect(agrees(test.degreesOfFreedom, row.expected[1], within: 1e-10))
      #expect(agrees(test.pValue, row.expected[2], within: 1e-9))
    }
  }

  @Test("the bootstrap interval of the change of the mean agrees within its own noise")
  func resamplesMeans() throws {
    for row in try Reference.rows("bootstrap") {
      let count = Int(row.given[0])
      let figures = row.given.dropFirst()
      let comparison = try #require(
        BootstrapComparison(
          base: Array(figures.prefix(count)), candidate: Array(figures.dropFirst(count)), seed: 5,
          resamples: 4_000))
      // The interval is about 0.35 wide; 4,000 resamples find its ends to about 0.005.
      #expect((comparison.interval.low - row.expected[0]).magnitude < 0.02)
      #expect((comparison.interval.high - row.expected[1]).magnitude < 0.02)
    }
  }

  @Test("normal scores, energy splits, autocorrelations and periodograms agree")
  func describesSeries() throws {
    for row in try Reference.rows("normal-scores") {
      let scores = normalScores(row.given)
      #expect(zip(scores, row.expected).allSatisfy { ($0 - $1).magnitude < 1e-12 })
    }
    for row in try Reference.rows("energy") {
      let scores = normalScores(row.given)
      let split = EnergyStatistic(figures: scores)
        .bestSplit(ranks: EnergyStatistic.ranks(scores), margin: ChangePointDetector.margin)
      #expect(Double(split.index) == row.expected[0])
      #expect(agrees(split.distance, row.expected[1], within: 1e-9))
    }
    for row in try Reference.rows("autocorrelation") {
      #expect(agrees(lagOneAutocorrelation(row.given), row.expected[0], within: 1e-10))
    }
    for row in try Reference.rows("periodogram") {
      let shares = Periodogram(row.given).shares
      #expect(shares.count == row.expected.count)
      #expect(zip(shares, row.expected).allSatisfy { ($0 - $1).magnitude < 1e-12 })
    }
  }
}
