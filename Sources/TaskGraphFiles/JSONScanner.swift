// SPDX-License-Identifier: Apache-2.0

/// Reads JSON (RFC 8259) token by token from memory, without building a tree.
///
/// A tree, such as a decoder makes, costs many times the size of the file and names no place; this
/// needs a constant amount besides the bytes and can say line, column and coding path of every
/// complaint. The nesting depth is limited, and no recursion follows it.
struct JSONScanner {
  /// One step of a coding path.
  enum Step { case key(String), index(Int) }

  let source: SourceText
  private(set) var at = 0

  /// The string or key read last, without quotes and escapes.
  private(set) var text: [UInt8] = []

  /// Where the reader is, for messages.
  ///
  /// The reader pushes and pops.
  var codingPath: [Step] = []

  /// Lets `NaN` and `Infinity` pass, for a first pass that leaves the complaint to one that knows
  /// the coding path.
  var toleratesNonFinite = false

  /// Deepest nesting that is read.
  static let deepest = 512

  init(_ source: SourceText) {
    self.source = source
    if source.bytes.starts(with: [0xEF, 0xBB, 0xBF]) { at = 3 }
  }

  /// An error at `offset`, by default the current one, with the coding path.
  func failure(at offset: Int? = nil, _ finding: String, expected: String, remedy: String)
    -> TaskGraphError
  {
    var path = ""
    for step in codingPath {
      switch step {
      case .key(let key): path += (path.isEmpty ? "" : ".") + key
      case .index(let index): path += "[\(index)]"
      }
    }
    return source.failure(
      at: offset ?? at, codingPath: path.isEmpty ? nil : path, finding, expected: expected,
      remedy: remedy)
  }

  /// The first byte of the next token, or 0 at the end.
  mutating func peek() -> UInt8 {
    while at < source.bytes.count {
      switch source.bytes[at] {
      case 0x20, 0x0A, 0x0D, 0x09: at += 1
      case let byte: return byte
      }
    }
    return 0
  }

  /// Steps over `byte` or complains.
  mutating func expect(_ byte: UInt8, _ what: String) throws(TaskGraphError) {
    guard peek() == byte, at < source.bytes.count else { throw syntax(what) }
    at += 1
  }

  private func syntax(_ expected: String) -> TaskGraphError {
    let text = source.bytes.isEmpty || at >= source.bytes.count
    return failure(
      "found \(source.describe(at))", expected: expected,
      remedy: text ? "the file looks truncated: copy or record it again" : "correct the JSON here")
  }

  /// Steps into an object; ask `nextKey` for its members.
  mutating func openObject() throws(TaskGraphError) {
    try expect(UInt8(ascii: "{"), "an object")
  }

  /// Steps to the value of the next member, its key in `text`, or over the end of the object.
  mutating func nextKey(first: inout Bool) throws(TaskGraphError) -> Bool {
    if peek() == UInt8(ascii: "}") {
      at += 1
      return false
    }
    if !first { try expect(UInt8(ascii: ","), "`,` or `}`") }
    first = false
    try readString("a key in quotes")
    try expect(UInt8(ascii: ":"), "`:` after the key")
    return true
  }

  /// Steps to the next element of an array, or over its end.
  mutating func nextElement(first: inout Bool) throws(TaskGraphError) -> Bool {
    if peek() == UInt8(ascii: "]") {
      at += 1
      return false
    }
    if !first { try expect(UInt8(ascii: ","), "`,` or `]`") }
    first = false
    return true
  }

  /// Reads a string into `text`.
  mutating func readString(_ what: String = "a string") throws(TaskGraphError) {
    try expect(UInt8(ascii: "\""), what)
    text.removeAll(keepingCapacity: true)
    try scanString(keep: true)
  }

  /// True when `text` is `key`.
  func textIs(_ key: String) -> Bool { text.elementsEqual(key.utf8) }

  /// Reads a number.
  mutating func readNumber() throws(TaskGraphError) -> Double {
    let start = (peek(), at).1
    try scanNumber()
    if at - start > RecordedDuration.longestText {
      throw failure(
        at: start, "the number has \(at - start) characters",
        expected: "at most \(RecordedDuration.longestText)", remedy: "shorten it")
    }
    guard let value = Double(String(decoding: source.bytes[start..<at], as: UTF8.self)) else {
      throw failure(
        at: start, "the number cannot be read", expected: "a number", remedy: "correct it")
    }
    return value
  }

  /// Steps over the string whose opening quote has been read, appending it to `text` if `keep`.
  private mutating func scanString(keep: Bool) throws(TaskGraphError) {
    while true {
      let run = at
      let end = Self.endOfPlainText(source.bytes, from: run)
      if keep { text.append(contentsOf: source.bytes[run..<end]) }
      at = end
      switch source[end] {
      case UInt8(ascii: "\""):
        at += 1
        return
      case UInt8(ascii: "\\"): try scanEscape(keep: keep)
      default:
        if at >= source.bytes.count { throw syntax("a closing quote") }
        throw failure(
          "the string contains \(source.describe(at))", expected: "a closing quote or an escape",
          remedy: "close or escape the string")
      }
    }
  }

  /// The first quote, backslash or control character from `start` on, else the end.
  private static func endOfPlainText(_ bytes: [UInt8], from start: Int) -> Int {
    var at = start
    while at < bytes.count, bytes[at] >= 0x20, bytes[at] != UInt8(ascii: "\""),
      bytes[at] != UInt8(ascii: "\\")
    {
      at += 1
    }
    return at
  }

  private mutating func scanEscape(keep: Bool) throws(TaskGraphError) {
    let start = at
    let scalar: Unicode.Scalar
    switch source[at + 1] {
    case UInt8(ascii: "u"):
      var value = try hexUnit(at: at + 2)
      at += 6
      if value & 0xFC00 == 0xD800, source[at] == UInt8(ascii: "\\"),
        source[at + 1] == UInt8(ascii: "u")
      {
        let low = try hexUnit(at: at + 2)
        if low & 0xFC00 == 0xDC00 {
          value = 0x10000 + (value - 0xD800) << 10 + (low - 0xDC00)
          at += 6
        }
      }
      guard let valid = Unicode.Scalar(value) else {
        throw failure(
          at: start, "the escape is half of a surrogate pair", expected: "a pair \\uD8…\\uDC…",
          remedy: "correct the string")
      }
      scalar = valid
    case UInt8(ascii: "n"): (scalar, at) = ("\n", at + 2)
    case UInt8(ascii: "t"): (scalar, at) = ("\t", at + 2)
    case UInt8(ascii: "r"): (scalar, at) = ("\r", at + 2)
    case UInt8(ascii: "b"): (scalar, at) = ("\u{8}", at + 2)
    case UInt8(ascii: "f"): (scalar, at) = ("\u{C}", at + 2)
    case let byte
    where byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") || byte == UInt8(ascii: "/"):
      (scalar, at) = (Unicode.Scalar(byte), at + 2)
    default:
      at += 1
      throw syntax("one of \" \\ / b f n r t u after the backslash")
    }
    if keep { text.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter) }
  }

  private func hexUnit(at start: Int) throws(TaskGraphError) -> UInt32 {
    var value: UInt32 = 0
    for offset in start..<start + 4 {
      guard let digit = Character(Unicode.Scalar(source[offset])).hexDigitValue else {
        throw failure(
          at: offset, "found \(source.describe(offset)) in a \\u escape",
          expected: "four hexadecimal digits",
          remedy: "correct the string")
      }
      value = value << 4 | UInt32(digit)
    }
    return value
  }

  private mutating func scanNumber() throws(TaskGraphError) {
    if peek() == UInt8(ascii: "-") { at += 1 }
    if source[at] == UInt8(ascii: "N") || source[at] == UInt8(ascii: "I") {
      return try scanNonFinite()
    }
    if source[at] == UInt8(ascii: "0") { at += 1 } else { try scanDigits("a value") }
    if source[at] == UInt8(ascii: ".") {
      at += 1
      try scanDigits("a digit after the point")
    }
    if source[at] | 0x20 == UInt8(ascii: "e") {
      at += 1
      if source[at] == UInt8(ascii: "+") || source[at] == UInt8(ascii: "-") { at += 1 }
      try scanDigits("a digit of the exponent")
    }
  }

  /// `NaN` and `Infinity`, which some writers put where JSON has no number for them.
  private mutating func scanNonFinite() throws(TaskGraphError) {
    let start = at
    try scanWord(source[at] == UInt8(ascii: "N") ? "NaN" : "Infinity")
    if toleratesNonFinite { return }
    throw failure(
      at: start, "the number is NaN or infinite, which JSON cannot hold",
      expected: "a finite number",
      remedy: "correct the value")
  }

  private mutating func scanDigits(_ what: String) throws(TaskGraphError) {
    let end = Self.endOfDigits(source.bytes, from: at)
    if end == at { throw syntax(what) }
    at = end
  }

  private static func endOfDigits(_ bytes: [UInt8], from start: Int) -> Int {
    var at = start
    while at < bytes.count, bytes[at] >= UInt8(ascii: "0"), bytes[at] <= UInt8(ascii: "9") {
      at += 1
    }
    return at
  }

  private mutating func scanWord(_ word: String) throws(TaskGraphError) {
    for byte in word.utf8 {
      guard source[at] == byte else { throw syntax("a value") }
      at += 1
    }
  }
}

extension JSONScanner {
  /// Steps over one value of any kind, checking its syntax.
  mutating func skipValue() throws(TaskGraphError) {
    var closers: [UInt8] = []
    repeat {
      // One value, or the opening of a container.
      switch peek() {
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        if closers.count == Self.deepest {
          throw failure(
            "the document is nested more than \(Self.deepest) levels deep",
            expected: "fewer levels",
            remedy: "this is no task graph: check the file")
        }
        let isObject = source[at] == UInt8(ascii: "{")
        at += 1
        closers.append(isObject ? UInt8(ascii: "}") : UInt8(ascii: "]"))
        if peek() == closers[closers.count - 1] { break }
        if isObject { try skipKey() }
        continue
      case UInt8(ascii: "\""):
        at += 1
        try scanString(keep: false)
      case UInt8(ascii: "t"): try scanWord("true")
      case UInt8(ascii: "f"): try scanWord("false")
      case UInt8(ascii: "n"): try scanWord("null")
      default: try scanNumber()
      }
      // After a value: close what ends here, then go on to the next member or element.
      while let closer = closers.last, peek() == closer {
        at += 1
        closers.removeLast()
      }
      if let closer = closers.last {
        // `peek` has stopped at this byte above.
        let isObject = closer == UInt8(ascii: "}")
        if source[at] == UInt8(ascii: ","), !isObject {
          at += 1
          continue
        }
        try expect(UInt8(ascii: ","), isObject ? "`,` or `}`" : "`,` or `]`")
        if isObject { try skipKey() }
      }
    } while !closers.isEmpty
  }

  private mutating func skipKey() throws(TaskGraphError) {
    try expect(UInt8(ascii: "\""), "a key in quotes")
    try scanString(keep: false)
    try expect(UInt8(ascii: ":"), "`:` after the key")
  }

  /// Complains about anything but space up to the end of the file.
  mutating func expectEnd() throws(TaskGraphError) {
    _ = peek()
    if at < source.bytes.count {
      throw failure(
        "found \(source.describe(at)) after the document", expected: "the end of the file",
        remedy: "keep one document per file")
    }
  }
}
