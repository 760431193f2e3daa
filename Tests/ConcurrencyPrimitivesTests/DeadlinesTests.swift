// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
import Synchronization
import TestSupport
import Testing

@Suite struct DeadlinesTests {
  private func moment(_ milliseconds: Int) -> UInt64 {
    MonotonicTime.deadline(after: .milliseconds(milliseconds))
  }

  @Test func closuresAreCalledInOrderAndNotTooEarly() {
    let deadlines = Deadlines()
    let calls = Locked<[(number: Int, isInTime: Bool)]>([])
    for number in [3, 1, 4, 2, 0] {
      let due = moment(20 + 10 * number)
      _ = deadlines.schedule(at: due) {
        let isInTime = MonotonicTime.nanoseconds() >= due
        calls.withLock { $0.append((number, isInTime)) }
      }
    }
    #expect(waitUntil { calls.withLock { $0.count } == 5 })
    let found = calls.withLock { $0 }
    #expect(found.map(\.number) == [0, 1, 2, 3, 4])
    #expect(found.allSatisfy { $0.isInTime })
    #expect(deadlines.count == 0)
  }

  @Test func cancelledOnesAreReleasedAndNeverCalled() {
    let deadlines = Deadlines()
    let lifetimes = LifetimeCounter()
    let calls = Atomic<Int>(0)
    let tickets = (0..<1_000).map { number in
      let token = lifetimes.token()
      return deadlines.schedule(at: moment(number % 2 == 0 ? 3_600_000 : 30)) {
        withExtendedLifetime(token) { _ = calls.add(1, ordering: .relaxed) }
      }
    }
    var cancelled = 0
    for ticket in tickets.enumerated() where ticket.offset % 2 == 0 {
      if deadlines.cancel(ticket.element) { cancelled += 1 }
      #expect(deadlines.cancel(ticket.element) == false)
    }
    #expect(cancelled == 500)
    #expect(waitUntil { calls.load(ordering: .relaxed) == 500 && lifetimes.live == 0 })
    #expect(deadlines.count == 0)
  }

  /// One that takes long delays no other, and once it returns no more than two threads are kept.
  @Test func slowOnesDelayNobody() {
    let deadlines = Deadlines()
    let isOpen = Atomic<Bool>(false)
    let inside = Atomic<Int>(0)
    let threads = Locked<Set<ThreadProbe>>([])
    for _ in 0..<4 {
      _ = deadlines.schedule(at: moment(1)) {
        let here = ThreadProbe.current
        threads.withLock { _ = $0.insert(here) }
        inside.add(1, ordering: .releasing)
        _ = waitUntil { isOpen.load(ordering: .acquiring) }
      }
    }
    let last = Atomic<Bool>(false)
    _ = deadlines.schedule(at: moment(2)) { last.store(true, ordering: .releasing) }
    #expect(waitUntil { inside.load(ordering: .acquiring) == 4 })
    #expect(waitUntil { last.load(ordering: .acquiring) })
    isOpen.store(true, ordering: .releasing)
    #expect(waitUntil { threads.withLock { $0 }.filter(\.exists).count <= 2 })
    let after = Atomic<Bool>(false)
    _ = deadlines.schedule(at: 0) { after.store(true, ordering: .releasing) }
    #expect(waitUntil { after.load(ordering: .acquiring) })
  }

  @Test func manyThreadsScheduleAndCancel() {
    let deadlines = Deadlines()
    let outcomes = Atomic<Int>(0)
    onThreads(4) { thread in
      var generator = SeededGenerator(seed: UInt64(thread))
      for _ in 0..<2_000 {
        let due = MonotonicTime.nanoseconds() + UInt64(generator.index(below: 200_000))
        let ticket = deadlines.schedule(at: due) { outcomes.add(1, ordering: .relaxed) }
        if generator.index(below: 2) == 0, deadlines.cancel(ticket) {
          outcomes.add(1, ordering: .relaxed)
        }
      }
    }
    // Each was either called or taken back.
    #expect(waitUntil { outcomes.load(ordering: .relaxed) == 8_000 })
    #expect(deadlines.count == 0)
  }
}
