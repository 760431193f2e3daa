// SPDX-License-Identifier: Apache-2.0

/// Gives every distinct byte string a small number, in order of first appearance.
///
/// Compares bytes, not characters, so that ids that differ only in Unicode normalisation, or are no valid UTF-8, stay
/// apart. The hash is keyed anew in each process, so that no file can be made to collide. Expected O(length) a call.
struct NameTable {
  private var storage: [UInt8] = []
  private var ends: [UInt32] = []
  private var hashes: [UInt32] = []
  private var slots: [Int32] = Array(repeating: -1, count: 16)
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
    if slots[slot] >= 0 { return (Int(slots[slot]), false) }
    if count >= Self.limit {
      fatalError("NameTable: more than \(Self.limit) names; a file this large is refused earlier")
    }
    slots[slot] = Int32(count)
    storage.append(contentsOf: name)
    ends.append(UInt32(storage.count))
    hashes.append(UInt32(truncatingIfNeeded: hash))
    return (count - 1, true)
  }

  /// The number of `name`, or nil when it was never interned.
  func find(_ name: ArraySlice<UInt8>) -> Int? {
    let slot = slots[probe(name, hash: Self.hash(name))]
    return slot >= 0 ? Int(slot) : nil
  }

  /// The name with this number; invalid UTF-8 is repaired for display.
  func name(_ index: Int) -> String {
    String(decoding: storage[range(index)], as: UTF8.self)
  }

  private func range(_ index: Int) -> Range<Int> {
    (index == 0 ? 0 : ends[index - 1])..<ends[index]
  }

  /// The slot that holds `name`, or the free one where it belongs.
  private func probe(_ name: ArraySlice<UInt8>, hash: UInt64) -> Int {
    let mask = slots.count - 1
    var slot = Int(truncatingIfNeeded: hash) & mask
    while slots[slot] >= 0 {
      let index = Int(slots[slot])
      if hashes[index] == UInt32(truncatingIfNeeded: hash), equals(name, range(index)) {
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
    let mask = slots.count * 2 - 1
    slots = Array(repeating: -1, count: slots.count * 2)
    for index in 0..<count {
      // The stored 32 bits place every name while the table has at most 2^32 slots, which the limit on names ensures.
      var slot = Int(hashes[index]) & mask
      while slots[slot] >= 0 { slot = (slot + 1) & mask }
      slots[slot] = Int32(index)
    }
  }

  /// Mixes eight bytes at a time into a keyed 128-bit product.
  private static func hash(_ name: ArraySlice<UInt8>) -> UInt64 {
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
    return mix(mix(state ^ word) ^ key.1)
  }

  @inline(__always) private static func mix(_ value: UInt64) -> UInt64 {
    let product = (value ^ (value >> 32)).multipliedFullWidth(by: key.1)
    return product.high ^ product.low
  }
}
