// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Operations

/// The chunks of a registry by itself; its members are addresses that nobody looks behind.
struct RegistryTests {
  /// A registry with one stripe in use.
  private struct Members: ~Copyable {
    let registry = Registry()
    /// Blocks that were used so far.
    var chunks: Set<UInt> = []

    init() { registry.open(for: 16) }

    mutating func add(_ number: Int) -> UInt {
      let slot = registry.add(UInt(number + 1) << 4, ticket: UInt64(number), stripe: 0)
      chunks.insert(slot & ~UInt(RegistryChunk.blockSize - 1))
      return slot
    }

    deinit { registry.close() }
  }

  @Test(.contract(130), arguments: [0, 1, 40])
  func chunksAreUsedAgainHoweverManyStay(_ chunksThatStay: Int) {
    var members = Members()
    let stay = chunksThatStay * RegistryChunk.capacity
    for number in 0..<stay { _ = members.add(number) }
    let atATime = 3 * RegistryChunk.capacity
    var slots: [UInt] = []
    for number in stay..<(stay + 100_000) {
      slots.append(members.add(number))
      if slots.count == atATime {
        for slot in slots { RegistryChunk.remove(slot: slot) }
        slots = []
      }
    }
    // Those of the members, as many again that were not looked at yet, and spare ones.
    let chunks = members.chunks.count
    #expect(chunks <= 2 * (chunksThatStay + 4) + 4)
  }

  /// One of each chunkful stays.
  @Test(.contract(130)) func aMemberKeepsNoMoreThanItsChunk() {
    var members = Members()
    let stay = 50
    for number in 0..<(stay * RegistryChunk.capacity) {
      let slot = members.add(number)
      if number % RegistryChunk.capacity != 0 { RegistryChunk.remove(slot: slot) }
    }
    for number in 0..<100_000 { RegistryChunk.remove(slot: members.add(number)) }
    let chunks = members.chunks.count
    #expect(chunks <= 2 * (stay + 1) + 4)
  }

  /// A buried member keeps its chunk until it is removed, and is found by nobody.
  @Test func buriedMembersKeepTheirChunk() {
    var members = Members()
    let slots = (0..<RegistryChunk.capacity).map { members.add($0) }
    for slot in slots { RegistryChunk.bury(slot: slot) }
    let found = members.registry.members()
    #expect(found.isEmpty)
    for number in 0..<10_000 { RegistryChunk.remove(slot: members.add(number)) }
    #expect(slots.allSatisfy { RegistryChunk.queueWord(ofSlot: $0) == 16 })
    #expect(slots.indices.allSatisfy { RegistryChunk.ticket(ofSlot: slots[$0]) == UInt64($0) })
    for slot in slots { RegistryChunk.remove(slot: slot) }
  }
}
