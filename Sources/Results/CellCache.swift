// SPDX-License-Identifier: Apache-2.0

/// What the cells of a file say that come again and again, by their bytes.
///
/// A cell that was read once costs a hash of its bytes from then on. One entry per different text:
/// for columns of which there are few.
struct CellCache<Value> {
  private struct Entry {
    let bytes: [UInt8]
    let value: Value
  }

  private var entries: [UInt64: [Entry]] = [:]

  /// The value that such bytes had before; nil when there was none.
  func value(of bytes: ArraySlice<UInt8>) -> Value? {
    guard let entries = entries[Self.hash(bytes)] else { return nil }
    for entry in entries where entry.bytes[...] == bytes { return entry.value }
    return nil
  }

  /// Keeps the value of bytes that have none yet.
  mutating func keep(_ value: Value, of bytes: ArraySlice<UInt8>) {
    entries[Self.hash(bytes), default: []].append(Entry(bytes: Array(bytes), value: value))
  }

  /// Spreads well enough; entries are compared byte for byte.
  private static func hash(_ bytes: ArraySlice<UInt8>) -> UInt64 {
    let span = unsafe bytes.span.bytes
    var hash = UInt64(truncatingIfNeeded: span.byteCount)
    var offset = 0
    while offset + 8 <= span.byteCount {
      // SAFETY: a load of a plain word inside the span.
      mix(&hash, unsafe span.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self))
      offset += 8
    }
    while offset < span.byteCount {
      // SAFETY: a load of a byte inside the span.
      mix(&hash, UInt64(unsafe span.unsafeLoad(fromByteOffset: offset, as: UInt8.self)))
      offset += 1
    }
    return hash
  }

  private static func mix(_ hash: inout UInt64, _ word: UInt64) {
    hash = (hash ^ word) &* 0x9E37_79B9_7F4A_7C15
    hash ^= hash &>> 32
  }
}
