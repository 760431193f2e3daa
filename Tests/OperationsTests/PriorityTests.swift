// SPDX-License-Identifier: Apache-2.0

import Operations
import Synchronization
import TestSupport
import Testing

extension OperationLayer {
  /// Contract 83–90, decision 15.
  @Suite struct PriorityTests {
    private static let levels: [Operation.QueuePriority] = [
      .low, .veryHigh, .normal, .veryLow, .high, .normal, .veryHigh, .low, .veryLow, .high,
    ]
    /// Positions in `levels` by level, then by position.
    private static let expected = levels.indices.sorted {
      (-levels[$0].rawValue, $0) < (-levels[$1].rawValue, $1)
    }

    private func operations(_ log: Log) -> [Operation] {
      Self.levels.enumerated().map { index, level in
        let operation = BlockOperation { log.note(index) }
        operation.queuePriority = level
        return operation
      }
    }

    @Test(arguments: Kind.all)
    func limitedQueueStartsInExactOrder(_ kind: Kind) {
      for inBatch in [true, false] {
        let log = Log()
        let queue = kind.queue()
        queue.maxConcurrentOperationCount = 1
        queue.isSuspended = true
        let operations = operations(log)
        if inBatch {
          queue.addOperations(operations, waitUntilFinished: false)
        } else {
          for operation in operations { queue.addOperation(operation) }
        }
        queue.isSuspended = false
        queue.expectQuiet()
        #expect(log.values == Self.expected)
      }
    }

    @Test(arguments: Kind.all)
    func batchIsAtomicOnASerialQueue(_ kind: Kind) {
      let queue = kind.queue()
      queue.maxConcurrentOperationCount = 1
      for _ in 0..<20 {
        let log = Log()
        queue.addOperations(operations(log), waitUntilFinished: true)
        #expect(log.values == Self.expected)
      }
    }

    @Test(arguments: Kind.all.filter { $0.isExact && $0.workers == 1 })
    func exactSchedulerNeedsNoLimit(_ kind: Kind) {
      let log = Log()
      let queue = kind.queue()
      let operations = operations(log)
      let begin = TestOperation { _ in
        queue.addOperations(operations, waitUntilFinished: false)
      }
      queue.addOperation(begin)
      queue.expectQuiet()
      #expect(log.values == Self.expected)
    }

    @Test(arguments: Kind.all)
    func firstInFirstOutWithinALevel(_ kind: Kind) {
      let log = Log()
      let queue = kind.queue()
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
      queue.expectQuiet()
      #expect(log.values == Array(0..<500))
      withExtendedLifetime(gate) {}
    }

    @Test(arguments: Kind.all)
    func dependentsOfOneOperationStartInTheOrderAdded(_ kind: Kind) {
      let log = Log()
      let queue = kind.queue()
      queue.maxConcurrentOperationCount = 1
      let source = Operation()
      for number in 0..<20 {
        let dependent = BlockOperation { log.note(number) }
        dependent.addDependency(source)
        queue.addOperation(dependent)
      }
      queue.addOperation(source)
      queue.expectQuiet()
      #expect(log.values == Array(0..<20))
    }

    @Test(arguments: Kind.all)
    func waitingOperationHoldsNobodyBack(_ kind: Kind) {
      let log = Log()
      let queue = kind.queue()
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
      queue.expectQuiet()
      #expect(log.values == [2, 1])
    }

    @Test(arguments: Kind.all)
    func changeWhileQueuedMovesToTheTailOfTheNewLevel(_ kind: Kind) {
      for limit in [1, -1] where limit == 1 || kind.isExact && kind.workers == 1 {
        let log = Log()
        let queue = kind.queue()
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
        queue.expectQuiet()
        #expect(log.values == [6, 4, 1, 3, 2, 5, 0])
        #expect(queue.operations.isEmpty)
      }
    }

    @Test(arguments: Kind.all)
    func changeWhileWaitingForADependencyCounts(_ kind: Kind) {
      let log = Log()
      let queue = kind.queue()
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
      queue.expectQuiet()
      #expect(log.values == [2, 1, 0])
    }

    /// On deques the change takes effect by another job, and the first becomes a tombstone.
    @Test(arguments: Kind.all)
    func changeOnARunningQueueLosesAndDoublesNothing(_ kind: Kind) {
      let queue = kind.queue()
      let lifetimes = LifetimeCounter()
      for round in 0..<20 {
        let operations = (0..<50).map { _ in TestOperation(lifetimes) }
        queue.addOperations(operations, waitUntilFinished: false)
        for (index, operation) in operations.enumerated() {
          operation.queuePriority = Operation.QueuePriority.allCases[(index + round) % 5]
        }
        queue.expectQuiet()
        #expect(operations.allSatisfy { $0.runCount == 1 })
      }
      #expect(waitUntil { lifetimes.live == 0 })
    }

    @Test func priorityIsNotDerivedFromQualityOfService() {
      let log = Log()
      let queue = Kind.inline.queue()
      queue.maxConcurrentOperationCount = 1
      queue.isSuspended = true
      for (number, quality) in QualityOfService.allCases.enumerated() {
        let operation = BlockOperation { log.note(number) }
        operation.qualityOfService = quality
        #expect(operation.qualityOfService == quality && operation.queuePriority == .normal)
        queue.addOperation(operation)
      }
      queue.isSuspended = false
      #expect(log.values == Array(QualityOfService.allCases.indices))
    }
  }
}
