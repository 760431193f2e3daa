// SPDX-License-Identifier: Apache-2.0

/// One line of a conversation between an orchestrator and its child: a word, then fields.
///
/// ```
/// iterate warm-ups=1 least=1 most=10000 budget-ns=5000000
/// ```
///
/// Between word and fields stands one blank. A field is `key=value`, every key once. In values `%`,
/// blanks, line feeds, carriage returns and NUL are written `%XX`; see `LineText`.
struct MessageLine: Hashable {
  /// What the line is: a command, a report.
  let word: String
  /// Its fields by key.
  var fields: [String: String] = [:]

  init(word: String) { self.word = word }

  /// Reads a line without its line feed.
  init(text: String) throws(MessageError) {
    // By bytes: series are long.
    let pieces = text.utf8.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
    word = pieces.first.map { String(Substring($0)) } ?? ""
    for piece in pieces.dropFirst() {
      guard let equals = piece.firstIndex(of: UInt8(ascii: "=")), equals > piece.startIndex,
        let value = LineText.plain(Substring(piece[piece.index(after: equals)...]))
      else {
        throw MessageError(
          "'\(Self.shown(Substring(piece)))' in '\(Self.shown(word[...]))'",
          expected: "key=value")
      }
      let key = String(Substring(piece[..<equals]))
      guard fields.updateValue(value, forKey: key) == nil else {
        throw MessageError("field '\(key)' twice in '\(word)'", expected: "every field once")
      }
    }
  }

  /// The beginning of a text that may be anything.
  static func shown(_ text: Substring) -> String {
    text.count > 80 ? text.prefix(80) + "…" : String(text)
  }
}

/// What of a conversation cannot be understood.
package struct MessageError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What was found; names the word, the field or the value.
  package let finding: String
  /// What would have been understood.
  package let expectation: String

  package init(_ finding: String, expected expectation: String) {
    self.finding = finding
    self.expectation = expectation
  }

  /// Finding and expectation on one line.
  package var description: String { "\(finding); expected \(expectation)" }
}
