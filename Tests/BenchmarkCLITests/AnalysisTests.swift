// SPDX-License-Identifier: Apache-2.0

import Harness
import Results
import Testing

@testable import BenchmarkCLI

@Suite struct AnalysisTests {
  /// Figures of `chain` from the given runner.
  private func results(
    _ runner: FakeRunner, workload: String = "chain", change: (inout RunRequest) -> Void = { _ in }
  ) throws -> (RunRecord, GroupResult) {
    let plan = try Fixtures.plan {
      $0.workloadNames = [workload]
      change(&$0)
    }
    let record = Orchestrator(plan: plan, runner: runner).run()
    return (record, GroupResult(record, group: 0))
  }

  @Test func theAggregateIsTheMedianOfProcessMedians() throws {
    // Eight rounds; the processes of inline have medians 10 … 80, with one wild iteration each.
    var round = 0.0
    let (_, result) = try results(
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
    let (_, result) = try results(
      .steady(["inline": 100, "dispatch": 900, "work-stealing": 50]), change: { $0.processes = 5 })
    #expect(result.contestants.allSatisfy { $0.comparisons.isEmpty })
    #expect(result.best(.wall) == nil)
    #expect(result.contestants[0].figure(.wall)?.value != nil)
    #expect(result.contestants[0].figure(.wall)?.interval == nil)
  }

  @Test func aClearDifferenceIsEstablishedAndNoneIsNot() throws {
    let (_, result) = try results(
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
    let (_, result) = try results(
      .steady(["foundation": 1, "inline": 100]), change: { $0.references = ["foundation"] })
    #expect(result.best(.wall)?.contestant.name != "foundation")
    #expect(try #require(result.contestants.last?.comparisons[.wall]).ratio < 0.02)
  }

  @Test func latencyPercentilesComeFromEverySample() throws {
    // 8 processes × 250 samples: enough for p99 together, not for p99 of one process.
    let (_, result) = try results(
      FakeRunner { _, index in
        let base = UInt64(index / 3) * 250
        return Fixtures.outcome(wall: [10], latencies: (1...250).map { base + $0 })
      }, workload: "latency")
    #expect(result.group.primaryMetric == .latency)
    #expect(result.contestants[0].figure(.latency, .p50)?.value == 1000)
    #expect(result.contestants[0].figure(.latency, .p99)?.value == 1980)
    #expect(result.contestants[0].figure(.latency, .max)?.value == 2000)
    #expect(result.contestants[0].figure(.latency, .p999) == nil)
    // The first one is the serial baseline.
    #expect(Set(result.contestants[0].comparisons.keys) == [.wall])
    #expect(Set(result.contestants[1].comparisons.keys) == [.wall, .latency])
  }
}

@Suite struct RowWriterTests {
  private let identity = RunIdentity(
    time: Timestamp(unixSeconds: 1_800_000_000), runID: RunID(unixMilliseconds: 1_800_000_000_000),
    machineID: MachineID(of: EnvironmentRecord()))

  private func rows(
    _ runner: FakeRunner, flags: Set<QualityFlag> = [],
    change: (inout RunRequest) -> Void = { _ in }
  ) throws -> [ResultRow] {
    let plan = try Fixtures.plan(change)
    let record = Orchestrator(plan: plan, runner: runner).run()
    return RowWriter(run: identity, allocator: "jemalloc", buildFlags: flags, cpuCount: 2)
      .rows(GroupResult.all(record))
  }

  private func findings(_ rows: [ResultRow]) -> [String] {
    SchemaCheck.check(CSV.encode(rows), path: "made.csv").map(\.description)
  }

  @Test(arguments: [1, 3, 8]) func everyFigureHasAnAggregateFollowedByItsProcesses(count: Int)
    throws
  {
    let rows = try self.rows(.steady([:])) { $0.processes = count }
    #expect(findings(rows) == [])
    let wall = rows.filter {
      $0.subject.metric == .wall && $0.subject.statistic == .p50
        && $0.subject.benchmark == "chain" && $0.subject.scheduler == "dispatch"
    }
    #expect(wall.map(\.process) == [nil] + (1...count).map { Optional($0) })
    #expect(wall[0].processCount == count)
    #expect(wall[0].iterationCount == count)
    #expect(wall[0].operationCount == count * 1000)
    #expect(wall[0].subject.params.text == "n:100000;workers:2")
  }

  @Test func aLatencyRunIsValidToo() throws {
    let rows = try self.rows(
      FakeRunner { _, _ in Fixtures.outcome(wall: [10], latencies: Array(1...200)) }
    ) { $0.workloadNames = ["latency"] }
    #expect(findings(rows) == [])
    #expect(rows.contains { $0.subject.metric == .latency && $0.subject.statistic == .ratio })
  }

  @Test(arguments: [
    MeasurementFailure.crashed(.signalled(11), standardError: ""),
    .hung(deadline: .seconds(30), standardError: ""), .wrongAnswer("3 instead of 4"),
    .unavailable(reason: "allocator", detail: "no jemalloc"),
  ]) func aFailureEmptiesItsOwnRows(failure: MeasurementFailure) throws {
    var left = 3
    let rows = try self.rows(
      FakeRunner { assignment, _ in
        guard assignment.name == "dispatch" else { return Fixtures.outcome(wall: [10]) }
        left -= 1
        return left < 0 ? MeasurementOutcome(failure: failure) : Fixtures.outcome(wall: [20])
      })
    #expect(findings(rows) == [])
    let word = QualityFlag(text: failure.qualityWord)
    let failed = rows.filter { row in word.map { row.quality.contains($0) } ?? false }
    #expect(failed.allSatisfy { $0.subject.scheduler == "dispatch" && $0.value == nil })
    #expect(failed.contains { $0.process == nil && $0.subject.metric == .wall })
    #expect(failed.contains { $0.process != nil })
    #expect(rows.contains { $0.subject.scheduler == "inline" && $0.subject.statistic == .ratio })
  }

  @Test func anInterruptedRunKeepsWhatIsComplete() throws {
    let rows = try self.rows(
      FakeRunner { _, index in
        index == 4 ? MeasurementOutcome(failure: .interrupted) : Fixtures.outcome(wall: [10])
      })
    #expect(findings(rows) == [])
    let interrupted = rows.filter { $0.quality.contains(.interrupted) }
    #expect(!interrupted.isEmpty && interrupted.allSatisfy { $0.value == nil })
    let complete = rows.filter { $0.subject.benchmark == "chain" && $0.process == nil }
    #expect(complete.contains { $0.value != nil && $0.processCount == 1 })
  }

  @Test func aDebugBuildMarksEveryRow() throws {
    let rows = try self.rows(.steady([:]), flags: [.debug])
    #expect(rows.allSatisfy { $0.quality.contains(.debug) })
    #expect(findings(rows) == [])
  }

  @Test func disturbancesAndSpreadAreMarked() throws {
    let rows = try self.rows(
      FakeRunner { assignment, index in
        var outcome = Fixtures.outcome(wall: [index.isMultiple(of: 2) ? 10 : 100])
        // 10 ms elapsed on 2 CPUs: one tick of 10 ms is half of it.
        if assignment.name == "inline" { outcome.disturbance.stealTicks = 1 }
        if assignment.name == "dispatch" { outcome.disturbance.throttledPeriods = 1 }
        return outcome
      }
    ) { $0.workloadNames = ["chain"] }
    func quality(_ name: String) -> Set<QualityFlag> {
      rows.first { $0.subject.scheduler == name && $0.subject.metric == .wall }?.quality ?? []
    }
    #expect(quality("inline").contains(.steal))
    #expect(quality("dispatch").contains(.throttled))
    #expect(rows.contains { $0.quality.contains(.noisy) })
    #expect(findings(rows) == [])
  }
}
