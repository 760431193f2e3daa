// SPDX-License-Identifier: Apache-2.0

/// Gives every distinct byte string a small number, in order of first appearance.
///
/// Compares bytes, not characters, so that ids that differ only in Unicode normalisation, or are no
/// valid UTF-8, stay apart. The hash is keyed anew in each process, so that no file can be made to
/// collide. Expected O(length) a call.
struct NameTable {
  private var storage: [UInt8] = []
  private var ends: [UInt32] = []

  /// Per slot 32 bits of the hash, then the number of the name, so that a probe touches little
  /// other memory.
  private var slots: [UInt64] = Array(repeating: free, count: 16)
  private static let free = UInt64.max
  private static let key: (UInt64, UInt64) = (
    UInt64.random(in: 0 ... .max), UInt64.random(in: 0 ... .max) | 1
  )

  /// Distinct names so far.
  var count: Int { ends.count }

  /// Largest number of names, a limit of the indices.
  ///
  /// Names come from files of less than 2^31 bytes, or are bounded
  /// expansions, so that their sum stays below 2^32.
  static let limit = Int(Int32.max)

  /// The number of `name`, new if `isNew`.
  mutating func intern(_ name: ArraySlice<UInt8>) -> (index: Int, isNew: Bool) {
    // At most three quarters full.
    if (count + 1) / 3 * 4 >= slots.count - 4 { grow() }
    let hash = Self.hash(name)
    let slot = probe(name, hash: hash)
    if slots[slot] != Self.free { return (Self.index(slots[slot]), false) }
    if count >= Self.limit {
      fatalError("NameTable: more than \(Self.limit) names; a file this large is refused earlier")
    }
    slots[slot] = UInt64(hash) << 32 | UInt64(count)
    storage.append(contentsOf: name)
    ends.append(UInt32(storage.count))
    return (count - 1, true)
  }

  /// The number of `name`, or nil when it was never interned.
  func find(_ name: ArraySlice<UInt8>) -> Int? {
    let slot = slots[probe(name, hash: Self.hash(name))]
    return slot == Self.free ? nil : Self.index(slot)
  }

  /// The name with this number; invalid UTF-8 is repaired for display.
  func name(_ index: Int) -> String {
    String(decoding: storage[range(index)], as: UTF8.self)
  }

  private func range(_ index: Int) -> Range<Int> {
    (index == 0 ? 0 : Int(ends[index - 1]))..<Int(ends[index])
  }

  private static func index(_ slot: UInt64) -> Int { Int(slot & 0xFFFF_FFFF) }

  /// The slot that holds `name`, or the free one where it belongs.
  private func probe(_ name: ArraySlice<UInt8>, hash: UInt32) -> Int {
    let mask = slots.count - 1
    var slot = Int(hash) & mask
    while slots[slot] != Self.free {
      if slots[slot] >> 32 == UInt64(hash), equals(name, range(Self.index(slots[slot]))) {
        return slot
      }
      slot = (slot + 1) & mask
    }
    return slot
  }

  private func equals(_ name: ArraySlice<UInt8>, _ range: Range<Int>) -> Bool {
    guard name.count == range.count else { return false }
    let shift = range.lowerBound - name.startIndex
    for index in name.indices where name[index] != storage[index + shift] { return false }
    return true
  }

  private mutating func grow() {
    // 32 bits of hash place every name, since the limit on names keeps the table below 2^32 slots.
    let mask = slots.count * 2 - 1
    var larger = Array(repeating: Self.free, count: slots.count * 2)
    for entry in slots where entry != Self.free {
      var slot = Int(entry >> 32) & mask
      while larger[slot] != Self.free { slot = (slot + 1) & mask }
      larger[slot] = entry
    }
    slots = larger
  }

  /// Mixes eight bytes at a time into a keyed 128-bit product.
  private static func hash(_ name: ArraySlice<UInt8>) -> UInt32 {
    var state = key.0 ^ UInt64(name.count)
    var word: UInt64 = 0
    var filled: UInt64 = 0
    for byte in name {
      word |= UInt64(byte) << filled
      filled += 8
      if filled == 64 {
        state = mix(state ^ word)
        word = 0
        filled = 0
      }
    }
    return UInt32(truncatingIfNeeded: mix(mix(state ^ word) ^ key.1))
  }

  @inline(__always) private static func mix(_ value: UInt64) -> UInt64 {
    let product = (value ^ (value >> 32)).multipliedFullWidth(by: key.1)
    return product.high ^ product.low
  }
}
