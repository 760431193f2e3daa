// SPDX-License-Identifier: Apache-2.0

/// Text that must stay on one line of a `key=value` or result line: `%`, line feed and carriage return as `%XX`.
package enum LineText {
  package static func escaped(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "%": result += "%25"
      case "\n": result += "%0A"
      case "\r": result += "%0D"
      case "\0": result += "%00"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  /// The text before `escaped`; nil when an escape is malformed.
  package static func plain(_ text: some StringProtocol) -> String? {
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
