// SPDX-License-Identifier: Apache-2.0

import Operations
import OperationsDiagnosis
import Synchronization
import TestSupport
import Testing

extension OperationLayer {
  /// A queue may be used again after `invalidate()`, also by other threads at the same time.
  @Suite struct InvalidateStressTests {
    private func expectFinished(_ operation: Operation, _ queue: OperationQueue, _ round: Int) {
      if operation.wait(timeout: patience) { return }
      Issue.record("round \(round): \(operation) hangs\n\(queue.stallReport())")
    }

    @Test(.contract(133), arguments: Kind.all)
    func whatIsAddedAfterwardsRuns(_ kind: Kind) {
      let queue = kind.queue()
      let ran = Atomic<Int>(0)
      let rounds = 4000 * stressFactor / slowness
      for round in 0..<rounds {
        switch round % 4 {
        case 1: queue.isSuspended = true
        case 2: queue.maxConcurrentOperationCount = 0
        case 3: queue.maxConcurrentOperationCount = -1
        default: break
        }
        queue.invalidate()
        let operation = BlockOperation { ran.add(1, ordering: .relaxed) }
        queue.addOperation(operation)
        if round % 2 == 0 { operation.waitUntilFinished() }
        expectFinished(operation, queue, round)
      }
      #expect(ran.load(ordering: .relaxed) == rounds)
    }

    @Test(.contract(133), arguments: Kind.all)
    func whatIsAddedMeanwhileFinishes(_ kind: Kind) {
      let queue = kind.queue()
      let isOver = Atomic<Bool>(false)
      let rounds = 4000 * stressFactor / slowness
      onThreads(2) { thread in
        if thread == 0 {
          for round in 0..<rounds {
            let (first, second) = (BlockOperation {}, BlockOperation {})
            second.addDependency(first)
            queue.addOperation(second)
            queue.addOperation(first)
            queue.addOperation {}
            if round % 7 == 0 { queue.addBarrierBlock {} }
            expectFinished(second, queue, round)
            expectFinished(first, queue, round)
          }
          isOver.store(true, ordering: .releasing)
        } else {
          var round = 0
          while !isOver.load(ordering: .acquiring) {
            round += 1
            // Between a suspension or limit 0 and its `invalidate()` nothing starts.
            if round % 3 == 0 { queue.isSuspended = true }
            if round % 5 == 0 { queue.maxConcurrentOperationCount = 0 }
            queue.invalidate()
            if round % 10 == 0 { queue.maxConcurrentOperationCount = -1 }
            yieldCore()
          }
        }
      }
      queue.expectQuiet()
    }
  }
}
