// SPDX-License-Identifier: Apache-2.0

import Harness
import Scheduling
import Testing

@testable import BenchmarkCLI

/// Knobs of schedulers as axes: planned, compared, written, shown and refused.
@Suite struct KnobPlanningTests {
  private static let suite: Suite = {
    var suite = Fixtures.suite
    let spin = SchedulerKnob(name: "spin-us", summary: "waits", numbers: 0...100, default: 20)
    let pin = SchedulerKnob(
      name: "pin", summary: "places", words: ["none", "compact"], default: "none")
    suite.schedulers = [
      Fixtures.scheduler("inline", fixedWorkers: 1),
      tuned("pool", [SchedulerKnob(name: "spin-us", summary: "", numbers: 0...50, default: 0)]),
      tuned("stealing", [spin, pin]),
    ]
    return suite
  }()

  private static func tuned(_ name: String, _ knobs: [SchedulerKnob]) -> SchedulerEntry {
    SchedulerEntry(
      name: name, summary: "\(name) of the tests", knobs: knobs,
      check: { settings throws(KnobError) in
        guard settings["pin"] == "compact", settings["spin-us"] == 0 else { return }
        throw KnobError(
          place: "here", finding: "compact does not go with 0", expectation: "1 or more",
          nextStep: "spin")
      }
    ) { _, _ in fatalError("the tests of this room never make a scheduler") }
  }

  private func plan(_ change: (inout RunRequest) -> Void) throws(ToolFailure) -> MeasurementPlan {
    var request = RunRequest()
    request.workloadNames = ["chain"]
    change(&request)
    return try Planner(suite: Self.suite, request: request, cpuCount: 2, graphs: [])
      .plan(freshSeed: 1)
  }

  private func failure(_ change: (inout RunRequest) -> Void) -> ToolFailure? {
    do {
      _ = try plan(change)
      return nil
    } catch { return error }
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
      group.contestants.map { RowWriter.params(of: $0, in: group).text } == [
        "n:100000;workers:1", "n:100000;workers:2", "n:100000;pin:compact;workers:2",
      ])
    let assignment = plan.assignment(round: 0, group: 0, contestant: 2, timeBudgetNanoseconds: 0)
    #expect(assignment.system == .scheduler("stealing"))
    #expect(assignment.knobs == KnobSettings(["pin": "compact"]))
  }

  @Test func contestantsOfOneSchedulerAreComparedWithEachOther() throws {
    let plan = try plan {
      $0.schedulers = ["stealing"]
      $0.axes = [.init(axis: "spin-us", values: [1, 5])]
    }
    let runner = FakeRunner { assignment, _ in
      Fixtures.outcome(wall: [assignment.knobs["spin-us"] == 5 ? 100 : 300])
    }
    let record = Orchestrator(plan: plan, runner: runner).run()
    let report = Report(
      results: GroupResult.all(record), rounds: record.completeRounds, seed: plan.seed)
    let text = report.text(style: .plain)
    #expect(text.hasPrefix("Established as fastest: stealing spin-us=5 in 1 group.\n"))
    #expect(text.contains("stealing spin-us=1   300 ns  300–300 ns    3.00  3.00–3.00"))
    #expect(text.contains("stealing spin-us=5   100 ns  100–100 ns    best"))
  }

  @Test func anUnknownNameListsAxesAndKnobs() throws {
    let failure = try #require(self.failure { $0.axes = [.init(axis: "spin", values: [1])] })
    #expect(failure.code == .usage)
    #expect(
      failure.expectation == "one of n (chain), spin-us (pool, stealing), pin (stealing)")
  }

  @Test func aKnobOfASchedulerThatIsNotChosenSaysWhose() throws {
    let failure = try #require(
      self.failure {
        $0.schedulers = ["pool"]
        $0.axes = [.init(axis: "pin", values: ["none"])]
      })
    #expect(failure.code == .usage)
    #expect(failure.finding == "no chosen scheduler has the knob `pin`")
    #expect(failure.nextStep == "stealing would have it: add it to --scheduler")
  }

  @Test func anIllegalValueNamesTheSchedulerAndTheLegalOnes() throws {
    let number = try #require(self.failure { $0.axes = [.init(axis: "spin-us", values: [60])] })
    #expect(number.code == .usage)
    #expect(number.finding == "spin-us=60 is out of range for pool")
    #expect(number.expectation == "0 to 50")
    #expect(
      number.nextStep == "to leave pool out, name the schedulers to measure with --scheduler")
    let word = try #require(self.failure { $0.axes = [.init(axis: "pin", values: ["tight"])] })
    #expect(word.code == .usage)
    #expect(word.finding == "pin=tight is no value that stealing knows")
    #expect(word.expectation == "none or compact")
    let sized = try #require(self.failure { $0.axes = [.init(axis: "n", values: ["many"])] })
    #expect(sized.finding == "n=many is not a number")
  }

  @Test func valuesThatDoNotGoTogetherAreRefused() throws {
    let failure = try #require(
      self.failure {
        $0.axes = [.init(axis: "pin", values: ["compact"]), .init(axis: "spin-us", values: [0])]
      })
    #expect(failure.code == .usage)
    #expect(failure.finding == "stealing: compact does not go with 0")
    #expect(failure.expectation == "1 or more")
  }

  @Test func replayedGraphsHaveKnobsButNoAxes() throws {
    let graph = GraphSummary(path: "a.dot", taskCount: 3, totalWorkNanoseconds: 3_000_000)
    func replay(_ axis: String) throws(ToolFailure) -> MeasurementPlan {
      var request = RunRequest()
      request.graphs = [graph.path]
      request.axes = [.init(axis: axis, values: [1])]
      return try Planner(suite: Self.suite, request: request, cpuCount: 2, graphs: [graph])
        .plan(freshSeed: 1)
    }
    #expect(
      try replay("spin-us").groups[0].contestants.map(\.label) == [
        "inline", "pool spin-us=1", "stealing spin-us=1",
      ])
    #expect(throws: ToolFailure.self) { try replay("n") }
  }

  @Test func aGraphWithoutDurationsIsReplayedWithARemark() throws {
    let graph = GraphSummary(path: "a.dot", taskCount: 3, totalWorkNanoseconds: 0)
    var request = RunRequest()
    request.graphs = [graph.path]
    let plan = try Planner(suite: Self.suite, request: request, cpuCount: 2, graphs: [graph])
      .plan(freshSeed: 1)
    #expect(plan.notes.contains { $0.hasPrefix("a.dot: no task has a duration") })
  }

  @Test func listShowsKnobsWithDefaultsAndLegalValues() {
    let list = ListText(suite: Self.suite)
    #expect(list.text(style: .plain).contains("    spin-us=20          waits; 0 to 100\n"))
    #expect(list.text(style: .plain).contains("    pin=none            places; none or compact\n"))
  }
}
