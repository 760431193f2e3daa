// SPDX-License-Identifier: Apache-2.0

import Operations
import TestSupport
import Testing

extension OperationLayer {
  /// A cancellation that meets an addition at the same moment, many thousand times.
  @Suite struct CancelRaceTests {
    /// Whoever comes second, the canceller or the adder, sees to it that the operation goes without
    /// a slot.
    @Test(.contract(49, 52), arguments: Kind.each, [true, false])
    func cancelAgainstTheAddInAQueueThatStartsNothing(_ kind: Kind, isBatch: Bool) {
      let queue = kind.queue()
      queue.maxConcurrentOperationCount = 0
      Duel.fight(
        rounds: 20_000 * stressFactor / slowness,
        prepare: { round in (operation: BlockOperation {}, all: round % 3 == 0) },
        left: { $0.all ? queue.cancelAllOperations() : $0.operation.cancel() },
        right: { round in
          guard isBatch else { return queue.addOperation(round.operation) }
          queue.addOperations([round.operation], waitUntilFinished: false)
        },
        check: { round, number in
          // Everything that was held is cancelled; what was added afterwards is not.
          if !round.operation.isCancelled { round.operation.cancel() }
          let isFinished = round.operation.wait(timeout: patience)
          #expect(isFinished, "round \(number), seed \(stressSeed): it waits for a slot")
          return isFinished
        })
    }
  }
}
