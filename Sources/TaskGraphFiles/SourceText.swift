// SPDX-License-Identifier: Apache-2.0

/// The bytes of one file and the words to complain about them.
struct SourceText {
  let path: String
  let bytes: [UInt8]

  /// The byte at `offset`, or 0 past the end; callers that care tell a NUL byte from the end by the
  /// offset.
  @inline(__always) subscript(offset: Int) -> UInt8 { offset < bytes.count ? bytes[offset] : 0 }

  /// Line and column, both from 1; a column is one Unicode scalar, an invalid byte counts as one.
  ///
  /// O(offset).
  func position(of offset: Int) -> (line: Int, column: Int) {
    let end = min(offset, bytes.count)
    var line = 1
    var start = 0
    for index in 0..<end where bytes[index] == UInt8(ascii: "\n") {
      line += 1
      start = index + 1
    }
    let column = bytes[start..<end].count { $0 & 0xC0 != 0x80 }
    return (line, column + 1)
  }

  /// The error for a fault at byte `offset`.
  func failure(
    at offset: Int, codingPath: String? = nil, _ finding: String, expected: String, remedy: String
  ) -> TaskGraphError {
    let (line, column) = position(of: offset)
    return TaskGraphError(
      path: path, line: line, column: column, codingPath: codingPath,
      finding: finding, expectation: expected, remedy: remedy)
  }

  /// What stands at `offset`, in words.
  func describe(_ offset: Int) -> String {
    guard offset < bytes.count else { return "the end of the file" }
    switch bytes[offset] {
    case UInt8(ascii: "\n"): return "the end of the line"
    case UInt8(ascii: "\r"): return "a carriage return"
    case 0xEF where self[offset + 1] == 0xBB && self[offset + 2] == 0xBF:
      return "a byte order mark"
    case UInt8(ascii: "\t"): return "a tab"
    case UInt8(ascii: " "): return "a space"
    case let byte where byte > 0x20 && byte < 0x7F: return "`\(Character(Unicode.Scalar(byte)))`"
    case let byte: return "byte 0x" + String(byte, radix: 16, uppercase: true)
    }
  }
}

extension SourceText {
  /// Where the first carriage return of the range stands that no line feed follows.
  func loneReturn(in range: Range<Int>) -> Int? {
    bytes[range].indices.first {
      bytes[$0] == UInt8(ascii: "\r") && self[$0 + 1] != UInt8(ascii: "\n")
    }
  }

  /// The error for such a carriage return.
  func loneReturnFailure(at offset: Int) -> TaskGraphError {
    failure(
      at: offset, "found a carriage return without a line feed",
      expected: "lines that end in line feeds",
      remedy: "convert the line ends, such as with `tr '\\r' '\\n'`")
  }
}

/// A name from a file, made fit for a message: control characters replaced, at most about 80
/// characters.
func printable(_ name: String) -> String {
  var result = ""
  for (count, scalar) in name.unicodeScalars.enumerated() {
    if count == 80 { return result + "…" }
    result.unicodeScalars.append(scalar.value < 0x20 || scalar.value == 0x7F ? "\u{FFFD}" : scalar)
  }
  return result
}

/// `1 task`, `2 tasks`.
func counted(_ number: Int, _ noun: String) -> String {
  "\(number) \(noun)\(number == 1 ? "" : "s")"
}
