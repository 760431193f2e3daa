// SPDX-License-Identifier: Apache-2.0

internal import ConcurrencyPrimitives
internal import Operations
internal import Scheduling
internal import Synchronization

extension Check {
  /// Blocking waits from outside and inside of operations.
  static let waiting: [Check] = [
    Check("waitReturnsOnceFinished", .contract(99, 104)) { trial in
      let queue = trial.queue()
      for round in 0..<100 {
        let operation = TestOperation()
        queue.addOperation(operation)
        if round % 2 == 0 {
          operation.waitUntilFinished()
        } else {
          trial.expect(
            operation.wait(timeout: trial.patience), "operation.wait(timeout: trial.patience)")
        }
        trial.expect(
          operation.isFinished && operation.runCount == 1,
          "operation.isFinished && operation.runCount == 1")
        operation.waitUntilFinished()
      }
      trial.expectQuiet(queue)
    },
    Check("fiftyNestedWaitsOnOneQueue", .contract(101)) { trial in
      trial.expect(bodiesOfNestedWaits(50, trial), equals: 51, "depth")
    },
    // A pool that grew by a thread per second would need minutes.
    Check(
      "twoHundredNestedWaitsTakeNoTime", .contract(101), needs: [.ownThreads, .compensation],
      on: .usual
    ) { trial in
      let start = MonotonicTime.nanoseconds()
      let depth = bodiesOfNestedWaits(200, trial)
      let milliseconds = (MonotonicTime.nanoseconds() - start) / 1_000_000
      trial.expect(depth, equals: 201, "the depth reached")
      trial.expect(milliseconds < 20_000, "less than 20 000 ms", found: "\(milliseconds) ms")
    },
    // Deeper than one stack holds, or than threads take the place of blocked ones.
    Check(
      "threeThousandNestedWaits", .contract(101), needs: [.ownThreads, .compensation], on: .usual
    ) { trial in
      trial.expect(bodiesOfNestedWaits(3_000, trial), equals: 3_001, "depth")
    },
    // A timed wait does not run what it waits for.
    Check(
      "fiftyNestedTimedWaits", .contract(101, 102), needs: [.ownThreads, .compensation]
    ) { trial in
      let depth = bodiesOfNestedWaits(50, trial) {
        trial.expect($0.wait(timeout: trial.patience), "$0.wait(timeout: trial.patience)")
      }
      trial.expect(depth, equals: 51, "depth")
    },
    // The awaited operation is behind a dependency, so that the waiting worker cannot run it
    // itself.
    Check(
      "blockedWorkerIsReplaced", .contract(101), needs: [.ownThreads, .compensation]
    ) { trial in
      let queue = trial.queue()
      let gates = (0..<30).map { _ in Operation() }
      let awaited = gates.map { gate in
        let operation = TestOperation()
        operation.addDependency(gate)
        return operation
      }
      for operation in awaited { queue.addOperation { operation.waitUntilFinished() } }
      queue.addOperations(awaited, waitUntilFinished: false)
      for gate in gates { queue.addOperation { gate.start() } }
      trial.expectQuiet(queue)
      trial.expect(
        awaited.allSatisfy { $0.runCount == 1 }, "awaited.allSatisfy { $0.runCount == 1 }")
    },
    // On one worker another thread must run what is waited for.
    Check(
      "waitFromInsideForAnotherQueue", .contract(101), needs: [.compensation], on: .usual
    ) { trial in waitForAnotherQueue(trial.makeScheduler(), trial) },
    // For schedulers without threads, which replace nobody and help instead.
    Check("helpingWaitFromInsideForAnotherQueue", .contract(101), on: .usual) { trial in
      let scheduler = trial.makeScheduler()
      if scheduler.waitsByHelping { waitForAnotherQueue(scheduler, trial) }
    },
    Check("timedWaitForTheOwnQueueReturnsFalse", .contract(102), needs: [.ownThreads]) { trial in
      let queue = trial.queue()
      let answers = Log()
      queue.addOperation { answers.note(queue.wait(timeout: .milliseconds(1)) ? 1 : 0) }
      trial.expectQuiet(queue)
      trial.expect(answers.values, equals: [0], "answers.values")
    },
    // Finishing it takes a worker besides the one that waits.
    Check(
      "waitForACancelledOperationBehindOneself", .contract(101),
      needs: [.ownThreads, .compensation]
    ) { trial in
      let queue = trial.queue()
      queue.maxConcurrentOperationCount = 1
      let behind = BlockOperation {}
      let waiter = TestOperation { _ in behind.waitUntilFinished() }
      behind.queuePriority = .low
      queue.isSuspended = true
      queue.addOperations([waiter, behind], waitUntilFinished: false)
      behind.cancel()
      queue.isSuspended = false
      trial.expectQuiet(queue)
      trial.expect(behind.isFinished, "behind.isFinished")
    },
    Check("queueWaitTakesInWhatIsAddedMeanwhile", .contract(103)) { trial in
      let queue = trial.queue()
      let count = Atomic<Int>(0)
      @Sendable func add(_ left: Int) {
        count.add(1, ordering: .relaxed)
        if left > 0 { queue.addOperation { add(left - 1) } }
        if left % 10 == 0 { queue.addBarrierBlock { count.add(1, ordering: .relaxed) } }
      }
      add(200)
      queue.waitUntilAllOperationsAreFinished()
      trial.expect(count.load(ordering: .relaxed), equals: 201 + 21, "count")
      trial.expect(queue.operationCount, equals: 0, "queue.operationCount")
    },
    // The override waits on its worker, which may run other operations meanwhile, before it starts
    // its own.
    Check("overriddenStartMayWaitFirst", .contract(101), needs: [.ownThreads], on: .one) { trial in
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
      let queue = trial.queue()
      let other = TestOperation()
      let careful = Careful(other: other)
      queue.addOperations([careful, other], waitUntilFinished: false)
      trial.expectQuiet(queue)
      trial.expect(
        careful.runs.load(ordering: .relaxed) == 1 && other.runCount == 1,
        "careful.runs == 1 && other.runCount == 1")
    },
  ]
}

/// Waits in an operation for the queue that it has filled.
private func waitForAnotherQueue(_ scheduler: any Scheduler, _ trial: Trial) {
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
  trial.expectQuiet(first)
  trial.expect(count.load(ordering: .relaxed), equals: 120, "count")
}

/// How many bodies ran of `NestedWaits` of so many levels.
private func bodiesOfNestedWaits(
  _ levels: Int, _ trial: Trial,
  wait: @escaping @Sendable (Operation) -> Void = { $0.waitUntilFinished() }
) -> Int {
  let queue = trial.queue()
  let chain = NestedWaits(in: queue, wait: wait)
  chain.begin(levels: levels)
  trial.expectQuiet(queue)
  return chain.count
}
