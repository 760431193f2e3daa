// SPDX-License-Identifier: Apache-2.0

internal import Operations
internal import Synchronization

extension Check {
  /// Operations that finish after their body, and block operations.
  static let asynchronous: [Check] = [
    Check("keepsSlotPlaceAndDependentsUntilFinished", .contract(65)) { trial in
      let queue = trial.queue()
      queue.maxConcurrentOperationCount = 3
      let begun = Atomic<Int>(0)
      let operations = (0..<9).map { _ in
        TestAsyncOperation { _ in begun.add(1, ordering: .releasing) }
      }
      let dependent = TestOperation()
      dependent.addDependency(operations[0])
      queue.addOperations(operations + [dependent], waitUntilFinished: false)
      for finished in 0..<9 {
        let expected = min(9, finished + 3)
        trial.eventually("begun >= expected") { begun.load(ordering: .acquiring) >= expected }
        trial.expect(begun.load(ordering: .acquiring), equals: expected, "begun")
        let running = operations.filter(\.isExecuting)
        trial.expect(running.count, equals: expected - finished, "running.count")
        trial.expect(
          queue.operations.contains(dependent) || finished > 0,
          "queue.operations.contains(dependent) || finished > 0")
        running.first?.finish()
      }
      trial.expectQuiet(queue)
      trial.expect(dependent.runCount, equals: 1, "dependent.runCount")
    },
    Check(
      "asynchronousOperationsStartOnASchedulerThread", .contract(64), needs: [.ownThreads],
      on: .usual
    ) { trial in
      final class Noting: AsyncOperation, @unchecked Sendable {
        let threads = Log()
        let adder = CurrentThread.id
        override func start() {
          threads.note(CurrentThread.id == adder ? 1 : 0)
          super.start()
        }
        override func main() { finish() }
      }
      let queue = trial.queue()
      let operations = (0..<20).map { _ in Noting() }
      for operation in operations { queue.addOperation(operation) }
      trial.expectQuiet(queue)
      for operation in operations {
        trial.expect(operation.isAsynchronous, "the operation to be asynchronous")
        trial.expect(
          operation.threads.values, equals: [0], "starts on the adding thread, per start")
      }
    },
    Check("finishFromInsideTheBody", .contract(68, 69)) { trial in
      for limit in [-1, 1] {
        let queue = trial.queue()
        queue.maxConcurrentOperationCount = limit
        let operations = (0..<50).map { _ in TestAsyncOperation { $0.finish() } }
        queue.addOperations(operations, waitUntilFinished: true)
        trial.expectQuiet(queue)
        trial.expect(
          operations.allSatisfy { $0.runs.load(ordering: .relaxed) == 1 },
          "operations.allSatisfy { $0.runs == 1 }")
        trial.expect(
          operations.allSatisfy { $0.surplusFinishCount == 0 },
          "operations.allSatisfy { $0.surplusFinishCount == 0 }")
      }
    },
    Check("laterFinishCallsAreCounted", .contract(69), on: .usual) { trial in
      let queue = trial.queue()
      let operation = TestAsyncOperation { $0.finish() }
      queue.addOperation(operation)
      trial.expectQuiet(queue)
      // Other operations take over whatever memory the queue has freed.
      queue.addOperations((0..<200).map { _ in Operation() }, waitUntilFinished: true)
      trial.expectQuiet(queue)
      operation.finish()
      operation.finish()
      trial.expect(operation.surplusFinishCount, equals: 2, "operation.surplusFinishCount")
      trial.expect(queue.operationCount, equals: 0, "queue.operationCount")
    },
    Check("finishBeforeTheStartSkipsTheBody", .contract(66), on: .usual) { trial in
      let queue = trial.queue()
      let operation = TestAsyncOperation()
      let dependent = TestOperation()
      dependent.addDependency(operation)
      operation.finish()
      trial.expect(!operation.isFinished, "!operation.isFinished")
      queue.addOperations([operation, dependent], waitUntilFinished: false)
      trial.expectQuiet(queue)
      trial.expect(operation.runs.load(ordering: .relaxed), equals: 0, "operation.runs")
      trial.expect(dependent.runCount, equals: 1, "dependent.runCount")
      let manual = TestAsyncOperation()
      manual.finish()
      manual.start()
      trial.expect(
        manual.isFinished && manual.runs.load(ordering: .relaxed) == 0,
        "manual.isFinished && manual.runs == 0")
    },
    Check("cancelledBeforeTheStartFinishesByItself", .contract(55, 68), on: .usual) { trial in
      let queue = trial.queue()
      let operation = TestAsyncOperation()
      operation.addDependency(Operation())
      queue.addOperation(operation)
      operation.cancel()
      trial.expectQuiet(queue)
      trial.expect(
        operation.isFinished && operation.runs.load(ordering: .relaxed) == 0,
        "operation.isFinished && operation.runs == 0")
    },
    Check("dependentsStartInTheOrderAdded", .contract(86), on: .usual) { trial in
      let queue = trial.queue()
      let log = Log()
      let source = TestAsyncOperation()
      queue.addOperation(source)
      trial.eventually("source.isExecuting") { source.isExecuting }
      let serial = trial.queue()
      serial.maxConcurrentOperationCount = 1
      for number in 0..<20 {
        let dependent = BlockOperation { log.note(number) }
        dependent.addDependency(source)
        serial.addOperation(dependent)
      }
      source.finish()
      trial.expectQuiet(serial)
      trial.expect(log.values, equals: Array(0..<20), "log.values")
    },
    // Cancelling a subclass that finishes itself on cancellation.
    Check("finishFromAnOverrideOfCancel", .contract(69), on: .usual) { trial in
      let queue = trial.queue()
      for _ in 0..<(2_000 / Trial.slowness) {
        let operation = SelfFinishingOperation()
        let dependent = TestOperation()
        dependent.addDependency(operation)
        queue.addOperations([operation, dependent], waitUntilFinished: false)
        // Some finish before their start, which is worth a warning; a worker may give it later.
        operation.cancel()
        dependent.waitUntilFinished()
      }
      trial.expectQuiet(queue)
      trial.expect(queue.operations.isEmpty, "queue.operations.isEmpty")
    },
    Check("runsEveryClosureOnceAndLetsGoOfThem", .contract(74, 77), on: .usual) { trial in
      let lifetimes = LifetimeCounter()
      let queue = trial.queue()
      let log = Log()
      let operation = BlockOperation()
      for number in 0..<5 {
        let token = lifetimes.token()
        operation.addExecutionBlock { withExtendedLifetime(token) { log.note(number) } }
      }
      trial.expect(operation.executionBlocks.count, equals: 5, "operation.executionBlocks.count")
      queue.addOperation(operation)
      trial.expectQuiet(queue)
      trial.expect(log.values.sorted(), equals: Array(0..<5), "log.values.sorted()")
      trial.expect(operation.executionBlocks.isEmpty, "operation.executionBlocks.isEmpty")
      trial.expect(lifetimes.live, equals: 0, "lifetimes.live")
    },
  ]
}
