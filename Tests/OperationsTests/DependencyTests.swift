// SPDX-License-Identifier: Apache-2.0

import Operations
import Synchronization
import TestSupport
import Testing

extension OperationLayer {
  /// Contract 19–36.
  @Suite struct DependencyTests {
    @Test(arguments: Kind.all)
    func startsOnlyAfterTheLastDependency(_ kind: Kind) {
      let (queue, other) = (kind.queue(), kind.queue())
      let log = Log()
      let gates = (0..<5).map { _ in Operation() }
      let last = BlockOperation { log.note(1) }
      for gate in gates { last.addDependency(gate) }
      queue.addOperation(last)
      for gate in gates.dropLast() { gate.start() }
      #expect(!last.isReady && log.values.isEmpty)
      other.addOperation(gates[4])
      queue.expectQuiet()
      #expect(log.values == [1])
      #expect(last.dependencies == gates)
    }

    @Test(arguments: Kind.each)
    func dependencyThatEndsCancelledReleasesItsDependents(_ kind: Kind) {
      let queue = kind.queue()
      let never = Operation()
      let cancelled = TestOperation()
      cancelled.addDependency(never)
      let dependent = TestOperation()
      dependent.addDependency(cancelled)
      queue.addOperations([cancelled, dependent], waitUntilFinished: false)
      cancelled.cancel()
      queue.expectQuiet()
      #expect(cancelled.runCount == 0 && dependent.runCount == 1)
      #expect(dependent.dependencies.contains { $0.isCancelled })
    }

    @Test func finishedDependencyIsListedAndHoldsNothingBack() {
      let done = Operation()
      done.start()
      let operation = Operation()
      operation.addDependency(done)
      operation.addDependency(done)
      #expect(operation.isReady)
      #expect(operation.dependencies == [done])
      operation.removeDependency(done)
      operation.removeDependency(done)
      #expect(operation.dependencies.isEmpty)
    }

    @Test(arguments: Kind.each)
    func removalLiftsTheConstraintAtOnce(_ kind: Kind) {
      let queue = kind.queue()
      let never = Operation()
      let operations = (0..<3).map { _ in TestOperation() }
      for operation in operations { operation.addDependency(never) }
      let lateQueue = kind.queue()
      queue.addOperation(operations[0])
      operations[0].removeDependency(never)
      // Removed before the operation is added.
      operations[1].removeDependency(never)
      lateQueue.addOperation(operations[1])
      // Finished by then: removing it changes nothing.
      lateQueue.addOperation(operations[2])
      never.start()
      operations[2].removeDependency(never)
      queue.expectQuiet()
      lateQueue.expectQuiet()
      #expect(operations.map { $0.runCount } == [1, 1, 1])
    }

    @Test(arguments: Kind.each)
    func dependencyAddedWhileSuspendedCounts(_ kind: Kind) {
      let queue = kind.queue()
      queue.isSuspended = true
      let log = Log()
      let gate = Operation()
      let first = BlockOperation { log.note(1) }
      let second = BlockOperation { log.note(2) }
      queue.addOperations([second, first], waitUntilFinished: false)
      second.addDependency(first)
      first.addDependency(gate)
      queue.isSuspended = false
      #expect(log.values.isEmpty)
      #expect(!first.isReady && !second.isReady)
      gate.start()
      queue.expectQuiet()
      #expect(log.values == [1, 2])
    }

    @Test(arguments: Kind.each)
    func dependencyAddedWhileWaitingCounts(_ kind: Kind) {
      let queue = kind.queue()
      let gates = (0..<6).map { _ in Operation() }
      let operation = TestOperation()
      operation.addDependency(gates[0])
      queue.addOperation(operation)
      for gate in gates.dropFirst() { operation.addDependency(gate) }
      operation.removeDependency(gates[2])
      for index in [0, 1, 3, 4] { gates[index].start() }
      #expect(!operation.isReady && operation.runCount == 0)
      gates[5].start()
      queue.expectQuiet()
      #expect(operation.runCount == 1)
      #expect(operation.dependencies == [0, 1, 3, 4, 5].map { gates[$0] })
    }

    @Test(arguments: Kind.each)
    func editsAfterTheStartHaveNoEffect(_ kind: Kind) {
      let queue = kind.queue()
      let gate = Operation()
      let never = Operation()
      let isReady = Log()
      let operation = TestOperation { operation in
        operation.addDependency(never)
        operation.removeDependency(gate)
        isReady.note(operation.isReady ? 1 : 0)
      }
      operation.addDependency(gate)
      queue.addOperation(operation)
      gate.start()
      queue.expectQuiet()
      operation.addDependency(never)
      #expect(operation.isFinished && operation.isReady)
      #expect(isReady.values == [1])
      #expect(operation.dependencies == [gate])
    }

    @Test func selfDependencyThrows() {
      let operation = Operation()
      #expect(throws: OperationError.self) { try operation.tryAddDependency(operation) }
      #expect(operation.dependencies.isEmpty)
    }

    @Test(arguments: Kind.each)
    func cycleStaysDormantUntilBroken(_ kind: Kind) {
      let queue = kind.queue()
      let (first, second, third) = (TestOperation(), TestOperation(), TestOperation())
      first.addDependency(third)
      second.addDependency(first)
      third.addDependency(second)
      queue.addOperations([first, second, third], waitUntilFinished: false)
      #expect([first, second, third].allSatisfy { !$0.isReady })
      first.cancel()
      queue.expectQuiet()
      #expect([first, second, third].map { $0.runCount } == [0, 1, 1])

      let (left, right) = (TestOperation(), TestOperation())
      left.addDependency(right)
      right.addDependency(left)
      queue.addOperations([left, right], waitUntilFinished: false)
      right.removeDependency(left)
      queue.expectQuiet()
      #expect(left.runCount == 1 && right.runCount == 1)
      left.removeDependency(right)
    }

    @Test(arguments: Kind.each)
    func whatTheDependencyWroteIsVisible(_ kind: Kind) {
      let queue = kind.queue()
      let box = Box()
      let sum = Log()
      for round in 0..<200 {
        let write = BlockOperation { unsafe box.value = round }
        let read = BlockOperation { sum.note(unsafe box.value) }
        read.addDependency(write)
        queue.addOperations([read, write], waitUntilFinished: true)
      }
      #expect(sum.values == Array(0..<200))
    }

    private final class Box: Sendable { nonisolated(unsafe) var value = -1 }

    @Test(arguments: Kind.each)
    func hundredThousandDependenciesAndDependents(_ kind: Kind) {
      let count = 100_000 / (slowness > 1 ? 5 : 1)
      let queue = kind.queue()
      let (source, sink) = (TestOperation(), TestOperation())
      let middle = (0..<count).map { _ in Operation() }
      for operation in middle {
        operation.addDependency(source)
        sink.addDependency(operation)
      }
      queue.addOperation(sink)
      queue.addOperations(middle, waitUntilFinished: false)
      queue.addOperation(source)
      queue.expectQuiet()
      #expect(sink.runCount == 1)
      #expect(middle.allSatisfy { $0.isFinished })
      #expect(sink.dependencies.count == count)
    }

    @Test(arguments: Kind.each)
    func dependentDroppedBeforeItsDependencyFinishes(_ kind: Kind) {
      let lifetimes = LifetimeCounter()
      let source = Operation()
      for _ in 0..<10 {
        // Never added to a queue.
        let dropped = TestOperation(lifetimes)
        for _ in 0..<5 { dropped.addDependency(Operation()) }
        dropped.addDependency(source)
      }
      #expect(lifetimes.live == 0)
      let queue = kind.queue()
      let others = (0..<5).map { _ in Operation() }
      for _ in 0..<10 {
        let cancelled = TestOperation(lifetimes)
        for other in others { cancelled.addDependency(other) }
        cancelled.addDependency(source)
        queue.addOperation(cancelled)
        cancelled.cancel()
      }
      queue.expectQuiet()
      for other in others + [source] { other.start() }
      #expect(waitUntil { lifetimes.live == 0 })
    }

    @Test func dependencyThatDiesUnfinishedFreesItsFormerDependents() {
      let lifetimes = LifetimeCounter()
      let queue = Kind.pools[1].queue()
      do {
        let never = Operation()
        let removed = TestOperation(lifetimes)
        let cancelled = TestOperation(lifetimes)
        for operation in [removed, cancelled] {
          operation.addDependency(never)
          operation.retainsFinishedDependencies = false
          queue.addOperation(operation)
        }
        removed.removeDependency(never)
        cancelled.cancel()
        queue.expectQuiet()
        #expect(removed.runCount == 1 && cancelled.runCount == 0)
      }
      #expect(waitUntil { lifetimes.live == 0 })
    }

    @Test func finishedDependenciesAreDroppedOnDemand() {
      let lifetimes = LifetimeCounter()
      let operation = Operation()
      operation.retainsFinishedDependencies = false
      do {
        for _ in 0..<6 {
          let dependency = TestOperation(lifetimes)
          operation.addDependency(dependency)
          dependency.start()
        }
      }
      #expect(lifetimes.live == 6)
      #expect(operation.dependencies.count == 6)
      operation.start()
      #expect(operation.dependencies.isEmpty)
      #expect(lifetimes.live == 0)
    }
  }
}
