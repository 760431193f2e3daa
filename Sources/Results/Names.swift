// SPDX-License-Identifier: Apache-2.0

/// Whether the text is a name: one or more of `A-Z a-z 0-9 _ -`, so that no consumer trips over it.
package func isName(_ text: String) -> Bool {
  !text.isEmpty && text.utf8.allSatisfy(isNameByte)
}

/// Turns any text into a name by putting `-` for every other character; `unnamed` for none at all.
///
/// For benchmarks named after files: `soykb 2.json` becomes `soykb-2-json`.
package func nameReplacingOthers(in text: String) -> String {
  let name = text.map { character in
    character.utf8.count == 1 && character.utf8.allSatisfy(isNameByte) ? character : "-"
  }
  return name.isEmpty ? "unnamed" : String(name)
}

/// Whether the text is made of `digits` lower-case hexadecimal digits.
func isHexadecimal(_ text: String, digits: Int) -> Bool {
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
