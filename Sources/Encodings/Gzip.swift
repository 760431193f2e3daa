// SPDX-License-Identifier: Apache-2.0

internal import CZlib

/// The gzip format of RFC 1952, in memory: one member without a name and without a time, so that
/// equal bytes give equal files.
///
/// Pure functions; any thread.
package enum Gzip {
  /// The first bytes of every file of the format.
  package static let magic: [UInt8] = [0x1f, 0x8b]
  /// The head of a stream of zlib, which gzip replaces by its own.
  private static let zlibHead = 2
  /// The checksum behind it.
  private static let zlibTail = 4
  /// Deflated, no flags, no time, no hint, from an unknown system.
  private static let head: [UInt8] = magic + [8, 0, 0, 0, 0, 0, 0, 255]

  /// Returns the bytes as one file at the level that zlib prefers.
  ///
  /// Stops the process when memory runs out, as every array does. O(bytes).
  package static func compressed(_ bytes: [UInt8]) -> [UInt8] {
    let stream = Zlib.deflated(bytes)
    var file = head
    file.reserveCapacity(stream.count + 12)
    file += stream[zlibHead..<(stream.count - zlibTail)]
    append(checksum(bytes), to: &file)
    append(UInt32(truncatingIfNeeded: bytes.count), to: &file)
    return file
  }

  /// The CRC of RFC 1952, of so many bytes as an array holds.
  private static func checksum(_ bytes: [UInt8]) -> UInt32 {
    // SAFETY: zlib reads `count` bytes, which is what the array holds.
    let sum = unsafe crc32_z(0, bytes, bytes.count)
    return UInt32(truncatingIfNeeded: sum)
  }

  /// Least byte first.
  private static func append(_ word: UInt32, to file: inout [UInt8]) {
    for shift in stride(from: 0, to: 32, by: 8) {
      file.append(UInt8(truncatingIfNeeded: word >> shift))
    }
  }
}
