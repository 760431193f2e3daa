// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Statistics

@Suite("Ratio of paired figures")
struct PairedRatioTests {
  @Test("estimate and exact limits agree with an independent computation")
  func agreesOnEightPairs() throws {
    // Python: numpy median of all 36 Walsh averages; limits at rank 4 from both ends, the rank from
    // exact fractions of the convolved rank-sum distribution; then numpy.exp.
    let estimate = PairedRatio.estimate(
      logRatios: [0.031, -0.012, 0.054, 0.018, -0.007, 0.042, 0.009, 0.027])
    let interval = try #require(estimate.interval)
    #expect((estimate.ratio - 1.0207115682431935).magnitude < 1e-14)
    #expect((interval.low - 0.9985011244377109).magnitude < 1e-14)
    #expect((interval.high - 1.0428944787507632).magnitude < 1e-14)
    #expect(interval.level == 0.95)
    #expect(!estimate.isEstablished)
  }

  @Test("beyond the exact limit the normal limits agree with an independent computation")
  func agreesOnSixtyPairs() throws {
    // Same Python computation; at 60 pairs the exact and the normal rank are both 649.
    let estimate = PairedRatio.estimate(
      logRatios: (0..<60).map { Double($0 * 37 % 101 - 44) / 1000 })
    let interval = try #require(estimate.interval)
    #expect((estimate.ratio - 1.0055151527673363).magnitude < 1e-14)
    #expect((interval.low - 0.9975031223974601).magnitude < 1e-14)
    #expect((interval.high - 1.013591536450206).magnitude < 1e-14)
  }

  /// Ranks from exact fractions in Python; they are also the 2.5 % column of printed tables.
  @Test(
    "the limits sit at the ranks of the exact distribution",
    arguments: [(6, 1), (7, 3), (8, 4), (10, 9), (20, 53), (30, 138), (40, 265), (50, 435)])
  func takesExactRanks(count: Int, rank: Int) throws {
    let ratios = (1...count).map { Double($0) / 100 }
    let estimate = PairedRatio.estimate(logRatios: ratios)
    let interval = try #require(estimate.interval)
    var averages: [Double] = []
    for i in 0..<count { for j in i..<count { averages.append((ratios[i] + ratios[j]) / 2) } }
    averages.sort()
    #expect((interval.low / exponential(averages[rank - 1]) - 1).magnitude < 1e-12)
    #expect((interval.high / exponential(averages[averages.count - rank]) - 1).magnitude < 1e-12)
  }

  /// The power series, so that the check does not lean on the C library as the code does.
  private func exponential(_ x: Double) -> Double {
    var term = 1.0
    var sum = 1.0
    for k in 1...40 {
      term *= x / Double(k)
      sum += term
    }
    return sum
  }

  @Test("below six pairs there is an estimate and no interval")
  func needsSixPairs() {
    for count in 1...5 {
      let estimate = PairedRatio.estimate(logRatios: Array(repeating: 0.5, count: count))
      #expect(estimate.interval == nil)
      #expect(!estimate.isEstablished)
    }
    #expect(PairedRatio.estimate(logRatios: Array(repeating: 0.5, count: 6)).isEstablished)
  }

  @Test("the inverse ratios give the inverse estimate and limits")
  func invertsWithItsInput() throws {
    let ratios = [0.2, -0.1, 0.4, 0.3, 0.05, 0.25, -0.02]
    let there = PairedRatio.estimate(logRatios: ratios)
    let back = PairedRatio.estimate(logRatios: ratios.map { -$0 })
    #expect((there.ratio * back.ratio - 1).magnitude < 1e-12)
    let forth = try #require(there.interval)
    let reverse = try #require(back.interval)
    #expect((forth.low * reverse.high - 1).magnitude < 1e-12)
  }

  @Test("a log ratio that is not finite stops the process")
  func refusesInfinity() async {
    await #expect(processExitsWith: .failure) {
      _ = PairedRatio.estimate(logRatios: [0.1, .infinity])
    }
  }

  @Test("no pairs at all stop the process")
  func refusesNothing() async {
    await #expect(processExitsWith: .failure) { _ = PairedRatio.estimate(logRatios: []) }
  }
}
