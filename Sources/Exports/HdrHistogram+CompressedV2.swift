// SPDX-License-Identifier: Apache-2.0

internal import Encodings
package import Statistics

/// The compressed V2 encoding of HdrHistogram in base 64, the form in which its tools pass
/// histograms on.
///
/// A header of 8 bytes, big-endian: cookie, length of what follows. Then the uncompressed encoding
/// as a zlib stream. Pure functions; any thread.
/// Source: HdrHistogram's V2CompressedHistogramFormat, https://hdrhistogram.org.
extension HdrHistogram {
  /// The cookie of the compressed V2 encoding; its second lowest digit must be ignored.
  private static let compressionCookie: UInt32 = 0x1c84_9314
  private static let compressionCookieMask: UInt32 = ~0xf0
  private static let compressionHeaderSize = 8
  /// More than the encoding of any layout takes: below 2^23 counts of at most 9 bytes.
  private static let encodingLimit = 9 << 23

  /// The compressed V2 encoding in base 64.
  ///
  /// O(buckets).
  package func encodedCompressedV2() -> String {
    let stream = Zlib.deflated(encodedV2())
    let header = [Self.compressionCookie, UInt32(stream.count)].flatMap { word in
      [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: word >> $0) }
    }
    return Base64.encoded(header + stream)
  }

  /// Reads the compressed V2 encoding from its base 64.
  ///
  /// Throws the first finding with its place. O(characters + buckets).
  package init(encodedCompressedV2 text: String) throws(CompressedDecodingFailure) {
    let bytes: [UInt8]
    do { bytes = try Base64.decoded(text) } catch { throw .notBase64(offset: error.offset) }
    guard bytes.count >= Self.compressionHeaderSize else { throw .truncated(offset: bytes.count) }
    func word(at offset: Int) -> UInt32 {
      bytes[offset..<(offset + 4)].reduce(0) { $0 << 8 | UInt32($1) }
    }
    guard
      word(at: 0) & Self.compressionCookieMask
        == Self.compressionCookie & Self.compressionCookieMask
    else { throw .unknownCookie(word(at: 0)) }
    let end = Self.compressionHeaderSize + Int(word(at: 4))
    guard bytes.count >= end else { throw .truncated(offset: bytes.count) }
    guard bytes.count == end else { throw .trailingBytes(offset: end) }
    let encoding: [UInt8]
    do {
      encoding = try Zlib.inflated(
        Array(bytes[Self.compressionHeaderSize...]), limit: Self.encodingLimit)
    } catch {
      switch error {
      case .damaged: throw .damagedStream(offset: Self.compressionHeaderSize)
      case .tooLong: throw .longStream(offset: Self.compressionHeaderSize)
      case .trailingBytes(let taken):
        throw .trailingBytes(offset: Self.compressionHeaderSize + taken)
      }
    }
    do { try self.init(encodedV2: encoding) } catch { throw .encoding(error) }
  }

  /// Why a text is not a compressed histogram; places are offsets in characters of the text, or in
  /// bytes of what its base 64 holds.
  package enum CompressedDecodingFailure: Error, Hashable, CustomStringConvertible {
    /// The character there is none of base 64, or the text ends there too early.
    case notBase64(offset: Int)
    /// The bytes end inside the header or before the length that it says.
    case truncated(offset: Int)
    /// There are bytes after the stream.
    case trailingBytes(offset: Int)
    /// The first four bytes are not those of the compressed V2 encoding.
    case unknownCookie(UInt32)
    /// The bytes from there are no complete zlib stream that fits its checksum.
    case damagedStream(offset: Int)
    /// The zlib stream holds more than any histogram.
    case longStream(offset: Int)
    /// What the stream holds is not the V2 encoding.
    case encoding(DecodingFailure)

    /// Place, finding, expectation and next step, on one line.
    package var description: String {
      let (place, finding, expectation) = message
      return "histogram: \(place): \(finding); expected \(expectation); encode it again"
    }

    private var message: (String, String, String) {
      switch self {
      case .notBase64(let offset):
        ("character \(offset)", "not base 64", "A-Z a-z 0-9 + / and = up to a multiple of four")
      case .truncated(let offset):
        ("byte \(offset)", "the bytes end", "as many bytes as the header says")
      case .trailingBytes(let offset):
        ("byte \(offset)", "more bytes", "the end of the zlib stream")
      case .unknownCookie(let cookie):
        ("byte 0", "cookie 0x\(String(cookie, radix: 16))", "0x1c849314, compressed V2")
      case .damagedStream(let offset):
        ("byte \(offset)", "no sound zlib stream", "a complete one that fits its checksum")
      case .longStream(let offset):
        ("byte \(offset)", "the zlib stream holds more than any histogram", "at most 72 MiB")
      case .encoding(let failure):
        ("encoding", "\(failure)", "the V2 encoding within the stream")
      }
    }
  }
}
