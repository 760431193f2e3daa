// SPDX-License-Identifier: Apache-2.0

internal import Operations
internal import Synchronization

extension Check {
  /// How an operation runs.
  static let running: [Check] = [
    Check("executingHoldsDuringTheBodyOnly", .contract(5)) { trial in
      let queue = trial.queue()
      let inside = Log()
      let operation = TestOperation { operation in
        inside.note(operation.isExecuting ? 1 : 0)
        inside.note(operation.isFinished ? 1 : 0)
        inside.note(operation.isReady ? 1 : 0)
      }
      queue.addOperation(operation)
      operation.waitUntilFinished()
      trial.expect(inside.values, equals: [1, 0, 1], "inside.values")
      trial.expect(
        operation.isFinished && !operation.isExecuting,
        "operation.isFinished && !operation.isExecuting")
    },
    // Finished is read before executing: it never goes back, so that both true would be both at
    // once.
    Check("statesOnlyGoForwardAndDoNotOverlap", .contract(1, 3, 4)) { trial in
      let queue = trial.queue()
      let operations: [Operation] = (0..<300).map { number in
        if number % 2 == 0 { return TestOperation { _ in yieldCore() } }
        return TestAsyncOperation { operation in queue.scheduler.submit { operation.finish() } }
      }
      let isOver = Atomic<Bool>(false)
      onThreads(2) { thread in
        if thread == 0 {
          for operation in operations { queue.addOperation(operation) }
          for operation in operations.prefix(50) { operation.cancel() }
          trial.expectQuiet(queue)
          isOver.store(true, ordering: .releasing)
          return
        }
        var begun: Set<Operation> = []
        var finished: Set<Operation> = []
        var wasOver = false
        while !wasOver {
          wasOver = isOver.load(ordering: .acquiring)
          for operation in operations {
            let isFinished = operation.isFinished
            let isExecuting = operation.isExecuting
            trial.expect(
              !(isFinished && isExecuting), "executing and finished never to be both true")
            trial.expect(isFinished || !finished.contains(operation), "finished to stay true")
            if begun.contains(operation), !isExecuting {
              trial.expect(operation.isFinished, "executing to end with finished")
            }
            if isExecuting { begun.insert(operation) }
            if isFinished { finished.insert(operation) }
          }
        }
        trial.expect(finished.count, equals: operations.count, "the number that finished")
      }
      for (number, operation) in operations.enumerated() where number >= 50 {
        trial.expect(!operation.isCancelled, "cancelled to be a fact of its own")
      }
    },
    Check("plainAndOverriddenMainsRunAndFinish", .contract(6, 7)) { trial in
      let queue = trial.queue()
      let plain = Operation()
      let subclassed = TestOperation()
      queue.addOperations([plain, subclassed], waitUntilFinished: false)
      trial.expectQuiet(queue)
      trial.expect(plain.isFinished, "a plain operation to finish")
      trial.expect(subclassed.runCount, equals: 1, "the runs of an overridden main")
      trial.expect(subclassed.isFinished, "the subclassed operation to be finished")
    },
    Check("startedByHandItCountsLikeAQueuedOne", .contract(18, 20)) { trial in
      let queue = trial.queue()
      let completed = Log()
      let (first, second, third) = (TestOperation(), TestOperation(), TestOperation())
      second.addDependency(first)
      third.addDependency(second)
      queue.addOperation(third)
      first.completionBlock = { completed.note(1) }
      second.completionBlock = { completed.note(2) }
      onThreads(2) { thread in
        if thread == 0 { first.start() } else { first.waitUntilFinished() }
      }
      trial.expect(first.isFinished && second.isReady, "the dependent to be ready")
      trial.expect(!third.isReady, "the dependent of an unfinished one not to be ready")
      second.cancel()
      second.start()
      trial.expectQuiet(queue)
      trial.expect(second.runCount, equals: 0, "the runs of the cancelled one")
      trial.expect(third.runCount, equals: 1, "the runs of its dependent")
      trial.expect(completed.values, equals: [1, 2], "the completion blocks")
      var isRefused = false
      do throws(OperationError) { try queue.tryAddOperation(first) } catch { isRefused = true }
      trial.expect(isRefused, "a queue to refuse what has been started by hand")
    },
    Check("atMostOneOfManyStartersRunsTheBody", .contract(10), on: .usual) { trial in
      let queue = trial.queue()
      for _ in 0..<(1_000 / Trial.slowness) {
        let operation = TestOperation()
        onThreads(3) { thread in
          if thread == 0 {
            try? queue.tryAddOperation(operation)
          } else {
            try? operation.tryStart()
          }
        }
        trial.expectQuiet(queue)
        trial.expect(operation.isFinished && operation.runCount == 1, "the body to run once")
      }
    },
    Check("randomGraphsKeepEveryEdgeHoweverDisturbed", .contract(10, 21, 112, 116, 139)) { trial in
      let lifetimes = LifetimeCounter()
      let scheduler = trial.makeScheduler()
      for seed in 1...UInt64(20 + 180 / Trial.slowness) {
        for disturbance in [[], Disturbance.all] {
          let fault = disturbance.fault(
            seed: seed, on: scheduler, lifetimes: lifetimes, patience: trial.patience)
          if let fault {
            trial.fail("every operation to run once, after its dependencies", found: fault)
            return
          }
        }
      }
      trial.eventually(equals: 0, "the number of operations alive") { lifetimes.live }
    },
  ]
}
