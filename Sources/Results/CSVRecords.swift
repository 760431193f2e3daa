// SPDX-License-Identifier: Apache-2.0

/// One record of a CSV file.
package struct CSVRecord: Equatable {
  /// The line it starts on, counted from 1.
  package let line: Int
  package let fields: [String]
}

/// Writes one record as RFC 4180 demands, with a line feed at its end.
///
/// A field is quoted when it holds a comma, a quotation mark or a line break, and when it is the
/// only field of its record and empty.
package func csvLine(_ fields: [String]) -> String {
  let written = fields.map { field in
    let needsQuotes = field.utf8.contains { byte in
      byte == UInt8(ascii: ",") || byte == UInt8(ascii: "\"") || byte == 0x0A || byte == 0x0D
    }
    guard needsQuotes || (field.isEmpty && fields.count == 1) else { return field }
    return "\""
      + field.split(separator: "\"", omittingEmptySubsequences: false)
      .joined(separator: "\"\"") + "\""
  }
  return written.joined(separator: ",") + "\n"
}

/// A strict reader of RFC 4180 with line feeds: any byte that a careful writer would not have
/// written is an error with its line, never guessed around.
package struct CSVRecordReader {
  private let path: String
  private let bytes: [UInt8]
  private var position = 0
  private var line = 1

  private init(path: String, bytes: [UInt8]) {
    self.path = path
    self.bytes = bytes
  }

  /// Splits a whole file into its records.
  ///
  /// O(bytes).
  package static func records(_ bytes: [UInt8], path: String) throws(CSVError) -> [CSVRecord] {
    var reader = CSVRecordReader(path: path, bytes: bytes)
    try reader.requireText()
    var records: [CSVRecord] = []
    while reader.position < bytes.count { records.append(try reader.record()) }
    return records
  }

  private func requireText() throws(CSVError) {
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
      throw error(
        "the file starts with a byte order mark", "UTF-8 without one", "save it without a mark")
    }
    var line = 1
    // Line by line, so that the message can say where; a line feed never is part of a character.
    for text in bytes.split(separator: 0x0A, omittingEmptySubsequences: false) {
      guard String(validating: text, as: UTF8.self) != nil else {
        throw error("bytes that are not UTF-8", "UTF-8 text", "convert the file", at: line)
      }
      line += 1
    }
  }

  private mutating func record() throws(CSVError) -> CSVRecord {
    let start = line
    if bytes[position] == 0x0A {
      throw error("an empty line", "one record on every line", "remove the line")
    }
    var fields: [String] = []
    while true {
      fields.append(try field())
      guard position < bytes.count else {
        throw error(
          "the last line has no line feed", "every line to end with one",
          "the file may be cut off: write it again", at: start)
      }
      let separator = bytes[position]
      position += 1
      if separator == 0x0A { break }
    }
    line += 1
    return CSVRecord(line: start, fields: fields)
  }

  /// Reads up to, not including, the comma or line feed behind the field, or the end of the file.
  private mutating func field() throws(CSVError) -> String {
    if position < bytes.count, bytes[position] == UInt8(ascii: "\"") { return try quotedField() }
    let start = position
    while position < bytes.count {
      switch bytes[position] {
      case UInt8(ascii: ","), 0x0A: return text(start..<position)
      case UInt8(ascii: "\""):
        throw error(
          "a quotation mark inside an unquoted field", "the whole field in quotation marks",
          "quote the field and double the marks inside")
      case 0x0D:
        throw error("a carriage return", "lines ending in a line feed alone", "convert the file")
      default: position += 1
      }
    }
    return text(start..<position)
  }

  private mutating func quotedField() throws(CSVError) -> String {
    let opening = line
    position += 1
    var content: [UInt8] = []
    while position < bytes.count {
      let byte = bytes[position]
      position += 1
      if byte == 0x0A { line += 1 }
      guard byte == UInt8(ascii: "\"") else {
        content.append(byte)
        continue
      }
      guard position < bytes.count else { break }
      switch bytes[position] {
      case UInt8(ascii: "\""):
        content.append(byte)
        position += 1
      case UInt8(ascii: ","), 0x0A: return String(decoding: content, as: UTF8.self)
      default:
        throw error(
          "text behind a closing quotation mark", "a comma or the end of the line",
          "double the marks inside a quoted field")
      }
    }
    throw error(
      "a quoted field without its end", "a closing quotation mark and a line feed",
      "the file may be cut off: write it again", at: opening)
  }

  private func text(_ range: Range<Int>) -> String {
    String(decoding: bytes[range], as: UTF8.self)
  }

  private func error(
    _ finding: String, _ expectation: String, _ nextStep: String, at place: Int? = nil
  ) -> CSVError {
    CSVError(
      finding: Finding(
        path: path, line: place ?? line, finding: finding, expectation: expectation,
        nextStep: nextStep))
  }
}
