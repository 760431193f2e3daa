// SPDX-License-Identifier: Apache-2.0

/// A JSON value, written with members in the order given.
///
/// A plain value; any thread. O(size).
package indirect enum JSONValue: Sendable {
  case null
  /// Finite: JSON has no other numbers.
  case number(Double)
  case integer(Int)
  case boolean(Bool)
  /// A number that is text already, in JSON's form.
  case literal(String)
  case string(String)
  case array([JSONValue])
  case object([(name: String, value: JSONValue)])

  /// The value over several lines, indented, with a line feed at its end.
  package var document: String {
    var text = ""
    write(to: &text, lineBreak: "\n")
    return text + "\n"
  }

  /// The value on one line, an array with a line for each of its elements; a line feed at its end.
  package var list: String {
    guard case .array(let elements) = self else { return text + "\n" }
    var text = ""
    Self.write(count: elements.count, to: &text, "[", "]", "\n") { place, text, _ in
      elements[place].write(to: &text, lineBreak: nil)
    }
    return text + "\n"
  }

  /// The value on one line.
  package var text: String {
    var text = ""
    write(to: &text, lineBreak: nil)
    return text
  }

  /// Writes the value.
  ///
  /// - Parameter lineBreak: a line feed and the indentation of the line on which the value begins;
  ///   nil for one line.
  private func write(to text: inout String, lineBreak: String?) {
    switch self {
    case .null: text += "null"
    case .number(let number):
      guard number.isFinite else {
        fatalError("JSONValue: \(number); expected a finite number; leave it out or write its name")
      }
      // The shortest text that reads back as the same double, which is a number of JSON.
      text += number.description
    case .integer(let number): text += String(number)
    case .boolean(let truth): text += truth ? "true" : "false"
    case .literal(let literal): text += literal
    case .string(let string): Self.write(string, to: &text)
    case .array(let elements):
      let outer = elements.allSatisfy(\.isScalar) ? nil : lineBreak
      Self.write(count: elements.count, to: &text, "[", "]", outer) { place, text, inner in
        elements[place].write(to: &text, lineBreak: inner)
      }
    case .object(let members):
      Self.write(count: members.count, to: &text, "{", "}", lineBreak) { place, text, inner in
        Self.write(members[place].name, to: &text)
        text += ": "
        members[place].value.write(to: &text, lineBreak: inner)
      }
    }
  }

  /// Writes what stands between two brackets, one element on each line where there are lines.
  private static func write(
    count: Int, to text: inout String, _ opening: String, _ closing: String,
    _ lineBreak: String?, element: (Int, inout String, String?) -> Void
  ) {
    text += opening
    let inner = lineBreak.map { $0 + "  " }
    for place in 0..<count {
      if place > 0 { text += inner == nil ? ", " : "," }
      text += inner ?? ""
      element(place, &text, inner)
    }
    text += (count == 0 ? "" : lineBreak ?? "") + closing
  }

  /// Whether it fits on the line of its neighbours.
  private var isScalar: Bool {
    switch self {
    case .null, .number, .integer, .boolean, .literal, .string: true
    case .array, .object: false
    }
  }

  /// Writes a string in quotation marks; control characters are escaped, others stay as they are.
  private static func write(_ string: String, to text: inout String) {
    text += "\""
    // Next to every string: bytes are looked at faster than scalars are copied.
    let isPlain = string.utf8.allSatisfy {
      $0 >= 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\")
    }
    if isPlain {
      text += string + "\""
      return
    }
    for scalar in string.unicodeScalars {
      switch scalar {
      case "\"": text += "\\\""
      case "\\": text += "\\\\"
      case "\n": text += "\\n"
      case "\t": text += "\\t"
      case "\r": text += "\\r"
      case "\u{0}"..."\u{1F}":
        let digits = String(scalar.value, radix: 16)
        text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: text.unicodeScalars.append(scalar)
      }
    }
    text += "\""
  }
}
