// SPDX-License-Identifier: Apache-2.0

internal import Encodings

/// Columns of whole numbers, as the script of a page reads them.
///
/// A value is a LEB128 number: 0 where there is none, else 1 more than the zigzag form of its
/// difference from the value before it in its column. All columns lie one behind the other and are
/// compressed together; times that rise and ids that repeat come to a byte or two.
struct PageColumns {
  private var bytes: [UInt8] = []

  /// Appends a column.
  mutating func append(_ values: some Sequence<Int64?>) {
    var before: Int64 = 0
    for value in values {
      guard let value else {
        bytes.append(0)
        continue
      }
      let difference = value &- before
      before = value
      appendNumber(UInt64(bitPattern: difference << 1 ^ difference >> 63) + 1)
    }
  }

  /// Everything so far, compressed, in base 64.
  var text: String { Base64.encoded(Zlib.deflated(bytes)) }

  private mutating func appendNumber(_ number: UInt64) {
    var rest = number
    while rest >= 0x80 {
      bytes.append(UInt8(rest & 0x7F) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }
}
