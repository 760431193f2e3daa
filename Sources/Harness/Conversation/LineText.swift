// SPDX-License-Identifier: Apache-2.0

/// Text that must stay within a field of a line: `%`, blank, line feed, carriage return and NUL as
/// `%XX`, by the bytes of UTF-8.
enum LineText {
  /// The text of a value.
  static func escaped(_ text: String) -> String { escaped(text, andAlso: nil) }

  /// The text of a part of a key, which ends at the first `=`.
  static func escapedKey(_ text: String) -> String { escaped(text, andAlso: "=") }

  private static func escaped(_ text: String, andAlso other: Unicode.Scalar?) -> String {
    // Nearly every value is a number or a name.
    let special = Array("% \n\r\0=".utf8)
    guard text.utf8.contains(where: special.contains) else { return text }
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "%": result += "%25"
      case " ": result += "%20"
      case "\n": result += "%0A"
      case "\r": result += "%0D"
      case "\0": result += "%00"
      case "=" where other == "=": result += "%3D"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  /// The text before `escaped`; nil when an escape is malformed.
  static func plain(_ text: some StringProtocol) -> String? {
    guard text.utf8.contains(UInt8(ascii: "%")) else { return String(text) }
    var bytes: [UInt8] = []
    var rest = text.utf8[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      let digits = rest.prefix(2)
      guard digits.count == 2, let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
      else { return nil }
      bytes.append(value)
      rest.removeFirst(2)
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
