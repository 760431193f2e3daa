// SPDX-License-Identifier: Apache-2.0

/// Whether the text is a name: one or more of `A-Z a-z 0-9 _ -`, so that no consumer trips over it.
package func isName(_ text: String) -> Bool {
  !text.isEmpty && text.utf8.allSatisfy(isNameByte)
}

/// Turns any text into a name: `-` for every other ASCII character, and `u` with its number for a
/// letter beyond ASCII, so that names in other scripts stay apart; `unnamed` for none at all.
///
/// For benchmarks named after files: `soykb 2.json` becomes `soykb-2-json`, `größe` becomes
/// `gruF6uDFe`.
package func nameReplacingOthers(in text: String) -> String {
  var name = ""
  for scalar in text.unicodeScalars {
    if scalar.value >= 0x80 {
      name += "u" + String(scalar.value, radix: 16, uppercase: true)
    } else {
      name.unicodeScalars.append(isNameByte(UInt8(scalar.value)) ? scalar : "-")
    }
  }
  return name.isEmpty ? "unnamed" : name
}

/// Whether the text is made of `digits` lower-case hexadecimal digits.
package func isHexadecimal(_ text: String, digits: Int) -> Bool {
  text.utf8.count == digits
    && text.utf8.allSatisfy { isDigit($0) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0) }
}

func isDigit(_ byte: UInt8) -> Bool {
  (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
}

private func isNameByte(_ byte: UInt8) -> Bool {
  switch byte {
  case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
    true
  default: false
  }
}
