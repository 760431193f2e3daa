// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
import Operations
import Synchronization
import TestSupport
import Testing

extension OperationLayer {
  @Suite struct AsyncOperationTests {
    @Test(.contract(69)) func finishOutlivesTheQueue() {
      let operation = TestAsyncOperation { $0.finish() }
      do {
        let queue = Kind.pools[1].queue()
        queue.addOperation(operation)
        queue.expectQuiet()
      }
      operation.finish()
      #expect(operation.surplusFinishCount == 1)
    }

    @Test(.contract(68)) func manualStartLeavesItExecuting() {
      let operation = TestAsyncOperation()
      operation.start()
      #expect(operation.isExecuting && !operation.isFinished)
      operation.finish()
      #expect(!operation.isExecuting && operation.isFinished)
    }

    /// More than 2^16 asynchronous operations may be under way in a queue without a limit.
    @Test(.contract(65)) func hundredThousandUnderWay() {
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
