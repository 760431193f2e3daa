// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
import Synchronization
import TestSupport

/// Two pieces of code against each other, many times, each time with fresh objects and another head
/// start.
///
/// One side runs on the calling thread, the other on a thread of the duel, so that a round costs no
/// thread.
enum Duel {
  /// Runs `rounds` rounds: `prepare`, then `left` and `right` at the same time, then `check`.
  static func fight<Round: Sendable>(
    rounds: Int, prepare: @escaping (Int) -> Round,
    left: @escaping @Sendable (Round) -> Void, right: @escaping @Sendable (Round) -> Void,
    check: (Round, Int) -> Bool
  ) {
    let ring = Ring<Round>()
    let thread: SystemThread
    do throws(SystemThreadError) {
      thread = try SystemThread.start(name: "duel") {
        var number = 0
        while let round = ring.next(after: &number) {
          right(round)
          ring.returned.store(number, ordering: .releasing)
        }
      }
    } catch { fatalError("\(error)") }
    var random = SeededGenerator(seed: stressSeed)
    for number in 1...max(1, rounds) {
      let round = prepare(number)
      ring.round.withLock { $0 = round }
      ring.called.store(number, ordering: .releasing)
      // Every other time the other side gets a head start, so that it is not always behind.
      ring.spin(random.index(below: number % 2 == 0 ? 40 : 2_000))
      left(round)
      while ring.returned.load(ordering: .acquiring) != number { yieldCore() }
      ring.round.withLock { $0 = nil }
      if !check(round, number) { break }
    }
    ring.called.store(-1, ordering: .releasing)
    thread.join()
  }

  private final class Ring<Round: Sendable>: Sendable {
    let round = Locked<Round?>(nil)
    let called = Atomic<Int>(0)
    let returned = Atomic<Int>(0)

    func next(after number: inout Int) -> Round? {
      while true {
        let now = called.load(ordering: .acquiring)
        if now == -1 { return nil }
        if now != number {
          number = now
          return round.withLock { $0 }
        }
        yieldCore()
      }
    }

    func spin(_ turns: Int) {
      for _ in 0..<turns { _ = called.load(ordering: .relaxed) }
    }
  }
}
