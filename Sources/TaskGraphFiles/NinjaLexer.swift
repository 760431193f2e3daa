// SPDX-License-Identifier: Apache-2.0

/// Reads the pieces of a Ninja manifest: indents, names, and text with `$` escapes.
///
/// Source: the lexical syntax in the Ninja manual, ninja-build.org/manual.html.
struct NinjaLexer {
  let source: SourceText

  /// Scope of the statements of this file.
  let scope: Int

  /// Next byte to read.
  var at = 0

  /// What `readText` read last, escapes and variables replaced.
  private(set) var text: [UInt8] = []

  /// Bytes that variables have put into texts so far, in this file and those read before it.
  var substituted = 0

  /// Most bytes that variables may put into one text, and into all texts together.
  static let longestText = 1 << 22
  static let mostSubstituted = 1 << 29

  /// What ends a text and whether variables are replaced.
  enum Mode {
    /// Up to the end of the line; variables of the file.
    case value
    /// Up to the end of the line; only the syntax is checked.
    case rule
    /// Up to a space, `:`, `|` or the end of the line; variables of the build statement, then of
    /// the file.
    case path
  }

  init(_ source: SourceText, scope: Int) {
    self.source = source
    self.scope = scope
  }

  /// True at the end of the file.
  var isAtEnd: Bool { at >= source.bytes.count }

  /// An error at the current place or at `offset`.
  func failure(
    at offset: Int? = nil, _ finding: String? = nil, expected: String,
    remedy: String = "correct the manifest here"
  ) -> TaskGraphError {
    let offset = offset ?? at
    let truncated = finding == nil && offset >= source.bytes.count
    return source.failure(
      at: offset, finding ?? "found \(source.describe(offset))", expected: expected,
      remedy: truncated ? "the file looks truncated: run the generator again" : remedy)
  }

  /// Length of the line end at `offset`: 0 when there is none, also 0 at the end of the file.
  private func lineEnd(_ offset: Int) -> Int {
    switch source[offset] {
    case UInt8(ascii: "\n"): return 1
    case UInt8(ascii: "\r") where source[offset + 1] == UInt8(ascii: "\n"): return 2
    default: return 0
    }
  }

  /// Steps over blank lines and comment lines and returns the indent of the next line, or nil at
  /// the end of the file.
  mutating func nextIndent() throws(TaskGraphError) -> Int? {
    while !isAtEnd {
      let start = at
      while source[at] == UInt8(ascii: " ") { at += 1 }
      if source[at] == UInt8(ascii: "#") {
        while !isAtEnd, source.bytes[at] != UInt8(ascii: "\n") { at += 1 }
        // A comment up to the end of the file may be a whole file whose lines end otherwise.
        if isAtEnd, let lone = source.loneReturn(in: start..<at) {
          throw source.loneReturnFailure(at: lone)
        }
        at = min(at + 1, source.bytes.count)
      } else if lineEnd(at) > 0 {
        at += lineEnd(at)
      } else if isAtEnd {
        return nil
      } else if source[at] == UInt8(ascii: "\t") {
        throw failure(expected: "spaces for indentation", remedy: "replace the tab by spaces")
      } else {
        return at - start
      }
    }
    return nil
  }

  /// Steps over spaces and continued line ends.
  mutating func skipSpaces() {
    while true {
      if source[at] == UInt8(ascii: " ") {
        at += 1
      } else if source[at] == UInt8(ascii: "$"), lineEnd(at + 1) > 0 {
        at += 1 + lineEnd(at + 1)
      } else {
        return
      }
    }
  }

  /// Letters, digits, `_` and `-`, and with `dots` also `.`.
  private static func isName(_ byte: UInt8, dots: Bool = true) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
      return true
    default: return dots && byte == UInt8(ascii: ".")
    }
  }

  /// Reads a name and the spaces after it.
  mutating func readName(_ what: String) throws(TaskGraphError) -> Range<Int> {
    let start = at
    while Self.isName(source[at]) { at += 1 }
    if at == start { throw failure(expected: what) }
    let name = start..<at
    skipSpaces()
    return name
  }

  /// True when the name in `range` is `word`.
  func matches(_ range: Range<Int>, _ word: String) -> Bool {
    source.bytes[range].elementsEqual(word.utf8)
  }

  /// Steps over `byte` and the spaces after it, if it is next.
  mutating func skip(_ byte: UInt8) -> Bool {
    guard source[at] == byte, !isAtEnd else { return false }
    at += 1
    skipSpaces()
    return true
  }

  /// Steps over the end of the line; the end of the file counts.
  mutating func expectLineEnd() throws(TaskGraphError) {
    if isAtEnd { return }
    let length = lineEnd(at)
    if length == 0, source[at] == UInt8(ascii: "\r") { throw source.loneReturnFailure(at: at) }
    if length == 0 { throw failure(expected: "the end of the line") }
    at += length
  }

  /// Steps to the end of the line, continued lines included, without looking at it.
  mutating func skipLine() {
    while !isAtEnd, source.bytes[at] != UInt8(ascii: "\n") {
      let isEscape = source.bytes[at] == UInt8(ascii: "$")
      at += isEscape ? 1 + max(lineEnd(at + 1), 1) : 1
    }
    at = min(at + 1, source.bytes.count)
  }

  /// Reads text into `text`, and in a path the spaces after it.
  mutating func readText(_ mode: Mode, variables: NinjaVariables) throws(TaskGraphError) {
    text.removeAll(keepingCapacity: true)
    var run = at
    var inserted = 0
    scan: while !isAtEnd {
      switch source.bytes[at] {
      case UInt8(ascii: "\n"): break scan
      case UInt8(ascii: "\r"):
        if lineEnd(at) == 0 { throw source.loneReturnFailure(at: at) }
        break scan
      case UInt8(ascii: " ") where mode == .path, UInt8(ascii: ":") where mode == .path,
        UInt8(ascii: "|") where mode == .path:
        break scan
      case UInt8(ascii: "$"):
        text.append(contentsOf: source.bytes[run..<at])
        inserted += try readEscape(mode, variables)
        run = at
        substituted += inserted
        if inserted > Self.longestText || substituted > Self.mostSubstituted {
          throw failure(
            "variables put more than \(min(inserted, Self.longestText)) bytes in one text or \(Self.mostSubstituted) in all",
            expected: "less", remedy: "look for variables that contain each other many times")
        }
      default: at += 1
      }
    }
    text.append(contentsOf: source.bytes[run..<at])
    if mode == .path { skipSpaces() }
  }

  /// Reads what a `$` begins; returns the bytes that a variable put in.
  private mutating func readEscape(_ mode: Mode, _ variables: NinjaVariables) throws(TaskGraphError)
    -> Int
  {
    let dollar = at
    at += 1
    switch source[at] {
    case UInt8(ascii: "$"), UInt8(ascii: " "), UInt8(ascii: ":"):
      text.append(source[at])
      at += 1
      return 0
    case UInt8(ascii: "{"):
      at += 1
      let start = at
      while Self.isName(source[at]) { at += 1 }
      let name = start..<at
      guard source[at] == UInt8(ascii: "}"), !name.isEmpty else {
        throw failure(expected: "a variable name and `}` after `${`")
      }
      at += 1
      return insert(name, mode, variables)
    case let byte where Self.isName(byte, dots: false):
      let start = at
      while Self.isName(source[at], dots: false) { at += 1 }
      return insert(start..<at, mode, variables)
    default:
      let length = lineEnd(at)
      if length == 0 {
        throw failure(
          at: dollar, "`$` is followed by \(source.describe(at))",
          expected: "`$$`, `$ `, `$:`, a variable or the end of the line",
          remedy: "write a literal `$` as `$$`")
      }
      at += length
      while source[at] == UInt8(ascii: " ") { at += 1 }
      return 0
    }
  }

  private mutating func insert(_ name: Range<Int>, _ mode: Mode, _ variables: NinjaVariables) -> Int
  {
    if mode == .rule { return 0 }
    return variables.append(source.bytes[name], in: scope, withLocal: mode == .path, to: &text)
  }
}
