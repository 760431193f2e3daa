// SPDX-License-Identifier: Apache-2.0

import Operations
import Synchronization
import TestSupport
import Testing

extension OperationLayer {
  @Suite struct BlockOperationTests {
    @Test(.contract(77)) func executionBlocksKeepTheirOrder() {
      let log = Log()
      let operation = BlockOperation { log.note(0) }
      operation.addExecutionBlock { log.note(1) }
      operation.addExecutionBlock { log.note(2) }
      for block in operation.executionBlocks { block() }
      #expect(log.values == [0, 1, 2])
      operation.start()
      #expect(log.values == [0, 1, 2, 0, 1, 2])
    }

    @Test(.contract(78)) func closureForAStartedOperationIsRefused() {
      let states = Log()
      let operation = BlockOperation()
      operation.addExecutionBlock { [unowned operation] in
        do { try operation.tryAddExecutionBlock {} } catch {
          if case .alreadyExecuting? = error as? OperationError { states.note(1) }
        }
      }
      operation.start()
      do { try operation.tryAddExecutionBlock {} } catch {
        if case .alreadyFinished = error { states.note(2) }
      }
      #expect(states.values == [1, 2])
    }

    @Test(.contract(74)) func closuresOfACancelledOperationDieWithIt() {
      let lifetimes = LifetimeCounter()
      do {
        let operation = BlockOperation()
        for _ in 0..<3 {
          let token = lifetimes.token()
          operation.addExecutionBlock { withExtendedLifetime(token) {} }
        }
        operation.cancel()
        operation.start()
        #expect(operation.isFinished)
      }
      #expect(lifetimes.live == 0)
    }

    private final class Idle: BlockOperation, @unchecked Sendable {
      override func main() {}
    }
    private final class Skipping: BlockOperation, @unchecked Sendable {
      private let isOver = Atomic<Bool>(false)
      override var isFinished: Bool { isOver.load(ordering: .acquiring) }
      override func start() {
        isOver.store(true, ordering: .releasing)
        didChangeValue(forKey: "isFinished")
      }
    }

    /// A subclass may never come to the closures.
    @Test(.contract(74), arguments: Kind.each, [true, false])
    func closuresThatNobodyRunsGoWithTheFinish(_ kind: Kind, isCancelled: Bool) {
      let lifetimes = LifetimeCounter()
      func closure() -> @Sendable () -> Void {
        let token = lifetimes.token()
        return { withExtendedLifetime(token) {} }
      }
      let queue = kind.queue()
      func operations() -> [BlockOperation] {
        let operations = [Idle(block: closure()), Skipping(block: closure())]
        for operation in operations {
          operation.addExecutionBlock(closure())
          #expect(operation.executionBlocks.count == 2)
          if isCancelled { operation.cancel() }
        }
        return operations
      }
      let queued = operations()
      queue.addOperations(queued, waitUntilFinished: false)
      queue.expectQuiet()
      let byHand = operations()
      for operation in byHand { operation.start() }
      #expect((queued + byHand).allSatisfy { $0.isFinished })
      #expect(waitUntil { lifetimes.live == 0 })
    }

    @Test(.contract(77), arguments: Kind.each)
    func closuresOfASubclassRunInOrder(_ kind: Kind) {
      final class Plain: BlockOperation, @unchecked Sendable {}
      let log = Log()
      let operation = Plain { log.note(0) }
      for number in 1..<4 { operation.addExecutionBlock { log.note(number) } }
      let queue = kind.queue()
      queue.addOperations([operation, Plain { log.note(4) }], waitUntilFinished: false)
      queue.expectQuiet()
      #expect(log.values.filter { $0 < 4 } == [0, 1, 2, 3] && log.values.contains(4))
    }
  }
}
