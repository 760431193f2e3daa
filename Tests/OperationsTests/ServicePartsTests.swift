// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
import Glibc
import Operations
import OperationsDiagnosis
import Synchronization
import TestSupport
import Testing

/// The niceness of the calling thread.
private var niceness: Int { Int(getpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0)) }

extension OperationLayer {
  /// The level in parts of a body that run outside of `start()`, and above another level.
  ///
  /// Where the system does not permit it, nothing is applied and the reports say so.
  @Suite(.contract(94, 97)) struct ServicePartsTests {
    @Test(arguments: Kind.each)
    func theLevelReachesEveryPartOfATask(_ kind: Kind) {
      let seen = Locked<[Int]>([])
      let queue = kind.queue()
      let operation = AsyncOperation {
        for _ in 0..<3 {
          seen.withLock { $0.append(niceness) }
          await Task.yield()
        }
      }
      operation.qualityOfService = .background
      queue.addOperation(operation)
      queue.expectQuiet()
      let report = operation.serviceReport
      #expect(report?.qualityOfService == .background)
      #expect(seen.withLock { $0 } == Array(repeating: report?.appliedNiceness ?? -1, count: 3))
    }

    @Test(arguments: Kind.pools.filter { $0.workers == 2 })
    func theLevelReachesEveryClosure(_ kind: Kind) {
      let seen = Locked<[Int]>([])
      let queue = kind.queue()
      let operation = BlockOperation()
      let arrived = Atomic<Int>(0)
      for _ in 0..<2 {
        operation.addExecutionBlock {
          seen.withLock { $0.append(niceness) }
          // Each has a worker of its own.
          arrived.add(1, ordering: .acquiringAndReleasing)
          #expect(waitUntil(deadline: patience) { arrived.load(ordering: .acquiring) == 2 })
        }
      }
      operation.qualityOfService = .background
      queue.addOperation(operation)
      queue.expectQuiet()
      let applied = operation.serviceReport?.appliedNiceness ?? -1
      #expect(seen.withLock { $0 } == [applied, applied])
    }

    /// Which has it from its queue alone, and is no member to those who count or are told.
    @Test(.contract(93, 96, 116), arguments: Kind.all, [true, false])
    func theLevelReachesABarrier(_ kind: Kind, isAddedBefore: Bool) throws {
      let queue = kind.queue()
      let events = Log()
      let seen = Locked(0)
      queue.eventHandler = { _ in events.note(1) }
      queue.progressCounter.totalUnitCount = 1
      let token = queue.observe(\.operationCount) { _, _ in events.note(2) }
      queue.isSuspended = true
      if !isAddedBefore { queue.qualityOfService = .background }
      queue.addBarrierBlock { seen.withLock { $0 = niceness } }
      queue.qualityOfService = .background
      let barrier = try #require(queue.stallReport().entries.first?.operation)
      #expect(queue.operationCount == 0 && queue.operations.isEmpty)
      queue.isSuspended = false
      queue.expectQuiet()
      let report = barrier.serviceReport
      #expect(report?.qualityOfService == .background)
      #expect(report?.appliedNiceness == seen.withLock { $0 })
      #expect(events.values.isEmpty && queue.progressCounter.completedUnitCount == 0)
      withExtendedLifetime(token) {}
    }

    @Test(.contract(93), arguments: Kind.each)
    func theLevelReachesTheMembersOfAGroup(_ kind: Kind) {
      let queue = kind.queue()
      queue.qualityOfService = .utility
      let member = BlockOperation {}
      queue.addOperation(GroupOperation([member]))
      queue.expectQuiet()
      #expect(member.serviceReport?.qualityOfService == .utility)
    }

    /// The awaited operation runs on the waiting worker, at its own distance from the thread's
    /// niceness.
    @Test(arguments: Kind.each)
    func aLevelOnTopOfAnotherCountsFromTheThreadsOwn(_ kind: Kind) {
      let scheduler = kind.make(1)
      let queue = OperationQueue(scheduler: scheduler)
      let own = Locked(0)
      queue.addOperation { own.withLock { $0 = niceness } }
      queue.expectQuiet()
      let plain = Locked<Int?>(nil)
      let inner = TestOperation()
      inner.qualityOfService = .userInitiated
      let outer = TestOperation { _ in
        inner.start()
        let nested = BlockOperation { plain.withLock { $0 = niceness } }
        nested.threadPriority = 0.25
        nested.threadPriority = 0.5
        nested.start()
      }
      outer.qualityOfService = .background
      queue.addOperation(outer)
      queue.expectQuiet()
      let before = own.withLock { $0 }
      #expect(outer.serviceReport?.requestedNiceness == before + 10)
      #expect(inner.serviceReport?.requestedNiceness == before - 2)
      #expect(plain.withLock { $0 } == before)
    }

    /// `finish()` inside the body runs the block there.
    @Test(.contract(97), arguments: Kind.each)
    func theCompletionBlockHasTheThreadsOwnNiceness(_ kind: Kind) {
      let queue = kind.queue()
      let seen = Locked<[Int]>([])
      queue.maxConcurrentOperationCount = 1
      queue.addOperation { seen.withLock { $0.append(niceness) } }
      let operation = TestAsyncOperation { $0.finish() }
      operation.threadPriority = 0
      operation.completionBlock = { seen.withLock { $0.append(niceness) } }
      queue.addOperation(operation)
      queue.expectQuiet()
      let found = seen.withLock { $0 }
      #expect(found.count == 2 && found[0] == found[1])
    }
  }
}
