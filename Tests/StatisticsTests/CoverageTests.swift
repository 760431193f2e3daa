// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Statistics

/// Simulated comparisons on the noise this project sees: skewed, bimodal, and drifting from pair to
/// pair.
@Suite("Error rates under simulated noise")
struct CoverageTests {
  /// SplitMix64; the seeds below are part of the tests.
  private struct Generator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
      state &+= 0x9E37_79B9_7F4A_7C15
      var z = state
      z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
      z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
      return z ^ (z >> 31)
    }
  }

  /// One log figure: a skewed body, and in a third of the cases a slow regime far away.
  private func logFigure(_ generator: inout Generator) -> Double {
    let uniform = Double.random(in: 0..<1, using: &generator)
    let regime = Int.random(in: 0..<3, using: &generator) == 0 ? 0.5 : 0
    return uniform * uniform * uniform * 0.3 + regime
  }

  /// The log ratios of pairs whose second side is slower by `shift`, drifting together.
  private func pairs(_ count: Int, shift: Double, _ generator: inout Generator) -> [Double] {
    (0..<count).map { i in
      let drift = Double(i) * 0.05
      return (logFigure(&generator) + drift + shift) - (logFigure(&generator) + drift)
    }
  }

  @Test("equal sides raise a false alarm in 4 to 6 percent of comparisons", arguments: [20, 40])
  func alarmsFalselyAtItsLevel(pairCount: Int) {
    var generator = Generator(state: 2026)
    let comparisons = 4000
    var alarms = 0
    for _ in 0..<comparisons {
      let test = SignedRank(differences: pairs(pairCount, shift: 0, &generator))
      if test.pValue < 0.05 { alarms += 1 }
    }
    // The standard error of the rate is 0.34 percent, so the band is three of them wide.
    #expect((0.04...0.06).contains(Double(alarms) / Double(comparisons)))
  }

  @Test("the 95 percent interval covers the true ratio in 94 to 97 percent of comparisons")
  func coversAtItsLevel() throws {
    // The true ratio of the second side to the first is exp(0.05).
    let truth = 1.0512710963760241
    var generator = Generator(state: 7)
    let comparisons = 2000
    var covered = 0
    for _ in 0..<comparisons {
      let logRatios = pairs(12, shift: 0.05, &generator)
      let interval = try #require(PairedRatio.estimate(logRatios: logRatios).interval)
      if interval.contains(truth) { covered += 1 }
    }
    // 12 pairs cover in 95.75 percent by the exact distribution; standard error 0.45 percent.
    #expect((0.94...0.97).contains(Double(covered) / Double(comparisons)))
  }

  @Test("the order-statistics interval covers the median in at least 95 percent of cases")
  func coversTheMedian() throws {
    var generator = Generator(state: 11)
    let repetitions = 4000
    var covered = 0
    for _ in 0..<repetitions {
      // The median of the cube of a uniform figure is one eighth.
      let figures = (0..<9).map { _ in
        let uniform = Double.random(in: 0..<1, using: &generator)
        return uniform * uniform * uniform
      }
      if try #require(medianInterval(figures, level: 0.95)).contains(0.125) { covered += 1 }
    }
    // Nine figures cover in 96.1 percent by the binomial distribution; standard error 0.31 percent.
    #expect((0.95...0.972).contains(Double(covered) / Double(repetitions)))
  }
}
