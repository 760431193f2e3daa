// SPDX-License-Identifier: Apache-2.0

/// Reads a Ninja manifest and the files it includes.
///
/// Included files are read from a stack of open files, so that no recursion follows the input.
/// Bindings are needed only as far as paths use them: those of rules are checked and dropped.
struct NinjaManifestReader {
  /// Gives an included file, its path as written, or says why not; the place is added here.
  ///
  /// The identity is the same for every path of one file.
  typealias Loader = (_ path: String) throws(TaskGraphError) -> (identity: String, bytes: [UInt8])

  private var manifest = NinjaManifest()
  private var variables = NinjaVariables()
  private var suspended: [NinjaLexer] = []
  /// Identities of the files that are open, the one being read last.
  private var openFiles: [String]
  private var lexer: NinjaLexer
  private var canonical = NinjaPath()
  private var filesRead = 1
  private var bytesRead: Int

  /// Deepest nesting of files, most files, most bytes in all.
  static let deepest = 128
  static let mostFiles = 100_000
  static let mostBytes = Int(Int32.max)

  /// Most distinct names of variables and rules; large builds have some ten thousand.
  static let mostNames = 1 << 21

  /// Reads the manifest in `bytes`.
  ///
  /// O(bytes of all files).
  static func read(
    _ bytes: [UInt8], path: String, identity: String, include: Loader
  ) throws(TaskGraphError) -> NinjaManifest {
    var reader = NinjaManifestReader(
      NinjaLexer(SourceText(path: path, bytes: bytes), scope: 0), identity: identity)
    while true {
      while let indent = try reader.lexer.nextIndent() {
        try reader.readStatement(indent: indent, include: include)
      }
      guard var outer = reader.suspended.popLast() else { break }
      reader.openFiles.removeLast()
      outer.substituted = reader.lexer.substituted
      reader.lexer = outer
    }
    var directory: [UInt8] = []
    _ = reader.variables.append(
      Array("builddir".utf8)[...], in: 0, withLocal: false, to: &directory)
    reader.manifest.buildDirectory = String(decoding: directory, as: UTF8.self)
    return reader.manifest
  }

  private init(_ lexer: NinjaLexer, identity: String) {
    self.lexer = lexer
    openFiles = [identity]
    bytesRead = lexer.source.bytes.count
  }

  private mutating func readStatement(indent: Int, include: Loader) throws(TaskGraphError) {
    if variables.nameCount > Self.mostNames {
      throw lexer.failure(
        "the manifest has more than \(Self.mostNames) names of variables and rules",
        expected: "fewer",
        remedy: "this is no usual manifest: check the file")
    }
    if indent > 0 {
      throw lexer.failure("the line is indented", expected: "a statement at the start of the line")
    }
    let start = lexer.at
    let word = try lexer.readName("a statement")
    if lexer.matches(word, "build") {
      try readBuild()
    } else if lexer.matches(word, "rule") {
      let name = try lexer.readName("the name of the rule")
      if !variables.declareRule(lexer.source.bytes[name], in: lexer.scope) {
        throw lexer.failure(
          at: name.lowerBound, "the rule is a duplicate", expected: "every rule once per scope")
      }
      try lexer.expectLineEnd()
      try readBindings(ofBuild: false)
    } else if lexer.matches(word, "pool") {
      _ = try lexer.readName("the name of the pool")
      try lexer.expectLineEnd()
      try readBindings(ofBuild: false)
    } else if lexer.matches(word, "default") {
      repeat { try readPath("a path") } while !atLineEnd
      try lexer.expectLineEnd()
    } else if lexer.matches(word, "include") || lexer.matches(word, "subninja") {
      try readInclude(newScope: lexer.matches(word, "subninja"), start: start, include: include)
    } else {
      try readValue(.value)
      variables.set(lexer.source.bytes[word], to: lexer.text, in: lexer.scope)
    }
  }

  private var atLineEnd: Bool {
    let byte = lexer.source[lexer.at]
    return lexer.isAtEnd || byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r")
  }

  /// `= value` and the end of the line.
  private mutating func readValue(_ mode: NinjaLexer.Mode) throws(TaskGraphError) {
    guard lexer.skip(UInt8(ascii: "=")) else { throw lexer.failure(expected: "`=` and a value") }
    try lexer.readText(mode, variables: variables)
    try lexer.expectLineEnd()
  }

  /// The indented lines under a rule, pool or build statement.
  private mutating func readBindings(ofBuild: Bool) throws(TaskGraphError) {
    while true {
      // A line without indent is not ours: the statement loop looks at it again.
      guard let indent = try lexer.nextIndent(), indent > 0 else { return }
      let name = try lexer.readName("the name of a variable")
      try readValue(ofBuild ? .value : .rule)
      if ofBuild { variables.setLocal(lexer.source.bytes[name], to: lexer.text) }
      if ofBuild, lexer.matches(name, "dyndep"), !lexer.text.isEmpty {
        manifest.dyndepStatements += 1
      }
    }
  }

  /// Reads a path into `lexer.text`; it must not be empty.
  private mutating func readPath(_ what: String) throws(TaskGraphError) {
    let start = lexer.at
    try lexer.readText(.path, variables: variables)
    if lexer.at == start { throw lexer.failure(expected: what) }
    if lexer.text.isEmpty {
      throw lexer.failure(
        at: start, "the path is empty after its variables are replaced", expected: what)
    }
    canonical.canonicalize(lexer.text)
  }

  private var atPath: Bool {
    let byte = lexer.source[lexer.at]
    return !atLineEnd && byte != UInt8(ascii: ":") && byte != UInt8(ascii: "|")
  }

  /// A build statement: its bindings first, since its paths may use them, then the line itself.
  private mutating func readBuild() throws(TaskGraphError) {
    let line = lexer.at
    lexer.skipLine()
    try readBindings(ofBuild: true)
    let end = lexer.at
    lexer.at = line
    try readOutputs()
    guard lexer.skip(UInt8(ascii: ":")) else { throw lexer.failure(expected: "`:` and a rule") }
    let rule = try lexer.readName("the name of a rule")
    let isPhony = lexer.matches(rule, "phony")
    if !isPhony, !variables.hasRule(lexer.source.bytes[rule], in: lexer.scope) {
      let name = String(decoding: lexer.source.bytes[rule], as: UTF8.self)
      throw lexer.failure(
        at: rule.lowerBound, "the rule `\(printable(name))` is not declared",
        expected: "a rule declared above",
        remedy: "declare it, or check the included files")
    }
    try readInputs()
    try lexer.expectLineEnd()
    manifest.closeEdge(isPhony: isPhony)
    variables.clearLocal()
    lexer.at = end
  }

  private mutating func readOutputs() throws(TaskGraphError) {
    var isFirst = true
    for isImplicit in [false, true] {
      if isImplicit, !lexer.skip(UInt8(ascii: "|")) { break }
      while atPath {
        let start = lexer.at
        try readPath("the path of an output")
        if !manifest.addOutput(canonical.bytes, isFirst: isFirst) {
          throw lexer.failure(
            at: start,
            "`\(printable(String(decoding: canonical.bytes, as: UTF8.self)))` is a duplicate output",
            expected: "every output in one build statement")
        }
        isFirst = false
      }
    }
    if isFirst { throw lexer.failure(expected: "the path of an output") }
  }

  /// Explicit inputs, then `|` implicit, `||` order-only and `|@` validations, which are no
  /// dependencies.
  private mutating func readInputs() throws(TaskGraphError) {
    var isDependency = true
    while true {
      while atPath {
        try readPath("the path of an input")
        if isDependency { manifest.addInput(canonical.bytes) }
      }
      guard lexer.source[lexer.at] == UInt8(ascii: "|") else { return }
      switch lexer.source[lexer.at + 1] {
      case UInt8(ascii: "@"):
        lexer.at += 1
        isDependency = false
      case UInt8(ascii: "|"):
        lexer.at += 1
        isDependency = true
      default: isDependency = true
      }
      lexer.at += 1
      lexer.skipSpaces()
    }
  }

  private mutating func readInclude(newScope: Bool, start: Int, include: Loader)
    throws(TaskGraphError)
  {
    try readPath("the path of a file")
    let path = String(decoding: lexer.text, as: UTF8.self)
    try lexer.expectLineEnd()
    let identity: String
    let bytes: [UInt8]
    do { (identity, bytes) = try include(path) } catch {
      var placed = error
      (placed.line, placed.column) = lexer.source.position(of: start)
      placed.path = lexer.source.path
      placed.finding = "`\(printable(path))`: \(error.finding)"
      throw placed
    }
    if openFiles.contains(identity) {
      throw lexer.failure(
        at: start, "`\(printable(path))` is included from inside itself",
        expected: "files that do not include each other in a circle",
        remedy: "remove this line, or one of those that lead here")
    }
    if openFiles.count >= Self.deepest {
      throw lexer.failure(
        at: start, "files are included \(Self.deepest) deep", expected: "fewer levels",
        remedy: "flatten the manifest")
    }
    filesRead += 1
    bytesRead += bytes.count
    if filesRead > Self.mostFiles || bytesRead > Self.mostBytes {
      throw lexer.failure(
        at: start,
        "the manifest includes more than \(Self.mostFiles) files or \(Self.mostBytes) bytes",
        expected: "less", remedy: "look for files that are included many times")
    }
    let scope = newScope ? variables.makeScope(in: lexer.scope) : lexer.scope
    var inner = NinjaLexer(SourceText(path: path, bytes: bytes), scope: scope)
    inner.substituted = lexer.substituted
    suspended.append(lexer)
    openFiles.append(identity)
    lexer = inner
  }
}
