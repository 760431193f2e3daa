// SPDX-License-Identifier: Apache-2.0

import ExportSamples
import Results
import Testing

@testable import History

@Suite("Points of a comparison")
struct ComparedRunTests {
  private func points(_ rows: [ResultRow]) throws -> [HistoryPoint] {
    try ComparedRun(rows: rows, path: "run.csv")
      .points(added: HistorySamples.moment(9), committed: HistorySamples.moment(1))
  }

  private func refusal(_ rows: [ResultRow]) -> String? {
    do { _ = try ComparedRun(rows: rows, path: "run.csv") } catch {
      if case .refused(let refusal) = error { return refusal.finding }
    }
    return nil
  }

  @Test("a point per judged metric, whose ratio is that of its pairs")
  func takesPairs() throws {
    let cpu = ExportSamples.subject(.cpu, .p50)
    let rows = HistorySamples.comparison(1, factor: 1.1, subjects: [ExportSamples.subject(), cpu])
    let points = try points(rows)
    #expect(points.map(\.subject) == [ExportSamples.subject(), cpu])
    for point in points {
      #expect(point.commit == HistorySamples.commit(1))
      #expect(point.reference == HistorySamples.reference && point.pairs == 8)
      #expect(abs((point.ratio ?? 0) / 1.1 - 1) < 0.01)
      #expect(point.interval?.contains(point.ratio ?? 0) == true)
    }
  }

  @Test("pairs without a figure on one side do not count, and a metric without pairs is named")
  func leavesOutIncompletePairs() throws {
    let cpu = ExportSamples.subject(.cpu, .p50)
    var rows = HistorySamples.comparison(1, subjects: [ExportSamples.subject(), cpu])
    for place in rows.indices where rows[place].subject == cpu && rows[place].role == .b {
      rows[place].value = 0
    }
    let first = rows.firstIndex { $0.pairID == 3 && $0.role == .a }
    rows.remove(at: try #require(first))
    let run = try ComparedRun(rows: rows, path: "run.csv")
    let points = run.points(added: HistorySamples.moment(9), committed: HistorySamples.moment(1))
    #expect(points.map(\.pairs) == [7])
    #expect(run.omissions.count == 1 && run.omissions[0].hasPrefix(cpu.historyName))
  }

  @Test("exact figures are kept as they are, 0 included")
  func keepsExactFigures() throws {
    let tasks = ExportSamples.subject(.tasks, .p50)
    var rows = HistorySamples.comparison(1, subjects: [tasks])
    for place in rows.indices { rows[place].value = rows[place].role == .a ? 0 : 3 }
    let point = try #require(try points(rows).first)
    #expect(point.value == 3 && point.ratio == nil && point.figure == 3)
  }

  @Test("what is no comparison of two clean commits is refused")
  func refusesOtherRuns() {
    #expect(refusal(ExportSamples.ordinary()) == "no ratio of two revisions in it")
    var rows = HistorySamples.comparison(1)
    for place in rows.indices where rows[place].role == .b { rows[place].code.commit = nil }
    #expect(refusal(rows) == "1 revisions on the side of the commit (B), one of no commit")
    rows = HistorySamples.comparison(1)
    rows[1].code.commit = HistorySamples.commit(5)
    #expect(refusal(rows) == "2 revisions on the side of the reference (A)")
    rows = HistorySamples.comparison(1)
    for place in rows.indices where rows[place].role == .b { rows[place].code.isDirty = true }
    #expect(
      refusal(rows) == "the code of the commit (B) had changes that are in no commit")
    rows = HistorySamples.comparison(1)
    rows[0].quality = [.debug]
    #expect(refusal(rows) == "the program of the reference (A) was built as debug")
    #expect(
      refusal(HistorySamples.comparison(1).filter { $0.pairID == nil })
        == "no complete pair in it")
  }
}
