// SPDX-License-Identifier: Apache-2.0

/// The V2 encoding of HdrHistogram, without its compression.
///
/// A header of 40 bytes, big-endian: cookie, length of the payload, normalizing index offset,
/// significant digits, lowest and highest figure, conversion ratio. Then the counts up to the last
/// one in use as ZigZag LEB128 numbers, a run of n empty buckets as the number -n. The published
/// form wraps this in zlib and a header of 8 bytes. Pure functions; any thread.
/// Source: HdrHistogram's V2EncodedHistogramFormat, https://hdrhistogram.org.
extension HdrHistogram {
  /// The cookie of the uncompressed V2 encoding; its second lowest digit must be ignored.
  static let encodingCookie: UInt32 = 0x1c84_9313
  private static let cookieMask: UInt32 = ~0xf0
  private static let headerSize = 40

  /// The bytes of the uncompressed V2 encoding.
  ///
  /// O(buckets).
  package func encodedV2() -> [UInt8] {
    var payload: [UInt8] = []
    var empty: Int64 = 0
    let used = counts[...(counts.lastIndex { $0 > 0 } ?? -1)]
    for count in used {
      if count == 0 {
        empty += 1
        continue
      }
      if empty > 0 { ZigZagLEB128.append(-empty, to: &payload) }
      empty = 0
      ZigZagLEB128.append(count, to: &payload)
    }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(Self.headerSize + payload.count)
    Self.append(Self.encodingCookie, to: &bytes)
    Self.append(UInt32(payload.count), to: &bytes)
    Self.append(UInt32(0), to: &bytes)
    Self.append(UInt32(layout.significantDigits), to: &bytes)
    Self.append(UInt64(layout.lowestDiscernible), to: &bytes)
    Self.append(UInt64(layout.highestTrackable), to: &bytes)
    Self.append(Double(1).bitPattern, to: &bytes)
    return bytes + payload
  }

  /// Reads the uncompressed V2 encoding.
  ///
  /// A conversion ratio other than 1 and a shifted array are refused, since nothing here would
  /// apply them. Throws the first finding with its place. O(bytes + buckets).
  package init(encodedV2 bytes: [UInt8]) throws(DecodingFailure) {
    guard bytes.count >= Self.headerSize else { throw .truncated(offset: bytes.count) }
    let cookie = UInt32(Self.number(bytes, at: 0, size: 4))
    guard cookie & Self.cookieMask == Self.encodingCookie & Self.cookieMask else {
      throw .unknownCookie(cookie)
    }
    let length = Int(Self.number(bytes, at: 4, size: 4))
    let end = Self.headerSize + length
    guard bytes.count >= end else { throw .truncated(offset: bytes.count) }
    guard bytes.count == end else { throw .trailingBytes(offset: end) }
    guard Self.number(bytes, at: 8, size: 4) == 0,
      Double(bitPattern: Self.number(bytes, at: 32, size: 8)) == 1,
      let lowest = Int64(exactly: Self.number(bytes, at: 16, size: 8)),
      let highest = Int64(exactly: Self.number(bytes, at: 24, size: 8)),
      let layout = Layout(
        lowestDiscernible: lowest, highestTrackable: highest,
        significantDigits: Int(Self.number(bytes, at: 12, size: 4)))
    else { throw .unsupportedHeader }
    var counts: [Int64] = []
    var total: Int64 = 0
    var offset = Self.headerSize
    while offset < end {
      let start = offset
      guard let number = ZigZagLEB128.read(bytes, at: &offset) else {
        throw .truncated(offset: start)
      }
      // Zero stands for one empty bucket, as some writers put it.
      let empty = number > 0 ? 0 : max(1, number.magnitude)
      guard empty <= UInt64(layout.bucketCount - counts.count), counts.count < layout.bucketCount
      else { throw .tooManyCounts(offset: start) }
      if empty > 0 {
        counts.append(contentsOf: repeatElement(0, count: Int(empty)))
      } else {
        let (sum, overflows) = total.addingReportingOverflow(number)
        guard !overflows else { throw .totalOverflows(offset: start) }
        total = sum
        counts.append(number)
      }
    }
    self.init(layout: layout, counts: counts, totalCount: total)
  }

  /// Why bytes are not a histogram; places are byte offsets.
  package enum DecodingFailure: Error, Hashable {
    /// The bytes end inside the header, the payload or a number.
    case truncated(offset: Int)
    /// There are bytes after the payload.
    case trailingBytes(offset: Int)
    /// The first four bytes are not those of the V2 encoding.
    case unknownCookie(UInt32)
    /// Digits, range, offset or ratio are out of range or not supported.
    case unsupportedHeader
    /// There are more counts than the range has buckets.
    case tooManyCounts(offset: Int)
    /// The counts add up to more than 64 bits hold.
    case totalOverflows(offset: Int)
  }

  private static func append<Number: FixedWidthInteger>(_ number: Number, to bytes: inout [UInt8]) {
    for shift in stride(from: Number.bitWidth - 8, through: 0, by: -8) {
      bytes.append(UInt8(truncatingIfNeeded: number >> Number(shift)))
    }
  }

  private static func number(_ bytes: [UInt8], at offset: Int, size: Int) -> UInt64 {
    bytes[offset..<(offset + size)].reduce(0) { $0 << 8 | UInt64($1) }
  }
}

/// Signed numbers in 1 to 9 bytes, small magnitudes first, as HdrHistogram writes them.
///
/// The sign moves to the lowest bit; then 7 bits go to each byte, lowest first, the highest bit
/// saying that more follow. The ninth byte holds 8 bits and has no such mark.
enum ZigZagLEB128 {
  static func append(_ number: Int64, to bytes: inout [UInt8]) {
    var rest = UInt64(bitPattern: (number << 1) ^ (number >> 63))
    for _ in 0..<8 {
      if rest < 0x80 {
        bytes.append(UInt8(rest))
        return
      }
      bytes.append(UInt8(rest & 0x7f) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }

  /// Reads the number at an offset and moves behind it; nil when the bytes end inside it.
  static func read(_ bytes: [UInt8], at offset: inout Int) -> Int64? {
    var encoded: UInt64 = 0
    for place in 0..<9 {
      guard offset < bytes.count else { return nil }
      let byte = UInt64(bytes[offset])
      offset += 1
      if place == 8 {
        encoded |= byte << 56
      } else {
        encoded |= (byte & 0x7f) << UInt64(7 * place)
        if byte < 0x80 { break }
      }
    }
    return Int64(bitPattern: encoded >> 1) ^ -Int64(bitPattern: encoded & 1)
  }
}
