// SPDX-License-Identifier: Apache-2.0

import Synchronization
import TestSupport
import Testing

@testable import ConcurrencyPrimitives

/// The ladder for deques: one thread, then growth and wrap-around, then one thief, then many.
@Suite struct WordDequeTests {
  @Test func popsReturnTheNewestFirstAndStealsTheOldest() {
    let bank = DequeBank(capacity: 8)
    let deque = bank.owned(0)
    for word in 1...4 { deque.push(UInt(word)) }
    #expect(deque.pop() == 4)
    #expect(deque.steal() == .stolen(1))
    #expect(deque.pop() == 3)
    #expect(deque.steal() == .stolen(2))
    #expect(deque.pop() == nil)
    #expect(deque.steal() == .empty)
    #expect(deque.isEmpty && deque.isEmptyForOwner)
  }

  @Test func aBatchPopsInTheOrderGiven() {
    let bank = DequeBank(capacity: 2)
    let deque = bank.owned(3)
    deque.push(9)
    var next: UInt = 0
    deque.push(count: 5) {
      next += 1
      return next
    }
    #expect((0..<6).map { _ in deque.pop() } == [1, 2, 3, 4, 5, 9])
  }

  @Test func aBankMakesADequeWhenItIsFirstOwned() {
    let bank = DequeBank()
    #expect(bank.existing(1) == nil)
    bank.owned(1).push(7)
    #expect(bank.existing(1)?.steal() == .stolen(7))
    #expect(bank.existing(0) == nil)
  }

  /// Every short sequence of pushes, pops and steals against an array, from capacity 1 and 2.
  @Test(arguments: [1, 2])
  func everyShortSequenceAgreesWithAnArray(capacity: Int) {
    let length = 9
    for code in 0..<19_683 {
      let bank = DequeBank(capacity: capacity)
      let deque = bank.owned(0)
      var model: [UInt] = []
      var rest = code
      for step in 1...length {
        switch rest % 3 {
        case 0:
          deque.push(UInt(step))
          model.append(UInt(step))
        case 1:
          let popped = deque.pop()
          #expect(popped == model.popLast(), "sequence \(code), step \(step)")
        default:
          let expected: Steal = model.isEmpty ? .empty : .stolen(model.removeFirst())
          #expect(deque.steal() == expected, "sequence \(code), step \(step)")
        }
        rest /= 3
      }
      #expect(deque.isEmpty == model.isEmpty)
    }
  }

  @Test func indicesWrapWithoutGrowth() {
    let bank = DequeBank(capacity: 2)
    let deque = bank.owned(0)
    let capacity = deque.capacityForTests
    for word in 1...1_000 {
      deque.push(UInt(word))
      #expect(word % 2 == 0 ? deque.pop() == UInt(word) : deque.steal() == .stolen(UInt(word)))
    }
    #expect(deque.capacityForTests == capacity)
  }

  @Test func oneThiefReceivesEverythingInOrder() {
    let bank = Box(DequeBank(capacity: 2))
    let count: UInt = 100_000
    let last = Atomic<UInt>(0)
    let outOfOrder = Atomic<Int>(0)
    onThreads(2) { thread in
      if thread == 0 {
        for word in 1...count { bank.value.owned(0).push(word) }
      } else {
        while last.load(ordering: .relaxed) < count {
          guard let deque = bank.value.existing(0), case .stolen(let word) = deque.steal() else {
            yieldCore()
            continue
          }
          if word != last.load(ordering: .relaxed) + 1 { outOfOrder.add(1, ordering: .relaxed) }
          last.store(word, ordering: .relaxed)
        }
      }
    }
    #expect(outOfOrder.load(ordering: .relaxed) == 0)
    #expect(last.load(ordering: .relaxed) == count)
  }

  /// Conservation: pushed = popped + stolen + remaining, and every word exactly once.
  @Test(arguments: [1, 2, 3, 4], [1, 3])
  func aStampedeOfThievesLosesAndDoublesNothing(seed: UInt64, thieves: Int) {
    let bank = Box(DequeBank(capacity: 2))
    let pushed = 60_000
    let taken = Tally(count: pushed)
    let stolen = Atomic<Int>(0)
    let popped = Atomic<Int>(0)
    let ownerIsDone = Atomic<Bool>(false)
    onThreads(thieves + 1) { thread in
      if thread == 0 {
        var random = SeededGenerator(seed: seed)
        popped.store(own(bank.value, count: pushed, taken, &random), ordering: .relaxed)
        ownerIsDone.store(true, ordering: .releasing)
        return
      }
      // The owner leaves a remainder that nobody takes; a thief stops when the owner has.
      while !ownerIsDone.load(ordering: .acquiring) {
        guard let deque = bank.value.existing(0) else { continue }
        switch deque.steal() {
        case .stolen(let word):
          taken.add(Int(word) - 1)
          stolen.add(1, ordering: .relaxed)
        case .empty, .lostRace: spinPause()
        }
      }
    }
    var remaining = 0
    while case .stolen(let word) = bank.value.owned(0).steal() {
      taken.add(Int(word) - 1)
      remaining += 1
    }
    let sum = popped.load(ordering: .relaxed) + stolen.load(ordering: .relaxed) + remaining
    #expect(sum == pushed)
    #expect(taken.all { $0 == 1 })
  }

  /// Pushes all words singly and in batches, popping and ageing in between; returns how many it
  /// took.
  private func own(
    _ bank: borrowing DequeBank, count: Int, _ taken: Tally, _ random: inout SeededGenerator
  ) -> Int {
    let deque = bank.owned(0)
    var next = 1
    var popped = 0
    while next <= count {
      let batch = min(1 + random.index(below: 5), count + 1 - next)
      var word = UInt(next + batch)
      deque.push(count: batch) {
        word -= 1
        return word
      }
      next += batch
      for _ in 0..<random.index(below: 6) {
        if random.index(below: 8) == 0 {
          guard case .stolen(let word) = deque.steal() else { continue }
          taken.add(Int(word) - 1)
          popped += 1
        } else if let word = deque.pop() {
          taken.add(Int(word) - 1)
          popped += 1
        }
      }
    }
    return popped
  }
}

/// Shares a value that cannot be copied between threads.
final class Box<Value: ~Copyable & Sendable>: Sendable {
  let value: Value
  init(_ value: consuming Value) { self.value = value }
}

/// How often each number has been taken.
final class Tally: Sendable {
  private final class Cell: Sendable { let count = Atomic<Int>(0) }
  private let cells: [Cell]

  init(count: Int) { cells = (0..<count).map { _ in Cell() } }

  func add(_ number: Int) { cells[number].count.add(1, ordering: .relaxed) }
  func all(_ condition: (Int) -> Bool) -> Bool {
    cells.allSatisfy { condition($0.count.load(ordering: .relaxed)) }
  }
}

extension WordDeque {
  /// Slots of the current buffer.
  var capacityForTests: Int { makeRoom(for: 0, at: 0).capacity }
}
