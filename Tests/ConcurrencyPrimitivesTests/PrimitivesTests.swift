// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
import Synchronization
import TestSupport
import Testing

/// Parking, locking, threads, seeds and the barrier.
@Suite struct PrimitivesTests {
  @Test func aTokenGivenBeforeParkingIsTakenAtOnce() {
    let parker = Parker()
    parker.unpark()
    parker.unpark()
    #expect(parker.park(until: nil))
    // Only one token is held, so the second wait runs into its deadline.
    #expect(!parker.park(until: MonotonicTime.deadline(after: .milliseconds(5))))
  }

  @Test func aDeadlineInThePastReturnsWithoutAToken() {
    #expect(!Parker().park(until: 0))
    #expect(!Parker().park(until: MonotonicTime.nanoseconds()))
  }

  @Test func parkingLastsUntilTheDeadline() {
    let start = MonotonicTime.nanoseconds()
    let isTaken = Parker().park(until: start + 20_000_000)
    #expect(!isTaken)
    #expect(MonotonicTime.nanoseconds() >= start + 20_000_000)
  }

  @Test func pingPongThroughTwoParkersLosesNoToken() {
    let (left, right) = (Parker(), Parker())
    let rounds = 20_000
    let turns = Atomic<Int>(0)
    onThreads(2) { side in
      for round in 0..<rounds {
        if side == 0 {
          turns.add(1, ordering: .relaxed)
          right.unpark()
          left.park()
        } else {
          // A park may end early, so the condition decides.
          while turns.load(ordering: .relaxed) <= round { right.park() }
          left.unpark()
        }
      }
    }
    #expect(turns.load(ordering: .relaxed) == rounds)
  }

  @Test func aTokenAgainstADeadlineIsTakenOrLeftButNeverLost() {
    let parker = Parker()
    let given = Atomic<Int>(0)
    let taken = Atomic<Int>(0)
    onThreads(2) { side in
      var random = SeededGenerator(seed: 7)
      for round in 0..<2_000 {
        if side == 0 {
          given.add(1, ordering: .relaxed)
          parker.unpark()
          while taken.load(ordering: .relaxed) <= round { yieldCore() }
        } else {
          var isTaken = false
          while !isTaken {
            let limit = UInt64(random.index(below: 30_000))
            isTaken = parker.park(until: MonotonicTime.nanoseconds() + limit)
          }
          taken.add(1, ordering: .relaxed)
        }
      }
    }
    #expect(taken.load(ordering: .relaxed) == 2_000)
  }

  @Test func theSpinLockExcludes() {
    let guarded = Guarded()
    onThreads(4) { _ in
      for _ in 0..<20_000 { guarded.lock.withLock { unsafe guarded.count += 1 } }
    }
    #expect(unsafe guarded.count == 80_000)
    let isTaken = guarded.lock.tryLock()
    let isTakenAgain = guarded.lock.tryLock()
    #expect(isTaken && !isTakenAgain)
    guarded.lock.unlock()
  }

  @Test func aThreadRunsItsBodyOnceAndJoinWaitsForIt() throws {
    let runs = Atomic<Int>(0)
    let threads = try (0..<8).map { number in
      try SystemThread.start(name: "a name longer than 15 bytes \(number)", stackSize: 256 << 10) {
        runs.add(1, ordering: .relaxed)
      }
    }
    for thread in threads { thread.join() }
    #expect(runs.load(ordering: .relaxed) == 8)
  }

  @Test func anImpossibleStackSizeIsAnErrorThatNamesTheThread() {
    let error = #expect(throws: SystemThreadError.self) {
      try SystemThread.start(name: "tiny", stackSize: 1) {}
    }
    #expect(error?.description.hasPrefix("thread tiny: ") == true)
  }

  @Test func theSeedDecidesTheStream() {
    // The first words of SplitMix64 for seed 1234567, from the published reference implementation.
    var generator = SeededGenerator(seed: 1_234_567)
    let words = (0..<5).map { _ in generator.next() }
    #expect(
      words == [
        6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423,
        4_593_380_528_125_082_431, 16_408_922_859_458_223_821,
      ])
    var other = SeededGenerator(seed: 1)
    #expect((0..<1_000).allSatisfy { _ in (0..<7).contains(other.index(below: 7)) })
  }

  @Test func atLeastOneProcessorIsAvailable() { #expect(CPUCount.available >= 1) }

  @Test func deadlinesSaturate() {
    #expect(MonotonicTime.deadline(after: .seconds(Int64.max)) == .max)
    #expect(MonotonicTime.deadline(after: .seconds(-1)) <= MonotonicTime.nanoseconds())
  }

  /// Store buffering: with the barrier, or with ordered operations, one side always sees the
  /// other's store.
  @Test func oneSideOfTheAsymmetricBarrierSeesTheOther() {
    let isAvailable = AsymmetricBarrier.isAvailable
    let box = StoreBuffering()
    let rounds = isAvailable ? 3_000 : 1_000
    onThreads(2) { side in
      for round in 1...rounds {
        if side == 0 {
          if isAvailable {
            box.first.value.store(round, ordering: .relaxed)
            AsymmetricBarrier.light()
            box.seenByFirst.value.store(
              box.second.value.load(ordering: .relaxed), ordering: .relaxed)
          } else {
            box.first.value.store(round, ordering: .sequentiallyConsistent)
            box.seenByFirst.value.store(
              box.second.value.load(ordering: .sequentiallyConsistent), ordering: .relaxed)
          }
        } else {
          box.second.value.store(round, ordering: .sequentiallyConsistent)
          AsymmetricBarrier.heavy()
          box.seenBySecond.value.store(
            box.first.value.load(ordering: .sequentiallyConsistent), ordering: .relaxed)
        }
        box.meet()
        if side == 0 { box.judge(round) }
        box.meet()
      }
    }
    #expect(box.bothMissed.value.load(ordering: .relaxed) == 0)
  }
}

/// Lowest free first, and the bound follows what is in use.
@Suite struct WorkerIndicesTests {
  @Test func theLowestFreeIndexIsGivenOut() {
    var indices = WorkerIndices()
    #expect(indices.bound == 0)
    for index in 0..<200 {
      let taken = indices.take()
      #expect(taken == index && indices.bound == index + 1)
    }
    let none = indices.take(below: 200)
    #expect(none == nil && indices.bound == 200)
    for index in [3, 70, 199] { indices.giveBack(index) }
    #expect(indices.bound == 199)
    let again = (0..<4).map { _ in indices.take() }
    #expect(again == [3, 70, 199, 200])
    for index in (10...200).reversed() {
      indices.giveBack(index)
      #expect(indices.bound == index)
    }
    let next = indices.take(below: 11)
    let none2 = indices.take(below: 11)
    #expect(next == 10 && none2 == nil)
  }
}

/// An object table lends what is there, and nothing else.
@Suite struct ObjectTableTests {
  private final class Number: Sendable {
    let value: Int
    init(_ value: Int) { self.value = value }
  }

  @Test func objectsThatWereAddedAreThere() {
    let table = ObjectTable(count: 2, capacity: 4) { Number($0) }
    table.append(Number(2))
    let values = (0..<table.count).map { table.with($0) { $0.value } }
    #expect(values == [0, 1, 2])
  }

  @Test func aPlaceWithoutAnObjectIsAFault() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      let table = ObjectTable(count: 2, capacity: 4) { Number($0) }
      _ = table.with(2) { $0.value }
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("object table: index 2; expected 0 ..< 2"), "\(text)")
  }
}

/// A count under a spin lock.
private final class Guarded: Sendable {
  let lock = SpinLock()
  nonisolated(unsafe) var count = 0
}

/// Two stores, what each side saw, and a meeting point.
private final class StoreBuffering: Sendable {
  let first = Padded(Atomic<Int>(0))
  let second = Padded(Atomic<Int>(0))
  let seenByFirst = Padded(Atomic<Int>(0))
  let seenBySecond = Padded(Atomic<Int>(0))
  let bothMissed = Padded(Atomic<Int>(0))
  let arrived = Padded(Atomic<Int>(0))

  /// Returns when both sides have arrived once more.
  func meet() {
    let ticket = arrived.value.add(1, ordering: .acquiringAndReleasing).newValue
    let full = (ticket + 1) / 2 * 2
    var backoff = Backoff()
    while arrived.value.load(ordering: .acquiring) < full { backoff.wait() }
  }

  func judge(_ round: Int) {
    if seenByFirst.value.load(ordering: .relaxed) < round,
      seenBySecond.value.load(ordering: .relaxed) < round
    {
      bothMissed.value.add(1, ordering: .relaxed)
    }
  }
}
