// SPDX-License-Identifier: Apache-2.0

import Operations
import Synchronization
import TestSupport
import Testing

extension OperationLayer {
  /// Contract 99–104, decision 19.
  @Suite struct WaitTests {
    @Test(arguments: Kind.all)
    func waitReturnsOnceFinished(_ kind: Kind) {
      let queue = kind.queue()
      for round in 0..<100 {
        let operation = TestOperation()
        queue.addOperation(operation)
        if round % 2 == 0 {
          operation.waitUntilFinished()
        } else {
          #expect(operation.wait(timeout: patience))
        }
        #expect(operation.isFinished && operation.runCount == 1)
        operation.waitUntilFinished()
      }
      queue.expectQuiet()
    }

    @Test func timedWaitGivesUp() {
      let never = Operation()
      for _ in 0..<100 { #expect(!never.wait(timeout: .microseconds(10))) }
      #expect(!never.wait(timeout: .zero))
      never.start()
      #expect(never.wait(timeout: .zero))
      let queue = Kind.inline.queue()
      queue.isSuspended = true
      queue.addOperation {}
      #expect(!queue.wait(timeout: .microseconds(10)))
      queue.isSuspended = false
      #expect(queue.wait(timeout: .zero))
    }

    @Test func manyThreadsWaitForOneOperation() {
      let operation = Operation()
      let woken = Atomic<Int>(0)
      onThreads(5) { index in
        if index == 0 {
          operation.start()
        } else if index % 2 == 0 {
          operation.waitUntilFinished()
          woken.add(1, ordering: .relaxed)
        } else if operation.wait(timeout: patience) {
          woken.add(1, ordering: .relaxed)
        }
      }
      #expect(woken.load(ordering: .relaxed) == 4)
    }

    @Test(arguments: Kind.all)
    func fiftyNestedWaitsOnOneQueue(_ kind: Kind) {
      let queue = kind.queue()
      let depth = Atomic<Int>(0)
      @Sendable func descend(_ level: Int) {
        depth.add(1, ordering: .relaxed)
        guard level > 0 else { return }
        let inner = BlockOperation { descend(level - 1) }
        queue.addOperation(inner)
        inner.waitUntilFinished()
      }
      queue.addOperation { descend(50) }
      queue.expectQuiet()
      #expect(depth.load(ordering: .relaxed) == 51)
    }

    @Test(arguments: Kind.pools)
    func fiftyNestedTimedWaits(_ kind: Kind) {
      let queue = kind.queue()
      let depth = Atomic<Int>(0)
      @Sendable func descend(_ level: Int) {
        depth.add(1, ordering: .relaxed)
        guard level > 0 else { return }
        let inner = TestOperation { _ in descend(level - 1) }
        queue.addOperation(inner)
        #expect(inner.wait(timeout: patience))
      }
      queue.addOperation { descend(50) }
      queue.expectQuiet()
      #expect(depth.load(ordering: .relaxed) == 51)
    }

    /// The awaited operation is behind a dependency, so that the waiting worker cannot run it itself.
    @Test(arguments: Kind.pools)
    func blockedWorkerIsReplaced(_ kind: Kind) {
      let queue = kind.queue()
      let gates = (0..<30).map { _ in Operation() }
      let awaited = gates.map { gate in
        let operation = TestOperation()
        operation.addDependency(gate)
        return operation
      }
      for operation in awaited { queue.addOperation { operation.waitUntilFinished() } }
      queue.addOperations(awaited, waitUntilFinished: false)
      for gate in gates { queue.addOperation { gate.start() } }
      queue.expectQuiet()
      #expect(awaited.allSatisfy { $0.runCount == 1 })
    }

    @Test(arguments: Kind.each)
    func waitFromInsideForAnotherQueue(_ kind: Kind) {
      let scheduler = kind.make(kind.workers)
      let (first, second) = (
        OperationQueue(scheduler: scheduler), OperationQueue(scheduler: scheduler)
      )
      second.maxConcurrentOperationCount = 1
      let count = Atomic<Int>(0)
      first.addOperation {
        for _ in 0..<20 { second.addOperation { count.add(1, ordering: .relaxed) } }
        second.waitUntilAllOperationsAreFinished()
        count.add(100, ordering: .relaxed)
      }
      first.expectQuiet()
      #expect(count.load(ordering: .relaxed) == 120)
    }

    @Test(arguments: Kind.pools)
    func timedWaitForTheOwnQueueReturnsFalse(_ kind: Kind) {
      let queue = kind.queue()
      let answers = Log()
      queue.addOperation { answers.note(queue.wait(timeout: .milliseconds(1)) ? 1 : 0) }
      queue.expectQuiet()
      #expect(answers.values == [0])
    }

    @Test(arguments: Kind.pools)
    func waitForACancelledOperationBehindOneself(_ kind: Kind) {
      let queue = kind.queue()
      queue.maxConcurrentOperationCount = 1
      let behind = BlockOperation {}
      let waiter = TestOperation { _ in behind.waitUntilFinished() }
      behind.queuePriority = .low
      queue.isSuspended = true
      queue.addOperations([waiter, behind], waitUntilFinished: false)
      behind.cancel()
      queue.isSuspended = false
      queue.expectQuiet()
      #expect(behind.isFinished)
    }

    @Test(arguments: Kind.all)
    func queueWaitTakesInWhatIsAddedMeanwhile(_ kind: Kind) {
      let queue = kind.queue()
      let count = Atomic<Int>(0)
      @Sendable func add(_ left: Int) {
        count.add(1, ordering: .relaxed)
        if left > 0 { queue.addOperation { add(left - 1) } }
        if left % 10 == 0 { queue.addBarrierBlock { count.add(1, ordering: .relaxed) } }
      }
      add(200)
      queue.waitUntilAllOperationsAreFinished()
      #expect(count.load(ordering: .relaxed) == 201 + 21)
      #expect(queue.operationCount == 0)
    }

    /// The override waits on its worker, which may run other operations meanwhile, before it starts its own.
    @Test(arguments: Kind.single)
    func overriddenStartMayWaitFirst(_ kind: Kind) {
      final class Careful: Operation, @unchecked Sendable {
        let other: Operation
        let runs = Atomic<Int>(0)
        init(other: Operation) { self.other = other }
        override func start() {
          other.waitUntilFinished()
          super.start()
        }
        override func main() { runs.add(1, ordering: .relaxed) }
      }
      let queue = kind.queue()
      let other = TestOperation()
      let careful = Careful(other: other)
      queue.addOperations([careful, other], waitUntilFinished: false)
      queue.expectQuiet()
      #expect(careful.runs.load(ordering: .relaxed) == 1 && other.runCount == 1)
    }
  }
}
