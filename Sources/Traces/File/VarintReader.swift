// SPDX-License-Identifier: Apache-2.0

/// Reads what a `VarintWriter` wrote, and refuses what it cannot have written.
struct VarintReader {
  /// Why bytes are none of a recording, and where.
  struct Fault: Error {
    let offset: Int
    let finding: String
    let expectation: String
  }

  private let bytes: [UInt8]
  private(set) var offset: Int
  private let end: Int

  /// Reads `bytes[range]`, which lies in the array.
  init(_ bytes: [UInt8], _ range: Range<Int>) {
    self.bytes = bytes
    offset = range.lowerBound
    end = range.upperBound
  }

  /// Bytes that have not been read.
  var left: Int { end - offset }

  mutating func byte() throws(Fault) -> UInt8 {
    guard offset < end else { throw fault("the part ends too early", "another byte") }
    offset += 1
    return bytes[offset - 1]
  }

  mutating func unsigned() throws(Fault) -> UInt64 {
    var value: UInt64 = 0
    var shift: UInt64 = 0
    while true {
      let next = try byte()
      let bits = UInt64(next & 0x7F)
      guard shift < 63 || bits <= 1, shift <= 63 else {
        throw fault("a number has more than 64 bits", "64 at most")
      }
      value |= bits << shift
      if next & 0x80 == 0 { return value }
      shift += 7
    }
  }

  mutating func signed() throws(Fault) -> Int64 {
    let value = try unsigned()
    return Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1)
  }

  /// A number of things of which each takes a byte or more of what is left.
  mutating func count(_ what: String) throws(Fault) -> Int {
    let value = try unsigned()
    guard value <= UInt64(left) else {
      throw fault("\(value) \(what) in \(left) bytes", "no more \(what) than bytes")
    }
    return Int(value)
  }

  /// A number that an integer type holds.
  mutating func number<Number: FixedWidthInteger>(_ what: String) throws(Fault) -> Number {
    try narrow(try signed(), what)
  }

  mutating func text() throws(Fault) -> String {
    let length = try count("characters")
    let range = offset..<offset + length
    guard let text = String(validating: bytes[range], as: UTF8.self) else {
      throw fault("a text is no UTF-8", "UTF-8")
    }
    offset += length
    return text
  }

  /// A reader of the bytes that follow their number.
  mutating func block() throws(Fault) -> VarintReader {
    let length = try count("bytes")
    offset += length
    return VarintReader(bytes, offset - length..<offset)
  }

  /// One number a row, which `store` takes.
  mutating func differences<Number: FixedWidthInteger>(
    _ rows: Int, _ what: String, _ store: (Int, Number) -> Void
  ) throws(Fault) {
    var last: Int64 = 0
    for row in 0..<rows {
      last &+= try signed()
      store(row, try narrow(last, what))
    }
  }

  /// A column in either form.
  mutating func column<Number: FixedWidthInteger>(
    _ rows: Int, _ what: String, _ store: (Int, Number) -> Void
  ) throws(Fault) {
    guard let form = ColumnForm(rawValue: try byte()) else {
      throw fault("the column \(what) has an unknown form", "0 or 1")
    }
    guard form == .runs else { return try differences(rows, what, store) }
    var last: Int64 = 0
    var row = 0
    while row < rows {
      last &+= try signed()
      let value: Number = try narrow(last, what)
      let length = try unsigned()
      guard length > 0, length <= UInt64(rows - row) else {
        throw fault("a run of \(length) \(what) in \(rows - row) rows", "1 to as many as rows")
      }
      for _ in 0..<Int(length) {
        store(row, value)
        row += 1
      }
    }
  }

  /// Refuses bytes that nobody has read.
  func expectEnd(_ what: String) throws(Fault) {
    if left > 0 { throw fault("\(left) bytes behind \(what)", "none") }
  }

  func fault(_ finding: String, _ expectation: String) -> Fault {
    Fault(offset: offset, finding: finding, expectation: expectation)
  }

  private func narrow<Number: FixedWidthInteger>(
    _ value: Int64, _ what: String
  ) throws(Fault) -> Number {
    guard let number = Number(exactly: value) else {
      throw fault("\(what) is \(value)", "\(Number.min) to \(Number.max)")
    }
    return number
  }
}
