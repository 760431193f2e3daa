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
    guard let best = result.best(.wall) else {
      // Random figures are in every round: they can always be compared.
      #expect(result.base(.wall) != nil && !result.isSettled, "seed \(seed)")
      return
    }
    #expect(best.name != "inline", "seed \(seed)")
    for contestant in result.ranked {
      #expect((contestant.comparisons[.wall]?.ratio ?? 0) >= 1, "seed \(seed)")
    }
  }

  /// Nine rounds of contestants whose figures repeat.
  private func ring(_ figures: [String: [Double]]) throws -> Analysis {
    var suite = Fixtures.suite
    suite.schedulers = figures.keys.sorted().map { Fixtures.scheduler($0) }
    let plan = try Fixtures.plan(
      {
        $0.workloadNames = ["chain"]
        $0.processes = 9
      }, suite: suite)
    return Runs.analysis(of: plan, .byRound(figures), roster: Roster())
  }

  @Test func aRingWithinTheNoiseHasABaseAndEstablishesNothing() throws {
    // Each of three is beaten by the next, by the ratio of the rounds.
    let analysis = try ring(["a": [1, 2, 4], "b": [2, 4, 1], "c": [4, 1, 2]])
    let group = analysis.groups[0]
    #expect(group.best(.wall) == nil && !group.isSettled)
    #expect(group.undecided[.wall] == .nothingEstablished)
    #expect(group.base(.wall) != nil)
    #expect(group.contestants.count { $0.comparisons[.wall]?.interval != nil } == 2)
    #expect(RunVerdict(analysis) == .noneEstablished(leaders: []))
    // What a file of the run says of it is what the table says.
    let ratios = analysis.rows.filter { $0.subject.statistic == .ratio }
    #expect(ratios.count == 3 && ratios.count { $0.value == 1 && $0.interval == nil } == 1)
  }

  @Test func theBaseIsNobodyWhoIsEstablishedToBeBeaten() throws {
    let noisy: [String: [Double]] = ["a": [1, 2, 4], "b": [2, 4, 1], "c": [4, 1, 2]]
    var figures = noisy
    figures["d"] = [50, 50, 50]
    let group = try ring(figures).groups[0]
    #expect(group.undecided[.wall] == .leadersOpen && !group.isSettled)
    let base = try #require(group.base(.wall))
    #expect(base.name != "d")
    guard case .established(let last)? = group.contestants.last?.comparisons[.wall] else {
      Issue.record("expected that d is established to be slower")
      return
    }
    #expect(last.ratio > 10)
  }

  @Test func aRingThatIsEstablishedSettlesNothing() throws {
    // Figures of different rounds are missing, so that every two meet in rounds of their own.
    let rounds = 0..<6
    func figures(_ values: [(Int, Double)]) -> [Int: Double] {
      Dictionary(
        uniqueKeysWithValues: values.flatMap { block, value in
          rounds.map { (block * 6 + $0, value) }
        })
    }
    let ranking = try #require(
      Ranking(
        [
          figures([(0, 1), (2, 2)]), figures([(0, 2), (1, 1)]), figures([(1, 3), (2, 1)]),
        ], .wall))
    #expect(ranking.undecided == .everyoneBeaten)
    // a is beaten twofold by c, b twofold by a, and c threefold by b.
    #expect(ranking.first == 0)
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
