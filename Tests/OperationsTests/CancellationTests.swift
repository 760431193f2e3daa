// SPDX-License-Identifier: Apache-2.0

import Operations
import Synchronization
import TestSupport
import Testing

extension OperationLayer {
  /// Contract 43–55.
  @Suite struct CancellationTests {
    @Test func cancelAfterTheFinishChangesNothing() {
      let operation = Operation()
      operation.start()
      operation.cancel()
      #expect(!operation.isCancelled)
    }

    @Test func cancelledOutsideAQueueIsNotFinished() {
      let operation = Operation()
      operation.addDependency(Operation())
      operation.cancel()
      operation.cancel()
      #expect(operation.isCancelled && operation.isReady && !operation.isFinished)
      operation.start()
      #expect(operation.isFinished)
    }

    @Test(arguments: Kind.all)
    func cancelledBeforeItIsAddedFinishesWithoutRunning(_ kind: Kind) {
      let queue = kind.queue()
      let operation = TestOperation()
      operation.addDependency(Operation())
      operation.cancel()
      queue.addOperation(operation)
      queue.expectQuiet()
      #expect(operation.isFinished && operation.runCount == 0)
      #expect(queue.operations.isEmpty)
    }

    @Test(arguments: Kind.all)
    func cancelEndsTheWaitForDependencies(_ kind: Kind) {
      let queue = kind.queue()
      let never = (0..<5).map { _ in Operation() }
      let operation = TestOperation()
      for dependency in never { operation.addDependency(dependency) }
      let completed = Log()
      operation.completionBlock = { completed.note(1) }
      queue.addOperation(operation)
      operation.cancel()
      #expect(operation.isReady)
      queue.expectQuiet()
      #expect(operation.isFinished && operation.runCount == 0)
      #expect(operation.dependencies == never)
      #expect(completed.values == [1])
      // Their end must not touch the operation again.
      for dependency in never { dependency.start() }
    }

    @Test(arguments: Kind.pools)
    func flushHappensOnASchedulerThread(_ kind: Kind) {
      final class Overriding: Operation, @unchecked Sendable {
        let threads = Log()
        let caller = ThreadProbe.current
        override func start() {
          threads.note(ThreadProbe.current == caller ? 1 : 0)
          super.start()
        }
      }
      let queue = kind.queue()
      let operation = Overriding()
      operation.addDependency(Operation())
      queue.addOperation(operation)
      operation.cancel()
      queue.expectQuiet()
      #expect(operation.threads.values == [0])
    }

    @Test(arguments: Kind.pools)
    func flushOfAStockOperationNeedsNoSlot(_ kind: Kind) {
      let queue = kind.queue()
      queue.maxConcurrentOperationCount = 1
      let (begun, release) = (Gate(), Gate())
      let blocker = BlockOperation {
        begun.open()
        release.wait()
      }
      queue.addOperation(blocker)
      begun.wait()
      let log = Log()
      // Waits for the slot; waits for a dependency; cancelled before it is added; a closure.
      let ready = BlockOperation { log.note(1) }
      let waiting = BlockOperation { log.note(2) }
      waiting.addDependency(Operation())
      let late = BlockOperation { log.note(3) }
      late.cancel()
      let lateBatch = BlockOperation { log.note(4) }
      lateBatch.cancel()
      queue.addOperation(ready)
      queue.addOperation(waiting)
      queue.addOperation(late)
      queue.addOperations([lateBatch], waitUntilFinished: false)
      let handle = queue.addOperation { log.note(5) }
      ready.cancel()
      waiting.cancel()
      handle.cancel()
      if kind.workers > 1 {
        for operation in [ready, waiting, late, lateBatch] {
          #expect(operation.wait(timeout: patience))
        }
        #expect(waitUntil { handle.isFinished })
        #expect(!blocker.isFinished)
      }
      release.open()
      queue.expectQuiet()
      #expect(log.values.isEmpty)
      #expect([ready, waiting, late, lateBatch].allSatisfy { $0.isFinished })
    }

    @Test(arguments: Kind.each)
    func suspendedQueueFlushesNothing(_ kind: Kind) {
      for limit in [-1, 1] {
        let queue = kind.queue()
        queue.maxConcurrentOperationCount = limit
        queue.isSuspended = true
        let operations: [Operation] = [BlockOperation {}, TestOperation(), BlockOperation {}]
        operations[2].addDependency(Operation())
        queue.addOperations(operations, waitUntilFinished: false)
        let handle = queue.addOperation {}
        queue.cancelAllOperations()
        #expect(queue.operationCount == 4)
        #expect(operations.allSatisfy { $0.isCancelled && !$0.isFinished })
        #expect(handle.isCancelled && !handle.isFinished)
        queue.isSuspended = false
        queue.expectQuiet()
        #expect(operations.allSatisfy { $0.isFinished })
      }
    }

    @Test(arguments: Kind.all)
    func runningOperationGoesOnAfterCancel(_ kind: Kind) {
      let queue = kind.queue()
      let facts = Log()
      let operation = TestOperation { operation in
        operation.cancel()
        facts.note(operation.isCancelled ? 1 : 0)
        facts.note(operation.isExecuting ? 1 : 0)
      }
      queue.addOperation(operation)
      queue.expectQuiet()
      #expect(facts.values == [1, 1])
      #expect(operation.isFinished && operation.isCancelled)
    }

    @Test(arguments: Kind.each)
    func cancelAllTakesInEverythingHeldAndNothingLater(_ kind: Kind) {
      let queue = kind.queue()
      let log = Log()
      let waiting = TestOperation()
      waiting.addDependency(Operation())
      let later = TestOperation()
      queue.isSuspended = true
      queue.addOperation(waiting)
      queue.addBarrierBlock { log.note(1) }
      let handle = queue.addOperation { log.note(2) }
      let first = TestOperation { _ in queue.cancelAllOperations() }
      let outside = kind.queue()
      outside.addOperation(first)
      outside.expectQuiet()
      queue.addOperation(later)
      queue.isSuspended = false
      queue.expectQuiet()
      #expect(waiting.isCancelled && handle.isFinished)
      #expect(log.values.isEmpty)
      #expect(later.runCount == 1)
    }

    @Test(arguments: Kind.all)
    func cancelAllFromInsideAnOwnOperation(_ kind: Kind) {
      let queue = kind.queue()
      queue.maxConcurrentOperationCount = 1
      let first = TestOperation { _ in queue.cancelAllOperations() }
      let others = (0..<20).map { _ in TestOperation() }
      queue.addOperations([first] + others, waitUntilFinished: false)
      queue.expectQuiet()
      #expect(first.runCount == 1 && first.isCancelled)
      #expect(others.allSatisfy { $0.isFinished && $0.isCancelled && $0.runCount == 0 })
    }

    @Test func dependentsAreNotCancelledWithTheirDependency() {
      let queue = Kind.pools[1].queue()
      let first = Operation()
      let second = TestOperation()
      second.addDependency(first)
      first.cancel()
      queue.addOperations([second, first], waitUntilFinished: false)
      queue.expectQuiet()
      #expect(!second.isCancelled && second.runCount == 1)
    }

    @Test func removalAfterCancelLeavesTheOperationStartable() {
      let dependency = Operation()
      let operation = TestOperation()
      operation.addDependency(dependency)
      operation.cancel()
      dependency.start()
      operation.removeDependency(dependency)
      #expect(operation.isReady)
      operation.start()
      #expect(operation.isFinished && operation.runCount == 0)
    }

    @Test(arguments: Kind.each)
    func customStartSeesTheCancellation(_ kind: Kind) {
      final class Custom: Operation, @unchecked Sendable {
        let isDone = Atomic<Bool>(false)
        let runs = Atomic<Int>(0)
        override var isFinished: Bool { isDone.load(ordering: .acquiring) }
        override func start() {
          if !isCancelled { runs.add(1, ordering: .relaxed) }
          willChangeValue(forKey: "isFinished")
          isDone.store(true, ordering: .releasing)
          didChangeValue(forKey: "isFinished")
        }
      }
      let queue = kind.queue()
      let (cancelled, plain) = (Custom(), Custom())
      cancelled.addDependency(Operation())
      let after = TestOperation()
      after.addDependency(cancelled)
      after.addDependency(plain)
      queue.addOperations([after, cancelled, plain], waitUntilFinished: false)
      cancelled.cancel()
      queue.expectQuiet()
      #expect(cancelled.runs.load(ordering: .relaxed) == 0)
      #expect(plain.runs.load(ordering: .relaxed) == 1)
      #expect(after.runCount == 1)
    }
  }
}
