// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
import Operations
import Synchronization
import TestSupport
import Testing

extension OperationLayer {
  /// Contract 63–70.
  @Suite struct AsyncOperationTests {
    @Test(arguments: Kind.all)
    func keepsSlotPlaceAndDependentsUntilFinished(_ kind: Kind) {
      let queue = kind.queue()
      queue.maxConcurrentOperationCount = 3
      let begun = Atomic<Int>(0)
      let operations = (0..<9).map { _ in
        TestAsyncOperation { _ in begun.add(1, ordering: .releasing) }
      }
      let dependent = TestOperation()
      dependent.addDependency(operations[0])
      queue.addOperations(operations + [dependent], waitUntilFinished: false)
      for finished in 0..<9 {
        let expected = min(9, finished + 3)
        #expect(waitUntil(deadline: patience) { begun.load(ordering: .acquiring) >= expected })
        #expect(begun.load(ordering: .acquiring) == expected)
        let running = operations.filter(\.isExecuting)
        #expect(running.count == expected - finished)
        #expect(queue.operations.contains(dependent) || finished > 0)
        running.first?.finish()
      }
      queue.expectQuiet()
      #expect(dependent.runCount == 1)
    }

    @Test(arguments: Kind.all)
    func finishFromInsideTheBody(_ kind: Kind) {
      for limit in [-1, 1] {
        let queue = kind.queue()
        queue.maxConcurrentOperationCount = limit
        let operations = (0..<50).map { _ in TestAsyncOperation { $0.finish() } }
        queue.addOperations(operations, waitUntilFinished: true)
        queue.expectQuiet()
        #expect(operations.allSatisfy { $0.runs.load(ordering: .relaxed) == 1 })
        #expect(operations.allSatisfy { $0.surplusFinishCount == 0 })
      }
    }

    @Test(arguments: Kind.each)
    func laterFinishCallsAreCounted(_ kind: Kind) {
      let queue = kind.queue()
      let operation = TestAsyncOperation { $0.finish() }
      queue.addOperation(operation)
      queue.expectQuiet()
      // Other operations take over whatever memory the queue has freed.
      queue.addOperations((0..<200).map { _ in Operation() }, waitUntilFinished: true)
      queue.expectQuiet()
      operation.finish()
      operation.finish()
      #expect(operation.surplusFinishCount == 2)
      #expect(queue.operationCount == 0)
    }

    @Test func finishOutlivesTheQueue() {
      let operation = TestAsyncOperation { $0.finish() }
      do {
        let queue = Kind.pools[1].queue()
        queue.addOperation(operation)
        queue.expectQuiet()
      }
      operation.finish()
      #expect(operation.surplusFinishCount == 1)
    }

    @Test(arguments: Kind.each)
    func finishBeforeTheStartSkipsTheBody(_ kind: Kind) {
      let queue = kind.queue()
      let operation = TestAsyncOperation()
      let dependent = TestOperation()
      dependent.addDependency(operation)
      operation.finish()
      #expect(!operation.isFinished)
      queue.addOperations([operation, dependent], waitUntilFinished: false)
      queue.expectQuiet()
      #expect(operation.runs.load(ordering: .relaxed) == 0)
      #expect(dependent.runCount == 1)
      let manual = TestAsyncOperation()
      manual.finish()
      manual.start()
      #expect(manual.isFinished && manual.runs.load(ordering: .relaxed) == 0)
    }

    @Test(arguments: Kind.each)
    func cancelledBeforeTheStartFinishesByItself(_ kind: Kind) {
      let queue = kind.queue()
      let operation = TestAsyncOperation()
      operation.addDependency(Operation())
      queue.addOperation(operation)
      operation.cancel()
      queue.expectQuiet()
      #expect(operation.isFinished && operation.runs.load(ordering: .relaxed) == 0)
    }

    @Test func manualStartLeavesItExecuting() {
      let operation = TestAsyncOperation()
      operation.start()
      #expect(operation.isExecuting && !operation.isFinished)
      operation.finish()
      #expect(!operation.isExecuting && operation.isFinished)
    }

    @Test(arguments: Kind.each)
    func dependentsStartInTheOrderAdded(_ kind: Kind) {
      let queue = kind.queue()
      let log = Log()
      let source = TestAsyncOperation()
      queue.addOperation(source)
      #expect(waitUntil(deadline: patience) { source.isExecuting })
      let serial = kind.queue()
      serial.maxConcurrentOperationCount = 1
      for number in 0..<20 {
        let dependent = BlockOperation { log.note(number) }
        dependent.addDependency(source)
        serial.addOperation(dependent)
      }
      source.finish()
      serial.expectQuiet()
      #expect(log.values == Array(0..<20))
    }

    /// Cancelling a subclass that finishes itself on cancellation.
    @Test(arguments: Kind.each)
    func finishFromAnOverrideOfCancel(_ kind: Kind) {
      final class SelfFinishing: AsyncOperation, @unchecked Sendable {
        override func cancel() {
          super.cancel()
          finish()
        }
      }
      let queue = kind.queue()
      for _ in 0..<(2_000 / slowness) {
        let operation = SelfFinishing()
        let dependent = TestOperation()
        dependent.addDependency(operation)
        queue.addOperations([operation, dependent], waitUntilFinished: false)
        _ = warnings { operation.cancel() }
        dependent.waitUntilFinished()
      }
      queue.expectQuiet()
      #expect(queue.operations.isEmpty)
    }

    /// More than 2^16 asynchronous operations may be under way in a queue without a limit.
    @Test func hundredThousandUnderWay() {
      let queue = Kind.pools[1].queue()
      let operations = (0..<100_000).map { _ in AsyncOperation() }
      queue.addOperations(operations, waitUntilFinished: false)
      #expect(waitUntil(deadline: patience) { operations.allSatisfy { $0.isExecuting } })
      // Suspending and resuming makes the queue count.
      queue.isSuspended = true
      let after = TestOperation()
      queue.addOperation(after)
      queue.isSuspended = false
      #expect(after.wait(timeout: patience))
      for operation in operations { operation.finish() }
      queue.expectQuiet()
      #expect(queue.operations.isEmpty)
    }
  }
}
