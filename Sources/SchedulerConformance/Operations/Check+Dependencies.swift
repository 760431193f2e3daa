// SPDX-License-Identifier: Apache-2.0

internal import Operations
internal import Synchronization

extension Check {
  /// Edges, on one queue and across queues.
  static let dependencies: [Check] = [
    Check("startsOnlyAfterTheLastDependency", .contract(19, 20, 21, 25)) { trial in
      let (queue, other) = (trial.queue(), trial.queue())
      let log = Log()
      let gates = (0..<5).map { _ in Operation() }
      let last = BlockOperation { log.note(1) }
      for gate in gates { last.addDependency(gate) }
      queue.addOperation(last)
      for gate in gates.dropLast() { gate.start() }
      trial.expect(!last.isReady && log.values.isEmpty, "!last.isReady && log.values.isEmpty")
      other.addOperation(gates[4])
      trial.expectQuiet(queue)
      trial.expect(log.values, equals: [1], "log.values")
      trial.expect(last.dependencies, equals: gates, "last.dependencies")
    },
    Check("dependencyThatEndsCancelledReleasesItsDependents", .contract(22), on: .usual) { trial in
      let queue = trial.queue()
      let never = Operation()
      let cancelled = TestOperation()
      cancelled.addDependency(never)
      let dependent = TestOperation()
      dependent.addDependency(cancelled)
      queue.addOperations([cancelled, dependent], waitUntilFinished: false)
      cancelled.cancel()
      trial.expectQuiet(queue)
      trial.expect(
        cancelled.runCount == 0 && dependent.runCount == 1,
        "cancelled.runCount == 0 && dependent.runCount == 1")
      trial.expect(
        dependent.dependencies.contains { $0.isCancelled },
        "dependent.dependencies.contains { $0.isCancelled }")
    },
    Check("anEdgeAddedTwiceIsOneEdge", .contract(24), on: .usual) { trial in
      let queue = trial.queue()
      let dependency = Operation()
      let operation = TestOperation()
      operation.addDependency(dependency)
      operation.addDependency(dependency)
      trial.expect(operation.dependencies, equals: [dependency], "the dependencies")
      queue.addOperation(operation)
      operation.addDependency(dependency)
      trial.expect(operation.dependencies, equals: [dependency], "the dependencies once queued")
      operation.removeDependency(dependency)
      trial.expectQuiet(queue)
      trial.expect(operation.runCount, equals: 1, "the runs after one removal")
    },
    Check("removalLiftsTheConstraintAtOnce", .contract(26), on: .usual) { trial in
      let queue = trial.queue()
      let never = Operation()
      let operations = (0..<3).map { _ in TestOperation() }
      for operation in operations { operation.addDependency(never) }
      let lateQueue = trial.queue()
      queue.addOperation(operations[0])
      operations[0].removeDependency(never)
      // Removed before the operation is added.
      operations[1].removeDependency(never)
      lateQueue.addOperation(operations[1])
      // Finished by then: removing it changes nothing.
      lateQueue.addOperation(operations[2])
      never.start()
      operations[2].removeDependency(never)
      trial.expectQuiet(queue)
      trial.expectQuiet(lateQueue)
      trial.expect(
        operations.map { $0.runCount }, equals: [1, 1, 1], "operations.map { $0.runCount }")
    },
    Check("dependencyAddedWhileSuspendedCounts", .contract(28), on: .usual) { trial in
      let queue = trial.queue()
      queue.isSuspended = true
      let log = Log()
      let gate = Operation()
      let first = BlockOperation { log.note(1) }
      let second = BlockOperation { log.note(2) }
      queue.addOperations([second, first], waitUntilFinished: false)
      second.addDependency(first)
      first.addDependency(gate)
      queue.isSuspended = false
      trial.expect(log.values.isEmpty, "log.values.isEmpty")
      trial.expect(!first.isReady && !second.isReady, "!first.isReady && !second.isReady")
      gate.start()
      trial.expectQuiet(queue)
      trial.expect(log.values, equals: [1, 2], "log.values")
    },
    Check("dependencyAddedWhileWaitingCounts", .contract(26, 28), on: .usual) { trial in
      let queue = trial.queue()
      let gates = (0..<6).map { _ in Operation() }
      let operation = TestOperation()
      operation.addDependency(gates[0])
      queue.addOperation(operation)
      for gate in gates.dropFirst() { operation.addDependency(gate) }
      operation.removeDependency(gates[2])
      for index in [0, 1, 3, 4] { gates[index].start() }
      trial.expect(
        !operation.isReady && operation.runCount == 0,
        "!operation.isReady && operation.runCount == 0")
      gates[5].start()
      trial.expectQuiet(queue)
      trial.expect(operation.runCount, equals: 1, "operation.runCount")
      trial.expect(
        operation.dependencies, equals: [0, 1, 3, 4, 5].map { gates[$0] }, "operation.dependencies")
    },
    Check("editsAfterTheStartHaveNoEffect", .contract(29), on: .usual) { trial in
      let queue = trial.queue()
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
      trial.expectQuiet(queue)
      operation.addDependency(never)
      trial.expect(
        operation.isFinished && operation.isReady, "operation.isFinished && operation.isReady")
      trial.expect(isReady.values, equals: [1], "isReady.values")
      trial.expect(operation.dependencies, equals: [gate], "operation.dependencies")
    },
    Check("cycleStaysDormantUntilBroken", .contract(31), on: .usual) { trial in
      let queue = trial.queue()
      let (first, second, third) = (TestOperation(), TestOperation(), TestOperation())
      first.addDependency(third)
      second.addDependency(first)
      third.addDependency(second)
      queue.addOperations([first, second, third], waitUntilFinished: false)
      trial.expect(
        [first, second, third].allSatisfy { !$0.isReady },
        "[first, second, third].allSatisfy { !$0.isReady }")
      first.cancel()
      trial.expectQuiet(queue)
      trial.expect(
        [first, second, third].map { $0.runCount }, equals: [0, 1, 1],
        "[first, second, third].map { $0.runCount }")

      let (left, right) = (TestOperation(), TestOperation())
      left.addDependency(right)
      right.addDependency(left)
      queue.addOperations([left, right], waitUntilFinished: false)
      right.removeDependency(left)
      trial.expectQuiet(queue)
      trial.expect(
        left.runCount == 1 && right.runCount == 1, "left.runCount == 1 && right.runCount == 1")
      left.removeDependency(right)
    },
    Check("whatTheDependencyWroteIsVisible", .contract(35), on: .usual) { trial in
      let queue = trial.queue()
      let box = PlainBox(-1)
      let sum = Log()
      for round in 0..<200 {
        let write = BlockOperation { unsafe box.value = round }
        let read = BlockOperation { sum.note(unsafe box.value) }
        read.addDependency(write)
        queue.addOperations([read, write], waitUntilFinished: true)
      }
      trial.expect(sum.values, equals: Array(0..<200), "sum.values")
    },
    Check("hundredThousandDependenciesAndDependents", .contract(36), on: .usual) { trial in
      let count = 100_000 / (Trial.slowness > 1 ? 5 : 1)
      let queue = trial.queue()
      let (source, sink) = (TestOperation(), TestOperation())
      let middle = (0..<count).map { _ in Operation() }
      for operation in middle {
        operation.addDependency(source)
        sink.addDependency(operation)
      }
      queue.addOperation(sink)
      queue.addOperations(middle, waitUntilFinished: false)
      queue.addOperation(source)
      trial.expectQuiet(queue)
      trial.expect(sink.runCount, equals: 1, "sink.runCount")
      trial.expect(middle.allSatisfy { $0.isFinished }, "middle.allSatisfy { $0.isFinished }")
      trial.expect(sink.dependencies.count, equals: count, "sink.dependencies.count")
    },
    Check("dependentDroppedBeforeItsDependencyFinishes", .contract(34), on: .usual) { trial in
      let lifetimes = LifetimeCounter()
      let source = Operation()
      for _ in 0..<10 {
        // Never added to a queue.
        let dropped = TestOperation(lifetimes)
        for _ in 0..<5 { dropped.addDependency(Operation()) }
        dropped.addDependency(source)
      }
      trial.expect(lifetimes.live, equals: 0, "lifetimes.live")
      let queue = trial.queue()
      let others = (0..<5).map { _ in Operation() }
      for _ in 0..<10 {
        let cancelled = TestOperation(lifetimes)
        for other in others { cancelled.addDependency(other) }
        cancelled.addDependency(source)
        queue.addOperation(cancelled)
        cancelled.cancel()
      }
      trial.expectQuiet(queue)
      for other in others + [source] { other.start() }
      trial.eventually(equals: 0, "the number of operations alive") { lifetimes.live }
    },
  ]
}
