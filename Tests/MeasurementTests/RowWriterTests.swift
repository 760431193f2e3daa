// SPDX-License-Identifier: Apache-2.0

internal import Harness
internal import Machine
internal import MeasurementFixtures
internal import Results
internal import Testing

@testable internal import Measurement

@Suite struct RowWriterTests {
  private func rows(
    _ runner: FakeRunner, flags: Set<QualityFlag> = [],
    change: (inout MeasurementRequest) -> Void = { _ in }
  ) throws -> [ResultRow] {
    let plan = try Fixtures.plan(change)
    return Fixtures.writer(flags: flags).rows(Orchestrator(plan: plan, runner: runner).run())
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

  @Test func iterationTimesAreLabelled() throws {
    let level = (0..<40).map { 100 + 0.1 * Double($0 * 7 % 5) }
    let drift = (0..<40).map { 100 + 3 * Double($0) }
    let times = ["inline": level, "dispatch": drift, "work-stealing": Array(level.prefix(19))]
    var seen = 0
    let rows = try self.rows(
      FakeRunner { assignment, _ in
        // Of many processes one is enough to say that not all of it was steady.
        if assignment.name == "dispatch" { seen += 1 }
        return Fixtures.outcome(
          wall: assignment.name == "dispatch" && seen > 1 ? level : times[assignment.name] ?? level)
      }
    ) {
      $0.processes = 3
      $0.workloadNames = ["chain"]
    }
    #expect(findings(rows) == [])
    func states(_ scheduler: String) -> [WarmUpState?] {
      rows.filter {
        $0.subject.key == FigureKey(.wall, .p50) && $0.subject.scheduler == scheduler
      }.map(\.state)
    }
    #expect(states("inline") == [.steady, .steady, .steady, .steady])
    #expect(states("dispatch") == [.drifting, .drifting, .steady, .steady])
    #expect(states("work-stealing") == [.unknown, .unknown, .unknown, .unknown])
  }

  @Test func aLatencyRunIsValidToo() throws {
    let rows = try self.rows(
      FakeRunner { _, _ in Fixtures.outcome(wall: [10], latencies: Array(1...200)) }
    ) { $0.workloadNames = ["latency"] }
    #expect(findings(rows) == [])
    #expect(rows.contains { $0.subject.metric == .latency && $0.subject.statistic == .p99 })
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
    #expect(rows.contains { $0.subject.scheduler == "inline" && $0.value != nil })
  }

  @Test func allocationsAreRowsOfOneProcessOrSayWhyNot() throws {
    let rows = try self.rows(
      FakeRunner { assignment, _ in
        guard assignment.countsAllocations else { return Fixtures.outcome(wall: [10]) }
        guard assignment.name != "dispatch" else {
          return MeasurementOutcome(failure: .unavailable(reason: "own-allocator", detail: "why"))
        }
        var outcome = Fixtures.outcome(wall: [10])
        outcome.metrics = [.allocations: [4.5], .allocatedBytes: [288]]
        return outcome
      }
    ) {
      $0.processes = 2
      $0.countsAllocations = true
    }
    #expect(findings(rows) == [])
    for (metric, value) in [(Metric.allocations, 4.5), (.allocatedBytes, 288)] {
      let counted = rows.filter {
        $0.subject.key == FigureKey(metric, .p50) && $0.subject.benchmark == "chain"
      }
      #expect(counted.map(\.subject.scheduler) == ["inline", "dispatch", "work-stealing"])
      try #require(counted.map(\.value) == [value, nil, value])
      #expect(counted.map(\.processCount) == [1, nil, 1])
      #expect(counted[1].quality == [.unavailable(reason: "own-allocator")])
    }
    #expect(rows.filter { $0.subject.scheduler == "dispatch" && $0.value == nil }.count == 6)
  }

  @Test func whatTheProcessorDoesNotCountIsARowThatSaysWhy() throws {
    let rows = try self.rows(
      FakeRunner { assignment, index in
        var outcome = Fixtures.outcome(wall: [10])
        outcome.missing = [.cacheMisses: "no-pmu"]
        outcome.metrics = [.cycles: [40]]
        // One process of one contestant shared its counters with somebody.
        if assignment.name == "dispatch", index.isMultiple(of: 2) {
          outcome.missing[.cycles] = "pmu-shared"
          outcome.metrics = [:]
        }
        outcome.missing[.hardwareInstructions] = "no-pmu"
        return outcome
      }
    ) {
      $0.processes = 4
      $0.workloadNames = ["chain"]
    }
    #expect(findings(rows) == [])
    for metric in [Metric.hardwareInstructions, .cacheMisses] {
      let missing = rows.filter { $0.subject.metric == metric }
      #expect(missing.map(\.subject.scheduler) == ["inline", "dispatch", "work-stealing"])
      #expect(missing.allSatisfy { $0.quality == [.unavailable(reason: "no-pmu")] })
      #expect(missing.allSatisfy { $0.value == nil && $0.process == nil })
    }
    let cycles = rows.filter { $0.subject.metric == .cycles && $0.subject.scheduler == "dispatch" }
    let without = cycles.filter { $0.value == nil }
    #expect(without.allSatisfy { $0.quality == [.unavailable(reason: "pmu-shared")] })
    #expect(!without.isEmpty && cycles.count == 5)
    #expect(cycles.first?.value == 40 && cycles.first?.processCount == 4 - without.count)
    #expect(
      rows.filter { $0.value == nil }.allSatisfy { Metric.ofHardware.contains($0.subject.metric) })
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

  @Test(arguments: [
    (Disturbance(stealTicks: 20), QualityFlag.steal),
    (Disturbance(throttledPeriods: 1), .throttled),
    (Disturbance(foreignNanoseconds: 200_000_000), .busy),
  ]) func aDisturbedRoundIsTaggedWithItsCauseAndKept(disturbance: Disturbance, cause: QualityFlag)
    throws
  {
    var seen = 0
    let rows = try self.rows(
      FakeRunner { assignment, _ in
        var outcome = Fixtures.outcome(wall: [10])
        outcome.elapsedNanoseconds = 1_000_000_000
        guard assignment.name == "dispatch" else { return outcome }
        seen += 1
        guard seen == 2 else { return outcome }
        outcome = Fixtures.outcome(wall: [70])
        outcome.elapsedNanoseconds = 1_000_000_000
        outcome.disturbance = disturbance
        return outcome
      }
    ) {
      $0.processes = 3
      $0.workloadNames = ["chain"]
    }
    #expect(findings(rows) == [])
    let wall = rows.filter {
      $0.subject.key == FigureKey(.wall, .p50) && $0.subject.scheduler == "dispatch"
    }
    #expect(wall.map(\.process) == [nil, 1, 2, 3])
    #expect(wall.map(\.value) == [10, 10, 70, 10])
    #expect(wall[2].quality == [cause])
    #expect(wall[1].quality.isEmpty && wall[3].quality.isEmpty)
    #expect(wall[0].processCount == 3)
    let others = rows.filter { $0.subject.scheduler == "inline" }
    #expect(others.allSatisfy { $0.quality.isEmpty })
  }

  @Test func aLittleOfOthersIsNoDisturbance() throws {
    let rows = try self.rows(
      FakeRunner { _, _ in
        var outcome = Fixtures.outcome(wall: [10])
        outcome.elapsedNanoseconds = 100_000_000
        // A tick of each of 2 CPUs, which rounding makes, and 5 % of their time.
        outcome.disturbance.foreignNanoseconds = 30_000_000
        return outcome
      }
    ) { $0.workloadNames = ["chain"] }
    #expect(rows.allSatisfy { !$0.quality.contains(.busy) })
  }

  /// A workload may refuse values that are legal each and do not go together, which only its making
  /// finds out.
  @Test func aCombinationThatIsRefusedLosesItsOwnRows() throws {
    let rows = try self.rows(
      FakeRunner { assignment, _ in
        guard assignment.parameters.value(of: "rounds") == 3,
          assignment.parameters.value(of: "width") == 5
        else { return Fixtures.outcome(wall: [100]) }
        return MeasurementOutcome(
          failure: .unavailable(reason: "workload", detail: "3 rounds of 5 do not go together"))
      }
    ) {
      $0.workloadNames = ["fan"]
      $0.axes = [
        AxisSelection(axis: "rounds", values: [3, 4]),
        AxisSelection(axis: "width", values: [5, 6]),
      ]
    }
    #expect(findings(rows) == [])
    for rounds in ["3", "4"] {
      for width in ["5", "6"] {
        let point = rows.filter {
          $0.subject.params["rounds"] == rounds && $0.subject.params["width"] == width
        }
        let isRefused = rounds == "3" && width == "5"
        #expect(!point.isEmpty)
        #expect(point.contains { $0.value != nil } == !isRefused)
        let words = Set(point.flatMap { $0.quality.map(\.text) })
        #expect(words.contains("unavailable:workload") == isRefused, "\(words)")
      }
    }
  }

  @Test func theCodeIsTheContestantsOwnOrThatOfThisProgram() throws {
    var plan = try Fixtures.plan { $0.workloadNames = ["chain"] }
    let other = CodeIdentity(commit: String(repeating: "b", count: 40), toolchain: "Swift 6.2")
    plan.groups[0].contestants[1].code = other
    let own = CodeIdentity(
      Repository(folder: "/proc"), executable: ExecutablePath.running)
    #expect(own.commit == nil && own.isDirty == nil)
    #expect(own.binary != nil && own.toolchain?.hasPrefix("Swift 6") == true)
    let rows = RowWriter(
      run: Fixtures.identity, code: own, allocator: "jemalloc", cpuCount: 2
    ).rows(Orchestrator(plan: plan, runner: FakeRunner.steady([:])).run())
    #expect(findings(rows) == [])
    for row in rows {
      #expect(row.code == (row.subject.scheduler == "dispatch" ? other : own))
    }
  }
}
