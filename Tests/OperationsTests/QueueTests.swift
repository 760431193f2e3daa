// SPDX-License-Identifier: Apache-2.0

import Operations
import Synchronization
import TestSupport
import Testing

extension OperationLayer {
  /// Contract 105–110, 117, 118.
  @Suite struct QueueTests {
    @Test(arguments: Kind.each)
    func queueKeepsItsOperationsAndLetsGoOfThem(_ kind: Kind) {
      let lifetimes = LifetimeCounter()
      let queue = kind.queue()
      queue.isSuspended = true
      queue.addOperation(TestOperation(lifetimes))
      queue.addOperations([TestOperation(lifetimes)], waitUntilFinished: false)
      queue.addOperations([], waitUntilFinished: true)
      #expect(lifetimes.live == 2)
      queue.isSuspended = false
      queue.expectQuiet()
      #expect(waitUntil { lifetimes.live == 0 })
    }

    @Test func illegalMemberLeavesTheWholeBatchReusable() throws {
      let queue = Kind.inline.queue()
      let finished = Operation()
      finished.start()
      let executing = TestAsyncOperation()
      executing.start()
      let elsewhere = Operation()
      let other = Kind.inline.queue()
      other.isSuspended = true
      other.addOperation(elsewhere)
      for bad in [finished, executing, elsewhere] {
        let good = [TestOperation(), TestOperation()]
        #expect(throws: OperationError.self) {
          try queue.tryAddOperations([good[0], bad, good[1]])
        }
        #expect(throws: OperationError.self) { try queue.tryAddOperation(bad) }
        #expect(throws: OperationError.self) {
          try queue.tryAddOperations([good[0], good[1], good[0]])
        }
        #expect(queue.operations.isEmpty && queue.operationCount == 0)
        try queue.tryAddOperations(good)
        #expect(good.allSatisfy { $0.runCount == 1 })
      }
      executing.finish()
      other.isSuspended = false
    }

    @Test func refusalSaysWhy() {
      let queue = Kind.inline.queue()
      queue.name = "first"
      queue.isSuspended = true
      let operation = Operation()
      operation.name = "fetch"
      queue.addOperation(operation)
      do {
        try queue.tryAddOperation(operation)
        Issue.record("added twice")
      } catch {
        guard case .alreadyQueued(operation, queueName: "first") = error else {
          Issue.record("\(error)")
          return
        }
        #expect("\(error)".contains("\"fetch\"") && "\(error)".contains("\"first\""))
      }
      queue.isSuspended = false
      do {
        try queue.tryAddOperation(operation)
        Issue.record("added after the finish")
      } catch {
        guard case .alreadyFinished(operation) = error else {
          Issue.record("\(error)")
          return
        }
      }
    }

    @Test(arguments: Kind.all)
    func operationsMayBeAddedFromAnywhere(_ kind: Kind) {
      let queue = kind.queue()
      let count = Atomic<Int>(0)
      onThreads(4) { _ in
        for _ in 0..<100 {
          let operation = TestOperation { _ in
            queue.addOperation { count.add(1, ordering: .relaxed) }
          }
          operation.completionBlock = {
            queue.addOperation(BlockOperation { count.add(1, ordering: .relaxed) })
          }
          queue.addOperation(operation)
        }
      }
      queue.expectQuiet()
      #expect(count.load(ordering: .relaxed) == 800)
      #expect(queue.operations.isEmpty)
    }

    @Test(arguments: Kind.pools)
    func droppedQueueFinishesItsOperations(_ kind: Kind) {
      let lifetimes = LifetimeCounter()
      let scheduler = kind.make(kind.workers)
      let gate = Operation()
      for limit in [-1, 1, 3] {
        let queue = OperationQueue(scheduler: scheduler)
        queue.maxConcurrentOperationCount = limit
        for _ in 0..<100 {
          let operation = TestOperation(lifetimes)
          operation.retainsFinishedDependencies = false
          operation.addDependency(gate)
          queue.addOperation(operation)
        }
      }
      #expect(lifetimes.live == 300)
      gate.start()
      #expect(waitUntil(deadline: patience) { lifetimes.live == 0 })
    }

    @Test(arguments: Kind.all)
    func enumerationIsInSubmissionOrderAndComplete(_ kind: Kind) {
      let queue = kind.queue()
      queue.isSuspended = true
      var expected: [Operation] = []
      for number in 0..<300 {
        switch number % 3 {
        case 0:
          let operation = Operation()
          queue.addOperation(operation)
          expected.append(operation)
        case 1:
          let batch = (0..<3).map { _ in BlockOperation {} }
          queue.addOperations(batch, waitUntilFinished: false)
          expected += batch
        default:
          expected.append(queue.addOperation {}.operation)
        }
        if number % 100 == 0 { queue.addBarrierBlock {} }
      }
      #expect(queue.operations == expected)
      #expect(queue.operationCount == expected.count)
      queue.isSuspended = false
      queue.expectQuiet()
      #expect(queue.operations.isEmpty && queue.operationCount == 0)
    }

    @Test(arguments: Kind.each)
    func countAndListAgreeWhileNothingMoves(_ kind: Kind) {
      let queue = kind.queue()
      let gate = Operation()
      for number in 0..<1000 {
        let operation = TestOperation()
        if number % 3 == 0 { operation.addDependency(gate) }
        queue.addOperation(operation)
      }
      #expect(waitUntil(deadline: patience) { queue.operationCount == 334 })
      #expect(queue.operations.count == 334)
      gate.start()
      queue.expectQuiet()
      #expect(queue.operationCount == 0)
    }

    @Test(arguments: Kind.all)
    func currentIsTheQueueOfTheRunningBody(_ kind: Kind) {
      #expect(OperationQueue.current == nil)
      let (queue, other) = (kind.queue(), kind.queue())
      let answers = Log()
      let manual = BlockOperation { answers.note(OperationQueue.current === queue ? 1 : 0) }
      queue.addOperation {
        answers.note(OperationQueue.current === queue ? 1 : 0)
        manual.start()
        let operation = BlockOperation {
          answers.note(OperationQueue.current === other ? 1 : 0)
        }
        other.addOperation(operation)
        other.waitUntilAllOperationsAreFinished()
        answers.note(OperationQueue.current === queue ? 1 : 0)
      }
      queue.expectQuiet()
      #expect(answers.values == [1, 1, 1, 1])
      #expect(OperationQueue.current == nil)
    }

    @Test func namesAreKept() {
      let queue = Kind.inline.queue()
      #expect(queue.name?.isEmpty == false)
      queue.name = "downloads"
      #expect(queue.name == "downloads")
      let operation = Operation()
      operation.name = "fetch"
      #expect(operation.name == "fetch")
      operation.name = nil
      #expect(operation.name == nil)
    }
  }
}
