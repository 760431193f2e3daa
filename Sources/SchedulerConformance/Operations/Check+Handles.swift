// SPDX-License-Identifier: Apache-2.0

internal import ConcurrencyPrimitives
internal import Operations
internal import Synchronization

extension Check {
  /// Closures and their handles.
  static let handles: [Check] = [
    Check("handleTellsWhenTheClosureHasFinished", .contract(108)) { trial in
      let queue = trial.queue()
      queue.isSuspended = true
      let log = Log()
      let handle = queue.addOperation { log.note(1) }
      let other = queue.addOperation { log.note(2) }
      trial.expect(handle != other && handle == handle, "handle != other && handle == handle")
      trial.expect(
        !handle.isFinished && !handle.isCancelled, "!handle.isFinished && !handle.isCancelled")
      queue.isSuspended = false
      trial.expectQuiet(queue)
      trial.expect(handle.isFinished && other.isFinished, "handle.isFinished && other.isFinished")
      // The cell may stand for another closure by now.
      queue.isSuspended = true
      for _ in 0..<200 { queue.addOperation { log.note(3) } }
      trial.expect(
        handle.isFinished && !handle.isCancelled, "handle.isFinished && !handle.isCancelled")
      handle.cancel()
      handle.waitUntilFinished()
      trial.expect(handle.wait(timeout: .zero), "handle.wait(timeout: .zero)")
      trial.expect(handle.operation.isFinished, "handle.operation.isFinished")
      queue.isSuspended = false
      trial.expectQuiet(queue)
      trial.expect(
        log.values.sorted(), equals: [1, 2] + Array(repeating: 3, count: 200), "log.values.sorted()"
      )
    },
    Check("cancelledClosureIsSkipped", .contract(108)) { trial in
      let lifetimes = LifetimeCounter()
      let queue = trial.queue()
      for limit in [-1, 1] {
        queue.maxConcurrentOperationCount = limit
        queue.isSuspended = true
        let log = Log()
        let handles = (0..<20).map { number in
          let token = lifetimes.token()
          return queue.addOperation { withExtendedLifetime(token) { log.note(number) } }
        }
        for handle in handles.prefix(10) {
          handle.cancel()
          handle.cancel()
          trial.expect(handle.isCancelled, "handle.isCancelled")
        }
        queue.isSuspended = false
        trial.expectQuiet(queue)
        trial.expect(log.values.sorted(), equals: Array(10..<20), "log.values.sorted()")
        trial.expect(handles.allSatisfy { $0.isFinished }, "handles.allSatisfy { $0.isFinished }")
        trial.expect(lifetimes.live, equals: 0, "lifetimes.live")
      }
    },
    Check("operationIsOneObjectWithTheUsualMembers", .contract(108)) { trial in
      let queue = trial.queue()
      queue.isSuspended = true
      let log = Log()
      let handle = queue.addOperation { log.note(1) }
      let operation = handle.operation
      trial.expect(operation === handle.operation, "operation === handle.operation")
      trial.expect(queue.operations, equals: [operation], "queue.operations")
      operation.completionBlock = { log.note(2) }
      operation.addExecutionBlock { log.note(3) }
      operation.name = "closure"
      trial.expect(
        !operation.isFinished && operation.executionBlocks.count == 2,
        "!operation.isFinished && operation.executionBlocks.count == 2")
      let copy = queue.operations[0]
      trial.expect(copy.name, equals: "closure", "copy.name")
      queue.isSuspended = false
      trial.expectQuiet(queue)
      trial.expect(log.values, equals: [1, 3, 2], "log.values")
      trial.expect(
        operation.isFinished && handle.isFinished, "operation.isFinished && handle.isFinished")
    },
    Check("objectMadeWhileTheClosureRuns", .contract(108)) { trial in
      let queue = trial.queue()
      let box = Box()
      let log = Log()
      queue.isSuspended = true
      let handle = queue.addOperation {
        guard let operation = box.handle?.operation else { return }
        log.note(operation.isExecuting && !operation.isFinished ? 1 : 0)
        log.note(queue.operations == [operation] ? 1 : 0)
        operation.completionBlock = { log.note(2) }
        operation.cancel()
        log.note(operation.isCancelled && box.handle?.isCancelled == true ? 1 : 0)
        box.kept = operation
      }
      box.handle = handle
      queue.isSuspended = false
      trial.expectQuiet(queue)
      trial.expect(log.values, equals: [1, 1, 1, 2], "log.values")
      trial.expect(
        box.kept?.isFinished == true && handle.isFinished,
        "box.kept?.isFinished == true && handle.isFinished")
      box.kept = nil
    },
    Check("closuresAndOperationsDependOnEachOther", .contract(19, 108)) { trial in
      let queue = trial.queue()
      queue.isSuspended = true
      let log = Log()
      let gate = Operation()
      let second = queue.addOperation { log.note(2) }
      second.operation.addDependency(gate)
      let third = BlockOperation { log.note(3) }
      second.addDependency(to: third)
      queue.addOperation(third)
      queue.isSuspended = false
      trial.expect(log.values.isEmpty, "log.values.isEmpty")
      log.note(1)
      gate.start()
      third.waitUntilFinished()
      trial.expectQuiet(queue)
      trial.expect(log.values, equals: [1, 2, 3], "log.values")
      // A finished closure holds nobody back.
      let late = TestOperation()
      second.addDependency(to: late)
      trial.expect(late.isReady, "late.isReady")
    },
    Check("waitsForClosures", .contract(99, 108)) { trial in
      let queue = trial.queue()
      let count = Atomic<Int>(0)
      for number in 0..<200 {
        let handle = queue.addOperation { count.add(1, ordering: .releasing) }
        if number % 2 == 0 {
          handle.waitUntilFinished()
        } else {
          trial.expect(handle.wait(timeout: trial.patience), "handle.wait(timeout: trial.patience)")
        }
        trial.expect(count.load(ordering: .acquiring), equals: number + 1, "count")
      }
      trial.expectQuiet(queue)
    },
  ]
}

/// What a closure and the code that adds it share.
private final class Box: Sendable {
  private let content = Locked<(handle: OperationHandle?, kept: Operation?)>((nil, nil))
  var handle: OperationHandle? {
    get { content.withLock { $0.handle } }
    set { content.withLock { $0.handle = newValue } }
  }
  var kept: Operation? {
    get { content.withLock { $0.kept } }
    set { content.withLock { $0.kept = newValue } }
  }
}
