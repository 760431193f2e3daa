// SPDX-License-Identifier: Apache-2.0

/// The parameters of a benchmark as a row records them, sorted by name.
///
/// Text form `n:512;workers:2`. Names are names (`isName`); values may also hold `.` and `+`.
package struct RowParameters: Sendable, Hashable {
  /// One parameter.
  package struct Entry: Sendable, Hashable {
    package let name: String
    package let value: String
  }

  /// The parameters, sorted by the bytes of their names, each name once.
  package let entries: [Entry]

  /// The worker count.
  package static let workers = "workers"
  /// The CPUs that the process was pinned to.
  package static let cpus = "cpus"
  /// The fingerprint of a replayed graph.
  package static let graph = "graph"
  /// Before the name of an axis that a reference cut, with the cap as its value.
  package static let capPrefix = "cap-"

  /// Makes the parameters from pairs in any order.
  ///
  /// Stops the process when a name comes twice, or a name or value has characters that a cell
  /// cannot hold: parameters come from the program's own tables, or from a parser that checked
  /// them.
  package init(_ pairs: [(String, String)]) {
    let text = pairs.sorted { $0.0.utf8.lexicographicallyPrecedes($1.0.utf8) }
      .map { "\($0.0):\($0.1)" }.joined(separator: ";")
    guard let parameters = RowParameters(text: text) else {
      fatalError(
        "RowParameters: \(text); expected each name once, names of A-Za-z0-9_- and values of "
          + "those and . and +; fix the table that the parameter comes from")
    }
    self = parameters
  }

  /// Reads the text form; nil unless every entry is `name:value` and they are sorted by name.
  package init?(text: String) {
    var entries: [Entry] = []
    let pieces = text.isEmpty ? [] : text.split(separator: ";", omittingEmptySubsequences: false)
    for piece in pieces {
      let sides = piece.split(separator: ":", omittingEmptySubsequences: false)
      guard sides.count == 2, isName(String(sides[0])), Self.isValue(sides[1]) else { return nil }
      if let last = entries.last {
        guard last.name.utf8.lexicographicallyPrecedes(sides[0].utf8) else { return nil }
      }
      entries.append(Entry(name: String(sides[0]), value: String(sides[1])))
    }
    self.entries = entries
  }

  /// The text form, empty without parameters.
  package var text: String {
    entries.map { "\($0.name):\($0.value)" }.joined(separator: ";")
  }

  /// The value of a parameter, nil when it is not among them.
  package subscript(_ name: String) -> String? {
    entries.first { $0.name == name }?.value
  }

  private static func isValue(_ text: Substring) -> Bool {
    isName(String(text.map { $0 == "." || $0 == "+" ? "-" : $0 }))
  }
}
