// SPDX-License-Identifier: Apache-2.0

import Analysis
import Harness
import Measurement
import MeasurementFixtures
import Results
import Testing

@testable import BenchmarkCLI

/// A report is made of rows, whether they have just been measured or are read from a file.
@Suite struct ReportFromFileTests {
  private func check(
    _ plan: MeasurementPlan, _ runner: FakeRunner, _ suite: Suite = Fixtures.suite
  ) throws -> String {
    let live = Reports.live(plan, runner, suite: suite)
    let rows = try CSV.decode(CSV.encode(live.analysis.rows), path: "run.csv")
    let read = Report(Analysis(rows: rows, roster: Roster(suite)), context: live.context)
    #expect(read.text(style: .plain) == live.text(style: .plain))
    #expect(read.markdown == live.markdown)
    return live.text(style: .plain)
  }

  @Test func theReportOfAFileIsThatOfItsRun() throws {
    let text = try check(
      Fixtures.plan { $0.references = ["foundation"] },
      FakeRunner { assignment, index in
        Fixtures.outcome(
          wall: [assignment.name == "inline" ? 90 : 100 + Double(index % 7) / 3],
          latencies: assignment.subject == .workload("latency")
            ? (0..<200).map { UInt64(1000 + $0 * index) } : [])
      })
    for word in ["chain", "fan", "latency", "foundation", "capped to n=5000", "serial", "Seed 1."] {
      #expect(text.contains(word), "\(word) in \(text)")
    }
  }

  @Test func knobsAndGraphsAreShownAlike() throws {
    let knobs = try check(
      Fixtures.plan(
        { $0.axes = [.init(axis: "spin-us", values: [1, 5])] }, suite: TunableSuite.suite),
      .steady(["pool": 90]), TunableSuite.suite)
    #expect(knobs.contains("stealing spin-us=5"))
    let graph = GraphSummary(
      path: "bwa.json", taskCount: 4, totalWorkNanoseconds: 4_000_000_000, fingerprint: "abc")
    let replay = try check(
      Fixtures.plan { $0.graphs = [graph] },
      FakeRunner { _, index in
        var outcome = Fixtures.outcome(wall: [10])
        outcome.metrics = [.makespan: [5.2e8 + Double(index)], .efficiency: [0.9]]
        return outcome
      })
    #expect(replay.contains("bwa  body=spin · time-scale=0.25 · 2 workers"))
  }

  /// Without what only the run knew, a failure is still told, in the word of its row.
  @Test func aFileAloneStillSaysWhoFailed() throws {
    let plan = try Fixtures.plan { $0.workloadNames = ["chain"] }
    let runner = FakeRunner { assignment, _ in
      assignment.name == "dispatch"
        ? MeasurementOutcome(failure: .crashed(.signalled(11), standardError: "lost its mind"))
        : Fixtures.outcome(wall: [10])
    }
    let live = try check(plan, runner)
    #expect(live.contains("dispatch in round 1: crashed: signal 11 (SIGSEGV); its last output:"))
    let rows = Reports.live(plan, runner).analysis.rows
    let text = Report(Analysis(rows: rows, roster: Roster(Fixtures.suite))).text(style: .plain)
    #expect(text.contains("\n  dispatch in round 1: crashed\n"))
    #expect(!text.contains("Seed"))
  }
}
