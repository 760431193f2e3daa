// SPDX-License-Identifier: Apache-2.0

import Harness
import Measurement
import MeasurementFixtures
import Results
import Testing

@testable import Analysis

@Suite struct AnalysisTests {
  /// Figures of `chain` from the given runner.
  private func results(
    _ runner: FakeRunner, workload: String = "chain",
    change: (inout MeasurementRequest) -> Void = { _ in }
  ) throws -> GroupResult {
    let plan = try Fixtures.plan {
      $0.workloadNames = [workload]
      change(&$0)
    }
    return Runs.analysis(of: plan, runner).groups[0]
  }

  @Test func theAggregateIsTheMedianOfProcessMedians() throws {
    // Eight rounds; the processes of inline have medians 10 … 80, with one wild iteration each.
    var round = 0.0
    let result = try results(
      FakeRunner { assignment, _ in
        guard assignment.name == "inline" else { return Fixtures.outcome(wall: [100]) }
        round += 1
        return Fixtures.outcome(wall: [round * 10, round * 10, 1_000_000])
      })
    let figure = try #require(result.contestants[0].figure(.wall))
    #expect(figure.value == 45)
    #expect(figure.interval?.low == 10)
    #expect(figure.interval?.high == 80)
    #expect(result.contestants[0].figure(.build)?.value == 11.25)
    #expect(result.contestants[0].figure(.peakRSS, .max)?.value == 1_048_576)
  }

  @Test func fewerThanSixRoundsClaimNothing() throws {
    let result = try results(
      .steady(["inline": 100, "dispatch": 900, "work-stealing": 50]), change: { $0.processes = 5 })
    #expect(result.contestants.allSatisfy { $0.comparisons.isEmpty })
    #expect(result.best(.wall) == nil)
    #expect(result.contestants[0].figure(.wall)?.value != nil)
    #expect(result.contestants[0].figure(.wall)?.interval == nil)
  }

  @Test func aClearDifferenceIsEstablishedAndNoneIsNot() throws {
    let result = try results(
      .steady(["inline": 100, "dispatch": 200, "work-stealing": 100.1]))
    #expect(result.contestants[2].comparisons[.wall] == .best)
    guard case .established(let ratio)? = result.contestants[1].comparisons[.wall] else {
      Issue.record("expected an established difference")
      return
    }
    #expect(abs(ratio.ratio - 2) < 0.05)
    #expect(ratio.interval?.contains(2) == true)
    guard case .notEstablished? = result.contestants[0].comparisons[.wall] else {
      Issue.record("expected no established difference")
      return
    }
  }

  @Test func aReferenceIsComparedButNeverTheBest() throws {
    let result = try results(
      .steady(["foundation": 1, "inline": 100]), change: { $0.references = ["foundation"] })
    #expect(result.best(.wall)?.name != "foundation")
    #expect(try #require(result.contestants.last?.comparisons[.wall]).ratio < 0.02)
  }

  @Test func latencyPercentilesComeFromEverySample() throws {
    // 8 processes × 250 samples: enough for p99 together, not for p99 of one process.
    let result = try results(
      FakeRunner { _, index in
        let base = UInt64(index / 3) * 250
        return Fixtures.outcome(wall: [10], latencies: (1...250).map { base + $0 })
      }, workload: "latency")
    #expect(result.primaryMetric == .latency)
    #expect(result.contestants[0].figure(.latency, .p50)?.value == 1000)
    #expect(result.contestants[0].figure(.latency, .p99)?.value == 1980)
    #expect(result.contestants[0].figure(.latency, .max)?.value == 2000)
    #expect(result.contestants[0].figure(.latency, .p999) == nil)
    // The first one is the serial baseline.
    #expect(Set(result.contestants[0].comparisons.keys) == [.wall])
    #expect(Set(result.contestants[1].comparisons.keys) == [.wall, .latency])
  }
}
