// SPDX-License-Identifier: Apache-2.0

import Operations
import Synchronization
import TestSupport
import Testing

extension OperationLayer {
  /// `await queue.finished()`.
  @Suite struct QueueFinishedTests {
    @Test(.contract(102, 103), arguments: Kind.all)
    func awaitingAQueueCoversWhatItHolds(_ kind: Kind) async {
      let queue = kind.queue()
      await queue.finished()
      let ran = Atomic<Int>(0)
      let rounds = 300 / slowness
      for round in 1...rounds {
        let tail = BlockOperation { ran.add(1, ordering: .relaxed) }
        let head = AsyncOperation {
          await Task.yield()
          // Added meanwhile.
          queue.addOperation(tail)
        }
        queue.addOperation(head)
        queue.addOperation { ran.add(1, ordering: .relaxed) }
        queue.addBarrierBlock { ran.add(1, ordering: .relaxed) }
        await queue.finished()
        #expect(ran.load(ordering: .relaxed) == 3 * round && tail.isFinished)
        #expect(queue.operationCount == 0)
      }
    }

    @Test(.contract(102), arguments: Kind.each)
    func manyTasksAwaitAQueueWhateverBecomesOfThem(_ kind: Kind) async {
      let queue = kind.queue()
      for _ in 0..<100 / slowness {
        queue.isSuspended = true
        for _ in 0..<50 { queue.addOperation {} }
        let returned = Log()
        await withTaskGroup { group in
          for index in 0..<8 {
            group.addTask {
              await queue.finished()
              returned.note(index + queue.operationCount)
            }
          }
          group.cancelAll()
          await Task.yield()
          #expect(returned.values.isEmpty)
          queue.isSuspended = false
        }
        #expect(returned.values.sorted() == Array(0..<8))
      }
    }

    /// Workers hold credits back again, and find the flag when it counts.
    @Test(.contract(103), arguments: Kind.each)
    func threadsAndTasksWaitTogether(_ kind: Kind) async {
      let queue = kind.queue()
      for round in 0..<200 / slowness {
        for _ in 0..<20 { queue.addOperation {} }
        if round % 3 == 0 { queue.addBarrierBlock {} }
        async let first: Void = queue.finished()
        async let second: Void = queue.finished()
        queue.expectEmptySoon()
        _ = await (first, second)
      }
      #expect(queue.operationCount == 0)
    }

    @Test(.contract(52, 102), arguments: Kind.each)
    func cancellingTheQueueEndsTheWait(_ kind: Kind) async {
      let queue = kind.queue()
      let never = Operation()
      for _ in 0..<10 {
        let operation = BlockOperation {}
        operation.addDependency(never)
        queue.addOperation(operation)
      }
      async let end: Void = queue.finished()
      queue.cancelAllOperations()
      await end
      #expect(queue.operationCount == 0)
    }
  }
}

extension OperationQueue {
  /// As `expectQuiet`, for asynchronous tests.
  fileprivate func expectEmptySoon() { expectQuiet() }
}
