// SPDX-License-Identifier: Apache-2.0

internal import Operations
internal import Synchronization

extension Check {
  /// Levels, and the order within a level.
  static let priority: [Check] = [
    Check("limitedQueueStartsInExactOrder", .contract(85, 86, 113, 139)) { trial in
      for inBatch in [true, false] {
        let log = Log()
        let queue = trial.queue()
        queue.maxConcurrentOperationCount = 1
        queue.isSuspended = true
        let operations = operationsOfEveryLevel(log)
        if inBatch {
          queue.addOperations(operations, waitUntilFinished: false)
        } else {
          for operation in operations { queue.addOperation(operation) }
        }
        queue.isSuspended = false
        trial.expectQuiet(queue)
        trial.expect(log.values, equals: orderOfStarts, "log.values")
      }
    },
    Check("batchIsAtomicOnASerialQueue", .contract(87)) { trial in
      let queue = trial.queue()
      queue.maxConcurrentOperationCount = 1
      for _ in 0..<20 {
        let log = Log()
        queue.addOperations(operationsOfEveryLevel(log), waitUntilFinished: true)
        trial.expect(log.values, equals: orderOfStarts, "log.values")
      }
    },
    Check("exactSchedulerNeedsNoLimit", .contract(85, 87), needs: [.exactOrder], on: .one) {
      trial in
      let log = Log()
      let queue = trial.queue()
      let operations = operationsOfEveryLevel(log)
      let begin = TestOperation { _ in
        queue.addOperations(operations, waitUntilFinished: false)
      }
      queue.addOperation(begin)
      trial.expectQuiet(queue)
      trial.expect(log.values, equals: orderOfStarts, "log.values")
    },
    Check("firstInFirstOutWithinALevel", .contract(86, 113)) { trial in
      let log = Log()
      let queue = trial.queue()
      queue.maxConcurrentOperationCount = 1
      let gate = Operation()
      for number in 0..<500 {
        if number % 2 == 0 {
          queue.addOperation { log.note(number) }
        } else {
          queue.addOperation(BlockOperation { log.note(number) })
        }
        if number == 250 { queue.isSuspended = true }
      }
      queue.isSuspended = false
      trial.expectQuiet(queue)
      trial.expect(log.values, equals: Array(0..<500), "log.values")
      withExtendedLifetime(gate) {}
    },
    Check("dependentsOfOneOperationStartInTheOrderAdded", .contract(86)) { trial in
      let log = Log()
      let queue = trial.queue()
      queue.maxConcurrentOperationCount = 1
      let source = Operation()
      for number in 0..<20 {
        let dependent = BlockOperation { log.note(number) }
        dependent.addDependency(source)
        queue.addOperation(dependent)
      }
      queue.addOperation(source)
      trial.expectQuiet(queue)
      trial.expect(log.values, equals: Array(0..<20), "log.values")
    },
    Check("waitingOperationHoldsNobodyBack", .contract(85, 113)) { trial in
      let log = Log()
      let queue = trial.queue()
      queue.maxConcurrentOperationCount = 1
      let gate = Operation()
      let urgent = BlockOperation { log.note(1) }
      urgent.queuePriority = .veryHigh
      urgent.addDependency(gate)
      let lazy = BlockOperation { log.note(2) }
      lazy.queuePriority = .veryLow
      queue.addOperations([urgent, lazy], waitUntilFinished: false)
      lazy.waitUntilFinished()
      gate.start()
      trial.expectQuiet(queue)
      trial.expect(log.values, equals: [2, 1], "log.values")
    },
    Check("changeWhileQueuedMovesToTheTailOfTheNewLevel", .contract(88)) { trial in
      changePriorities(trial, limit: 1)
    },
    Check(
      "changeWhileQueuedTakesEffectWithoutALimit", .contract(88), needs: [.exactOrder], on: .one
    ) { trial in changePriorities(trial, limit: -1) },
    Check("changeWhileWaitingForADependencyCounts", .contract(88)) { trial in
      let log = Log()
      let queue = trial.queue()
      queue.maxConcurrentOperationCount = 1
      let gate = Operation()
      let operations = (0..<3).map { number in BlockOperation { log.note(number) } }
      for operation in operations {
        operation.addDependency(gate)
        queue.addOperation(operation)
      }
      operations[2].queuePriority = .veryHigh
      operations[0].queuePriority = .veryLow
      queue.isSuspended = true
      gate.start()
      queue.isSuspended = false
      trial.expectQuiet(queue)
      trial.expect(log.values, equals: [2, 1, 0], "log.values")
    },
    Check("levelsAreComparedWithinOneQueue", .contract(89), on: .usual) { trial in
      let scheduler = trial.makeScheduler()
      let queues = (0..<2).map { _ in OperationQueue(scheduler: scheduler) }
      let logs = [Log(), Log()]
      for (queue, log) in zip(queues, logs) {
        queue.maxConcurrentOperationCount = 1
        queue.isSuspended = true
        let operations = operationsOfEveryLevel(log)
        queue.addOperations(operations, waitUntilFinished: false)
      }
      let lazy = BlockOperation {}
      lazy.queuePriority = .veryLow
      let alone = OperationQueue(scheduler: scheduler)
      alone.maxConcurrentOperationCount = 1
      alone.addOperation(lazy)
      trial.eventually("the least urgent of one queue to start while others are suspended") {
        lazy.isFinished
      }
      for queue in queues { queue.isSuspended = false }
      for (queue, log) in zip(queues, logs) {
        trial.expectQuiet(queue)
        trial.expect(log.values, equals: orderOfStarts, "the order within one queue")
      }
    },
    Check("qualityOfServiceDoesNotOrder", .contract(90)) { trial in
      orderByQuality(trial, limit: 1)
    },
    Check(
      "qualityOfServiceDoesNotOrderWithoutALimit", .contract(90), needs: [.exactOrder], on: .one
    ) { trial in orderByQuality(trial, limit: -1) },
    // On deques the change takes effect by another job, and the first becomes a tombstone.
    Check("changeOnARunningQueueLosesAndDoublesNothing", .contract(88)) { trial in
      let queue = trial.queue()
      let lifetimes = LifetimeCounter()
      for round in 0..<20 {
        let operations = (0..<50).map { _ in TestOperation(lifetimes) }
        queue.addOperations(operations, waitUntilFinished: false)
        for (index, operation) in operations.enumerated() {
          operation.queuePriority = Operation.QueuePriority.allCases[(index + round) % 5]
        }
        trial.expectQuiet(queue)
        trial.expect(
          operations.allSatisfy { $0.runCount == 1 }, "operations.allSatisfy { $0.runCount == 1 }")
      }
      trial.eventually(equals: 0, "the number of operations alive") { lifetimes.live }
    },
  ]
}

private let levels: [Operation.QueuePriority] = [
  .low, .veryHigh, .normal, .veryLow, .high, .normal, .veryHigh, .low, .veryLow, .high,
]

/// Positions in `levels` by level, then by position.
private let orderOfStarts = levels.indices.sorted {
  (-levels[$0].rawValue, $0) < (-levels[$1].rawValue, $1)
}

/// Operations that note their position in `levels`.
private func operationsOfEveryLevel(_ log: Log) -> [Operation] {
  levels.enumerated().map { index, level in
    let operation = BlockOperation { log.note(index) }
    operation.queuePriority = level
    return operation
  }
}

/// Changes levels of a suspended queue's operations and looks at the order of their starts.
private func changePriorities(_ trial: Trial, limit: Int) {
  let log = Log()
  let queue = trial.queue()
  queue.maxConcurrentOperationCount = limit
  queue.isSuspended = true
  let operations = (0..<6).map { number in BlockOperation { log.note(number) } }
  operations[4].queuePriority = .high
  operations[5].queuePriority = .low
  operations[5].qualityOfService = .userInitiated
  queue.addOperations(operations, waitUntilFinished: false)
  operations[1].queuePriority = .high
  operations[0].queuePriority = .low
  // There and back again: behind the others of its level.
  operations[2].queuePriority = .veryHigh
  operations[2].queuePriority = .normal
  let handle = queue.addOperation { log.note(6) }
  handle.operation.queuePriority = .veryHigh
  queue.isSuspended = false
  trial.expectQuiet(queue)
  trial.expect(log.values, equals: [6, 4, 1, 3, 2, 5, 0], "log.values")
  trial.expect(queue.operations.isEmpty, "queue.operations.isEmpty")
}

/// Adds operations of every quality of service, from the lowest up, to a suspended queue and looks
/// at their order.
private func orderByQuality(_ trial: Trial, limit: Int) {
  let log = Log()
  let queue = trial.queue()
  queue.maxConcurrentOperationCount = limit
  queue.isSuspended = true
  for (number, quality) in QualityOfService.allCases.enumerated() {
    let operation = BlockOperation { log.note(number) }
    operation.qualityOfService = quality
    trial.expect(
      operation.queuePriority, equals: .normal, "the priority beside a quality of service")
    queue.addOperation(operation)
  }
  queue.isSuspended = false
  trial.expectQuiet(queue)
  trial.expect(
    log.values, equals: Array(QualityOfService.allCases.indices), "the order, as submitted")
}
