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

    /// A subclass in Foundation's style, which drives its own state, started by hand.
    @Test(.contract(18, 63, 67), arguments: Kind.each)
    func ownStateIsHonouredAfterAStartByHand(_ kind: Kind) throws {
      final class OwnState: Operation, @unchecked Sendable {
        private let state = Locked((isExecuting: false, isFinished: false))
        override var isAsynchronous: Bool { true }
        override var isExecuting: Bool { state.withLock { $0.isExecuting } }
        override var isFinished: Bool { state.withLock { $0.isFinished } }
        override func start() { change(isExecuting: !isCancelled, isFinished: isCancelled) }
        func end() { change(isExecuting: false, isFinished: true) }
        private func change(isExecuting: Bool, isFinished: Bool) {
          for key in ["isExecuting", "isFinished"] { willChangeValue(forKey: key) }
          state.withLock { $0 = (isExecuting, isFinished) }
          for key in ["isExecuting", "isFinished"] { didChangeValue(forKey: key) }
        }
      }
      let queue = kind.queue()
      for isCancelled in [false, true] {
        let completions = Atomic<Int>(0)
        let operation = OwnState()
        operation.completionBlock = { completions.add(1, ordering: .releasing) }
        let dependent = TestOperation()
        dependent.addDependency(operation)
        queue.addOperation(dependent)
        if isCancelled { operation.cancel() }
        operation.start()
        if !isCancelled {
          #expect(throws: OperationError.self) { try queue.tryAddOperation(operation) }
          #expect(!operation.wait(timeout: .zero) && !dependent.isReady)
          operation.end()
        }
        #expect(operation.wait(timeout: patience))
        queue.expectQuiet()
        #expect(dependent.runCount == 1)
        #expect(completions.load(ordering: .acquiring) == 1)
        #expect(throws: OperationError.self) { try queue.tryAddOperation(operation) }
      }
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
