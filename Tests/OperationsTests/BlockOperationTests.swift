// SPDX-License-Identifier: Apache-2.0

import Operations
import Synchronization
import TestSupport
import Testing

extension OperationLayer {
  /// Contract 74, 77, 78.
  @Suite struct BlockOperationTests {
    @Test(arguments: Kind.each)
    func runsEveryClosureOnceAndLetsGoOfThem(_ kind: Kind) {
      let lifetimes = LifetimeCounter()
      let queue = kind.queue()
      let log = Log()
      let operation = BlockOperation()
      for number in 0..<5 {
        let token = lifetimes.token()
        operation.addExecutionBlock { withExtendedLifetime(token) { log.note(number) } }
      }
      #expect(operation.executionBlocks.count == 5)
      queue.addOperation(operation)
      queue.expectQuiet()
      #expect(log.values.sorted() == Array(0..<5))
      #expect(operation.executionBlocks.isEmpty)
      #expect(lifetimes.live == 0)
    }

    @Test func executionBlocksKeepTheirOrder() {
      let log = Log()
      let operation = BlockOperation { log.note(0) }
      operation.addExecutionBlock { log.note(1) }
      operation.addExecutionBlock { log.note(2) }
      for block in operation.executionBlocks { block() }
      #expect(log.values == [0, 1, 2])
      operation.start()
      #expect(log.values == [0, 1, 2, 0, 1, 2])
    }

    @Test func closureForAStartedOperationIsRefused() {
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

    @Test func closuresOfACancelledOperationDieWithIt() {
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
  }
}
