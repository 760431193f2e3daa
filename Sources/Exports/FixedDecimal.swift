// SPDX-License-Identifier: Apache-2.0

/// Returns a figure with so many decimals, aligned to the right in a width.
///
/// What `printf` writes for `%*.*f`: the exact value of the double, rounded to the nearest, ties to
/// even. For figures from 0 to below 2^64 and up to 12 decimals; stops the process otherwise. Pure;
/// any thread. O(width).
func fixedDecimal(_ figure: Double, decimals: Int, width: Int = 0) -> String {
  guard figure >= 0, figure < 0x1p64, (0...12).contains(decimals) else {
    fatalError("fixedDecimal: \(figure) with \(decimals) decimals; expected 0 to 2^64, 0 to 12")
  }
  var whole = UInt64(figure)
  // The fraction in units of 2^-64; bits below, which only figures below 2^-11 have, decide no tie.
  let scaled = (figure - figure.rounded(.down)) * 0x1p64
  let rest = scaled - scaled.rounded(.down)
  let scale = (0..<decimals).reduce(UInt128(1)) { product, _ in product * 10 }
  let product = UInt128(UInt64(scaled)) * scale
  var digits = product >> 64
  let half = UInt128(1) << 63
  let remainder = product & (half * 2 - 1)
  if remainder > half || remainder == half && (rest > 0 || isOdd(digits, whole, decimals)) {
    digits += 1
  }
  if digits == scale {
    digits = 0
    whole += 1
  }
  let fraction = String(digits)
  let zeros = String(repeating: "0", count: max(0, decimals - fraction.count))
  return padded(decimals == 0 ? "\(whole)" : "\(whole).\(zeros)\(fraction)", width: width)
}

/// Whether the last digit of a decimal is odd.
private func isOdd(_ digits: UInt128, _ whole: UInt64, _ decimals: Int) -> Bool {
  decimals == 0 ? !whole.isMultiple(of: 2) : !digits.isMultiple(of: 2)
}

/// Returns the text with blanks before it up to the width.
func padded(_ text: String, width: Int) -> String {
  String(repeating: " ", count: max(0, width - text.count)) + text
}
