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
  if fields == [""] { return "\"\"\n" }
  var line: [UInt8] = []
  for (index, field) in fields.enumerated() {
    if index > 0 { line.append(UInt8(ascii: ",")) }
    appendCSVCell(field, to: &line)
  }
  return String(decoding: line, as: UTF8.self) + "\n"
}

/// Writes one of several cells of a record, in quotation marks where it needs them.
func appendCSVCell(_ cell: String, to bytes: inout [UInt8]) {
  let start = bytes.count
  bytes += cell.utf8
  let needsQuotes = bytes[start...].contains { byte in
    byte == UInt8(ascii: ",") || byte == UInt8(ascii: "\"") || byte == 0x0A || byte == 0x0D
  }
  guard needsQuotes else { return }
  bytes.removeSubrange(start...)
  bytes.append(UInt8(ascii: "\""))
  for byte in cell.utf8 {
    if byte == UInt8(ascii: "\"") { bytes.append(byte) }
    bytes.append(byte)
  }
  bytes.append(UInt8(ascii: "\""))
}

/// A strict reader of RFC 4180 with line feeds: any byte that a careful writer would not have
/// written is an error with its line, never guessed around.
///
/// One record at a time, in a buffer that is used again: whoever reads a record of a million
/// allocates nothing for it. Cells are looked at as bytes, and become texts where somebody asks.
package struct CSVRecordReader {
  /// Where a cell lies, from the start of its record, its quotation marks included.
  private struct Cell {
    let start: Int
    let end: Int
  }

  private let path: String
  private let source: ByteSource
  private var buffer: [UInt8] = []
  private var isAtEnd = false
  /// Text up to here, which is where a line starts.
  private var textEnd = 0

  private var cells: [Cell] = []
  private var start = 0
  private var position = 0
  private var nextLine = 1
  /// The line on which the record starts, counted from 1.
  private(set) var line = 1

  /// Cells at the start of every record that most records share with the one before them.
  var leading = 0
  /// The bytes of these cells in the last record, up to and with the comma behind them; empty when
  /// they cannot be used again.
  private var lead: [UInt8] = []
  /// Whether the leading cells are those of the record before, byte for byte.
  private(set) var repeatsLead = false

  init(_ source: ByteSource, path: String) {
    self.source = source
    self.path = path
  }

  /// Splits a whole file into its records.
  ///
  /// O(bytes).
  package static func records(_ bytes: [UInt8], path: String) throws(CSVError) -> [CSVRecord] {
    var reader = CSVRecordReader(ByteSource(bytes), path: path)
    var records: [CSVRecord] = []
    do throws(ReadingError) {
      while try reader.next() { records.append(reader.record) }
    } catch { throw error.content }
    return records
  }

  /// Goes to the next record; false at the end of the file.
  ///
  /// What is no text anywhere in the file counts before the form of a record. O(bytes of the
  /// record).
  mutating func next() throws(ReadingError) -> Bool {
    start = position
    while true {
      line = nextLine
      position = start
      if position == buffer.count {
        guard try refill() else { return false }
        continue
      }
      do throws(CSVError) {
        if try readRecord() { return true }
      } catch {
        try checkRest()
        throw .content(error)
      }
      _ = try refill()
    }
  }

  /// The record with a text for every cell.
  var record: CSVRecord { CSVRecord(line: line, fields: cells.indices.map { text($0) }) }
}

// MARK: - Cells of the record

extension CSVRecordReader {
  /// How many cells it has.
  var count: Int { cells.count }

  /// Whether its text is empty.
  func isEmpty(_ index: Int) -> Bool {
    let cell = cells[index]
    return cell.start == cell.end || cell.end - cell.start == 2 && isQuoted(index)
  }

  private func isQuoted(_ index: Int) -> Bool {
    let cell = cells[index]
    return cell.start < cell.end && buffer[start + cell.start] == UInt8(ascii: "\"")
  }

  /// The text of a cell, without its quotation marks.
  func text(_ index: Int) -> String { String(decoding: content(index), as: UTF8.self) }

  /// The bytes of the text of a cell.
  func content(_ index: Int) -> ArraySlice<UInt8> {
    guard isQuoted(index) else { return bytes(index) }
    var content: [UInt8] = []
    var isSecond = false
    for byte in bytes(index).dropFirst().dropLast() {
      // Of every two marks inside, one is what was written.
      isSecond = byte == UInt8(ascii: "\"") && !isSecond
      if !isSecond { content.append(byte) }
    }
    return content[...]
  }

  /// The bytes of a cell, its quotation marks included.
  func bytes(_ index: Int) -> ArraySlice<UInt8> { bytes(index..<index + 1) }

  /// The bytes of cells that follow each other, the commas between them included.
  func bytes(_ cells: Range<Int>) -> ArraySlice<UInt8> {
    buffer[
      start + self.cells[cells.lowerBound].start..<start + self.cells[cells.upperBound - 1].end]
  }
}

// MARK: - Bytes

extension CSVRecordReader {
  /// Fetches more bytes behind those of the record that is read; false when there are none.
  private mutating func refill() throws(ReadingError) -> Bool {
    guard !isAtEnd else { return false }
    let isStart = buffer.isEmpty
    let piece: [UInt8]
    do throws(FileError) { piece = try source.piece() } catch { throw .file(error) }
    if piece.isEmpty { isAtEnd = true }
    if start == buffer.count {
      buffer = piece
    } else {
      buffer.removeSubrange(..<start)
      buffer += piece
    }
    (textEnd, start, position) = (textEnd - start, 0, 0)
    do throws(CSVError) {
      if isStart { try requireNoMark() }
      try requireText()
    } catch { throw .content(error) }
    return !piece.isEmpty
  }

  /// Reads on to the end for the sake of what is no text.
  private mutating func checkRest() throws(ReadingError) {
    repeat {
      nextLine = line + lineFeeds(start..<textEnd)
      (line, start) = (nextLine, textEnd)
    } while try refill()
  }

  private func requireNoMark() throws(CSVError) {
    guard !buffer.starts(with: [0xEF, 0xBB, 0xBF]) else {
      throw error(
        "the file starts with a byte order mark", "UTF-8 without one", "save it without a mark",
        at: 1)
    }
  }

  /// Checks the lines that are complete; at the end of the file, whatever is left.
  private mutating func requireText() throws(CSVError) {
    let last = isAtEnd ? buffer.endIndex : buffer.lastIndex(of: 0x0A).map { $0 + 1 } ?? textEnd
    guard last > textEnd else { return }
    if !Self.isASCII(buffer.span.extracting(textEnd..<last)) {
      var line = self.line + lineFeeds(start..<textEnd)
      // Line by line, so that the message can say where; a line feed never is part of a character.
      for text in buffer[textEnd..<last].split(separator: 0x0A, omittingEmptySubsequences: false) {
        guard String(validating: text, as: UTF8.self) != nil else {
          throw error("bytes that are not UTF-8", "UTF-8 text", "convert the file", at: line)
        }
        line += 1
      }
    }
    textEnd = last
  }

  private func lineFeeds(_ range: Range<Int>) -> Int { buffer[range].count { $0 == 0x0A } }

  private static func isASCII(_ bytes: Span<UInt8>) -> Bool {
    let raw = unsafe bytes.bytes
    var all: UInt64 = 0
    var offset = 0
    // SAFETY: loads of plain words inside the span.
    while offset + 8 <= raw.byteCount {
      all |= unsafe raw.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self)
      offset += 8
    }
    while offset < raw.byteCount {
      all |= UInt64(bytes[offset])
      offset += 1
    }
    return all & 0x8080_8080_8080_8080 == 0
  }

  /// Reads the cells from `start`; false when the buffer ends before the record.
  private mutating func readRecord() throws(CSVError) -> Bool {
    if buffer[position] == 0x0A {
      throw error("an empty line", "one record on every line", "remove the line")
    }
    repeatsLead = !lead.isEmpty && startsWithLead()
    if repeatsLead {
      cells.removeSubrange(leading...)
      position += lead.count
    } else {
      cells.removeAll(keepingCapacity: true)
    }
    while true {
      let start = position
      try readCell()
      cells.append(Cell(start: start - self.start, end: position - self.start))
      guard position < buffer.count else {
        guard isAtEnd else { return incomplete() }
        throw error(
          "the last line has no line feed", "every line to end with one",
          "the file may be cut off: write it again", at: line)
      }
      let separator = buffer[position]
      position += 1
      if separator == 0x0A { break }
    }
    nextLine += 1
    if !repeatsLead { keepLead() }
    return true
  }

  /// The cells so far are of no use, nor is what they started with.
  private mutating func incomplete() -> Bool {
    lead.removeAll(keepingCapacity: true)
    nextLine = line
    return false
  }

  private func startsWithLead() -> Bool {
    guard buffer.count - position >= lead.count else { return false }
    let bytes = unsafe buffer.span.extracting(position..<position + lead.count).bytes
    let wanted = unsafe lead.span.bytes
    var offset = 0
    // SAFETY: loads of a plain word inside both spans.
    while offset + 8 <= wanted.byteCount {
      guard
        unsafe bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self)
          == wanted.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self)
      else { return false }
      offset += 8
    }
    while offset < wanted.byteCount {
      guard buffer[position + offset] == lead[offset] else { return false }
      offset += 1
    }
    return true
  }

  private mutating func keepLead() {
    lead.removeAll(keepingCapacity: true)
    guard leading > 0, cells.count > leading else { return }
    let bytes = buffer[start..<start + cells[leading].start]
    // A line feed inside a cell would have to be counted again.
    if !bytes.contains(UInt8(ascii: "\"")) { lead += bytes }
  }

  /// Reads up to, not including, the comma or line feed behind the cell, or the end of the bytes.
  private mutating func readCell() throws(CSVError) {
    if position < buffer.count, buffer[position] == UInt8(ascii: "\"") {
      try readQuotedCell()
      return
    }
    position = Self.endOfPlainBytes(buffer.span, from: position)
    guard position < buffer.count else { return }
    switch buffer[position] {
    case UInt8(ascii: "\""):
      throw error(
        "a quotation mark inside an unquoted field", "the whole field in quotation marks",
        "quote the field and double the marks inside")
    case 0x0D:
      throw error("a carriage return", "lines ending in a line feed alone", "convert the file")
    default: return
    }
  }

  /// Where the next byte is that means something.
  private static func endOfPlainBytes(_ bytes: Span<UInt8>, from position: Int) -> Int {
    var place = position
    while place < bytes.count {
      switch bytes[place] {
      case UInt8(ascii: ","), UInt8(ascii: "\""), 0x0A, 0x0D: return place
      default: place += 1
      }
    }
    return place
  }

  private mutating func readQuotedCell() throws(CSVError) {
    let opening = nextLine
    position += 1
    while position < buffer.count {
      let byte = buffer[position]
      position += 1
      if byte == 0x0A { nextLine += 1 }
      guard byte == UInt8(ascii: "\""), position < buffer.count else { continue }
      switch buffer[position] {
      case UInt8(ascii: "\""): position += 1
      case UInt8(ascii: ","), 0x0A: return
      default:
        throw error(
          "text behind a closing quotation mark", "a comma or the end of the line",
          "double the marks inside a quoted field")
      }
    }
    // More may come.
    guard isAtEnd else { return }
    throw error(
      "a quoted field without its end", "a closing quotation mark and a line feed",
      "the file may be cut off: write it again", at: opening)
  }

  private func error(
    _ finding: String, _ expectation: String, _ nextStep: String, at place: Int? = nil
  ) -> CSVError {
    CSVError(
      finding: Finding(
        path: path, line: place ?? nextLine, finding: finding, expectation: expectation,
        nextStep: nextStep))
  }
}
