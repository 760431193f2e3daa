// SPDX-License-Identifier: Apache-2.0

internal import CZlib

/// The zlib format of RFC 1950, in memory.
///
/// Pure functions; any thread.
package enum Zlib {
  /// Why bytes are not one complete stream within its limit.
  package enum Failure: Error, Hashable {
    /// The bytes are not a zlib stream, end inside it, or do not fit its checksum.
    case damaged
    /// The stream holds more than the limit.
    case tooLong
    /// The stream ends before the bytes do; how many bytes it took.
    case trailingBytes(taken: Int)
  }

  /// The largest ratio by which the format can shrink bytes.
  package static let largestRatio = 1032

  /// Returns the bytes as one stream at the level that zlib prefers.
  ///
  /// Stops the process when memory runs out, as every array does. O(bytes).
  package static func deflated(_ bytes: [UInt8]) -> [UInt8] {
    var size = compressBound(uLong(bytes.count))
    var stream = [UInt8](repeating: 0, count: Int(size))
    // SAFETY: zlib reads bytes.count bytes and writes at most `size`, which is what the arrays
    // hold.
    let status = unsafe compress(&stream, &size, bytes, uLong(bytes.count))
    guard status == Z_OK else {
      fatalError("Zlib: compress returned \(status) for \(bytes.count) bytes; expected memory")
    }
    return Array(stream.prefix(Int(size)))
  }

  /// Returns what the stream holds, at most `limit` bytes.
  ///
  /// Stops the process when memory runs out. O(limit), and never more than the format can hold in
  /// so many bytes.
  package static func inflated(_ stream: [UInt8], limit: Int) throws(Failure) -> [UInt8] {
    let room = min(limit, stream.count * largestRatio)
    var bytes = [UInt8](repeating: 0, count: max(1, room))
    var size = uLong(bytes.count)
    var taken = uLong(stream.count)
    // SAFETY: zlib reads `taken` bytes and writes at most `size`, which is what the arrays hold.
    let status = unsafe uncompress2(&bytes, &size, stream, &taken)
    switch status {
    case Z_OK: break
    case Z_DATA_ERROR: throw .damaged
    case Z_BUF_ERROR: throw .tooLong
    default: fatalError("Zlib: uncompress returned \(status) for \(room) bytes; expected memory")
    }
    guard Int(taken) == stream.count else { throw .trailingBytes(taken: Int(taken)) }
    return Array(bytes.prefix(Int(size)))
  }
}
