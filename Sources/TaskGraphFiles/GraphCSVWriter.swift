// SPDX-License-Identifier: Apache-2.0

extension TaskGraph {
  /// The graph in the form that `GraphCSVReader` reads, with its facts and these above them.
  ///
  /// Ids are the numbers of the tasks from 1 on. Control characters of names and facts, which a
  /// line has no room for, become U+FFFD. O(bytes).
  package func csv(facts first: [Fact] = []) -> [UInt8] {
    var bytes: [UInt8] = []
    func line(_ text: String) {
      bytes.append(contentsOf: text.utf8)
      bytes.append(UInt8(ascii: "\n"))
    }
    let keys = Set(first.map(\.key))
    for fact in first + facts.filter({ !keys.contains($0.key) }) {
      line("# \(Self.oneLine(fact.key)): \(Self.oneLine(fact.value))")
    }
    line(GraphCSVReader.columnsWithName)
    for (index, task) in tasks.enumerated() {
      let after = task.parents.map { String($0 + 1) }.joined(separator: " ")
      line("\(index + 1),\(task.durationNanoseconds),\(after),\(Self.field(task.name))")
    }
    return bytes
  }

  private static func oneLine(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      result.unicodeScalars.append(scalar.value < 0x20 ? "\u{FFFD}" : scalar)
    }
    return result
  }

  private static func field(_ name: String) -> String {
    let text = oneLine(name)
    guard text.utf8.contains(where: { $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: "\"") }) else {
      return text
    }
    return "\""
      + text.split(separator: "\"", omittingEmptySubsequences: false)
      .joined(separator: "\"\"") + "\""
  }
}
