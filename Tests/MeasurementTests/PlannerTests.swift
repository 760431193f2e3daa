// SPDX-License-Identifier: Apache-2.0

internal import Harness
internal import MeasurementFixtures
internal import Results
internal import Testing

@testable internal import Measurement

@Suite struct PlannerTests {
  private func failure(_ change: (inout MeasurementRequest) -> Void) -> PlanError? {
    do {
      _ = try Fixtures.plan(change)
      return nil
    } catch { return error }
  }

  @Test func theDefaultPlanMeasuresEverythingAtRealSizesOnAllCPUs() throws {
    let plan = try Fixtures.plan()
    #expect(plan.groups.map(\.benchmark) == ["chain", "fan", "latency"])
    #expect(
      plan.groups.map(\.parameters.description) == ["n:100000", "rounds:200;width:1000", "n:500"])
    #expect(plan.groups.allSatisfy { $0.workers == 2 && $0.suite == "core" })
    #expect(plan.groups[0].contestants.map(\.name) == ["inline", "dispatch", "work-stealing"])
    #expect(plan.groups[0].contestants.map(\.workers) == [1, 2, 2])
    #expect(plan.rounds == 8)
    #expect(plan.childCount == 72)
    #expect(plan.budget == .seconds(80))
  }

  @Test func quickTakesSmallSizesAndTheRoundsThatCanBeRanked() throws {
    let plan = try Fixtures.plan { $0.isQuick = true }
    #expect(plan.rounds == 6)
    #expect(plan.budget == .seconds(12))
    #expect(plan.groups.map(\.parameters.description) == ["n:10", "rounds:10;width:10", "n:10"])
  }

  @Test func everyCombinationOfAxisValuesAndWorkersIsAGroup() throws {
    let plan = try Fixtures.plan {
      $0.workloadNames = ["fan"]
      $0.axes = [.init(axis: "width", values: [5, 6]), .init(axis: "rounds", values: [1])]
      $0.workers = [1, 2]
    }
    #expect(
      plan.groups.map { "\($0.parameters) \($0.workers)" } == [
        "rounds:1;width:5 1", "rounds:1;width:5 2", "rounds:1;width:6 1", "rounds:1;width:6 2",
      ])
  }

  @Test func aFixedWorkerCountIsMeasuredOncePerPoint() throws {
    let plan = try Fixtures.plan {
      $0.workloadNames = ["chain"]
      $0.workers = [2, 1]
    }
    #expect(plan.groups.map { $0.contestants.map(\.name).contains("inline") } == [false, true])
    let without = try Fixtures.plan {
      $0.workloadNames = ["chain"]
      $0.workers = [4, 8]
    }
    #expect(without.groups.map { $0.contestants.first?.name } == ["inline", "dispatch"])
    #expect(without.groups[0].contestants[0].workers == 1)
  }

  @Test func anAxisThatAWorkloadDoesNotHaveLeavesItAlone() throws {
    let plan = try Fixtures.plan { $0.axes = [.init(axis: "n", values: [7])] }
    #expect(plan.groups.map(\.parameters.description) == ["n:7", "rounds:200;width:1000", "n:7"])
  }

  @Test func moreCPUsThanThereAreIsAUsageError() throws {
    #expect(failure { $0.cpus = 3 } == .tooManyCPUs(asked: 3, usable: 2))
    let plan = try Fixtures.plan { $0.cpus = 1 }
    #expect(plan.groups.allSatisfy { $0.cpus == 1 && $0.workers == 1 })
    #expect(plan.assignment(round: 0, group: 0, contestant: 0, timeBudgetNanoseconds: 0).cpus == 1)
  }

  @Test func aReferenceIsCappedAndSaysSo() throws {
    let plan = try Fixtures.plan { $0.references = ["foundation"] }
    let reference = try #require(plan.groups[0].contestants.last)
    #expect(reference.isReference)
    #expect(reference.parameters.description == "n:5000")
    #expect(
      plan.groups[0].rowParameters(of: reference).text == "cap-n:5000;n:5000;workers:2")
    #expect(plan.groups[1].contestants.allSatisfy { !$0.isReference })
    #expect(plan.notes.contains(.referenceLacks(reference: "foundation", workload: "fan")))
  }

  @Test func graphsReplaceTheWorkloads() throws {
    let graph = GraphSummary(
      path: "data/my graph.2.json", taskCount: 3, totalWorkNanoseconds: 3_000_000)
    let plan = try Fixtures.plan({ $0.graphs = [graph] })
    #expect(plan.groups.map(\.benchmark) == ["my-graph-2"])
    #expect(plan.groups[0].suite == "replay")
    #expect(
      plan.groups[0].settings == ["body": "spin", "time-scale": "1.0", "graph": "none"])
    #expect(
      failure {
        $0.graphs = [graph]
        $0.workloadNames = ["chain"]
      } == .workloadBesideGraphs("chain"))
    let refused = failure {
      $0.graphs = [graph]
      $0.axes = [.init(axis: "n", values: [1])]
    }
    guard case .unknownAxis("n", _) = refused else {
      Issue.record("found \(String(describing: refused))")
      return
    }
  }

  @Test func filesWithTheSameNameGetTheirFoldersName() {
    let graphs = [
      "/x/zstd/build.ninja", "/x/leveldb/build.ninja", "/x/new/zstd.dot", "/x/zstd.dot",
      "/y/new/zstd.json", "a.dot",
    ].map { GraphSummary(path: $0, taskCount: 1, totalWorkNanoseconds: 1) }
    #expect(
      GraphSummary.distinct(graphs).map(\.benchmark) == [
        "x-zstd", "leveldb", "new-zstd", "x-zstd-2", "new-zstd-2", "a",
      ])
  }

  /// Recorded nanoseconds of work, and the factor.
  @Test(
    arguments: [
      (0, 1), (1000, 1), (999_999_999, 1), (2_000_000_000, 1), (2_000_000_001, 0.5),
      (3_000_000_000, 0.333), (3_600_000_000_000, 0.000278),
    ] as [(Int64, Double)])
  func onlyMoreThanTwoSecondsOfWorkAreScaled(work: Int64, scale: Double) throws {
    let graph = GraphSummary(path: "a.dot", taskCount: 1, totalWorkNanoseconds: work)
    #expect(Planner.defaultScale(of: graph) == scale)
    let plan = try Fixtures.plan({ $0.graphs = [graph] })
    #expect(plan.groups[0].settings["time-scale"] == "\(scale)")
    #expect(plan.groups[0].replay == .init(graph: graph, timeScale: scale))
  }

  @Test func theOrderOfARoundDependsOnTheSeedAlone() throws {
    let one = try Fixtures.plan(freshSeed: 5)
    let same = try Fixtures.plan { $0.seed = 5 }
    let other = try Fixtures.plan(freshSeed: 6)
    func orders(_ plan: MeasurementPlan) -> [[Int]] {
      (0..<50).flatMap { round in plan.groups.indices.map { plan.order(round: round, group: $0) } }
    }
    #expect(orders(one) == orders(same))
    #expect(orders(one) != orders(other))
    #expect(orders(one).allSatisfy { $0.sorted() == [0, 1, 2] })
    #expect(Set(orders(one)).count == 6, "every order occurs")
  }

  @Test func contestantsOfARoundShareTheirSeed() throws {
    let plan = try Fixtures.plan()
    let seeds = (0..<3).map {
      plan.assignment(round: 1, group: 0, contestant: $0, timeBudgetNanoseconds: 0).seed
    }
    #expect(Set(seeds).count == 1)
    #expect(
      plan.assignment(round: 2, group: 0, contestant: 0, timeBudgetNanoseconds: 0).seed != seeds[0])
  }

  /// What a comparison judges unasked may be asked for.
  @Test(arguments: [Metric.deadlinesMet, .knee, .quiescence, .latency])
  func whatABenchmarkIsAboutCanBeJudged(_ metric: Metric) {
    let point = MeasurementGroup(
      suite: "core", benchmark: "mix", summary: "", subject: .workload("mix"),
      parameters: Parameters([:]), workers: 1, cpus: nil, settings: [:], metrics: [metric],
      contestants: [])
    #expect(point.primaryMetric == metric && point.reports(metric) && point.reports(.wall))
    #expect(!point.reports(.inversion))
  }
}
