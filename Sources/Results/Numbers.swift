// SPDX-License-Identifier: Apache-2.0

/// Reads decimal digits without a sign or leading zeros, as `String(Int)` writes them; nil for
/// anything else.
package func wholeNumber(_ text: String) -> Int? {
  guard let number = Int(text), number >= 0, String(number) == text else { return nil }
  return number
}

/// Reads a finite number in the form that JSON allows; nil for anything else.
///
/// `Double.init` alone would also take `nan`, `inf`, `+1` and `0x1p3`.
package func decimalNumber(_ text: String) -> Double? {
  let characters = Array("0123456789.eE+-".utf8)
  guard text.utf8.allSatisfy(characters.contains), let first = text.utf8.first,
    isDigit(first) || first == UInt8(ascii: "-"), let number = Double(text), number.isFinite
  else { return nil }
  return number
}
