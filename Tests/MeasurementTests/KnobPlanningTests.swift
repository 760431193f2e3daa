// SPDX-License-Identifier: Apache-2.0

internal import Harness
internal import MeasurementFixtures
internal import Scheduling
internal import Testing

@testable internal import Measurement

/// Knobs of schedulers as axes: planned and written.
@Suite struct KnobPlanningTests {
  private static let suite = TunableSuite.suite

  private func plan(_ change: (inout MeasurementRequest) -> Void) throws(PlanError)
    -> MeasurementPlan
  {
    var request = MeasurementRequest()
    request.workloadNames = ["chain"]
    change(&request)
    return try Planner(suite: Self.suite, request: request, cpuCount: 2)
      .plan(freshSeed: 1)
  }

  @Test func aKnobIsSweptWhereThereIsOneAndLeavesOthersAlone() throws {
    let plan = try plan { $0.axes = [.init(axis: "spin-us", values: [0, 5])] }
    #expect(plan.groups.count == 1, "contestants of one group, not groups")
    #expect(
      plan.groups[0].contestants.map(\.label) == [
        "inline", "pool spin-us=0", "pool spin-us=5", "stealing spin-us=0", "stealing spin-us=5",
      ])
  }

  @Test func severalKnobsAreCombinedAndAxesStillMakeGroups() throws {
    let plan = try plan {
      $0.schedulers = ["stealing"]
      $0.axes = [
        .init(axis: "pin", values: ["none", "compact"]), .init(axis: "n", values: [1, 2]),
        .init(axis: "spin-us", values: [1, 5]),
      ]
    }
    #expect(plan.groups.map(\.parameters.description) == ["n:1", "n:2"])
    for group in plan.groups {
      #expect(
        group.contestants.map(\.label) == [
          "stealing pin=none spin-us=1", "stealing pin=none spin-us=5",
          "stealing pin=compact spin-us=1", "stealing pin=compact spin-us=5",
        ])
    }
  }

  @Test func knobsAreParametersOfTheRowAndOfTheChild() throws {
    let plan = try plan { $0.axes = [.init(axis: "pin", values: ["compact"])] }
    let group = plan.groups[0]
    #expect(
      group.contestants.map { group.rowParameters(of: $0).text } == [
        "n:100000;workers:1", "n:100000;workers:2", "n:100000;pin:compact;workers:2",
      ])
    let assignment = plan.assignment(round: 0, group: 0, contestant: 2, timeBudgetNanoseconds: 0)
    #expect(assignment.system == .scheduler("stealing"))
    #expect(assignment.knobs == KnobSettings(["pin": "compact"]))
  }

  @Test func replayedGraphsHaveKnobsButNoAxes() throws {
    let graph = GraphSummary(path: "a.dot", taskCount: 3, totalWorkNanoseconds: 3_000_000)
    func replay(_ axis: String) throws(PlanError) -> MeasurementPlan {
      var request = MeasurementRequest()
      request.graphs = [graph]
      request.axes = [.init(axis: axis, values: [1])]
      return try Planner(suite: Self.suite, request: request, cpuCount: 2)
        .plan(freshSeed: 1)
    }
    #expect(
      try replay("spin-us").groups[0].contestants.map(\.label) == [
        "inline", "pool spin-us=1", "stealing spin-us=1",
      ])
    #expect(throws: PlanError.self) { try replay("n") }
  }

  @Test func aGraphWithoutDurationsIsReplayedWithARemark() throws {
    let graph = GraphSummary(path: "a.dot", taskCount: 3, totalWorkNanoseconds: 0)
    var request = MeasurementRequest()
    request.graphs = [graph]
    let plan = try Planner(suite: Self.suite, request: request, cpuCount: 2)
      .plan(freshSeed: 1)
    #expect(plan.notes.contains(.noDurations(path: "a.dot")))
  }

  @Test func spinningTasksOfMoreWorkersThanCPUsAreRemarkedOn() throws {
    func notes(_ workers: Int, _ body: MeasurementRequest.ReplayBody) throws -> [PlanNote] {
      var request = MeasurementRequest()
      request.graphs = [GraphSummary(path: "a.dot", taskCount: 3, totalWorkNanoseconds: 1_000)]
      request.workers = [workers]
      request.body = body
      return try Planner(suite: Self.suite, request: request, cpuCount: 2).plan(freshSeed: 1).notes
    }
    let note = PlanNote.spinningWorkersTakeTurns(workers: 8, cpus: 2)
    #expect(try notes(8, .spin).contains(note))
    #expect(try !notes(8, .work).contains(note))
    #expect(try !notes(2, .spin).contains(note))
  }
}
