// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
import Operations
import OperationsDiagnosis
import Synchronization
import TestSupport
import Testing
import WorkStealingBackend

extension OperationLayer {
  @Suite(.contract(113)) struct StrictOrderTests {
    @Test(arguments: Kind.all, [-1, 1])
    func whatIsNotReadyHoldsBackTheOthers(_ kind: Kind, limit: Int) {
      let queue = OperationQueue(scheduler: kind.make(kind.workers), startsInOrder: true)
      #expect(queue.startsInOrder && queue.maxConcurrentOperationCount == -1)
      queue.maxConcurrentOperationCount = limit
      let log = Log()
      let gate = Operation()
      let head = TestOperation { _ in log.note(0) }
      head.addDependency(gate)
      queue.addOperation(head)
      let handle = queue.addOperation { log.note(1) }
      let urgent = TestOperation { _ in log.note(2) }
      urgent.queuePriority = .veryHigh
      queue.addOperation(urgent)
      queue.addBarrierBlock { log.note(3) }
      queue.addOperations(
        [4, 5].map { number in BlockOperation { log.note(number) } }, waitUntilFinished: false)
      #expect(!queue.wait(timeout: .milliseconds(5)))
      #expect(log.values.isEmpty)
      let report = queue.stallReport()
      #expect(report[head]?.root === gate)
      #expect(report[urgent]?.reasons == [.behindInOrder(head)] && report[urgent]?.root === gate)
      #expect(report[handle.operation]?.reasons == [.behindInOrder(head)])
      gate.start()
      queue.expectQuiet()
      if kind.isInline || limit == 1 {
        #expect(log.values == Array(0...5))
      } else {
        #expect(Set(log.values) == Set(0...5) && log.values.firstIndex(of: 3) == 3)
      }
    }

    @Test(arguments: Kind.each)
    func cancelledOnesLeaveWithoutTheirTurn(_ kind: Kind) {
      let queue = OperationQueue(scheduler: kind.make(kind.workers), startsInOrder: true)
      // Bodies of two workers could note themselves in either order.
      queue.maxConcurrentOperationCount = 1
      let log = Log()
      let stuck = BlockOperation { log.note(0) }
      stuck.addDependency(Operation())
      let second = BlockOperation { log.note(1) }
      let third = BlockOperation { log.note(2) }
      queue.addOperations([stuck, second, third], waitUntilFinished: false)
      let handle = queue.addOperation { log.note(3) }
      second.cancel()
      #expect(second.wait(timeout: patience) && !third.isFinished)
      stuck.cancel()
      queue.expectQuiet()
      #expect(log.values == [2, 3] && handle.isFinished)
      queue.isSuspended = true
      for number in 0..<50 { queue.addOperation { log.note(number) } }
      queue.cancelAllOperations()
      queue.isSuspended = false
      queue.expectQuiet()
      #expect(log.values == [2, 3])
    }

    @Test(arguments: Kind.each)
    func aDependencyOnALaterOperationShowsAsACycle(_ kind: Kind) {
      let queue = OperationQueue(scheduler: kind.make(kind.workers), startsInOrder: true)
      let (first, second) = (TestOperation(), TestOperation())
      first.addDependency(second)
      queue.addOperations([first, second], waitUntilFinished: false)
      let report = queue.stallReport()
      #expect(report.cycles.count == 1 && Set(report.cycles[0]) == [first, second])
      first.removeDependency(second)
      queue.expectQuiet()
    }

    /// Random readiness, many submitters: within one submitter starts follow the order of adding.
    @Test(arguments: Kind.each)
    func orderHoldsUnderLoad(_ kind: Kind) {
      let queue = OperationQueue(scheduler: kind.make(kind.workers), startsInOrder: true)
      queue.maxConcurrentOperationCount = 1
      let logs = [Log(), Log()]
      let count = 2_000 / slowness
      onThreads(2) { index in
        for number in 0..<count {
          let operation = BlockOperation { logs[index].note(number) }
          let gate = number % 3 == 0 ? Operation() : nil
          if let gate { operation.addDependency(gate) }
          operation.queuePriority = number % 2 == 0 ? .veryHigh : .veryLow
          queue.addOperation(operation)
          gate?.start()
          if number % 7 == 0 { operation.queuePriority = .normal }
        }
      }
      queue.expectQuiet()
      #expect(logs.allSatisfy { $0.values == Array(0..<count) })
    }
  }
}
