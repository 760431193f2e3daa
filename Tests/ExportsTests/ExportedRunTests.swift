// SPDX-License-Identifier: Apache-2.0

import ExportSamples
import Results
import Statistics
import Testing

@testable import Exports

@Suite("Rows as series")
struct ExportedRunTests {
  @Test("figures of one case stand together, with the processes behind each, in the rows' order")
  func groupsRows() throws {
    let run = try ExportedRun(rows: ExportSamples.ordinary())
    #expect(
      run.groups.map(\.benchmarkCase.name) == [
        "core/fan[width:1000;workers:2]/work-stealing", "core/fan[width:1000;workers:2]/dispatch",
        "replay/montage[graph:9f2c;workers:2]/work-stealing",
      ])
    #expect(run.groups.map(\.series.count) == [13, 13, 1])
    let wall = run.groups[0].series[0]
    #expect(wall.label == "wall-p50" && wall.unit == "ns/op" && wall.direction == .lower)
    #expect(wall.value == 431.25 && wall.samples.count == 10)
    #expect(wall.samples.map(\.process) == (1...10).map { $0 })
    #expect(run.groups[2].time?.label == "makespan-p50")
  }

  @Test("rows in another order make the same series")
  func takesAnyOrder() throws {
    let rows = ExportSamples.ordinary().filter { $0.process == nil }
    let shuffled = rows + ExportSamples.ordinary().filter { $0.process != nil }
    let run = try ExportedRun(rows: shuffled)
    #expect(run.groups == (try ExportedRun(rows: ExportSamples.ordinary())).groups)
  }

  @Test("what has no figure is left out by name, with the reason")
  func namesOmissions() throws {
    var rows = ExportSamples.ordinary()
    let orphan = ExportSamples.subject(.build)
    rows += ExportSamples.rows(orphan, 5, processes: 2).dropFirst()
    rows += ExportSamples.rows(ExportSamples.subject(.run), .nan, processes: 0)
    rows += ExportSamples.rows(ExportSamples.subject(.release), .infinity, processes: 0)
    let run = try ExportedRun(rows: rows)
    #expect(
      run.omissions.map(\.reason) == [
        .noFigure(quality: "crashed"), .noAggregate, .notFinite, .notFinite,
      ])
    #expect(
      run.omissions[0].description
        == "core/fan[width:1000;workers:2]/thread-pool wall p50: no figure (crashed)")
    for format in ExportFormat.allCases {
      let export = try format.export(run)
      #expect(Array(export.omissions.prefix(4)) == run.omissions)
      #expect(!export.text.contains("thread-pool"))
    }
  }

  @Test("what no case has for want of counters is left out in a line, behind the others")
  func gathersWhatIsMissedAlone() throws {
    var rows: [ResultRow] = []
    for scheduler in ["a", "b", "c"] {
      var row = ExportSamples.rows(ExportSamples.subject(.cycles), 0, processes: 0)[0]
      row.subject.scheduler = scheduler
      row.value = nil
      row.quality = [.unavailable(reason: "no-pmu")]
      rows.append(row)
    }
    rows[2].quality = [.unavailable(reason: "pmu-shared")]
    rows += ExportSamples.ordinary()
    let omissions = try ExportedRun(rows: rows).omissions.map(\.description)
    #expect(omissions.count == 3 && omissions[0].hasSuffix("no figure (crashed)"))
    #expect(omissions[1] == "cycles of 2 cases: no figure (unavailable:no-pmu)")
    #expect(omissions[2].hasSuffix("/c cycles p50: no figure (unavailable:pmu-shared)"))
  }

  @Test("an interval without finite bounds, and processes without a figure, are none")
  func dropsWhatIsNotFinite() throws {
    var rows = ExportSamples.rows(ExportSamples.subject(), 100, processes: 3)
    rows[0].interval = Interval(low: 90, high: .infinity, level: 0.95)
    rows[1].value = nil
    rows[2].value = .nan
    let series = try ExportedRun(rows: rows).groups[0].series[0]
    #expect(series.interval == nil && series.samples.map(\.process) == [3])
  }

  @Test("no rows make an empty document of every format")
  func exportsNothing() throws {
    let run = try ExportedRun(rows: [])
    let expected: [ExportFormat: String] = [
      .jmh: "[]\n", .bmf: "{}\n", .githubSmaller: "[]\n", .githubBigger: "[]\n", .influx: "",
      .openMetrics: "# EOF\n",
    ]
    for format in ExportFormat.allCases {
      let export = try format.export(run)
      #expect(export.omissions.isEmpty)
      if let text = expected[format] { #expect(export.text == text) }
    }
    #expect(try ExportFormat.googleBenchmark.export(run).text.contains(#""benchmarks": []"#))
  }

  @Test("rows of two runs, of two revisions, or with one figure twice, are refused")
  func refusesAmbiguity() throws {
    let rows = ExportSamples.ordinary()
    let later = ExportSamples.ordinary(runID: ExportSamples.laterRunID)
    #expect(throws: ExportFailure.severalRuns(rows[0].run.runID, later[0].run.runID)) {
      try ExportedRun(rows: rows + later)
    }
    var changed = rows[0]
    changed.code.isDirty = true
    let commit = "6180120d52a1b7c0c9a7c3e1f00d5eed2b0a4c11"
    #expect(throws: ExportFailure.severalRevisions(commit, "\(commit) with changes")) {
      try ExportedRun(rows: rows + [changed])
    }
    #expect(
      throws: ExportFailure.repeatedFigure("core/fan[width:1000;workers:2]/work-stealing wall p50")
    ) { try ExportedRun(rows: rows + [rows[0]]) }
  }

  @Test("the two sides of a comparison have names of their own")
  func keepsRolesApart() throws {
    let rows = Role.allCases.flatMap { role in
      ExportSamples.rows(ExportSamples.subject(), 100, processes: 2, role: role)
    }
    let run = try ExportedRun(rows: rows)
    #expect(
      run.groups.map(\.benchmarkCase.name) == [
        "core/fan[width:1000;workers:2]/work-stealing/A",
        "core/fan[width:1000;workers:2]/work-stealing/B",
      ])
    for format in ExportFormat.allCases { _ = try format.export(run) }
  }

  @Test("two cases that a format cannot tell apart are refused, not merged")
  func refusesCollisions() throws {
    let name = "core/fan[width:1000;workers:2]/work-stealing"
    let rows = ["jemalloc", "system"].flatMap { allocator in
      ExportSamples.rows(ExportSamples.subject(allocator: allocator), 100)
    }
    let run = try ExportedRun(rows: rows)
    #expect(throws: ExportFailure.nameCollision(.bmf, name: name)) {
      try ExportFormat.bmf.export(run)
    }
    #expect(throws: ExportFailure.nameCollision(.githubSmaller, name: name + " wall p50")) {
      try ExportFormat.githubSmaller.export(run)
    }
    #expect(throws: ExportFailure.nameCollision(.googleBenchmark, name: name)) {
      try ExportFormat.googleBenchmark.export(run)
    }
    // These have the allocator among their tags.
    for format in [ExportFormat.jmh, .influx, .openMetrics] { _ = try format.export(run) }
  }
}
