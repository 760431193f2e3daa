// SPDX-License-Identifier: Apache-2.0

/// Reads decimal digits without a sign or leading zeros, as `String(Int)` writes them; nil for
/// anything else.
package func wholeNumber(_ text: String) -> Int? { wholeNumber(Array(text.utf8)[...]) }

/// Reads a finite number in the form that JSON allows; nil for anything else.
package func decimalNumber(_ text: String) -> Double? { decimalNumber(Array(text.utf8)[...]) }

/// Decimal digits without a sign or leading zeros, as `String(Int)` writes them; nil for any other
/// text.
func wholeNumber(_ cell: ArraySlice<UInt8>) -> Int? {
  guard let first = cell.first, first != UInt8(ascii: "0") || cell.count == 1 else { return nil }
  var number = 0
  for byte in cell {
    guard isDigit(byte) else { return nil }
    let (tens, overflowed) = number.multipliedReportingOverflow(by: 10)
    let (sum, isTooLarge) = tens.addingReportingOverflow(Int(byte - UInt8(ascii: "0")))
    guard !overflowed, !isTooLarge else { return nil }
    number = sum
  }
  return number
}

/// The finite double next to a decimal number; nil for any other text.
///
/// The form that JSON allows; `Double.init` alone would also take `nan`, `inf`, `+1` and `0x1p3`.
/// Exact: what `description` wrote reads back as the same double.
func decimalNumber(_ cell: ArraySlice<UInt8>) -> Double? {
  if let number = shortDecimal(cell) { return number }
  guard let first = cell.first, isDigit(first) || first == UInt8(ascii: "-"),
    cell.allSatisfy({ isDigit($0) || ".eE+-".utf8.contains($0) }),
    let number = Double(String(decoding: cell, as: UTF8.self)), number.isFinite
  else { return nil }
  return number
}

/// A number of few digits without an exponent, which most figures are; nil for any other text.
///
/// Both the digits as a whole number and the power of ten are doubles without rounding, so that
/// their quotient is rounded once and is the double next to the number. Source: Clinger, How to
/// Read Floating Point Numbers Accurately, PLDI 1990.
private func shortDecimal(_ cell: ArraySlice<UInt8>) -> Double? {
  let bytes = cell.span
  // Below 2 to the power of 53, and so without rounding.
  guard !bytes.isEmpty, bytes.count <= 16, isDigit(bytes[0]) else { return nil }
  var digits: UInt64 = 0
  var point: Int?
  for place in 0..<bytes.count {
    let byte = bytes[place]
    if isDigit(byte) {
      digits = digits * 10 + UInt64(byte - UInt8(ascii: "0"))
    } else if byte == UInt8(ascii: "."), point == nil {
      point = place
    } else {
      return nil
    }
  }
  guard let point else { return bytes.count <= 15 ? Double(digits) : nil }
  guard point + 1 < bytes.count else { return nil }
  return Double(digits) / powersOfTen[bytes.count - 1 - point]
}

private let powersOfTen: [Double] = [
  1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
]
