// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Statistics

@Suite("Rules of other tools")
struct OtherRulesTests {
  private func sample(_ count: Int, mean: Double, seed: UInt64) -> [Double] {
    var generator = SplitMix64(seed: seed)
    return (0..<count).map { _ in mean + generator.normal() }
  }

  @Test("the bootstrap calls clear changes by name and leaves noise alone")
  func bootstraps() throws {
    let base = sample(30, mean: 100, seed: 1)
    func verdict(_ candidate: [Double]) throws -> Verdict {
      try #require(
        BootstrapComparison(base: base, candidate: candidate, seed: 2, resamples: 500)
      ).verdict
    }
    #expect(try verdict(sample(30, mean: 110, seed: 3)) == .slower)
    #expect(try verdict(sample(30, mean: 90, seed: 3)) == .faster)
    #expect(try verdict(sample(30, mean: 100, seed: 3)) == .inconclusive)
    // Significant and within the noise threshold of one percent.
    let slight = base.map { $0 + 0.9 }
    let comparison = try #require(
      BootstrapComparison(base: base, candidate: slight, seed: 2, resamples: 500))
    #expect(comparison.pValue < 0.05 && comparison.verdict == .inconclusive)
  }

  @Test("the same seed gives the same answer, another one nearly the same")
  func isReproducible() throws {
    let base = sample(20, mean: 100, seed: 4)
    let candidate = sample(20, mean: 101, seed: 5)
    let comparisons = try [6, 6, 7].map { seed in
      try #require(
        BootstrapComparison(
          base: base, candidate: candidate, seed: UInt64(seed), resamples: 1_000))
    }
    #expect(comparisons[0] == comparisons[1])
    #expect(comparisons[0] != comparisons[2])
    #expect((comparisons[0].pValue - comparisons[2].pValue).magnitude < 0.05)
  }

  @Test("samples that these tests cannot judge are refused")
  func refusesSamples() {
    #expect(BootstrapComparison(base: [1], candidate: [1, 2], seed: 1, resamples: 10) == nil)
    #expect(BootstrapComparison(base: [1, 1], candidate: [1, 1], seed: 1, resamples: 10) == nil)
    #expect(BootstrapComparison(base: [0, 1], candidate: [1, 2], seed: 1, resamples: 10) == nil)
    #expect(WelchTest([1], [1, 2]) == nil)
    #expect(WelchTest([1, 1], [2, 2]) == nil)
    #expect(WelchTest([1, .infinity], [2, 3]) == nil)
  }

  @Test("the percentile rule looks at three percentiles and at nothing else")
  func comparesPercentiles() {
    let base = (1...100).map { 100 + Double($0) / 100 }
    #expect(PercentileThreshold.verdict(base: base, candidate: base) == .equivalent)
    #expect(PercentileThreshold.verdict(base: base, candidate: base.map { $0 * 1.06 }) == .slower)
    #expect(PercentileThreshold.verdict(base: base, candidate: base.map { $0 * 0.94 }) == .faster)
    let tail = base.enumerated().map { $0 < 80 ? $1 : 10 * $1 }
    #expect(PercentileThreshold.verdict(base: base, candidate: tail) == .equivalent)
    let bothWays = base.enumerated().map { $0 < 30 ? 0.5 * $1 : 2 * $1 }
    #expect(PercentileThreshold.verdict(base: base, candidate: bothWays) == .slower)
  }

  @Test("the exact interval covers every rate at least as often as it says")
  func coversRates() {
    // The coverage of 20 cases is a finite sum, here over the masses of the binomial distribution.
    let intervals = (0...20).map { BinomialRate(successes: $0, cases: 20).interval }
    for hundredths in stride(from: 1, to: 100, by: 7) {
      let rate = Double(hundredths) / 100
      var mass = 1.0
      for _ in 0..<20 { mass *= 1 - rate }
      var covered = 0.0
      for k in 0...20 {
        if intervals[k].contains(rate) { covered += mass }
        mass *= rate / (1 - rate) * Double(20 - k) / Double(k + 1)
      }
      #expect(covered >= 0.95)
    }
  }

  @Test("counts that cannot be stop the process")
  func refusesCounts() async {
    await #expect(processExitsWith: .failure) { _ = BinomialRate(successes: 3, cases: 2) }
    await #expect(processExitsWith: .failure) { _ = BinomialRate(successes: 0, cases: 0) }
  }
}
