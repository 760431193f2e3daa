// SPDX-License-Identifier: Apache-2.0

import ExportSamples
import Testing

@testable import Results

@Suite("Results as CSV")
struct CSVTests {
  @Test("the columns stand in the documented order")
  func ordersColumns() {
    #expect(
      Column.header
        == "schema,time,run_id,commit,branch,dirty,binary,toolchain,machine_id,"
        + "suite,benchmark,params,scheduler,"
        + "allocator,metric,stat,unit,direction,value,ci_low,ci_high,ci_level,n_proc,n_iter,n_op,"
        + "process,role,pair_id,design,state,quality")
  }

  @Test("a row is written as documented")
  func writesRow() throws {
    let lines = SampleRows.text().split(separator: "\n")
    let cells = [
      "5", "2026-01-31T12:00:00Z", "01KG9RKVG0T5Z0N9QX3W7B4E2M",
      "6180120d52a1b7c0c9a7c3e1f00d5eed2b0a4c11", "main", "0", "b:85944171f73967e8",
      "Swift 6.3.1", "h:3fa9c0d2e4b86a17", "core", "fan", "rounds:200;width:1000;workers:2",
      "work-stealing", "jemalloc", "wall", "p50", "ns/op", "lower", "431.25", "428.1", "434.0",
      "0.95", "2", "60", "12000000", "", "", "", "", "steady", "ok",
    ]
    #expect(lines[1] == cells.joined(separator: ","))
    #expect(lines[6].hasSuffix("wall,p50,ns/op,lower,,,,,,,,,,,,,debug;crashed"))
  }

  @Test("what is written reads back the same")
  func roundTrips() throws {
    var rows = SampleRows.rows()
    rows[0].code.branch = "odd, \"quoted\" and ümläut"
    rows[0].code.commit = nil
    rows[0].code.isDirty = nil
    #expect(try CSV.decode(CSV.encode(rows), path: "a.csv") == rows)
  }

  @Test(
    "doubles keep every bit",
    arguments: [
      0, Double.leastNonzeroMagnitude, 2.2250738585072014e-308, 0.1, 1.0 / 3, 1e16, 1e22,
      1.7976931348623157e308,
    ])
  func keepsDoubles(value: Double) throws {
    var row = SampleRows.rows()[9]
    row.value = value
    #expect(try CSV.decode(CSV.encode([row]), path: "a.csv").first?.value == value)
  }

  @Test("a figure that is not finite stops the process")
  func refusesNaN() async {
    await #expect(processExitsWith: .failure) {
      var row = SampleRows.rows()[0]
      row.value = .nan
      _ = CSV.encode([row])
    }
  }

  @Test(
    "fields with separators survive",
    arguments: [
      ["a", "b"], [""], ["", ""], ["a,b", "c\"d", "e\nf", "\"", "\r", " "], ["ü", "\u{1F600}", ""],
    ])
  func quotesFields(fields: [String]) throws {
    let records = try CSVRecordReader.records(Array(csvLine(fields).utf8), path: "a.csv")
    #expect(records == [CSVRecord(line: 1, fields: fields)])
  }

  @Test("random fields survive", arguments: [1, 2, 3] as [UInt64])
  func survivesRandomFields(seed: UInt64) throws {
    var generator = Generator(state: seed)
    let characters: [Character] = ["a", ",", "\"", "\n", "\r", "ß", " "]
    for _ in 0..<500 {
      let records = (0..<Int.random(in: 1...3, using: &generator)).map { _ in
        (0..<Int.random(in: 1...4, using: &generator)).map { _ in
          String(
            (0..<Int.random(in: 0...5, using: &generator)).compactMap { _ in
              characters.randomElement(using: &generator)
            })
        }
      }
      let bytes = Array(records.map(csvLine).joined().utf8)
      #expect(try CSVRecordReader.records(bytes, path: "a.csv").map(\.fields) == records)
    }
  }

  @Test(
    "bytes that a careful writer does not write are refused with their line",
    arguments: [
      ("a,b\nc\"d,e\n", 2, "quotation mark inside"), ("a,b\r\nc\n", 1, "carriage return"),
      ("a\n\"b\"c\n", 2, "behind a closing"), ("a\nb\n\"c\n\nd", 3, "without its end"),
      ("a\nb", 2, "no line feed"), ("a\n\nb\n", 2, "empty line"), ("\u{FEFF}a\n", 1, "byte order"),
      ("\"a\nb\"\nc\rd\n", 3, "carriage return"),
    ])
  func refusesSloppyText(text: String, line: Int, finding: String) {
    let error = #expect(throws: CSVError.self) {
      try CSVRecordReader.records(Array(text.utf8), path: "a.csv")
    }
    #expect(error?.finding.line == line)
    #expect(error?.finding.finding.contains(finding) == true)
  }

  @Test("bytes that are not UTF-8 are refused with their line")
  func refusesLatin1() {
    let error = #expect(throws: CSVError.self) {
      try CSVRecordReader.records([0x61, 0x0A, 0xFC, 0x0A], path: "a.csv")
    }
    #expect(error?.finding.line == 2)
  }
}

/// SplitMix64, for seeded tests.
struct Generator: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}
