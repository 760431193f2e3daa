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
  }
}
