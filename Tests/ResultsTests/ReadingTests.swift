// SPDX-License-Identifier: Apache-2.0

import ExportSamples
import Testing

@testable import Results

@Suite("Reading large files")
struct ReadingTests {
  /// The bytes in pieces of a size.
  private func source(_ bytes: [UInt8], pieces size: Int) -> ByteSource {
    var rest = bytes[...]
    return ByteSource {
      defer { rest = rest.dropFirst(size) }
      return Array(rest.prefix(size))
    }
  }

  /// What reading says: the rows, or the first finding.
  private func outcome(_ source: ByteSource) -> Result<[ResultRow], ReadingError> {
    Result { () throws(ReadingError) in try SchemaCheck.rows(source, path: "r.csv") }
  }

  @Test("a file in pieces reads like a whole one", arguments: [1, 2, 3, 7, 64, 1000])
  func readsPieces(size: Int) throws {
    var rows = SampleRows.rows()
    for index in rows.indices { rows[index].code.branch = "ä, \"b\" 🙂" }
    let sound = CSV.encode(rows)
    #expect(try outcome(source(sound, pieces: size)).get() == rows)
    let text = SampleRows.text()
    let broken: [[UInt8]] = [
      Array(sound.dropLast()), sound + [0xC3], sound + [0x0A], sound + sound,
      sound + Array("\"".utf8),
      [0xEF, 0xBB, 0xBF] + sound, [], Array(text.replacing("fan", with: "fa\nn").utf8),
      // What is no text comes before the form of lines above it.
      Array(text.replacing("fan", with: "f\"an").utf8) + [0xFF, 0x0A],
      Array(text.replacing("latency", with: "\"lat\nency\"").utf8),
    ]
    for bytes in broken {
      let whole = outcome(ByteSource(bytes))
      #expect(throws: ReadingError.self) { try whole.get() }
      #expect(outcome(source(bytes, pieces: size)) == whole)
    }
  }

  @Test("a file that stops to come is an error of the file")
  func tellsFaults() throws {
    let bytes = CSV.encode(SampleRows.rows())
    var isFirst = true
    let fault = FileError(path: "r.csv", step: "read", reason: .noMemory)
    let source = ByteSource { () throws(FileError) in
      guard isFirst else { throw fault }
      isFirst = false
      return bytes
    }
    #expect(outcome(source) == .failure(.file(fault)))
  }

  @Test("cells in quotation marks read like others")
  func readsQuotedCells() throws {
    let rows = SampleRows.rows()
    let lines = String(decoding: CSV.encode(rows), as: UTF8.self).split(separator: "\n")
    let quoted = lines.map { line in
      line.split(separator: ",", omittingEmptySubsequences: false).map { "\"\($0)\"" }
        .joined(separator: ",") + "\n"
    }.joined()
    #expect(try CSV.decode(Array(quoted.utf8), path: "r.csv") == rows)
    #expect(SchemaCheck.check(Array(quoted.utf8), path: "r.csv") == [])
  }

  @Test("a row twice is found whatever the order, with the line of the one before")
  func findsRepeatsOutOfOrder() throws {
    var rows = [SampleRows.rows()[0]]
    for process in [3, 1, 2, 5, 4, 3] {
      var row = SampleRows.rows()[1]
      row.process = process
      rows.append(row)
    }
    let findings = SchemaCheck.check(CSV.encode(rows), path: "r.csv")
    #expect(findings.map(\.line) == [8])
    #expect(findings.first?.finding == "the same subject, process and pair as in line 3")
  }

  @Test("contestants in turns keep their own rows")
  func readsTurns() throws {
    let sample = SampleRows.rows()
    var rows: [ResultRow] = []
    for pair in 0..<40 {
      for role in [Role.a, .b] {
        var row = sample[8]
        row.role = role
        row.pairID = pair
        row.code.branch = role.rawValue
        row.subject.scheduler = pair % 3 == 0 ? "inline" : "dispatch"
        rows.append(row)
      }
    }
    #expect(try CSV.decode(CSV.encode(rows), path: "r.csv") == rows)
  }

  @Test(
    "a decimal number is the double next to it",
    arguments: [
      "0", "0.0", "7", "1.5", "0.1", "123456789012345", "1234567890123456", "0.30000000000000004",
      "9007199254740993", "9007199254740993.0", "5e-324", "1e22", "1.", "00.5", "-0.0", "-1.25",
      "99999999999999.9", "0.00000000000001",
    ])
  func readsNumbers(text: String) {
    #expect(decimalNumber(Array(text.utf8)[...])?.bitPattern == Double(text)?.bitPattern)
  }

  @Test("random decimal numbers keep every bit")
  func readsRandomNumbers() {
    var generator = Generator(state: 4)
    for _ in 0..<20_000 {
      let digits = String(UInt64.random(in: 0..<1_000_000_000_000_000, using: &generator))
      let point = Int.random(in: 1...digits.utf8.count, using: &generator)
      let short = digits.prefix(point) + "." + digits.dropFirst(point) + "5"
      let long = Double(bitPattern: UInt64.random(in: 0..<0x7FF0_0000_0000_0000, using: &generator))
      for text in [String(short), long.description] {
        #expect(decimalNumber(Array(text.utf8)[...])?.bitPattern == Double(text)?.bitPattern)
      }
    }
  }

  @Test(
    "other texts are no numbers",
    arguments: ["", "-", ".5", "+1", "nan", "inf", "0x1p3", "1e999", "1..2", "1 ", "1,2"])
  func refusesOthers(text: String) {
    #expect(decimalNumber(Array(text.utf8)[...]) == nil)
  }

  @Test(
    "a whole number has digits alone, and no zero before others",
    arguments: [("0", 0), ("7", 7), ("9223372036854775807", Int.max)] as [(String, Int)])
  func readsCounts(text: String, number: Int) {
    #expect(wholeNumber(Array(text.utf8)[...]) == number)
    #expect(wholeNumber(Array(("0" + text).utf8)[...]) == nil)
    #expect(wholeNumber(Array((text + "9223372036854775808").utf8)[...]) == nil)
    #expect(wholeNumber(Array(("-" + text).utf8)[...]) == nil)
  }

  @Test("a million rows take less than 128 MiB")
  func keepsRowsSmall() {
    #expect(MemoryLayout<ResultRow>.stride <= 128)
  }
}
