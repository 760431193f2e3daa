// SPDX-License-Identifier: Apache-2.0

/// A JSON value, written with members in the order given.
///
/// A plain value; any thread. O(size).
indirect enum JSONValue {
  /// Finite: JSON has no other numbers.
  case number(Double)
  case integer(Int)
  case boolean(Bool)
  case string(String)
  case array([JSONValue])
  case object([(name: String, value: JSONValue)])

  /// The value over several lines, with a line feed at its end.
  var document: String {
    var text = ""
    write(to: &text, indentation: "\n")
    return text + "\n"
  }

  private func write(to text: inout String, indentation: String) {
    switch self {
    case .number(let number):
      guard number.isFinite else {
        fatalError("JSONValue: \(number); expected a finite number; leave it out or write its name")
      }
      // The shortest text that reads back as the same double, which is a number of JSON.
      text += number.description
    case .integer(let number): text += String(number)
    case .boolean(let truth): text += truth ? "true" : "false"
    case .string(let string): Self.write(string, to: &text)
    case .array(let elements) where elements.allSatisfy(\.isScalar):
      text += "["
      for (place, element) in elements.enumerated() {
        if place > 0 { text += ", " }
        element.write(to: &text, indentation: indentation)
      }
      text += "]"
    case .array(let elements):
      Self.write(count: elements.count, to: &text, "[", "]", indentation) { place, text, inner in
        elements[place].write(to: &text, indentation: inner)
      }
    case .object(let members):
      Self.write(count: members.count, to: &text, "{", "}", indentation) { place, text, inner in
        Self.write(members[place].name, to: &text)
        text += ": "
        members[place].value.write(to: &text, indentation: inner)
      }
    }
  }

  /// Writes what stands between two brackets, one element on each line.
  private static func write(
    count: Int, to text: inout String, _ opening: String, _ closing: String,
    _ indentation: String, element: (Int, inout String, String) -> Void
  ) {
    text += opening
    let inner = indentation + "  "
    for place in 0..<count {
      if place > 0 { text += "," }
      text += inner
      element(place, &text, inner)
    }
    text += (count == 0 ? "" : indentation) + closing
  }

  /// Whether it fits on the line of its neighbours.
  private var isScalar: Bool {
    switch self {
    case .number, .integer, .boolean, .string: true
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
      case "\u{0}"..."\u{1F}":
        let digits = String(scalar.value, radix: 16)
        text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: text.unicodeScalars.append(scalar)
      }
    }
    text += "\""
  }
}
