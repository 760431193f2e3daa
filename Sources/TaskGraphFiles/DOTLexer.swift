// SPDX-License-Identifier: Apache-2.0

/// Splits Graphviz DOT into tokens.
///
/// Source: the grammar at graphviz.org/doc/info/lang.html.
struct DOTLexer {
  /// What a token is; the text of an `id` is in `text`.
  enum Token: Equatable {
    case id, keyword(Keyword)
    case openBrace, closeBrace, openBracket, closeBracket, semicolon, comma, colon, equals, arrow,
      line, end
  }

  /// The reserved words, in any mix of upper and lower case.
  enum Keyword { case strict, graph, digraph, node, edge, subgraph }

  let source: SourceText
  private var at = 0

  /// The token read last.
  private(set) var token = Token.end

  /// Where it begins.
  private(set) var start = 0

  /// The id read last, without quotes; an HTML string keeps its outer angle brackets, which keep it
  /// apart.
  private(set) var text: [UInt8] = []

  init(_ source: SourceText) throws(TaskGraphError) {
    self.source = source
    if source.bytes.starts(with: [0xEF, 0xBB, 0xBF]) { at = 3 }
    try advance()
  }

  /// An error at the current token.
  func failure(_ finding: String? = nil, expected: String, remedy: String = "correct the DOT here")
    -> TaskGraphError
  {
    let atEnd = token == .end
    return source.failure(
      at: start, finding ?? "found \(source.describe(start))", expected: expected,
      remedy: atEnd && finding == nil ? "the file looks truncated: copy or write it again" : remedy)
  }

  /// Reads the next token.
  mutating func advance() throws(TaskGraphError) {
    try skipSpace()
    start = at
    guard at < source.bytes.count else {
      token = .end
      return
    }
    switch source.bytes[at] {
    case UInt8(ascii: "{"): single(.openBrace)
    case UInt8(ascii: "}"): single(.closeBrace)
    case UInt8(ascii: "["): single(.openBracket)
    case UInt8(ascii: "]"): single(.closeBracket)
    case UInt8(ascii: ";"): single(.semicolon)
    case UInt8(ascii: ","): single(.comma)
    case UInt8(ascii: ":"): single(.colon)
    case UInt8(ascii: "="): single(.equals)
    case UInt8(ascii: "\""): try scanQuoted()
    case UInt8(ascii: "<"): try scanHTML()
    case UInt8(ascii: "-") where source[at + 1] == UInt8(ascii: ">"): (token, at) = (.arrow, at + 2)
    case UInt8(ascii: "-") where source[at + 1] == UInt8(ascii: "-"): (token, at) = (.line, at + 2)
    case let byte where Self.startsNumber(byte): try scanNumeral()
    case let byte where Self.isLetter(byte): scanWord()
    default: throw failure("found \(source.describe(at))", expected: "a name, an edge or a bracket")
    }
  }

  private mutating func single(_ token: Token) {
    self.token = token
    at += 1
  }

  static func isLetter(_ byte: UInt8) -> Bool {
    byte >= 0x80 || byte == UInt8(ascii: "_")
      || (byte | 0x20 >= UInt8(ascii: "a") && byte | 0x20 <= UInt8(ascii: "z"))
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")
  }

  private static func startsNumber(_ byte: UInt8) -> Bool {
    isDigit(byte) || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
  }

  /// Steps over space, `//` and `/* */` comments and lines that begin with `#`.
  private mutating func skipSpace() throws(TaskGraphError) {
    while at < source.bytes.count {
      switch source.bytes[at] {
      case 0x20, 0x09, 0x0A, 0x0B, 0x0C, 0x0D: at += 1
      case UInt8(ascii: "#") where at == 0 || source.bytes[at - 1] == UInt8(ascii: "\n"):
        try skipLine()
      case UInt8(ascii: "/") where source[at + 1] == UInt8(ascii: "/"): try skipLine()
      case UInt8(ascii: "/") where source[at + 1] == UInt8(ascii: "*"):
        let open = at
        at += 2
        while source[at] != UInt8(ascii: "*") || source[at + 1] != UInt8(ascii: "/") {
          guard at < source.bytes.count else {
            throw source.failure(
              at: open, "the comment is not closed", expected: "`*/`",
              remedy: "close it, or copy the file again")
          }
          at += 1
        }
        at += 2
      default: return
      }
    }
  }

  private mutating func skipLine() throws(TaskGraphError) {
    let start = at
    while at < source.bytes.count, source.bytes[at] != UInt8(ascii: "\n") { at += 1 }
    // A comment up to the end of the file may be a whole file whose lines end otherwise.
    if at == source.bytes.count, let lone = source.loneReturn(in: start..<at) {
      throw source.loneReturnFailure(at: lone)
    }
  }

  private mutating func scanWord() {
    while Self.isLetter(source[at]) || Self.isDigit(source[at]) { at += 1 }
    keepText()
    token = keyword.map { .keyword($0) } ?? .id
  }

  private mutating func keepText() {
    text.removeAll(keepingCapacity: true)
    text.append(contentsOf: source.bytes[start..<at])
  }

  /// The reserved word that `text` is.
  ///
  /// The first letter rules most names out.
  private var keyword: Keyword? {
    guard text.count >= 4, text.count <= 8 else { return nil }
    switch text[0] | 0x20 {
    case UInt8(ascii: "s"): return isWord("strict") ? .strict : isWord("subgraph") ? .subgraph : nil
    case UInt8(ascii: "g"): return isWord("graph") ? .graph : nil
    case UInt8(ascii: "d"): return isWord("digraph") ? .digraph : nil
    case UInt8(ascii: "n"): return isWord("node") ? .node : nil
    case UInt8(ascii: "e"): return isWord("edge") ? .edge : nil
    default: return nil
    }
  }

  /// True when `text` is `word` in any case; a byte that is no letter cannot become one.
  private func isWord(_ word: String) -> Bool {
    word.utf8.elementsEqual(text.lazy.map { $0 | 0x20 })
  }

  /// Moves the text of an id out, in exchange for a buffer to write the next one to.
  mutating func takeText(_ buffer: inout [UInt8]) { swap(&text, &buffer) }

  /// A numeral: an optional minus, then digits with at most one point among them.
  private mutating func scanNumeral() throws(TaskGraphError) {
    if source[at] == UInt8(ascii: "-") { at += 1 }
    var digits = 0
    var points = 0
    while Self.isDigit(source[at]) || (source[at] == UInt8(ascii: ".") && points == 0) {
      if source[at] == UInt8(ascii: ".") { points += 1 } else { digits += 1 }
      at += 1
    }
    if digits == 0 {
      throw failure("found \(source.describe(start))", expected: "a name, a number or an edge `->`")
    }
    if Self.isLetter(source[at]) || source[at] == UInt8(ascii: ".") {
      throw source.failure(
        at: at, "found \(source.describe(at)) right after a number",
        expected: "a space, or a name in quotes",
        remedy: "put the name in double quotes")
    }
    keepText()
    token = .id
  }

  /// A string in double quotes, and any further ones joined by `+`.
  private mutating func scanQuoted() throws(TaskGraphError) {
    text.removeAll(keepingCapacity: true)
    token = .id
    let beginning = start
    while true {
      try scanOneQuoted()
      let end = at
      try skipSpace()
      guard source[at] == UInt8(ascii: "+") else {
        at = end
        start = beginning
        return
      }
      at += 1
      try skipSpace()
      start = at
      guard source[at] == UInt8(ascii: "\"") else {
        throw failure(
          "found \(source.describe(at))", expected: "a string in double quotes after `+`")
      }
    }
  }

  private mutating func scanOneQuoted() throws(TaskGraphError) {
    let open = at
    at += 1
    while at < source.bytes.count {
      switch source.bytes[at] {
      case UInt8(ascii: "\""):
        at += 1
        return
      case UInt8(ascii: "\\") where source[at + 1] == UInt8(ascii: "\""):
        text.append(UInt8(ascii: "\""))
        at += 2
      case UInt8(ascii: "\\") where source[at + 1] == UInt8(ascii: "\\"):
        text.append(contentsOf: [UInt8(ascii: "\\"), UInt8(ascii: "\\")])
        at += 2
      case UInt8(ascii: "\\") where source[at + 1] == UInt8(ascii: "\n"): at += 2
      case let byte:
        text.append(byte)
        at += 1
      }
    }
    throw source.failure(
      at: open, "the string is not closed", expected: "a closing `\"`",
      remedy: "close it, or copy the file again")
  }

  /// A string in balanced angle brackets.
  private mutating func scanHTML() throws(TaskGraphError) {
    var depth = 0
    while at < source.bytes.count {
      if source.bytes[at] == UInt8(ascii: "<") { depth += 1 }
      if source.bytes[at] == UInt8(ascii: ">") { depth -= 1 }
      at += 1
      if depth == 0 {
        keepText()
        token = .id
        return
      }
    }
    throw failure(
      "the HTML string is not closed", expected: "as many `>` as `<`",
      remedy: "close it, or copy the file again")
  }
}
