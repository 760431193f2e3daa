// SPDX-License-Identifier: Apache-2.0

import Foundation
import Harness
import Measurement
import MeasurementFixtures
import Results
import Statistics
import Testing

@testable import Analysis

@Suite struct PairedAnalysisTests {
  private func rows(
    _ pairs: FakePairs, _ change: (inout ComparisonRequest) -> Void = { _ in }
  ) throws -> [ResultRow] {
    Fixtures.writer().rows(Fixtures.record(try Fixtures.comparison(change), pairs))
  }

  private func analysis(
    _ pairs: FakePairs, _ change: (inout ComparisonRequest) -> Void = { _ in }
  ) throws -> PairedAnalysis {
    PairedAnalysis(rows: try rows(pairs, change), roster: Runs.roster)
  }

  @Test(
    arguments: [
      (1.5, 0.002, Verdict.slower), (0.7, 0.002, .faster), (1.001, 0.002, .equivalent),
      (1.02, 0.05, .inconclusive),
    ]) func aVerdictIsThatOfItsPairs(ratio: Double, noise: Double, verdict: Verdict) throws
  {
    let result = try #require(try analysis(.steady([ratio], noise: noise)).results.first)
    #expect(result.verdict == verdict)
    #expect(result.base.name == "dispatch" && result.candidate.name == "work-stealing")
    #expect(result.metric == .wall && result.family == 1 && result.pairsWithoutFigure == 0)
    let found = try #require(result.ratio)
    #expect(abs(found.ratio / ratio - 1) < noise)
    #expect(found.interval?.contains(ratio) == true)
    #expect(result.outcome?.minimumDetectableEffect ?? 0 > 0.01)
  }

  /// What was judged live is what a reader of the file finds, to the last digit.
  @Test func aFileSaysWhatTheLiveComparisonSaid() throws {
    for noise in [0.002, 0.05] {
      let live = try analysis(.steady([1.02, 0.9], noise: noise)) {
        $0.measurement.schedulers = ["dispatch", "work-stealing", "inline"]
        $0.metrics = [.wall, .cpu, .throughput]
        $0.tolerance = Tolerance(difference: 0.005, equivalence: 0.02)
      }
      let bytes = CSV.encode(live.rows)
      #expect(SchemaCheck.check(bytes, path: "x") == [])
      let stored = PairedAnalysis(
        rows: try SchemaCheck.rows(ByteSource(bytes), path: "x"), roster: Runs.roster)
      #expect(stored.rows == live.rows)
      #expect(stored.results.count == 6 && live.results.count == 6)
      for (one, other) in zip(live.results, stored.results) {
        #expect(one.outcome == other.outcome && one.verdict == other.verdict)
        #expect(one.adjustedPValue == other.adjustedPValue && one.design == other.design)
      }
    }
  }

  /// The driver stops where the analysis finds its answer.
  @Test func measuringStopsWhereTheVerdictIs() throws {
    for noise in [0.002, 0.02, 0.03, 0.05] {
      let live = try analysis(.steady([1.06, 1.0, 0.97], noise: noise)) {
        $0.measurement.workloadNames = ["chain", "fan"]
      }
      for result in live.results {
        let pairs = Set(result.candidate.rows.compactMap(\.pairID)).count
        #expect(result.outcome?.pairs == pairs, "\(result.candidate.name) \(noise)")
      }
    }
  }

  @Test func whereMoreIsBetterTheVerdictIsTurnedRound() throws {
    let results = try analysis(.steady([1.5])) { $0.metrics = [.wall, .throughput] }.results
    #expect(results.map(\.verdict) == [.slower, .slower])
    #expect(abs((results[1].ratio?.ratio ?? 0) - 1 / 1.5) < 0.01)
    #expect(abs((results[1].outcome?.ratio.ratio ?? 0) - 1.5) < 0.01)
  }

  @Test func aFamilyAsksForMoreThanOneAlone() throws {
    func verdicts(_ workloads: [String]) throws -> [Verdict?] {
      // A difference that one alone shows at its 20 pairs.
      try analysis(
        FakePairs { pair, side in
          let noise = Double((pair * 7) % 20) / 100 - 0.1
          return Fixtures.outcome(
            wall: [100 * (side == 1 ? 1.07 + noise : 1)], operations: 1_000_000)
        }
      ) {
        $0.measurement.workloadNames = workloads
        $0.measurement.workers = workloads.count > 1 ? Array(1...40) : nil
        $0.pairs = 20
      }.results.map(\.verdict)
    }
    #expect(try verdicts(["chain"]) == [.slower])
    #expect(Set(try verdicts(["chain", "fan"])) == [.inconclusive])
  }

  @Test func pairsWithoutAFigureDoNotCountAndAreTold() throws {
    let pairs = FakePairs { pair, side in
      var outcome = Fixtures.outcome(wall: [side == 1 ? 150 : 100])
      if pair <= 3 { outcome.iterations[0].cpuNanoseconds = 0 }
      return outcome
    }
    let result = try #require(
      try analysis(pairs) {
        $0.metrics = [.cpu]
        $0.pairs = 20
      }.results.first)
    #expect(result.pairsWithoutFigure == 3)
    #expect(result.outcome?.pairs == 17)
    #expect(result.verdict == .inconclusive, "it was to look at 20")
  }

  @Test func aFailureHasNoVerdict() throws {
    let pairs = FakePairs { pair, side in
      if pair == 3 { throw PairFailure(side: 1, .wrongAnswer("no")) }
      return Fixtures.outcome(wall: [100])
    }
    let analysis = try analysis(pairs)
    let result = try #require(analysis.results.first)
    #expect(result.verdict == nil && result.outcome == nil && result.failure == .wrongAnswer)
    #expect(SchemaCheck.check(CSV.encode(analysis.rows), path: "x") == [])
  }

  @Test func whatWasInterruptedIsJudgedByItsPairs() throws {
    let pairs = FakePairs { pair, side in
      if pair == 9 { throw PairFailure(side: nil, .interrupted) }
      return Fixtures.outcome(wall: [side == 1 ? 200 : 100])
    }
    let result = try #require(try analysis(pairs).results.first)
    #expect(result.outcome?.pairs == 8)
    #expect(result.verdict == .inconclusive && result.failure == nil)
  }

  @Test func aRunIsNoComparison() throws {
    let rows = Runs.rows(of: try Fixtures.plan(), .steady([:]))
    #expect(!PairedAnalysis.isPaired(rows))
    #expect(PairedAnalysis.isPaired(try self.rows(.steady([1]))))
  }
}
