// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
import Operations
import Scheduling
import Synchronization
import TestSupport
import Testing

extension OperationLayer {
  /// Operations that wait for each other, and what they do to others.
  @Suite struct MutualBlockingTests {
    /// How a queue gets to start what it holds.
    enum Opening: CaseIterable {
      case added
      case batch
      case resumed
      case raised
      case unlimited
      case resumedWithLimit

      func open(_ queue: OperationQueue, _ limit: Int, add: (OperationQueue) -> Void) {
        switch self {
        case .added, .batch: queue.maxConcurrentOperationCount = limit
        case .resumed, .resumedWithLimit: queue.isSuspended = true
        case .raised, .unlimited: queue.maxConcurrentOperationCount = 0
        }
        if self == .resumedWithLimit { queue.maxConcurrentOperationCount = limit }
        add(queue)
        switch self {
        case .added, .batch: break
        case .resumed, .resumedWithLimit: queue.isSuspended = false
        case .raised: queue.maxConcurrentOperationCount = limit
        case .unlimited: queue.maxConcurrentOperationCount = -1
        }
      }
    }

    /// Nobody announces that he waits, so the operations need a worker each.
    @Test(.contract(114), arguments: Kind.pools, Opening.allCases)
    func asManyAsWorkersMeet(_ kind: Kind, _ opening: Opening) {
      for _ in 0..<20 {
        let queue = kind.queue()
        let arrived = Atomic<Int>(0)
        let body: @Sendable () -> Void = {
          arrived.add(1, ordering: .releasing)
          #expect(
            waitUntil(deadline: patience) { arrived.load(ordering: .acquiring) == kind.workers })
        }
        opening.open(queue, kind.workers) { queue in
          if opening == .batch {
            queue.addOperations(
              (0..<kind.workers).map { _ in BlockOperation(block: body) }, waitUntilFinished: false)
          } else {
            for _ in 0..<kind.workers { queue.addOperation(body) }
          }
        }
        queue.expectQuiet()
      }
    }

    /// Waits that the scheduler hears of need only a thread each, and may be many more than there
    /// are workers.
    @Test(.contract(114, 136), arguments: Kind.pools, Opening.allCases)
    func moreThanWorkersMeetWhenTheirWaitsAreKnown(_ kind: Kind, _ opening: Opening) {
      // As many as the pool compensates for; one of them does not wait.
      let count = kind.name == "work-stealing" ? 64 : 150
      let queue = kind.queue()
      let all = Locked<[Operation]>([])
      let operations = (0..<count).map { number in
        TestOperation { _ in
          guard number + 1 < count else { return }
          let next = all.withLock { $0[number + 1] }
          #expect(next.wait(timeout: patience))
        }
      }
      all.withLock { $0 = operations }
      opening.open(queue, count) { queue in
        if opening == .batch {
          queue.addOperations(operations, waitUntilFinished: false)
        } else {
          for operation in operations { queue.addOperation(operation) }
        }
      }
      queue.expectQuiet()
      all.withLock { $0 = [] }
    }

    /// The bound that every pool documents: as long as no more workers are blocked than it
    /// compensates for, none.
    @Test(.contract(138, 136), arguments: Kind.pools)
    func blockedOperationsDoNotDelayAnotherQueue(_ kind: Kind) {
      let scheduler = kind.make(kind.workers)
      let blocked = OperationQueue(scheduler: scheduler)
      let other = OperationQueue(scheduler: scheduler)
      let gate = Operation()
      let begun = Atomic<Int>(0)
      for _ in 0..<64 {
        blocked.addOperation {
          begun.add(1, ordering: .releasing)
          #expect(gate.wait(timeout: patience))
        }
      }
      #expect(waitUntil(deadline: patience) { begun.load(ordering: .acquiring) == 64 })
      let log = Log()
      for number in 0..<200 { other.addOperation { log.note(number) } }
      #expect(other.wait(timeout: patience))
      #expect(log.values.count == 200 && !gate.isFinished)
      gate.start()
      blocked.expectQuiet()
      #expect(scheduler.known(\.compensations) >= 64 - kind.workers)
    }

    /// A limited queue that is blocked as a whole gives its workers to others.
    @Test(.contract(138), arguments: Kind.pools)
    func blockedLimitedQueueDoesNotDelayAnother(_ kind: Kind) {
      let scheduler = kind.make(kind.workers)
      let blocked = OperationQueue(scheduler: scheduler)
      blocked.maxConcurrentOperationCount = 3
      let other = OperationQueue(scheduler: scheduler)
      let gate = Operation()
      for _ in 0..<1000 { blocked.addOperation { #expect(gate.wait(timeout: patience)) } }
      let last = TestOperation()
      other.addOperation(last)
      #expect(last.wait(timeout: patience) && !gate.isFinished)
      gate.start()
      blocked.expectQuiet()
    }
  }
}
