// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Statistics

@Suite("Median and its interval")
struct MedianTests {
  @Test("the median is the middle figure or the mean of the middle two")
  func findsMiddle() {
    #expect(median([3]) == 3)
    #expect(median([9, 1, 5]) == 5)
    #expect(median([9, 1, 5, 6]) == 5.5)
  }

  /// Ranks from `scipy.stats.binom.cdf(k - 1, n, 0.5) <= 0.025`, the largest such k.
  @Test(
    "the interval takes the ranks of the binomial distribution",
    arguments: [
      (6, 1), (9, 2), (10, 2), (20, 6), (100, 40), (1000, 469), (1001, 470), (5000, 2431),
    ])
  func takesBinomialRanks(count: Int, rank: Int) throws {
    let figures = (1...count).map { Double($0) }.reversed()
    let interval = try #require(medianInterval(Array(figures), level: 0.95))
    #expect(interval == Interval(low: Double(rank), high: Double(count + 1 - rank), level: 0.95))
  }

  @Test("there is no interval when the extremes do not reach the level")
  func needsEnoughFigures() {
    #expect(medianInterval([], level: 0.95) == nil)
    #expect(medianInterval([1, 2, 3, 4, 5], level: 0.95) == nil)
    #expect(medianInterval([1, 2, 3, 4, 5], level: 0.9) != nil)
    #expect(medianInterval([1, 2, 3, 4, 5, 6, 7], level: 0.99) == nil)
  }

  @Test("a figure that is not a number stops the process")
  func refusesNaN() async {
    await #expect(processExitsWith: .failure) { _ = median([1, .nan, 2]) }
  }

  /// Reference values from `scipy.stats.norm.isf`.
  @Test(
    "normal quantiles agree with SciPy to 14 digits",
    arguments: [(0.5, 0), (0.025, 1.9599639845400545), (0.005, 2.575829303548901)])
  func invertsNormalTail(tail: Double, expected: Double) {
    #expect((upperNormalQuantile(tail: tail) - expected).magnitude < 1e-14)
  }
}
