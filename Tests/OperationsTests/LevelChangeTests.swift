// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
import Scheduling
import Synchronization
import TestSupport
import Testing

@testable import Operations

extension OperationLayer {
  /// One operation whose level is changed again and again while it waits.
  @Suite(.contract(88)) struct LevelChangeTests {
    private static let levels = Operation.QueuePriority.allCases
    /// As many as make the next change look for one, one more for each level, and the skip of a
    /// cancelled one.
    private static let mostHandles = ExtraJob.limit + 1 + levels.count + 1

    private func change(_ operation: Operation, times: Int, seed: UInt64 = stressSeed) {
      var random = SeededGenerator(seed: seed)
      for _ in 0..<times {
        operation.queuePriority = Self.levels[random.index(below: Self.levels.count)]
      }
    }

    private func expectFewHandles(_ operation: Operation, _ note: String) {
      let handles = operation.withColdTable { $0.handles } ?? 0
      #expect(handles <= Self.mostHandles, "\(note), seed \(stressSeed)")
    }

    /// In the ready list of the queue, whatever keeps it from being served.
    @Test(.contract(134), arguments: Kind.all) func itKeepsFewHandlesInAList(_ kind: Kind) {
      for limit in [-1, 0, 1] {
        let queue = kind.queue()
        queue.isSuspended = true
        queue.maxConcurrentOperationCount = limit
        let operations = (0..<3).map { _ in TestOperation() }
        queue.addOperations(operations, waitUntilFinished: false)
        for operation in operations {
          change(operation, times: 2_000)
          expectFewHandles(operation, "suspended, limit \(limit)")
        }
        operations[2].cancel()
        change(operations[2], times: 2_000)
        expectFewHandles(operations[2], "cancelled, limit \(limit)")
        if limit == 0 { queue.maxConcurrentOperationCount = 1 }
        queue.isSuspended = false
        queue.expectQuiet()
        #expect(operations.map(\.runCount) == [1, 1, 0])
      }
    }

    /// With the scheduler, whose only worker does something else.
    @Test(.contract(134), arguments: Kind.single)
    func itKeepsFewHandlesWithTheScheduler(_ kind: Kind) {
      let queue = kind.queue()
      let (begun, gate) = (Gate(), Gate())
      queue.addOperation {
        begun.open()
        gate.wait()
      }
      begun.wait()
      let operation = TestOperation()
      queue.addOperation(operation)
      for round in 0..<200 {
        change(operation, times: 20, seed: stressSeed + UInt64(round))
        // What was in the list goes to the scheduler, where nobody can take it out.
        queue.isSuspended = true
        change(operation, times: 20, seed: stressSeed + UInt64(round))
        queue.isSuspended = false
      }
      expectFewHandles(operation, "with the scheduler")
      gate.open()
      queue.expectQuiet()
      #expect(operation.runCount == 1)
    }

    /// The level that was set last counts, however many were set before.
    @Test(arguments: Kind.each) func theLastChangeCounts(_ kind: Kind) {
      for (number, level) in Self.levels.enumerated() {
        let queue = kind.queue()
        queue.maxConcurrentOperationCount = 1
        queue.isSuspended = true
        let log = Log()
        let changed = BlockOperation { log.note(-1) }
        queue.addOperation(changed)
        change(changed, times: 200)
        // Before the others, so that no place which it has had stands behind them.
        changed.queuePriority = level
        for (place, other) in Self.levels.enumerated() {
          let operation = BlockOperation { log.note(place) }
          operation.queuePriority = other
          queue.addOperation(operation)
        }
        queue.isSuspended = false
        queue.expectQuiet()
        let behind = Self.levels.filter { $0.rawValue > level.rawValue }.count
        #expect(log.values.firstIndex(of: -1) == behind, "\(level), \(number), seed \(stressSeed)")
      }
    }

    /// A cancelled operation that needs a slot, since its class overrides `start()`, keeps its
    /// place: the one of its last level.
    @Test(.contract(49, 88), arguments: Kind.each)
    func aCancelledOneThatNeedsASlotStartsInItsLevel(_ kind: Kind) {
      final class Starter: Operation, @unchecked Sendable {
        let log: Log
        init(_ log: Log) { self.log = log }
        override func start() {
          log.note(1)
          super.start()
        }
      }
      let (queue, log) = (kind.queue(), Log())
      queue.maxConcurrentOperationCount = 1
      queue.isSuspended = true
      let moved = Starter(log)
      queue.addOperation(moved)
      queue.addOperation(BlockOperation { log.note(0) })
      moved.queuePriority = .veryLow
      moved.cancel()
      queue.isSuspended = false
      queue.expectQuiet()
      #expect(log.values == [0, 1])
    }

    /// Changes from two sides while handles come to the workers: each operation starts, and only
    /// once.
    @Test(arguments: Kind.each) func changesAgainstTheStart(_ kind: Kind) {
      let queue = kind.queue()
      Duel.fight(
        rounds: 2_000 * stressFactor / slowness,
        prepare: { number -> TestOperation in
          let operation = TestOperation()
          queue.isSuspended = true
          if number % 3 == 0 { queue.maxConcurrentOperationCount = number % 2 == 0 ? 1 : -1 }
          queue.addOperation(operation)
          for _ in 0..<8 { for level in Self.levels { operation.queuePriority = level } }
          return operation
        },
        left: { operation in
          queue.isSuspended = false
          for level in Self.levels + Self.levels { operation.queuePriority = level }
        },
        right: { operation in
          for level in Self.levels.reversed() { operation.queuePriority = level }
        },
        check: { operation, number in
          let isFinished = operation.wait(timeout: patience)
          #expect(
            isFinished && operation.runCount == 1, "round \(number), seed \(stressSeed)")
          return isFinished
        })
      queue.expectQuiet()
    }
  }
}
