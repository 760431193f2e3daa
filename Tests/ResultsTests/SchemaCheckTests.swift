// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Results

@Suite("Schema check")
struct SchemaCheckTests {
  private func findings(_ text: String) -> [Finding] {
    SchemaCheck.check(Array(text.utf8), path: "r.csv")
  }

  @Test("a sound file has no findings")
  func acceptsSoundFile() throws {
    #expect(findings(try SampleRows.text()) == [])
  }

  /// One cell of a sound file, broken: line, column, the new text, and the column of the finding.
  struct BrokenCell: Sendable {
    let line: Int
    let column: Column
    let cell: String
    var blamed: Column?

    init(_ line: Int, _ column: Column, _ cell: String, blamed: Column? = nil) {
      self.line = line
      self.column = column
      self.cell = cell
      self.blamed = blamed
    }
  }

  static let brokenCells: [BrokenCell] = [
    BrokenCell(2, .schema, "5"), BrokenCell(2, .schema, "0"), BrokenCell(2, .schema, "one"),
    BrokenCell(2, .schema, ""),
    BrokenCell(3, .time, "2026-01-31 12:00:00"), BrokenCell(3, .time, "2026-02-29T12:00:00Z"),
    BrokenCell(4, .time, "2026-01-31T12:00:01Z"),
    BrokenCell(4, .runID, "01KG9RKVG0T5Z0N9QX3W7B4E2"),
    BrokenCell(4, .runID, "01KG9RKVG0T5Z0N9QX3W7B4E2U"),
    BrokenCell(11, .runID, "01KG9RKVG0T5Z0N9QX3W7B4E2N"),
    BrokenCell(2, .commit, "6180120"),
    BrokenCell(2, .commit, "6180120D52A1B7C0C9A7C3E1F00D5EED2B0A4C11"),
    BrokenCell(2, .binary, "b:12"), BrokenCell(2, .binary, "85944171f73967e8"),
    BrokenCell(5, .dirty, "true"),
    BrokenCell(5, .machineID, "3fa9c0d2e4b86a17"), BrokenCell(5, .machineID, ""),
    BrokenCell(2, .suite, "my suite"), BrokenCell(2, .benchmark, "fan.out"),
    BrokenCell(2, .benchmark, ""), BrokenCell(2, .params, "width:1000;rounds:200"),
    BrokenCell(2, .params, "width=1000"), BrokenCell(2, .params, "n:1;n:2"),
    BrokenCell(2, .params, "n:1;"), BrokenCell(2, .scheduler, ""),
    BrokenCell(2, .allocator, "je malloc"), BrokenCell(2, .metric, "walls"),
    BrokenCell(2, .stat, "p95"), BrokenCell(2, .stat, "p99"), BrokenCell(2, .unit, "us/op"),
    BrokenCell(2, .direction, "higher"), BrokenCell(2, .value, "431;25"),
    BrokenCell(2, .value, "nan"), BrokenCell(2, .value, "+431"), BrokenCell(2, .value, "0x1p3"),
    BrokenCell(2, .value, "1e999"), BrokenCell(11, .value, "-1.0"), BrokenCell(2, .value, ""),
    BrokenCell(2, .value, "400.0", blamed: .ciLow),
    BrokenCell(2, .value, "500.0", blamed: .ciHigh), BrokenCell(2, .ciLow, "435.0"),
    BrokenCell(2, .ciHigh, ""), BrokenCell(2, .ciLevel, ""), BrokenCell(2, .ciLevel, "95.0"),
    BrokenCell(7, .value, "12.5"), BrokenCell(7, .quality, "debug", blamed: .value),
    BrokenCell(2, .nProc, "-2"), BrokenCell(2, .nIter, "6e1"), BrokenCell(2, .nOp, "012"),
    BrokenCell(2, .nProc, "0"), BrokenCell(2, .nIter, "0"), BrokenCell(2, .nOp, "0"),
    BrokenCell(3, .process, "first"), BrokenCell(4, .process, "0"), BrokenCell(9, .role, "C"),
    BrokenCell(10, .pairID, "1.5"), BrokenCell(9, .design, "looks:20"),
    BrokenCell(9, .design, "equivalence:0.03;looks:20+30;pairing:alternating;tolerance:0.01"),
    BrokenCell(9, .design, "equivalence:0.01;looks:20;pairing:alternating;tolerance:0.03"),
    BrokenCell(2, .design, Column.design.example),
    BrokenCell(2, .state, "warm"), BrokenCell(2, .quality, ""), BrokenCell(2, .quality, "fine"),
    BrokenCell(2, .quality, "ok;noisy"), BrokenCell(2, .quality, "noisy;noisy"),
    BrokenCell(7, .quality, "unavailable:"),
  ]

  @Test("one broken cell is one finding, in its line and column", arguments: brokenCells)
  func findsBrokenCell(broken: BrokenCell) throws {
    let found = findings(try SampleRows.text(line: broken.line, broken.column, broken.cell))
    #expect(found.count == 1)
    #expect(found.first?.line == broken.line)
    #expect(found.first?.column == (broken.blamed ?? broken.column).rawValue)
  }

  /// The whole file, broken: what to do to its lines, and the line of the first finding.
  @Test(
    "a broken structure is found in its line",
    arguments: [
      ("no header", 1), ("renamed column", 1), ("missing column", 1), ("extra column", 1),
      ("header only", 1), ("empty file", 1), ("cut off", 11), ("short line", 4), ("long line", 4),
      ("line twice", 5), ("aggregate missing", 2), ("aggregate late", 2), ("empty line", 6),
      ("comment first", 1),
    ])
  func findsBrokenStructure(kind: String, line: Int) throws {
    let text = try SampleRows.text()
    var lines = text.split(separator: "\n").map(String.init)
    switch kind {
    case "no header": lines.removeFirst()
    case "renamed column": lines[0] = lines[0].split(separator: "stat").joined(separator: "st")
    case "missing column": lines[0].removeLast(",quality".count)
    case "extra column": lines[0] += ",note"
    case "header only": lines = [lines[0]]
    case "empty file": lines = []
    case "cut off": lines[10].removeLast(30)
    case "short line": lines[3].removeLast(",ok".count)
    case "long line": lines[3] += ","
    case "line twice": lines.insert(lines[3], at: 4)
    case "aggregate missing": lines.remove(at: 1)
    case "aggregate late": lines.swapAt(1, 3)
    case "empty line": lines.insert("", at: 5)
    case "comment first": lines.insert("# results", at: 0)
    default: Issue.record("unknown kind \(kind)")
    }
    let newline = kind == "cut off" || lines.isEmpty ? "" : "\n"
    let found = findings(lines.joined(separator: "\n") + newline)
    #expect(found.first?.line == line)
  }

  @Test("a row of an earlier version is sound")
  func takesEarlierVersions() throws {
    #expect(findings(try SampleRows.text(line: 2, .schema, "1")) == [])
  }

  /// The sample as an earlier version wrote it, without the columns that came later.
  private func earlierText(schema: String, without columns: [Column]) throws -> String {
    try SampleRows.text().split(separator: "\n").enumerated().map { index, line in
      var cells = line.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
      if index > 0 { cells[Column.schema.index] = schema }
      for column in columns.sorted(by: { $0.index > $1.index }) { cells.remove(at: column.index) }
      return cells.joined(separator: ",") + "\n"
    }.joined()
  }

  @Test("a file of version 3 is sound, and says nothing of how comparisons were planned")
  func takesFilesOfVersion3() throws {
    let text = try earlierText(schema: "3", without: [.design])
    #expect(findings(text) == [])
    let rows = try CSV.decode(Array(text.utf8), path: "r.csv")
    #expect(rows.allSatisfy { $0.design == nil } && rows[0].code == SampleRows.code)
    #expect(
      findings(try earlierText(schema: "4", without: [.design])).map(\.column)
        == Array(repeating: "schema", count: 10))
  }

  @Test("a file of version 2 is sound, and says nothing of executables")
  func takesFilesOfVersion2() throws {
    let late: [Column] = [.binary, .toolchain, .design]
    let text = try earlierText(schema: "2", without: late)
    #expect(findings(text) == [])
    let rows = try CSV.decode(Array(text.utf8), path: "r.csv")
    let expected = try SampleRows.rows().map { row in
      var row = row
      (row.code.binary, row.code.toolchain) = (nil, nil)
      row.design = nil
      return row
    }
    #expect(rows == expected)
    #expect(
      findings(try earlierText(schema: "3", without: late)).map(\.column)
        == Array(repeating: "schema", count: 10))
    let cut = text.split(separator: "\n").prefix(2).joined(separator: "\n") + ",more\n"
    #expect(findings(cut).first?.description.contains("29 fields; expected 28") == true)
  }

  @Test("contestants of one run may be of different code, each with its aggregate")
  func takesSeveralCodes() throws {
    var rows = try SampleRows.rows()
    let other = rows.map { row in
      var row = row
      row.code.commit = String(repeating: "a", count: 40)
      row.code.binary = CodeIdentity.hash(ofBinary: [1, 2, 3])
      return row
    }
    #expect(SchemaCheck.check(CSV.encode(rows + other), path: "r.csv") == [])
    // A process of other code does not belong to the aggregate before it.
    rows[1].code.isDirty = true
    #expect(
      SchemaCheck.check(CSV.encode(rows), path: "r.csv").map(\.finding)
        == ["wall p50 of one process without its aggregate"])
  }

  @Test("every broken line is reported, not only the first")
  func reportsAllLines() throws {
    let text = try SampleRows.text(line: 3, .unit, "us")
    let lines = text.split(separator: "\n").map(String.init)
    var cells = lines[8].split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    cells[Column.unit.index] = "ns"
    cells[Column.schema.index] = "7"
    let broken = (lines[..<8] + [cells.joined(separator: ",")] + lines[9...]).joined(
      separator: "\n")
    let found = findings(broken + "\n")
    #expect(found.map(\.line) == [3, 9, 9])
    #expect(found.map(\.column) == ["unit", "schema", "unit"])
  }

  @Test("a finding reads: place, finding, expectation, next step")
  func describesFinding() throws {
    let found = findings(try SampleRows.text(line: 2, .unit, "us/op"))
    #expect(
      found.first?.description
        == "r.csv:2: unit: \"us/op\"; expected ns/op, which belongs to wall p50; see `bench schema`"
    )
  }

  @Test("control characters of a file do not reach the terminal")
  func hidesControlCharacters() throws {
    let found = findings(try SampleRows.text(line: 2, .metric, "wall\u{1B}[31m"))
    #expect(found.first?.description.contains("\u{1B}") == false)
  }

  @Test("a file of another kind is known by its first line, wherever its form fails")
  func knowsOtherFiles() throws {
    for text in ["# Title\n\nText\n", "{\n  \"a\": 1\n}", "one\ntwo"] {
      #expect(findings(text).map(\.line) == [1])
    }
    let rows = try SampleRows.text()
    #expect(findings(rows + "\n").map(\.line) == [rows.split(separator: "\n").count + 1])
  }

  @Test("a file that cannot be read is an error, not a finding")
  func needsFile() {
    #expect(throws: FileError.self) { try SchemaCheck.check(path: "/nonexistent/r.csv") }
  }
}
