// SPDX-License-Identifier: Apache-2.0

internal import Operations
internal import Synchronization

extension Check {
  /// Members of a queue.
  static let adding: [Check] = [
    Check("queueKeepsItsOperationsAndLetsGoOfThem", .contract(105, 130), on: .usual) { trial in
      let lifetimes = LifetimeCounter()
      let queue = trial.queue()
      queue.isSuspended = true
      queue.addOperation(TestOperation(lifetimes))
      queue.addOperations([TestOperation(lifetimes)], waitUntilFinished: false)
      queue.addOperations([], waitUntilFinished: true)
      trial.expect(lifetimes.live, equals: 2, "lifetimes.live")
      queue.isSuspended = false
      trial.expectQuiet(queue)
      trial.eventually(equals: 0, "the number of operations alive") { lifetimes.live }
    },
    Check("operationsMayBeAddedFromAnywhere", .contract(9, 107)) { trial in
      let queue = trial.queue()
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
      trial.expectQuiet(queue)
      trial.expect(count.load(ordering: .relaxed), equals: 800, "count")
      trial.expect(queue.operations.isEmpty, "queue.operations.isEmpty")
    },
    Check("droppedQueueFinishesItsOperations", .contract(110), needs: [.ownThreads]) { trial in
      let lifetimes = LifetimeCounter()
      let scheduler = trial.makeScheduler()
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
      trial.expect(lifetimes.live, equals: 300, "lifetimes.live")
      gate.start()
      trial.eventually(equals: 0, "the number of operations alive") { lifetimes.live }
    },
    Check("enumerationIsInSubmissionOrderAndComplete", .contract(117)) { trial in
      let queue = trial.queue()
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
      trial.expect(queue.operations, equals: expected, "queue.operations")
      trial.expect(queue.operationCount, equals: expected.count, "queue.operationCount")
      queue.isSuspended = false
      trial.expectQuiet(queue)
      trial.expect(
        queue.operations.isEmpty && queue.operationCount == 0,
        "queue.operations.isEmpty && queue.operationCount == 0")
    },
    Check("countAndListAgreeWhileNothingMoves", .contract(117), on: .usual) { trial in
      let queue = trial.queue()
      let gate = Operation()
      for number in 0..<1000 {
        let operation = TestOperation()
        if number % 3 == 0 { operation.addDependency(gate) }
        queue.addOperation(operation)
      }
      trial.eventually("queue.operationCount == 334") { queue.operationCount == 334 }
      trial.expect(queue.operations.count, equals: 334, "queue.operations.count")
      gate.start()
      trial.expectQuiet(queue)
      trial.expect(queue.operationCount, equals: 0, "queue.operationCount")
    },
    Check("currentIsTheQueueOfTheRunningBody", .contract(118)) { trial in
      trial.expect(OperationQueue.current == nil, "OperationQueue.current == nil")
      let (queue, other) = (trial.queue(), trial.queue())
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
      trial.expectQuiet(queue)
      trial.expect(answers.values, equals: [1, 1, 1, 1], "answers.values")
      trial.expect(OperationQueue.current == nil, "OperationQueue.current == nil")
    },
  ]
}
