// SPDX-License-Identifier: Apache-2.0

/// What later code is gated against: a commit, and where it was looked at.
///
/// Text of one fact on each line, `commit 6180…`. Counts of that commit lie in a file beside it.
/// A plain value; any thread.
package struct Baseline: Sendable, Hashable {
  /// 40 hexadecimal digits.
  package let commit: String
  /// Nil when no branch was checked out.
  package let branch: String?
  package let machine: MachineID
  /// What the processor calls itself, for messages.
  package let processor: String
  /// The compiler.
  package let toolchain: String
  package let saved: Timestamp

  /// Stops the process unless `commit` is one: whoever saves has asked git.
  package init(
    commit: String, branch: String?, machine: MachineID, processor: String, toolchain: String,
    saved: Timestamp
  ) {
    guard isHexadecimal(commit, digits: 40) else {
      fatalError("Baseline: commit \(quoted(commit)); expected 40 hexadecimal digits")
    }
    self.commit = commit
    self.branch = branch
    self.machine = machine
    self.processor = processor
    self.toolchain = toolchain
    self.saved = saved
  }

  /// Whether a text may name a baseline: a name of 64 characters at most that is no option.
  package static func isNameOfBaseline(_ text: String) -> Bool {
    isName(text) && text.utf8.count <= 64 && !text.hasPrefix("-")
  }

  private enum Key: String, CaseIterable {
    case commit, branch, machine, processor, toolchain, saved

    /// What its value has to be.
    var expectation: String {
      switch self {
      case .commit: "40 hexadecimal digits"
      case .machine: "h: and 16 hexadecimal digits"
      case .saved: "a moment such as 2026-01-31T12:00:00Z"
      case .branch, .processor, .toolchain: "a text"
      }
    }
  }

  private static let heading = "scheduler-bench baseline 1"

  /// The file's bytes.
  package var bytes: [UInt8] {
    let facts: [(Key, String?)] = [
      (.commit, commit), (.branch, branch), (.machine, machine.text), (.processor, processor),
      (.toolchain, toolchain), (.saved, saved.text),
    ]
    let lines = facts.compactMap { key, value in value.map { "\(key.rawValue) \($0)\n" } }
    return Array(([Self.heading + "\n"] + lines).joined().utf8)
  }

  /// Reads a file whose content is at hand; `path` is for messages.
  ///
  /// Throws the first of what is wrong with it. O(bytes).
  package init(_ bytes: [UInt8], path: String) throws(CSVError) {
    func error(_ line: Int, _ column: String?, _ finding: String, _ expectation: String)
      -> CSVError
    {
      CSVError(
        finding: Finding(
          path: path, line: line, column: column, finding: finding, expectation: expectation,
          nextStep: "save it again with `bench baseline save`"))
    }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw error(1, nil, "bytes that are no UTF-8", "a baseline")
    }
    if let place = bytes.firstIndex(of: UInt8(ascii: "\r")) {
      let line = bytes[..<place].count { $0 == UInt8(ascii: "\n") } + 1
      throw error(line, nil, "a carriage return", "lines ending in a line feed alone")
    }
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    guard lines.popLast() == "", lines.first.map(String.init) == Self.heading else {
      throw error(
        1, nil,
        text.hasSuffix("\n") ? quoted(String(lines.first ?? "")) : "no line feed at the end",
        "\(quoted(Self.heading)) and a fact on each line")
    }
    var facts: [Key: (value: String, line: Int)] = [:]
    for (index, line) in lines.enumerated().dropFirst() {
      let pieces = line.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
      let names = Key.allCases.map(\.rawValue).joined(separator: ", ")
      guard let key = Key(rawValue: String(pieces[0])) else {
        throw error(index + 1, nil, "unknown fact \(quoted(String(pieces[0])))", names)
      }
      guard pieces.count == 2, !pieces[1].isEmpty else {
        throw error(index + 1, key.rawValue, "nothing", key.expectation)
      }
      guard facts[key] == nil else {
        throw error(index + 1, key.rawValue, "a second time", "each fact once")
      }
      facts[key] = (String(pieces[1]), index + 1)
    }
    func fact<Value>(_ key: Key, _ parse: (String) -> Value?) throws(CSVError) -> Value {
      guard let fact = facts[key] else {
        throw error(lines.count, nil, "no \(key.rawValue)", "\(key.rawValue) \(key.expectation)")
      }
      guard let value = parse(fact.value) else {
        throw error(fact.line, key.rawValue, quoted(fact.value), key.expectation)
      }
      return value
    }
    self.init(
      commit: try fact(.commit) { isHexadecimal($0, digits: 40) ? $0 : nil },
      branch: facts[.branch]?.value, machine: try fact(.machine) { MachineID(text: $0) },
      processor: try fact(.processor) { $0 }, toolchain: try fact(.toolchain) { $0 },
      saved: try fact(.saved) { Timestamp(text: $0) })
  }
}
