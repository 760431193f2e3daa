// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Statistics

@Suite("Paired comparisons against SciPy")
struct PairedReferenceTests {
  @Test("the signed-rank test agrees with SciPy, exact, with shared ranks, and beyond the limit")
  func testsSignedRanks() throws {
    for row in try Reference.rows("signed-rank") {
      let test = SignedRank(differences: row.given)
      #expect(test.positiveRankSum == row.expected[0])
      #expect(agrees(test.pValue, row.expected[1]), "\(row.given.count) differences")
    }
  }

  @Test("estimate and interval agree with all Walsh averages sorted, at several levels")
  func estimatesRatios() throws {
    for row in try Reference.rows("paired-ratio") {
      let estimate = PairedRatio.estimate(
        logRatios: Array(row.given.dropFirst()), level: row.given[0])
      let interval = try #require(estimate.interval)
      #expect(agrees(estimate.ratio, row.expected[0]))
      #expect(agrees(interval.low, row.expected[1]))
      #expect(agrees(interval.high, row.expected[2]))
    }
  }

  @Test("crossing probabilities of looks agree with adaptive quadrature")
  func integratesCrossings() throws {
    for row in try Reference.rows("crossing") {
      let count = row.given.count / 2
      let levels = Array(row.given.suffix(count))
      let design = SequentialDesign(
        looks: row.given.prefix(count).map { Int($0) },
        proportions: Array(repeating: 1, count: count))
      #expect(agrees(design.crossingProbability(levels: levels), row.expected[0], within: 1e-7))
    }
  }

  @Test("Holm's and Benjamini and Hochberg's corrections agree")
  func correctsFamilies() throws {
    for row in try Reference.rows("holm") {
      let adjusted = MultipleTesting.holm(row.given)
      #expect(zip(adjusted, row.expected).allSatisfy { agrees($0, $1) })
    }
    for row in try Reference.rows("benjamini-hochberg") {
      let adjusted = MultipleTesting.benjaminiHochberg(row.given)
      #expect(zip(adjusted, row.expected).allSatisfy { agrees($0, $1) })
    }
  }
}
