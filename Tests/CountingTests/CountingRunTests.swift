// SPDX-License-Identifier: Apache-2.0

import Harness
import Measurement
import Results
import Scheduling
import Testing

@testable import Counting

/// Counting beside another program, with counts that are made up.
@Suite("Counts against another program") struct CountingRunTests {
  private func repetition(
    _ instructions: Double, functions: [String: Double] = [:], toolchain: String = "one"
  ) -> OperationCounter.Repetition {
    OperationCounter.Repetition(
      instructions: instructions, readModifyWrites: 2, allocations: 1, functions: functions,
      operations: 100, toolchain: toolchain)
  }

  private let plan: CountingPlan

  init() throws {
    let workload = WorkloadDescription(
      name: "idle", summary: "nothing", notShown: "anything", tags: [], axes: []
    ) { _ throws(WorkloadError) in Idle() }
    let scheduler = SchedulerEntry(name: "inline", summary: "inline", fixedWorkers: 1) { _ in
      fatalError("nothing is run here")
    }
    var request = MeasurementRequest()
    request.workloadNames = ["idle"]
    plan = try CountingPlan(
      suite: Suite(schedulers: [scheduler], workloads: [workload]), request: request, cpuCount: 2)
  }

  private func run(
    before: @escaping CountingRun.Count, after: @escaping CountingRun.Count
  ) -> CountingRecord {
    CountingRun(plan: plan, reference: .program(before), count: after).run()
  }

  @Test func whatChangedIsToldWithTheFunctionsThatItIsIn() throws {
    let record = run { _ in
      repetition(1000, functions: ["push": 400, "pop": 600])
    } after: { _ in
      repetition(1100, functions: ["push": 500, "pop": 600])
    }
    let counted = try #require(record.cases.first)
    #expect(counted.comparison?.instructions.verdict == .more)
    #expect(counted.before?.instructions.value == 1000)
    let changes = FunctionChanges(
      before: counted.functionsBefore, after: try #require(counted.counts).functions)
    #expect(changes.entries.map(\.name) == ["push"])
    #expect(changes.entries.first?.change == 100)
    #expect(record.toolchain == "one" && record.toolchainBefore == "one")
  }

  @Test func bothSidesAreRepeatedAlikeUntilTheCaseIsClear() {
    var (earlier, later) = (0, 0)
    let record = run { _ in
      earlier += 1
      return repetition(1000)
    } after: { _ in
      later += 1
      return repetition(1100)
    }
    #expect(earlier == CountingRun.careful && later == earlier)
    #expect(record.cases.first?.comparison?.verdict == .more)
  }

  @Test func anotherToolchainOfTheBaseIsKnown() {
    let record = run(
      before: { _ in repetition(1000, toolchain: "other") }, after: { _ in repetition(1000) })
    #expect(record.toolchain == "one" && record.toolchainBefore == "other")
  }

  @Test func aBaselineOfAnotherToolchainEndsTheRunWhereItIsAskedFor() throws {
    let key = try #require(plan.cases.first).key
    let counts = OperationCounts(
      instructions: .init(1000), readModifyWrites: .init(2), allocations: .init(1))
    var baseline = CountsBaseline()
    baseline.record(
      CountsBaselineRow(key: key, counts: counts, toolchain: "other", commit: nil))
    for isRequired in [true, false] {
      var asked = 0
      let record = CountingRun(
        plan: plan, reference: .stored(baseline, required: isRequired),
        count: { _ in
          asked += 1
          return repetition(1000)
        }
      ).run()
      #expect(record.isForeign == isRequired)
      #expect(record.cases.isEmpty == isRequired)
      #expect(asked == (isRequired ? 1 : CountingRun.usual))
      #expect(record.cases.allSatisfy { $0.comparison == nil && $0.counts != nil })
    }
  }

  @Test func anInterruptIsNoFailureOfTheCase() {
    var asked = 0
    let record = run(before: { _ in repetition(1000) }) { _ throws(MeasurementFailure) in
      asked += 1
      if asked == 2 { throw .interrupted }
      return repetition(1000)
    }
    #expect(record.wasInterrupted && record.cases.isEmpty)
    #expect(record.baselineRows(commit: nil) == nil)
  }

  @Test func repetitionsAreAsManyAsAreAskedFor() {
    for (careful, named, expected) in [
      (false, nil, CountingRun.usual), (true, nil, CountingRun.careful), (false, 3, 3),
      (true, 3, 3),
    ] as [(Bool, Int?, Int)] {
      var asked = 0
      let record = CountingRun(
        plan: plan, reference: .program { _ in repetition(1000) }, repetitions: named,
        isCareful: careful,
        count: { _ in
          asked += 1
          // More, which is worth further repetitions unless their number is named.
          return repetition(named == nil ? 1000 : 1100)
        }
      ).run()
      #expect(asked == expected && record.cases.first?.counts?.repetitions.count == expected)
    }
  }

  @Test func aFailureSaysInWhichProgramItWas() throws {
    let failure = MeasurementFailure.unavailable(reason: "workload", detail: "unknown")
    let inBase = run(before: { _ throws(MeasurementFailure) in throw failure }) { _ in
      repetition(1000)
    }
    #expect(inBase.cases.first?.failure == failure)
    #expect(inBase.cases.first?.hasFailedBefore == true)
    let here = run(before: { _ in repetition(1000) }) { _ throws(MeasurementFailure) in
      throw failure
    }
    #expect(here.cases.first?.failure == failure)
    #expect(here.cases.first?.hasFailedBefore == false)
  }
}

/// A workload that is planned, never run.
private struct Idle: Workload {
  let operationsPerIteration = 1

  func iterate(
    on scheduler: any Scheduler, recorder: inout IterationRecorder
  ) throws(WrongAnswer) {}
}
