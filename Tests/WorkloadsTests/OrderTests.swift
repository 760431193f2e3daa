// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Workloads

/// Bodies called by hand, in an order that the dependencies allow and in one that they forbid.
@Suite struct OrderTests {
  private func difference(
    count: Int, order: [Int], body: (Int, Slots) -> @Sendable () -> Void
  ) throws -> String? {
    let storage = try SlotStorage(count: count)
    for index in order { body(index, storage.slots)() }
    return storage.differenceAfterIteration()
  }

  @Test func aChainInOrderPassesAndOneOutOfOrderDoesNot() throws {
    #expect(try difference(count: 4, order: [0, 1, 2, 3], body: Chain.body) == nil)
    #expect(try difference(count: 4, order: [0, 2, 1, 3], body: Chain.body) != nil)
  }

  @Test func aWavefrontMayRunByDiagonalsButNotFromItsEnd() throws {
    let body = { (index: Int, slots: Slots) in
      Wavefront.body(row: index / 3, column: index % 3, side: 3, slots: slots)
    }
    #expect(try difference(count: 9, order: [0, 3, 1, 6, 4, 2, 7, 5, 8], body: body) == nil)
    #expect(try difference(count: 9, order: [0, 1, 3, 4, 2, 5, 7, 6, 8], body: body) != nil)
    #expect(try difference(count: 9, order: [0, 3, 4, 1, 2, 5, 6, 7, 8], body: body) != nil)
  }

  @Test func theLastOfAFanChecksEveryOneBeforeIt() throws {
    let shape = FanShape(rounds: 2, width: 3)
    let body = { (index: Int, slots: Slots) in
      Fan.body(index, after: shape.predecessors(of: index), slots: slots)
    }
    #expect(
      try difference(count: 10, order: [0, 3, 1, 2, 4, 5, 8, 7, 6, 9], body: body) == nil)
    for late in 1...3 {
      let order = [0] + (1...3).filter { $0 != late } + [4, late, 5, 6, 7, 8, 9]
      #expect(try difference(count: 10, order: order, body: body) != nil)
    }
    #expect(
      try difference(count: 10, order: [0, 1, 2, 3, 5, 4, 6, 7, 8, 9], body: body) != nil)
  }

  @Test func aLayeredGraphChecksTheOrderOnlyWhenAsked() throws {
    let graph = try LayeredGraph(layers: 3, width: 4, degree: 2, seed: 42)
    let backwards = Array((0..<12).reversed())
    for checking in [true, false] {
      let body = { (index: Int, slots: Slots) in
        Layered.body(index, of: graph, checkingOrder: checking, slots: slots)
      }
      #expect(try difference(count: 12, order: Array(0..<12), body: body) == nil)
      #expect(try (difference(count: 12, order: backwards, body: body) != nil) == checking)
    }
  }

  @Test func aBodyThatRanTwiceOrNeverIsNamed() throws {
    let body = { (index: Int, slots: Slots) in
      let run: @Sendable () -> Void = { slots.increment(index) }
      return run
    }
    let twice = try #require(try difference(count: 3, order: [0, 1, 2, 1], body: body))
    #expect(twice.contains("1 of 3") && twice.contains("slot 1 holds 2, expected 1"))
    let never = try #require(try difference(count: 3, order: [0, 1], body: body))
    #expect(never.contains("slot 2 holds 0, expected 1"))
  }
}
