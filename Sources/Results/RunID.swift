// SPDX-License-Identifier: Apache-2.0

/// The name of one run: 26 characters that sort by time and do not collide.
///
/// The form of a ULID: 48 bits of Unix milliseconds, then 80 random bits, in Crockford's base 32,
/// so that only digits and upper-case letters occur. A plain value; the clock is the caller's.
package struct RunID: Sendable, Hashable, Comparable {
  /// The 26 characters.
  package let text: String

  private static let length = 26
  private static let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8)

  /// Makes the name of a run that starts now.
  ///
  /// Stops the process when the milliseconds do not fit 48 bits (before 1970, after the year
  /// 10889).
  package init(unixMilliseconds: Int64, using generator: inout some RandomNumberGenerator) {
    guard (0..<(1 << 48)).contains(unixMilliseconds) else {
      fatalError(
        "RunID: \(unixMilliseconds) milliseconds since 1970; expected 48 bits; "
          + "look at the clock of this machine")
    }
    let random = (generator.next() as UInt64, generator.next() as UInt64)
    // 130 bits make 26 digits: 10 digits hold the time, 16 the random bits.
    text =
      Self.digits(UInt64(unixMilliseconds), count: 10) + Self.digits(random.0, count: 8)
      + Self.digits(random.1, count: 8)
  }

  /// Makes the name of a run that starts now, with the system's random numbers.
  package init(unixMilliseconds: Int64) {
    var generator = SystemRandomNumberGenerator()
    self.init(unixMilliseconds: unixMilliseconds, using: &generator)
  }

  /// Reads the text form; nil unless it is 26 digits of Crockford's alphabet within 128 bits.
  package init?(text: String) {
    let bytes = Array(text.utf8)
    guard bytes.count == Self.length, bytes.allSatisfy(Self.alphabet.contains),
      bytes[0] <= UInt8(ascii: "7")
    else { return nil }
    self.text = text
  }

  package static func < (earlier: RunID, later: RunID) -> Bool {
    earlier.text.utf8.lexicographicallyPrecedes(later.text.utf8)
  }

  /// The lowest `5 * count` bits in base 32, most significant digit first.
  private static func digits(_ bits: UInt64, count: Int) -> String {
    let digits = (0..<count).reversed().map { alphabet[Int(bits >> (5 * UInt64($0)) & 31)] }
    return String(decoding: digits, as: UTF8.self)
  }
}
