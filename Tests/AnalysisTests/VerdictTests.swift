// SPDX-License-Identifier: Apache-2.0

import Measurement
import MeasurementFixtures
import Testing

@testable import Analysis

/// Who is called best, and when nobody is.
@Suite struct VerdictTests {
  private func analysis(
    _ runner: FakeRunner, _ workload: String = "chain", processes: Int? = nil
  ) throws -> Analysis {
    let plan = try Fixtures.plan {
      $0.workloadNames = [workload]
      $0.processes = processes
    }
    return Runs.analysis(of: plan, runner)
  }

  @Test func theBestIsChosenByTheRatiosThatArePrinted() throws {
    // In four rounds dispatch is ahead by a hair, in three slower ones far behind: its median is
    // the lower one.
    let analysis = try analysis(
      .byRound([
        "dispatch": [100, 100, 100, 100, 300, 300, 300],
        "work-stealing": [101, 101, 101, 101, 200, 200, 200],
      ]), processes: 7)
    let result = analysis.groups[0]
    #expect(result.contestants[1].figure(.wall)?.value == 100)
    #expect(result.contestants[2].figure(.wall)?.value == 101)
    #expect(result.best(.wall)?.name == "work-stealing")
    #expect(try #require(result.contestants[1].comparisons[.wall]).ratio > 1.2)
  }

  @Test(arguments: 1..<(200 as UInt64)) func nobodyRankedIsBetterThanTheBest(seed: UInt64)
    throws
  {
    var generator = SplitMix(state: seed)
    let figures = Dictionary(
      uniqueKeysWithValues: ["inline", "dispatch", "work-stealing"].map { name in
        (name, (0..<8).map { _ in Double(generator.next() % 100 + 1) })
      })
    let result = try analysis(.byRound(figures)).groups[0]
    guard let best = result.best(.wall) else { return }
    #expect(best.name != "inline", "seed \(seed)")
    for contestant in result.ranked {
      #expect((contestant.comparisons[.wall]?.ratio ?? 0) >= 1, "seed \(seed)")
    }
  }

  @Test func aRingOfWinnersHasNoBest() throws {
    // Each of three is beaten by the next, by the ratio of the rounds.
    let a: [Double] = [1, 2, 4]
    let figures = ["a": a, "b": [2, 4, 1], "c": [4, 1, 2]]
    var suite = Fixtures.suite
    suite.schedulers = figures.keys.sorted().map { Fixtures.scheduler($0) }
    let plan = try Fixtures.plan(
      {
        $0.workloadNames = ["chain"]
        $0.processes = 9
      }, suite: suite)
    let analysis = Runs.analysis(of: plan, .byRound(figures), roster: Roster())
    let result = analysis.groups[0]
    #expect(result.best(.wall) == nil)
    #expect(result.contestants.allSatisfy { $0.comparisons.isEmpty })
    #expect(RunVerdict(analysis) == .noneEstablished(leaders: []))
  }
}

/// Reproducible random numbers.
private struct SplitMix: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var word = state
    word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
    word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
    return word ^ (word >> 31)
  }
}
