// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
import Operations
import Synchronization
import TestSupport
import Testing
import WorkStealingBackend

extension OperationLayer {
  /// How far the order of starts may differ from that of submission where it is not exact.
  @Suite(.contract(86)) struct StartOrderTests {
    /// Before how many older operations one has started, at most.
    private func largestLead(workers: Int, count: Int, resumed: Bool) -> Int {
      let queue = OperationQueue(scheduler: WorkStealingScheduler(workers: workers))
      queue.isSuspended = resumed
      let started = Lineup(count)
      for number in 0..<count { queue.addOperation { started.note(number) } }
      queue.isSuspended = false
      queue.expectQuiet()
      // In the order of starts: how many of those before the newest so far have not started.
      var (newest, lead) = (-1, 0)
      for (place, number) in started.order.enumerated() {
        newest = max(newest, number)
        lead = max(lead, newest - place)
      }
      return lead
    }

    /// A worker holds 63 unstarted operations at most: a share of 32, and up to 31 of the one
    /// before.
    @Test(arguments: [2, 3, 8], [false, true])
    func equalOperationsStartAtMost63PlacesEarlyPerWorker(workers: Int, resumed: Bool) {
      var lead = 0
      for _ in 0..<(30 / slowness) {
        lead = max(lead, largestLead(workers: workers, count: 4_000, resumed: resumed))
      }
      print("largest lead with \(workers) workers\(resumed ? ", resumed" : ""): \(lead)")
      #expect(lead < 63 * workers)
    }

    @Test func oneWorkerStartsThemInOrder() {
      #expect(largestLead(workers: 1, count: 4_000, resumed: false) == 0)
      #expect(largestLead(workers: 1, count: 4_000, resumed: true) == 0)
    }
  }
}

/// Numbers in the order in which they were noted, without a lock.
private final class Lineup: Sendable {
  private let next = Atomic<Int>(0)
  private let slots: [Slot]
  private final class Slot: Sendable { let number = Atomic<Int>(-1) }

  init(_ count: Int) { slots = (0..<count).map { _ in Slot() } }

  func note(_ number: Int) {
    let place = next.wrappingAdd(1, ordering: .relaxed).oldValue
    slots[place].number.store(number, ordering: .relaxed)  // relaxed: read once the queue is empty.
  }

  var order: [Int] { slots.map { $0.number.load(ordering: .relaxed) } }
}
