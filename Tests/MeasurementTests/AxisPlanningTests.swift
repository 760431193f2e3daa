// SPDX-License-Identifier: Apache-2.0

internal import Harness
internal import MeasurementFixtures
internal import Testing

@testable internal import Measurement

/// Axes of one workload alone, and those of decimals and words.
@Suite struct AxisPlanningTests {
  private static let tree = WorkloadDescription(
    name: "tree", summary: "a tree", notShown: "nothing", tags: ["tree"],
    axes: [
      Axis(name: "n", summary: "size", smoke: 1, quick: 1, real: 7, legal: 1...100),
      Axis(name: "q", summary: "share", always: "0.25", legal: .decimals(0...1)),
      Axis(name: "shape", summary: "shape", always: "fixed", legal: .words(["fixed", "cyclic"])),
    ],
    make: { _ throws(WorkloadError) in throw WorkloadError(message: "not made here") })

  private func plan(_ axes: [AxisSelection]) throws(PlanError) -> MeasurementPlan {
    var suite = Fixtures.suite
    suite.workloads.append(Self.tree)
    var request = MeasurementRequest()
    request.workloadNames = ["chain", "tree"]
    request.schedulers = ["inline"]
    request.axes = axes
    return try Planner(suite: suite, request: request, cpuCount: 2).plan(freshSeed: 1)
  }

  private func points(_ axes: [AxisSelection]) throws -> [String] {
    try plan(axes).groups.map { "\($0.benchmark) \($0.parameters)" }
  }

  private func failure(_ axes: [AxisSelection]) -> PlanError? {
    do throws(PlanError) {
      _ = try plan(axes)
      return nil
    } catch { return error }
  }

  @Test func anAxisOfOneWorkloadLeavesTheOthersAlone() throws {
    #expect(
      try points([.init(axis: "n", of: "tree", values: [2, 3])]) == [
        "chain n:100000", "tree n:2;q:0.25;shape:fixed", "tree n:3;q:0.25;shape:fixed",
      ])
  }

  @Test func whatNamesAWorkloadGoesBeforeWhatIsForAll() throws {
    #expect(
      try points([.init(axis: "n", values: [5]), .init(axis: "n", of: "tree", values: [2])]) == [
        "chain n:5", "tree n:2;q:0.25;shape:fixed",
      ])
  }

  @Test func decimalsKeepTheirTextAndWordsAreSwept() throws {
    let axes: [AxisSelection] = [
      .init(axis: "q", values: ["0.10", 1]), .init(axis: "shape", values: ["cyclic"]),
    ]
    #expect(
      try points(axes) == [
        "chain n:100000", "tree n:7;q:0.10;shape:cyclic", "tree n:7;q:1;shape:cyclic",
      ])
    let group = try plan(axes).groups[1]
    #expect(
      group.rowParameters(of: group.contestants[0]).text
        == "n:7;q:0.10;shape:cyclic;workers:1")
  }

  @Test(
    arguments: [
      ("q", "1.5"), ("q", "fixed"), ("n", "0.5"), ("n", "cyclic"), ("shape", "3"),
      ("shape", "round"),
    ] as [(String, AxisValue)])
  func aValueOfAnotherKindOrRangeIsRefused(axis: String, value: AxisValue) {
    guard
      case .axisValue(value, of: _, workload: "tree", isAlone: true)? = failure([
        .init(axis: axis, of: "tree", values: [value])
      ])
    else {
      Issue.record("\(axis)=\(value): \(String(describing: failure([])))")
      return
    }
  }

  @Test func ownersThatAreNotMeasuredAndAxesThatTheyLackAreRefused() {
    #expect(
      failure([.init(axis: "n", of: "fan", values: [1])])
        == .unknownOwner("fan", axis: "n", chosen: ["chain", "tree", "inline"], exists: true))
    #expect(
      failure([.init(axis: "n", of: "tee", values: [1])])
        == .unknownOwner("tee", axis: "n", chosen: ["chain", "tree", "inline"], exists: false))
    #expect(
      failure([.init(axis: "width", of: "tree", values: [1])])
        == .unknownAxisOfOwner("width", owner: "tree", known: ["n", "q", "shape"]))
  }

  @Test func tagsChooseWorkloads() throws {
    var suite = Fixtures.suite
    suite.workloads.append(Self.tree)
    var request = MeasurementRequest()
    request.tags = ["tree"]
    #expect(
      try Planner(suite: suite, request: request, cpuCount: 2).plan(freshSeed: 1).groups
        .map(\.benchmark) == ["tree"])
    request.tags = ["treee"]
    #expect(throws: PlanError.self) {
      try Planner(suite: suite, request: request, cpuCount: 2).plan(freshSeed: 1)
    }
  }
}
