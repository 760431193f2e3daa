// SPDX-License-Identifier: Apache-2.0

import Harness
import Scheduling
import Testing

@testable import BenchmarkKit

/// What a program may add to the suite, and under which names.
@Suite struct AdditionTests {
  private static let knob = SchedulerKnob(
    name: "stack", summary: "of the tests", numbers: 1...9, default: 1)

  /// A suite with a scheduler that has a knob, and a workload that has an axis.
  private func suite() -> Suite {
    Suite(
      schedulers: [
        SchedulerEntry(name: "inline", summary: "", knobs: [Self.knob]) {
          _, _ throws(KnobError) in InlineScheduler()
        }
      ],
      workloads: [
        WorkloadDescription(
          name: "chain", summary: "", notShown: "", tags: [],
          axes: [Axis(name: "n", summary: "", smoke: 1, quick: 1, real: 1, legal: 1...9)],
          make: { _ throws(WorkloadError) in throw WorkloadError(message: "none") })
      ])
  }

  private func workload(
    _ name: String = "pairs", axes: [WorkloadAxis] = [], metrics: Set<String> = []
  ) -> BenchmarkWorkload {
    BenchmarkWorkload(name: name, summary: "of the tests", axes: axes, metrics: metrics) { _ in
      Counted(operations: 1)
    }
  }

  private func add(
    _ workloads: [BenchmarkWorkload], tunable: [TunableScheduler] = []
  ) throws(AdditionError) -> Suite {
    var suite = suite()
    try Additions(workloads: workloads, schedulers: [], tunable: tunable).add(to: &suite)
    return suite
  }

  @Test func aWorkloadStandsBehindTheOthersWithItsAxes() throws {
    let axes = [
      WorkloadAxis("n", summary: "pairs", quick: 10, real: 1000, legal: 1...5000),
      WorkloadAxis("form", summary: "how", words: ["plain", "nested"]),
    ]
    let suite = try add([workload(axes: axes, metrics: ["latency"])])
    #expect(suite.workloads.map(\.name) == ["chain", "pairs"])
    let added = try #require(suite.workload(named: "pairs"))
    #expect(added.parameters(at: .real).description == "form:plain;n:1000")
    #expect(added.parameters(at: .quick).description == "form:plain;n:10")
    #expect(added.runsByDefault && added.metrics == ["latency"])
    #expect(added.axis(named: "n")?.legalText == "1 to 5000")
    #expect(added.axis(named: "form")?.legalText == "one of plain, nested")
  }

  @Test(arguments: ["chain", "", "Pairs", "two pairs", "päire"])
  func aNameThatIsTakenOrIllegalIsRefused(name: String) {
    let error = #expect(throws: AdditionError.self) { try add([workload(name)]) }
    #expect(error?.message.contains("the workload name \"\(name)\" is taken or illegal") == true)
  }

  @Test func twoWorkloadsOfOneNameAreRefused() {
    #expect(throws: AdditionError.self) { try add([workload("pairs"), workload("pairs")]) }
  }

  @Test(arguments: [["stack"], ["workers"], ["body"], ["m", "m"], ["M"]])
  func anAxisThatMeansSomethingElseIsRefused(names: [String]) {
    let axes = names.map { WorkloadAxis($0, summary: "", quick: 1, real: 2) }
    let error = #expect(throws: AdditionError.self) { try add([workload(axes: axes)]) }
    #expect(error?.message.contains("the axis \"\(names[0])\" of pairs") == true)
  }

  @Test func anAxisMayHaveTheNameOfAnotherWorkloadsAxis() throws {
    let axis = WorkloadAxis("n", summary: "", quick: 1, real: 2)
    #expect(try add([workload(axes: [axis])]).workloads.count == 2)
  }

  /// Workloads come first, so that the knob is the one that has to give way.
  @Test func aKnobWithTheNameOfAnAddedAxisIsRefused() {
    let axis = WorkloadAxis("depth", summary: "", quick: 1, real: 2)
    let knob = SchedulerKnob(name: "depth", summary: "", numbers: 1...9, default: 1)
    let scheduler = TunableScheduler(name: "mine", knobs: [knob]) { _, _ in InlineScheduler() }
    let error = #expect(throws: AdditionError.self) {
      try add([workload(axes: [axis])], tunable: [scheduler])
    }
    #expect(error?.message.contains("the knob \"depth\" of mine") == true)
  }

  @Test func anUnknownMetricIsRefused() {
    let error = #expect(throws: AdditionError.self) { try add([workload(metrics: ["latencies"])]) }
    #expect(error?.message.contains("the metric \"latencies\" of pairs is unknown") == true)
  }
}
