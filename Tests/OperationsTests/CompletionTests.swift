// SPDX-License-Identifier: Apache-2.0

import Operations
import Synchronization
import TestSupport
import Testing

extension OperationLayer {
  @Suite struct CompletionTests {
    @Test(.contract(58)) func blockAndItsCapturesGoOnceItWasHandedOver() {
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

    @Test(.contract(59)) func blockAssignedAfterTheFinishDoesNotRun() {
      let log = Log()
      let operation = Operation()
      operation.start()
      operation.completionBlock = { log.note(1) }
      #expect(operation.completionBlock == nil && log.values.isEmpty)
    }

    /// Between the finish and its hand-over the block is the finisher's: whoever sets another one
    /// is too late.
    @Test(.contract(56, 59), arguments: Kind.each, [true, false])
    func blockOfAFinishedOperationRunsWhateverIsAssigned(_ kind: Kind, byHand: Bool) {
      let queue = kind.queue()
      for block: (@Sendable () -> Void)? in [nil, {}] {
        let (log, operation) = (Log(), Operation())
        operation.completionBlock = { log.note(1) }
        let token = operation.observe(\.isFinished) { operation, _ in
          operation.completionBlock = block
        }
        if byHand { operation.start() } else { queue.addOperation(operation) }
        queue.expectQuiet()
        #expect(log.values == [1])
        withExtendedLifetime(token) {}
      }
    }

    @Test(.contract(56)) func replacedBlockDoesNotRun() {
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
  }
}
