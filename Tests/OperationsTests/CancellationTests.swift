// SPDX-License-Identifier: Apache-2.0

import Operations
import Synchronization
import TestSupport
import Testing

extension OperationLayer {
  @Suite struct CancellationTests {
    @Test(.contract(44)) func cancelAfterTheFinishChangesNothing() {
      let operation = Operation()
      operation.start()
      operation.cancel()
      #expect(!operation.isCancelled)
    }

    @Test(.contract(45)) func cancelledOutsideAQueueIsNotFinished() {
      let operation = Operation()
      operation.addDependency(Operation())
      operation.cancel()
      operation.cancel()
      #expect(operation.isCancelled && operation.isReady && !operation.isFinished)
      operation.start()
      #expect(operation.isFinished)
    }

    @Test(.contract(109)) func cancelledMembersStayUntilTheyHaveFinished() {
      let queue = Kind.inline.queue()
      queue.isSuspended = true
      let operations = [Operation(), BlockOperation {}]
      queue.addOperations(operations, waitUntilFinished: false)
      for operation in operations { operation.cancel() }
      #expect(queue.operations == operations && queue.operationCount == 2)
      queue.isSuspended = false
      #expect(queue.operations.isEmpty && operations.allSatisfy { $0.isFinished })
    }

    @Test(.contract(53)) func dependentsAreNotCancelledWithTheirDependency() {
      let queue = Kind.pools[1].queue()
      let first = Operation()
      let second = TestOperation()
      second.addDependency(first)
      first.cancel()
      queue.addOperations([second, first], waitUntilFinished: false)
      queue.expectQuiet()
      #expect(!second.isCancelled && second.runCount == 1)
    }

    @Test(.contract(54)) func removalAfterCancelLeavesTheOperationStartable() {
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
  }
}
