// SPDX-License-Identifier: Apache-2.0

/// JSON as text, as far as this room writes it.
///
/// Pure functions; any thread.
enum JSONText {
  /// A string in quotation marks; control characters are escaped, everything else stays as it is.
  static func string(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "\t": result += "\\t"
      case "\u{0}"..."\u{1F}":
        let digits = String(scalar.value, radix: 16)
        result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }

  /// An object on one line; the values are JSON already.
  static func object(_ members: [(name: String, value: String)]) -> String {
    "{" + members.map { "\(string($0.name)): \($0.value)" }.joined(separator: ", ") + "}"
  }

  /// An array on one line; the elements are JSON already.
  static func array(_ elements: [String]) -> String {
    "[" + elements.joined(separator: ", ") + "]"
  }

  /// An array with one element on each line and a line feed at its end.
  static func lines(_ elements: [String]) -> String {
    elements.isEmpty ? "[]\n" : "[\n  " + elements.joined(separator: ",\n  ") + "\n]\n"
  }
}
