// SPDX-License-Identifier: Apache-2.0

internal import Operations
internal import Synchronization

extension Check {
  /// Completion blocks.
  static let completion: [Check] = [
    Check("runsOnceAfterTheFinish", .contract(56, 58)) { trial in
      let queue = trial.queue()
      let log = Log()
      var operations: [Operation] = []
      for number in 0..<100 {
        let operation: Operation =
          number % 3 == 0 ? BlockOperation {} : number % 3 == 1 ? TestOperation() : Operation()
        if number % 5 == 0 { operation.cancel() }
        operation.completionBlock = { [unowned operation] in
          log.note(operation.isFinished && operation.completionBlock == nil ? number : -1)
        }
        operations.append(operation)
      }
      queue.addOperations(operations, waitUntilFinished: false)
      queue.waitUntilAllOperationsAreFinished()
      trial.expect(log.values.sorted(), equals: Array(0..<100), "log.values.sorted()")
    },
    Check("queueWaitReturnsAfterTheBlocks", .contract(60)) { trial in
      let queue = trial.queue()
      for limit in [-1, 1] {
        queue.maxConcurrentOperationCount = limit
        for _ in 0..<100 {
          let done = Atomic<Bool>(false)
          let operation = TestOperation()
          operation.completionBlock = {
            yieldCore()
            done.store(true, ordering: .releasing)
          }
          queue.addOperation(operation)
          queue.waitUntilAllOperationsAreFinished()
          let isDone = done.load(ordering: .acquiring)
          trial.expect(isDone, "isDone")
        }
      }
    },
    Check("slotIsFreeBeforeTheBlockAndTheOperationStillListed", .contract(61), needs: [.ownThreads])
    { trial in
      let queue = trial.queue()
      queue.maxConcurrentOperationCount = 1
      let release = Gate()
      let listed = Log()
      let first = TestOperation()
      let second = TestOperation()
      first.completionBlock = { [unowned first] in
        // The next operation runs while this block does.
        if trial.workers > 1 {
          trial.expect(second.wait(timeout: trial.patience), "second.wait(timeout: trial.patience)")
        }
        listed.note(queue.operations.contains(first) ? 1 : 0)
        release.open()
      }
      queue.addOperations([first, second], waitUntilFinished: false)
      trial.expect(release.wait(), "release.wait()")
      trial.expectQuiet(queue)
      trial.expect(listed.values, equals: [1], "listed.values")
      trial.expect(second.runCount, equals: 1, "second.runCount")
    },
    Check("blockMayUseTheWholeInterface", .contract(57, 62, 118)) { trial in
      let queue = trial.queue()
      let log = Log()
      let second = TestOperation { _ in log.note(2) }
      let first = TestOperation { _ in log.note(1) }
      first.completionBlock = { [unowned first] in
        trial.expect(OperationQueue.current == nil, "OperationQueue.current == nil")
        queue.isSuspended = true
        queue.addOperation(second)
        queue.maxConcurrentOperationCount = 1
        second.queuePriority = .high
        first.cancel()
        queue.isSuspended = false
      }
      queue.addOperation(first)
      trial.expectQuiet(queue)
      trial.expect(log.values, equals: [1, 2], "log.values")
    },
    // The worker that waits in the block is replaced like one that waits in a body.
    Check(
      "blockMayWaitForAnotherQueue", .contract(62), needs: [.ownThreads, .compensation], on: .one
    ) { trial in
      let queue = trial.queue()
      let other = OperationQueue(scheduler: queue.scheduler)
      other.maxConcurrentOperationCount = 1
      let first = TestOperation()
      let awaited = TestOperation()
      first.completionBlock = {
        other.addOperation(awaited)
        trial.expect(awaited.wait(timeout: trial.patience), "awaited.wait(timeout: trial.patience)")
      }
      queue.addOperation(first)
      trial.expectQuiet(queue)
      trial.expect(awaited.runCount, equals: 1, "awaited.runCount")
    },
  ]
}
