// SPDX-License-Identifier: Apache-2.0

import Operations
import Synchronization
import TestSupport
import Testing

extension OperationLayer {
  /// Contract 56–62, decision 18.
  @Suite struct CompletionTests {
    @Test(arguments: Kind.all)
    func runsOnceAfterTheFinish(_ kind: Kind) {
      let queue = kind.queue()
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
      #expect(log.values.sorted() == Array(0..<100))
    }

    @Test func blockAndItsCapturesGoOnceItWasHandedOver() {
      let lifetimes = LifetimeCounter()
      let operation = Operation()
      do {
        let token = lifetimes.token()
        operation.completionBlock = { withExtendedLifetime(token) {} }
      }
      #expect(lifetimes.live == 1)
      operation.start()
      #expect(operation.completionBlock == nil)
      #expect(lifetimes.live == 0)
    }

    @Test func blockAssignedAfterTheFinishDoesNotRun() {
      let log = Log()
      let operation = Operation()
      operation.start()
      operation.completionBlock = { log.note(1) }
      #expect(operation.completionBlock == nil && log.values.isEmpty)
    }

    @Test func replacedBlockDoesNotRun() {
      let log = Log()
      let operation = Operation()
      operation.completionBlock = { log.note(1) }
      operation.completionBlock = { log.note(2) }
      operation.start()
      let cleared = Operation()
      cleared.completionBlock = { log.note(3) }
      cleared.completionBlock = nil
      cleared.start()
      #expect(log.values == [2])
    }

    @Test(arguments: Kind.all)
    func queueWaitReturnsAfterTheBlocks(_ kind: Kind) {
      let queue = kind.queue()
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
          #expect(isDone)
        }
      }
    }

    @Test(arguments: Kind.pools)
    func slotIsFreeBeforeTheBlockAndTheOperationStillListed(_ kind: Kind) {
      let queue = kind.queue()
      queue.maxConcurrentOperationCount = 1
      let release = Gate()
      let listed = Log()
      let first = TestOperation()
      let second = TestOperation()
      first.completionBlock = { [unowned first] in
        // The next operation runs while this block does.
        if kind.workers > 1 { #expect(second.wait(timeout: patience)) }
        listed.note(queue.operations.contains(first) ? 1 : 0)
        release.open()
      }
      queue.addOperations([first, second], waitUntilFinished: false)
      #expect(release.wait())
      queue.expectQuiet()
      #expect(listed.values == [1])
      #expect(second.runCount == 1)
    }

    @Test(arguments: Kind.all)
    func blockMayUseTheWholeInterface(_ kind: Kind) {
      let queue = kind.queue()
      let log = Log()
      let second = TestOperation { _ in log.note(2) }
      let first = TestOperation { _ in log.note(1) }
      first.completionBlock = { [unowned first] in
        #expect(OperationQueue.current == nil)
        queue.isSuspended = true
        queue.addOperation(second)
        queue.maxConcurrentOperationCount = 1
        second.queuePriority = .high
        first.cancel()
        queue.isSuspended = false
      }
      queue.addOperation(first)
      queue.expectQuiet()
      #expect(log.values == [1, 2])
    }

    /// The worker that waits in the block is replaced like one that waits in a body.
    @Test(arguments: Kind.single)
    func blockMayWaitForAnotherQueue(_ kind: Kind) {
      let queue = kind.queue()
      let other = OperationQueue(scheduler: queue.scheduler)
      other.maxConcurrentOperationCount = 1
      let first = TestOperation()
      let awaited = TestOperation()
      first.completionBlock = {
        other.addOperation(awaited)
        #expect(awaited.wait(timeout: patience))
      }
      queue.addOperation(first)
      queue.expectQuiet()
      #expect(awaited.runCount == 1)
    }
  }
}
