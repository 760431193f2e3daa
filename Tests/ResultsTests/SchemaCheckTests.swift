// SPDX-License-Identifier: Apache-2.0

import ExportSamples
import Testing

@testable import Results

@Suite("Schema check")
struct SchemaCheckTests {
  private func findings(_ text: String) -> [Finding] {
    SchemaCheck.check(Array(text.utf8), path: "r.csv")
  }

  @Test("a sound file has no findings")
  func acceptsSoundFile() throws {
    #expect(findings(SampleRows.text()) == [])
  }

  @Test("what lies beside the figures of a run is told as what it is")
  func namesCompanions() throws {
    let run = SampleRows.rows()[0].run.runID
    let samples = String(decoding: SamplesFile(run: run).bytes, as: UTF8.self)
    let expected = "; expected a results file; name the file of figures beside it"
    for (text, what) in [
      (samples, "the samples of a run"),
      (String(decoding: EnvironmentRecord().csv(), as: UTF8.self), Self.machine),
      ("run_id,os\nX,Linux\n", Self.machine),
    ] {
      #expect(findings(text).map(\.description) == ["r.csv:1: \(what)\(expected)"])
    }
    #expect(findings("run_id,colour\n")[0].finding == "\"run_id\" in place 1 of the header")
  }

  private static let machine = "the description of a run's machine"

  @Test("a row of an earlier version is sound")
  func takesEarlierVersions() throws {
    #expect(findings(SampleRows.text(line: 2, .schema, "1")) == [])
  }

  /// The sample as an earlier version wrote it, without the columns that came later.
  private func earlierText(schema: String, without columns: [Column]) throws -> String {
    SampleRows.text().split(separator: "\n").enumerated().map { index, line in
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
    let expected = SampleRows.rows().map { row in
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
    var rows = SampleRows.rows()
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
    let text = SampleRows.text(line: 3, .unit, "us")
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
    let found = findings(SampleRows.text(line: 2, .unit, "us/op"))
    #expect(
      found.first?.description
        == "r.csv:2: unit: \"us/op\"; expected ns/op, which belongs to wall p50; see `bench schema`"
    )
  }

  @Test("control characters of a file do not reach the terminal")
  func hidesControlCharacters() throws {
    let found = findings(SampleRows.text(line: 2, .metric, "wall\u{1B}[31m"))
    #expect(found.first?.description.contains("\u{1B}") == false)
  }

  @Test("a file of another kind is known by its first line, wherever its form fails")
  func knowsOtherFiles() throws {
    for text in ["# Title\n\nText\n", "{\n  \"a\": 1\n}", "one\ntwo"] {
      #expect(findings(text).map(\.line) == [1])
    }
    let rows = SampleRows.text()
    #expect(findings(rows + "\n").map(\.line) == [rows.split(separator: "\n").count + 1])
  }

  @Test("a file that cannot be read is an error, not a finding")
  func needsFile() {
    #expect(throws: FileError.self) { try SchemaCheck.check(path: "/nonexistent/r.csv") }
  }
}
