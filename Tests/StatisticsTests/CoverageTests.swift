// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Statistics

/// Single comparisons on simulated noise; the seeds are part of the tests.
@Suite("Error rates under simulated noise")
struct CoverageTests {
  @Test("equal sides raise a false alarm in 4 to 6 percent of comparisons", arguments: [20, 40])
  func alarmsFalselyAtItsLevel(pairCount: Int) {
    var generator = SplitMix64(seed: 2026)
    let comparisons = 4000
    var alarms = 0
    for _ in 0..<comparisons {
      let test = SignedRank(differences: simulatedPairs(pairCount, shift: 0, &generator))
      if test.pValue < 0.05 { alarms += 1 }
    }
    // The standard error of the rate is 0.34 percent, so the band is three of them wide.
    #expect((0.04...0.06).contains(Double(alarms) / Double(comparisons)))
  }

  @Test("the 95 percent interval covers the true ratio in 94 to 97 percent of comparisons")
  func coversAtItsLevel() throws {
    // The true ratio of the second side to the first is exp(0.05).
    let truth = 1.0512710963760241
    var generator = SplitMix64(seed: 7)
    let comparisons = 2000
    var covered = 0
    for _ in 0..<comparisons {
      let logRatios = simulatedPairs(12, shift: 0.05, &generator)
      let interval = try #require(PairedRatio.estimate(logRatios: logRatios).interval)
      if interval.contains(truth) { covered += 1 }
    }
    // 12 pairs cover in 95.75 percent by the exact distribution; standard error 0.45 percent.
    #expect((0.94...0.97).contains(Double(covered) / Double(comparisons)))
  }

  @Test("the order-statistics interval covers the median in at least 95 percent of cases")
  func coversTheMedian() throws {
    var generator = SplitMix64(seed: 11)
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
