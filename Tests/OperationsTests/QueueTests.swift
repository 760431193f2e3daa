// SPDX-License-Identifier: Apache-2.0

import Operations
import Synchronization
import TestSupport
import Testing

extension OperationLayer {
  @Suite struct QueueTests {
    @Test(.contract(67, 106)) func illegalMemberLeavesTheWholeBatchReusable() throws {
      let queue = Kind.inline.queue()
      let finished = Operation()
      finished.start()
      let executing = TestAsyncOperation()
      executing.start()
      let elsewhere = Operation()
      let other = Kind.inline.queue()
      other.isSuspended = true
      other.addOperation(elsewhere)
      for bad in [finished, executing, elsewhere] {
        let good = [TestOperation(), TestOperation()]
        #expect(throws: OperationError.self) {
          try queue.tryAddOperations([good[0], bad, good[1]])
        }
        #expect(throws: OperationError.self) { try queue.tryAddOperation(bad) }
        #expect(throws: OperationError.self) {
          try queue.tryAddOperations([good[0], good[1], good[0]])
        }
        #expect(queue.operations.isEmpty && queue.operationCount == 0)
        try queue.tryAddOperations(good)
        #expect(good.allSatisfy { $0.runCount == 1 })
      }
      executing.finish()
      other.isSuspended = false
    }

    @Test(.contract(67, 98)) func refusalSaysWhy() {
      let queue = Kind.inline.queue()
      queue.name = "first"
      queue.isSuspended = true
      let operation = Operation()
      operation.name = "fetch"
      queue.addOperation(operation)
      do {
        try queue.tryAddOperation(operation)
        Issue.record("added twice")
      } catch {
        guard case .alreadyQueued(operation, queueName: "first") = error else {
          Issue.record("\(error)")
          return
        }
        #expect("\(error)".contains("\"fetch\"") && "\(error)".contains("\"first\""))
      }
      queue.isSuspended = false
      do {
        try queue.tryAddOperation(operation)
        Issue.record("added after the finish")
      } catch {
        guard case .alreadyFinished(operation) = error else {
          Issue.record("\(error)")
          return
        }
      }
    }

    @Test(.contract(98)) func namesAreKept() {
      let queue = Kind.inline.queue()
      #expect(queue.name?.isEmpty == false)
      queue.name = "downloads"
      #expect(queue.name == "downloads")
      let operation = Operation()
      operation.name = "fetch"
      #expect(operation.name == "fetch")
      operation.name = nil
      #expect(operation.name == nil)
    }
  }
}
