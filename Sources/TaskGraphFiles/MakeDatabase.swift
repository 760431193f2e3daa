// SPDX-License-Identifier: Apache-2.0

/// What `make --print-data-base` says of targets: those of a build and of every make inside it.
package struct MakeDatabase: Sendable {
  /// A target and the folder of the make that knows it.
  struct Target: Hashable {
    let folder: String
    let name: String
  }

  /// Per target: what it waits for, order-only prerequisites too.
  private(set) var prerequisites: [Target: [Target]] = [:]
  /// Per target that another one's recipe makes as well: that one.
  private(set) var makers: [Target: Target] = [:]
  /// The value of `SHELL` of the outermost make, as it is written; empty when there is none.
  package private(set) var shell = ""
  /// The value of `.SHELLFLAGS` of the outermost make, as it is written.
  package private(set) var shellFlags = ""
  /// Where recipes have another shell than the outermost make: makefiles' folders, and targets.
  package private(set) var otherShells: [(place: String, shell: String)] = []
  /// Databases in the text, one for each make.
  package private(set) var count = 0

  private var folder = ""
  private var target: Target?
  /// Per database: the folder of its make, and the shell with its flags.
  private var shells: [(place: String, shell: String)] = []

  /// What a line can be, which depends on those before it.
  private enum Section { case outside, variables, files, continuedRecipe }
  private var section = Section.outside

  /// Reads what make printed, with the commands and messages around the databases.
  ///
  /// O(bytes).
  package init(_ text: String) {
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) { read(line) }
    // The outermost make prints its database when all others have.
    let outermost = "\(shell) \(shellFlags)"
    otherShells += shells.filter { $0.shell != outermost }
  }

  private mutating func read(_ line: Substring) {
    switch section {
    case .outside:
      if line.hasPrefix("# Make data base, printed on ") {
        section = .variables
        count += 1
        (folder, target) = ("", nil)
      }
    case .variables:
      if line == "# Files" {
        section = .files
        shells.append((folder, "\(shell) \(shellFlags)"))
      }
      if let value = Self.value(of: "CURDIR", in: line) { folder = value }
      if let value = Self.value(of: "SHELL", in: line) { shell = value }
      if let value = Self.value(of: ".SHELLFLAGS", in: line) { shellFlags = value }
    case .files:
      if line.hasPrefix("# files hash-table stats:") { section = .outside }
      if line.hasPrefix("\t") {
        if Self.goesOn(line) { section = .continuedRecipe }
      } else if line.hasPrefix("#") {
        readRemark(line)
      } else if !line.isEmpty {
        readRule(line)
      }
    case .continuedRecipe:
      if !Self.goesOn(line) { section = .files }
    }
  }

  /// `NAME = value` or `NAME := value`.
  private static func value(of name: String, in line: Substring) -> String? {
    guard line.hasPrefix(name) else { return nil }
    var rest = line.dropFirst(name.count)
    for sign in [" := ", " = ", " ::= "] where rest.hasPrefix(sign) {
      rest = rest.dropFirst(sign.count)
      return String(rest)
    }
    return nil
  }

  /// Whether a line of a recipe ends with a backslash that is not quoted by another one.
  private static func goesOn(_ line: Substring) -> Bool {
    line.reversed().prefix { $0 == "\\" }.count % 2 == 1
  }

  private mutating func readRemark(_ line: Substring) {
    let also = "#  Also makes:"
    guard let target, line.hasPrefix(also) else { return }
    for name in line.dropFirst(also.count).split(separator: " ") {
      makers[Target(folder: folder, name: String(name))] = target
    }
  }

  /// `target: prerequisite… | order-only prerequisite…`, the colon single or double.
  private mutating func readRule(_ line: Substring) {
    guard let colon = Self.colon(in: line) else { return }
    let rule = Target(folder: folder, name: String(line[..<colon]))
    let rest = line[line.index(after: colon)...].drop { $0 == ":" }
    let words = rest.split(separator: " ")
    // `target: VARIABLE := value`, with words such as `override` before the name.
    if let sign = words.prefix(4).firstIndex(where: { Self.signs.contains($0) }), sign > 0 {
      if ["SHELL", ".SHELLFLAGS"].contains(words[sign - 1]) {
        let shell = words[(sign + 1)...].joined(separator: " ")
        otherShells.append(("\(rule.folder): \(rule.name)", shell))
      }
      return
    }
    let names = words.filter { $0 != "|" }
    let awaited = names.map { Target(folder: folder, name: String($0)) }
    // Several makes in one folder mostly say the same.
    if prerequisites[rule] != awaited { prerequisites[rule, default: []] += awaited }
    target = rule
  }

  private static let signs: Set<Substring> = ["=", ":=", "::=", ":::=", "+=", "?=", "!="]

  /// The colon that ends the target: one with a blank, another colon or nothing behind it.
  private static func colon(in line: Substring) -> Substring.Index? {
    line.indices.first { index in
      guard line[index] == ":" else { return false }
      let next = line[line.index(after: index)...].first
      return next == nil || next == " " || next == ":"
    }
  }
}
