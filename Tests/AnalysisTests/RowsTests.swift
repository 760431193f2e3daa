// SPDX-License-Identifier: Apache-2.0

import Harness
import Measurement
import MeasurementFixtures
import Results
import Testing

@testable import Analysis

/// Rows are all that an analysis sees, and all that it needs.
@Suite struct RowsTests {
  /// Runs that differ in what their rows hold.
  static let runs: [(name: String, change: @Sendable (inout MeasurementRequest) -> Void)] = [
    ("everything", { _ in }),
    ("a reference that is capped", { $0.references = ["foundation"] }),
    (
      "several sizes and worker counts",
      { request in
        request.workers = [1, 2, 4]
        request.axes = [.init(axis: "n", values: [10, 20])]
        request.references = ["foundation"]
      }
    ),
    ("too few rounds", { $0.processes = 3 }),
    ("pinned", { $0.cpus = 1 }),
    ("the baseline alone", { $0.schedulers = ["inline"] }),
  ]

  private func runner(failing: Bool = false) -> FakeRunner {
    FakeRunner { assignment, index in
      if failing, assignment.name == "dispatch", index > 20 {
        return MeasurementOutcome(failure: .crashed(.signalled(11), standardError: ""))
      }
      let wobble = Double((index * 7919) % 31)
      let latencies: [UInt64] =
        assignment.subject == .workload("latency")
        ? (0..<40).map { UInt64($0 * 10 + index % 5) } : []
      return Fixtures.outcome(wall: [100 + wobble / 3], latencies: latencies)
    }
  }

  @Test(arguments: runs.indices) func aFileSaysWhatTheRunSaid(index: Int) throws {
    let run = Self.runs[index]
    for failing in [false, true] {
      let plan = try Fixtures.plan(run.change)
      let live = Runs.analysis(of: plan, runner(failing: failing))
      let bytes = CSV.encode(live.rows)
      let read = Analysis(
        rows: try CSV.decode(bytes, path: "a.csv"), roster: Runs.roster)
      #expect(read.rounds == live.rounds, "\(run.name)")
      #expect(RunVerdict(read) == RunVerdict(live), "\(run.name)")
      #expect(CSV.encode(read.rows) == bytes, "\(run.name)")
    }
  }

  /// Groups are found in the rows again, as they were planned.
  @Test(arguments: runs.indices) func groupsAreThoseOfThePlan(index: Int) throws {
    let plan = try Fixtures.plan(Self.runs[index].change)
    let groups = Runs.analysis(of: plan, runner()).groups
    #expect(groups.map(\.benchmark) == plan.groups.map(\.benchmark))
    #expect(
      groups.map { $0.contestants.map(\.label) }
        == plan.groups.map { $0.contestants.map(\.label) })
    #expect(groups.map(\.primaryMetric) == plan.groups.map(\.primaryMetric))
    #expect(groups.map(\.cpus) == plan.groups.map(\.cpus))
    #expect(
      groups.map { $0.sizes.map { "\($0.name):\($0.value)" }.joined(separator: ";") }
        == plan.groups.map(\.parameters.description))
    // A system with a count of its own does not say which one was asked for.
    if plan.groups[0].contestants.count > 1 {
      #expect(groups.map(\.workers) == plan.groups.map(\.workers))
    }
  }

  @Test func ratiosAreThoseOfTheProcessesWhateverTheFileSays() throws {
    let plan = try Fixtures.plan { $0.workloadNames = ["chain"] }
    let live = Runs.analysis(of: plan, .steady(["dispatch": 200]))
    var rows = live.rows
    for index in rows.indices where rows[index].subject.statistic == .ratio {
      rows[index].value = 7
      rows[index].interval = nil
    }
    #expect(Analysis(rows: rows, roster: Runs.roster).rows == live.rows)
    #expect(live.rows.contains { $0.subject.statistic == .ratio })
  }

  @Test func aFileOfUnknownSystemsIsCompared() throws {
    let plan = try Fixtures.plan { $0.workloadNames = ["chain"] }
    let rows = Runs.rows(of: plan, .steady(["dispatch": 200, "inline": 300]))
    let group = try #require(Analysis(rows: rows, roster: Roster()).groups.last)
    #expect(group.best(.wall)?.name == "work-stealing")
    #expect(Analysis(rows: [], roster: Roster()).groups.isEmpty)
  }

  /// Who the code is belongs to the contestant: two revisions of a scheduler are two.
  @Test func contestantsOfDifferentCodeStayApart() throws {
    let plan = try Fixtures.plan {
      $0.workloadNames = ["chain"]
      $0.schedulers = ["dispatch"]
    }
    let old = Runs.rows(of: plan, .steady(["dispatch": 100]))
    let new = Runs.rows(of: plan, .steady(["dispatch": 200])).map { row in
      var row = row
      row.code.commit = String(repeating: "b", count: 40)
      return row
    }
    let groups = Analysis(rows: old + new, roster: Runs.roster).groups
    #expect(groups.count == 1)
    try #require(groups[0].contestants.count == 2)
    #expect(groups[0].contestants.map(\.id.code.commit) == [nil, new[0].code.commit])
    #expect(groups[0].best(.wall)?.id.code.commit == nil)
    let ratio = try #require(groups[0].contestants[1].comparisons[.wall]).ratio
    #expect(abs(ratio - 2) < 1e-9)
  }
}
