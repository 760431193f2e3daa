// SPDX-License-Identifier: Apache-2.0

internal import Operations
internal import Synchronization

extension Check {
  /// What cancellation does and does not do.
  static let cancelling: [Check] = [
    Check("cancelledBeforeItIsAddedFinishesWithoutRunning", .contract(46)) { trial in
      let queue = trial.queue()
      let operation = TestOperation()
      operation.addDependency(Operation())
      operation.cancel()
      queue.addOperation(operation)
      trial.expectQuiet(queue)
      trial.expect(
        operation.isFinished && operation.runCount == 0,
        "operation.isFinished && operation.runCount == 0")
      trial.expect(queue.operations.isEmpty, "queue.operations.isEmpty")
    },
    Check("cancelEndsTheWaitForDependencies", .contract(37, 47)) { trial in
      let queue = trial.queue()
      let never = (0..<5).map { _ in Operation() }
      let operation = TestOperation()
      for dependency in never { operation.addDependency(dependency) }
      let completed = Log()
      operation.completionBlock = { completed.note(1) }
      queue.addOperation(operation)
      operation.cancel()
      trial.expect(operation.isReady, "operation.isReady")
      trial.expectQuiet(queue)
      trial.expect(
        operation.isFinished && operation.runCount == 0,
        "operation.isFinished && operation.runCount == 0")
      trial.expect(operation.dependencies, equals: never, "operation.dependencies")
      trial.expect(completed.values, equals: [1], "completed.values")
      // Their end must not touch the operation again.
      for dependency in never { dependency.start() }
    },
    Check("skipHappensOnASchedulerThread", .contract(48), needs: [.ownThreads]) { trial in
      final class Overriding: Operation, @unchecked Sendable {
        let threads = Log()
        let caller = CurrentThread.id
        override func start() {
          threads.note(CurrentThread.id == caller ? 1 : 0)
          super.start()
        }
      }
      let queue = trial.queue()
      let operation = Overriding()
      operation.addDependency(Operation())
      queue.addOperation(operation)
      operation.cancel()
      trial.expectQuiet(queue)
      trial.expect(operation.threads.values, equals: [0], "operation.threads.values")
    },
    Check("skipOfABuiltInOperationNeedsNoSlot", .contract(49), needs: [.ownThreads]) { trial in
      let queue = trial.queue()
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
      if trial.workers > 1 {
        for operation in [ready, waiting, late, lateBatch] {
          trial.expect(
            operation.wait(timeout: trial.patience), "operation.wait(timeout: trial.patience)")
        }
        trial.eventually("handle.isFinished") { handle.isFinished }
        trial.expect(!blocker.isFinished, "!blocker.isFinished")
      }
      release.open()
      trial.expectQuiet(queue)
      trial.expect(log.values.isEmpty, "log.values.isEmpty")
      trial.expect(
        [ready, waiting, late, lateBatch].allSatisfy { $0.isFinished },
        "[ready, waiting, late, lateBatch].allSatisfy { $0.isFinished }")
    },
    Check("suspendedQueueSkipsNothing", .contract(50, 115), on: .usual) { trial in
      for limit in [-1, 1] {
        let queue = trial.queue()
        queue.maxConcurrentOperationCount = limit
        queue.isSuspended = true
        let operations: [Operation] = [BlockOperation {}, TestOperation(), BlockOperation {}]
        operations[2].addDependency(Operation())
        queue.addOperations(operations, waitUntilFinished: false)
        let handle = queue.addOperation {}
        queue.cancelAllOperations()
        trial.expect(queue.operationCount, equals: 4, "queue.operationCount")
        trial.expect(
          operations.allSatisfy { $0.isCancelled && !$0.isFinished },
          "operations.allSatisfy { $0.isCancelled && !$0.isFinished }")
        trial.expect(
          handle.isCancelled && !handle.isFinished, "handle.isCancelled && !handle.isFinished")
        queue.isSuspended = false
        trial.expectQuiet(queue)
        trial.expect(
          operations.allSatisfy { $0.isFinished }, "operations.allSatisfy { $0.isFinished }")
      }
    },
    Check("runningOperationGoesOnAfterCancel", .contract(51)) { trial in
      let queue = trial.queue()
      let facts = Log()
      let operation = TestOperation { operation in
        operation.cancel()
        facts.note(operation.isCancelled ? 1 : 0)
        facts.note(operation.isExecuting ? 1 : 0)
      }
      queue.addOperation(operation)
      trial.expectQuiet(queue)
      trial.expect(facts.values, equals: [1, 1], "facts.values")
      trial.expect(
        operation.isFinished && operation.isCancelled,
        "operation.isFinished && operation.isCancelled")
    },
    Check("cancelAllTakesInEverythingHeldAndNothingLater", .contract(52), on: .usual) { trial in
      let queue = trial.queue()
      let log = Log()
      let waiting = TestOperation()
      waiting.addDependency(Operation())
      let later = TestOperation()
      queue.isSuspended = true
      queue.addOperation(waiting)
      queue.addBarrierBlock { log.note(1) }
      let handle = queue.addOperation { log.note(2) }
      let first = TestOperation { _ in queue.cancelAllOperations() }
      let outside = trial.queue()
      outside.addOperation(first)
      trial.expectQuiet(outside)
      queue.addOperation(later)
      queue.isSuspended = false
      trial.expectQuiet(queue)
      trial.expect(
        waiting.isCancelled && handle.isFinished, "waiting.isCancelled && handle.isFinished")
      trial.expect(log.values.isEmpty, "log.values.isEmpty")
      trial.expect(later.runCount, equals: 1, "later.runCount")
    },
    Check("cancelAllFromInsideAnOwnOperation", .contract(52)) { trial in
      let queue = trial.queue()
      queue.maxConcurrentOperationCount = 1
      let first = TestOperation { _ in queue.cancelAllOperations() }
      let others = (0..<20).map { _ in TestOperation() }
      queue.addOperations([first] + others, waitUntilFinished: false)
      trial.expectQuiet(queue)
      trial.expect(
        first.runCount == 1 && first.isCancelled, "first.runCount == 1 && first.isCancelled")
      trial.expect(
        others.allSatisfy { $0.isFinished && $0.isCancelled && $0.runCount == 0 },
        "others.allSatisfy { $0.isFinished && $0.isCancelled && $0.runCount == 0 }")
    },
    Check("customStartSeesTheCancellation", .contract(55, 63), on: .usual) { trial in
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
      let queue = trial.queue()
      let (cancelled, plain) = (Custom(), Custom())
      cancelled.addDependency(Operation())
      let after = TestOperation()
      after.addDependency(cancelled)
      after.addDependency(plain)
      queue.addOperations([after, cancelled, plain], waitUntilFinished: false)
      cancelled.cancel()
      trial.expectQuiet(queue)
      trial.expect(cancelled.runs.load(ordering: .relaxed), equals: 0, "cancelled.runs")
      trial.expect(plain.runs.load(ordering: .relaxed), equals: 1, "plain.runs")
      trial.expect(after.runCount, equals: 1, "after.runCount")
    },
  ]
}
