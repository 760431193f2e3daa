// SPDX-License-Identifier: Apache-2.0

/// Base 64 with padding, as RFC 4648 defines it in section 4.
///
/// Pure functions; any thread.
package enum Base64 {
  private static let alphabet = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
  private static let padding = UInt8(ascii: "=")

  /// The offset of the first character that does not belong where it stands.
  package struct Failure: Error, Hashable {
    package let offset: Int

    package init(offset: Int) { self.offset = offset }
  }

  /// Returns the text form of the bytes.
  ///
  /// O(bytes).
  package static func encoded(_ bytes: [UInt8]) -> String {
    var text: [UInt8] = []
    text.reserveCapacity((bytes.count + 2) / 3 * 4)
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let group = bytes[start..<min(start + 3, bytes.count)]
      let word = group.enumerated().reduce(UInt32(0)) { $0 | UInt32($1.1) << (16 - 8 * $1.0) }
      for place in 0..<4 {
        let digit = Int(word >> (18 - 6 * UInt32(place)) & 63)
        text.append(place <= group.count ? alphabet[digit] : padding)
      }
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// Reads the text form; nothing but its characters is taken, no white space either.
  ///
  /// Bits of the last character that no byte takes must be zero, so that every text has one
  /// meaning. O(characters).
  package static func decoded(_ text: String) throws(Failure) -> [UInt8] {
    let characters = Array(text.utf8)
    let digits = characters.prefix { $0 != padding }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(characters.count / 4 * 3)
    var word: UInt32 = 0
    var bits = 0
    for (offset, character) in digits.enumerated() {
      guard let digit = alphabetIndex[Int(character)] else { throw Failure(offset: offset) }
      word = word << 6 | UInt32(digit)
      bits += 6
      if bits >= 8 {
        bits -= 8
        bytes.append(UInt8(truncatingIfNeeded: word >> UInt32(bits)))
      }
    }
    guard bits < 6, word & ((1 << UInt32(bits)) - 1) == 0 else {
      throw Failure(offset: max(0, digits.count - 1))
    }
    let padded = digits.count + (4 - digits.count % 4) % 4
    for offset in digits.count..<max(characters.count, padded) {
      guard offset < characters.count, offset < padded, characters[offset] == padding else {
        throw Failure(offset: offset)
      }
    }
    return bytes
  }

  private static let alphabetIndex: [UInt8?] = {
    var index = [UInt8?](repeating: nil, count: 256)
    for (digit, character) in alphabet.enumerated() { index[Int(character)] = UInt8(digit) }
    return index
  }()
}
