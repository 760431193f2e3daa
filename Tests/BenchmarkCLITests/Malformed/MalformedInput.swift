// SPDX-License-Identifier: Apache-2.0

import Testing

/// A file that is wrong in one place, and all that is said of it.
///
/// What is malformed and what every verb has to say about it stands in one table for each kind of
/// file: `cells` and `rows`, `limits`, `baselines`, `counts` and `histories`.
struct MalformedInput: Sendable, CustomTestStringConvertible {
  /// What is wrong, in a few words.
  let name: String
  let bytes: [UInt8]
  /// Place, finding, expectation and remedy, behind the path.
  let message: String

  var testDescription: String { name }

  /// The parts of the message follow each other without anything between them.
  init(_ name: String, _ bytes: [UInt8], _ message: String...) {
    (self.name, self.bytes, self.message) = (name, bytes, message.joined())
  }

  init(_ name: String, _ text: String, _ message: String...) {
    self.init(name, Array(text.utf8), message.joined())
  }
}

extension [String] {
  /// The lines, each with its line feed.
  var file: String { map { $0 + "\n" }.joined() }

  /// The lines with one replaced, the first being number 1.
  func with(_ number: Int, _ line: String) -> [String] {
    var lines = self
    lines[number - 1] = line
    return lines
  }

  /// The lines with a cell replaced.
  func with(_ number: Int, cell: Int, _ text: String) -> [String] {
    var cells = self[number - 1].split(separator: ",", omittingEmptySubsequences: false)
    cells[cell] = Substring(text)
    return with(number, cells.joined(separator: ","))
  }

  /// The lines with one more in front of a number.
  func inserting(_ line: String, before number: Int) -> [String] {
    Array(self[..<(number - 1)] + [line] + self[(number - 1)...])
  }

  /// The lines without one of them.
  func without(_ number: Int) -> [String] { Array(self[..<(number - 1)] + self[number...]) }
}
