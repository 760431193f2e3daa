// SPDX-License-Identifier: Apache-2.0

/// A JSON value, written with keys in the order given.
package indirect enum JSONText: Sendable {
  case null
  /// A number or other literal, already in JSON's form.
  case literal(String)
  case string(String)
  case array([JSONText])
  case object([(String, JSONText)])

  /// A whole number.
  package static func integer(_ value: Int) -> JSONText { .literal(String(value)) }

  /// The value on one line, arrays of the outermost level one element a line.
  package var document: String {
    guard case .array(let elements) = self, !elements.isEmpty else { return text + "\n" }
    return "[\n" + elements.map { "  " + $0.text }.joined(separator: ",\n") + "\n]\n"
  }

  /// The value on one line.
  package var text: String {
    switch self {
    case .null: "null"
    case .literal(let text): text
    case .string(let text): Self.quoted(text)
    case .array(let elements): "[" + elements.map(\.text).joined(separator: ", ") + "]"
    case .object(let members):
      "{" + members.map { "\(Self.quoted($0.0)): \($0.1.text)" }.joined(separator: ", ") + "}"
    }
  }

  private static func quoted(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "\t": result += "\\t"
      case "\r": result += "\\r"
      default:
        if scalar.value < 0x20 {
          let digits = String(scalar.value, radix: 16)
          result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        } else {
          result.unicodeScalars.append(scalar)
        }
      }
    }
    return result + "\""
  }
}
