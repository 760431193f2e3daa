// SPDX-License-Identifier: Apache-2.0

internal import Operations
internal import Synchronization

extension Check {
  /// Limits, suspension, barriers.
  static let limits: [Check] = [
    Check("neverMoreThanTheLimit", .contract(111, 112)) { trial in
      for limit in [1, 2, 3, 7] {
        let queue = trial.queue()
        trial.expect(
          queue.maxConcurrentOperationCount, equals: -1, "queue.maxConcurrentOperationCount")
        queue.maxConcurrentOperationCount = limit
        trial.expect(
          queue.maxConcurrentOperationCount, equals: limit, "queue.maxConcurrentOperationCount")
        let concurrency = Concurrency()
        for number in 0..<300 {
          if number % 2 == 0 {
            queue.addOperation { concurrency.body() }
          } else {
            queue.addOperation(TestOperation { _ in concurrency.body() })
          }
        }
        trial.expectQuiet(queue)
        trial.expect(
          concurrency.peak <= limit && concurrency.peak >= 1,
          "concurrency.peak <= limit && concurrency.peak >= 1")
      }
    },
    Check("limitZeroStartsNothing", .contract(111)) { trial in
      let queue = trial.queue()
      queue.maxConcurrentOperationCount = 0
      let operation = TestOperation()
      queue.addOperation(operation)
      let handle = queue.addOperation {}
      queue.addBarrierBlock {}
      trial.expect(!queue.wait(timeout: .milliseconds(2)), "!queue.wait(timeout: .milliseconds(2))")
      trial.expect(
        operation.runCount == 0 && !handle.isFinished,
        "operation.runCount == 0 && !handle.isFinished")
      queue.maxConcurrentOperationCount = 2
      trial.expectQuiet(queue)
      trial.expect(operation.runCount, equals: 1, "operation.runCount")
      queue.maxConcurrentOperationCount = -1
      queue.maxConcurrentOperationCount = .max
      trial.expect(
        queue.maxConcurrentOperationCount, equals: .max, "queue.maxConcurrentOperationCount")
      queue.addOperation {}
      trial.expectQuiet(queue)
    },
    Check("limitAppliesToWhatRunsAlready", .contract(112), needs: [.ownThreads]) { trial in
      let queue = trial.queue()
      let begun = Atomic<Int>(0)
      let release = Gate()
      for _ in 0..<trial.workers {
        queue.addOperation {
          begun.add(1, ordering: .releasing)
          release.wait()
        }
      }
      trial.eventually("begun == trial.workers") {
        begun.load(ordering: .acquiring) == trial.workers
      }
      queue.maxConcurrentOperationCount = trial.workers
      let log = Log()
      for number in 0..<10 { queue.addOperation { log.note(number) } }
      trial.expect(log.values.isEmpty, "log.values.isEmpty")
      release.open()
      trial.expectQuiet(queue)
      trial.expect(log.values.count, equals: 10, "log.values.count")
    },
    Check("raisingTheLimitStartsMoreAtOnce", .contract(112), needs: [.ownThreads]) { trial in
      let queue = trial.queue()
      queue.maxConcurrentOperationCount = 0
      let begun = Atomic<Int>(0)
      let release = Gate()
      for _ in 0..<20 {
        queue.addOperation {
          begun.add(1, ordering: .releasing)
          release.wait()
        }
      }
      for limit in 1...trial.workers {
        queue.maxConcurrentOperationCount = limit
        trial.eventually("begun == limit") { begun.load(ordering: .acquiring) == limit }
      }
      release.open()
      queue.maxConcurrentOperationCount = -1
      trial.expectQuiet(queue)
      trial.expect(begun.load(ordering: .acquiring), equals: 20, "begun")
    },
    Check("loweringTheLimitInterruptsNothing", .contract(112), needs: [.ownThreads]) { trial in
      let queue = trial.queue()
      let concurrency = Concurrency()
      for round in 0..<50 {
        queue.maxConcurrentOperationCount = round % 3 == 0 ? -1 : 4
        for _ in 0..<20 { queue.addOperation { concurrency.body() } }
        queue.maxConcurrentOperationCount = 1
        // Whoever was running may still be; what is added now starts one at a time.
        let fence = TestOperation()
        queue.addOperation(fence)
        fence.waitUntilFinished()
        concurrency.reset()
        for _ in 0..<10 { queue.addOperation { concurrency.body() } }
        trial.expectQuiet(queue)
        trial.expect(concurrency.peak, equals: 1, "concurrency.peak")
      }
    },
    Check("asManyBlockedOperationsAsWorkersAllRun", .contract(114), needs: [.ownThreads]) { trial in
      let queue = trial.queue()
      for limit in [-1, trial.workers] {
        queue.maxConcurrentOperationCount = limit
        let arrived = Atomic<Int>(0)
        for _ in 0..<trial.workers {
          queue.addOperation {
            arrived.add(1, ordering: .releasing)
            trial.eventually("arrived == trial.workers") {
              arrived.load(ordering: .acquiring) == trial.workers
            }
          }
        }
        trial.expectQuiet(queue)
      }
    },
    Check("suspendedQueueStartsNothing", .contract(115)) { trial in
      for limit in [-1, 2] {
        let queue = trial.queue()
        queue.maxConcurrentOperationCount = limit
        trial.expect(!queue.isSuspended, "!queue.isSuspended")
        queue.isSuspended = true
        queue.isSuspended = true
        trial.expect(queue.isSuspended, "queue.isSuspended")
        let count = Atomic<Int>(0)
        for _ in 0..<50 { queue.addOperation { count.add(1, ordering: .relaxed) } }
        let moved = TestOperation { _ in count.add(1, ordering: .relaxed) }
        queue.addOperation(moved)
        moved.queuePriority = .veryHigh
        trial.expect(count.load(ordering: .relaxed), equals: 0, "count")
        trial.expect(queue.operationCount, equals: 51, "queue.operationCount")
        queue.isSuspended = false
        trial.expectQuiet(queue)
        trial.expect(count.load(ordering: .relaxed), equals: 51, "count")
      }
    },
    Check("runningOperationsGoOnWhileSuspended", .contract(115), needs: [.ownThreads]) { trial in
      let queue = trial.queue()
      let (begun, release) = (Gate(), Gate())
      let running = BlockOperation {
        begun.open()
        release.wait()
      }
      queue.addOperation(running)
      begun.wait()
      queue.isSuspended = true
      let next = TestOperation()
      queue.addOperation(next)
      release.open()
      trial.expect(running.wait(timeout: trial.patience), "running.wait(timeout: trial.patience)")
      trial.expect(!next.wait(timeout: .milliseconds(2)), "!next.wait(timeout: .milliseconds(2))")
      queue.isSuspended = false
      trial.expectQuiet(queue)
      trial.expect(next.runCount, equals: 1, "next.runCount")
    },
    Check("barrierSeparatesOlderFromYounger", .contract(116)) { trial in
      for limit in [-1, 1, 3] {
        let queue = trial.queue()
        queue.maxConcurrentOperationCount = limit
        let phase = Atomic<Int>(0)
        let wrong = Atomic<Int>(0)
        let running = Atomic<Int>(0)
        for round in 0..<20 {
          for number in 0..<15 {
            let body: @Sendable () -> Void = {
              running.add(1, ordering: .sequentiallyConsistent)
              if phase.load(ordering: .sequentiallyConsistent) != round {
                wrong.add(1, ordering: .relaxed)
              }
              yieldCore()
              running.subtract(1, ordering: .sequentiallyConsistent)
            }
            if number % 2 == 0 {
              queue.addOperation(body)
            } else {
              queue.addOperation(BlockOperation(block: body))
            }
          }
          queue.addBarrierBlock {
            if running.load(ordering: .sequentiallyConsistent) != 0 {
              wrong.add(1, ordering: .relaxed)
            }
            phase.add(1, ordering: .sequentiallyConsistent)
          }
        }
        trial.expectQuiet(queue)
        trial.expect(wrong.load(ordering: .relaxed), equals: 0, "wrong")
        trial.expect(phase.load(ordering: .relaxed), equals: 20, "phase")
        trial.expect(
          queue.operations.isEmpty && queue.operationCount == 0,
          "queue.operations.isEmpty && queue.operationCount == 0")
      }
    },
    Check("barrierOnAnEmptyQueueObeysSuspensionLimitAndCancel", .contract(103, 116)) { trial in
      let queue = trial.queue()
      let log = Log()
      queue.isSuspended = true
      queue.addBarrierBlock { log.note(1) }
      trial.expect(
        queue.operationCount == 0 && queue.operations.isEmpty,
        "queue.operationCount == 0 && queue.operations.isEmpty")
      trial.expect(
        !queue.wait(timeout: .microseconds(10)), "!queue.wait(timeout: .microseconds(10))")
      trial.expect(log.values.isEmpty, "log.values.isEmpty")
      queue.isSuspended = false
      queue.waitUntilAllOperationsAreFinished()
      trial.expect(log.values, equals: [1], "log.values")
      queue.maxConcurrentOperationCount = 0
      queue.addBarrierBlock { log.note(2) }
      queue.addOperation { log.note(3) }
      trial.expect(
        !queue.wait(timeout: .microseconds(10)), "!queue.wait(timeout: .microseconds(10))")
      queue.cancelAllOperations()
      queue.maxConcurrentOperationCount = -1
      trial.expectQuiet(queue)
      trial.expect(log.values, equals: [1], "log.values")
    },
    // Setting a limit skips what was cancelled, but no barrier before its time.
    Check("cancelledBarrierStaysInPlaceWhenALimitIsSet", .contract(116)) { trial in
      let queue = trial.queue()
      let gate = Operation()
      let older = TestOperation()
      older.addDependency(gate)
      queue.addOperation(older)
      queue.isSuspended = true
      let log = Log()
      queue.addBarrierBlock { log.note(1) }
      let held = queue.addOperation { log.note(2) }
      queue.cancelAllOperations()
      let younger = TestOperation()
      queue.addOperation(younger)
      queue.maxConcurrentOperationCount = 2
      queue.isSuspended = false
      queue.maxConcurrentOperationCount = 3
      trial.expectQuiet(queue)
      trial.expect(
        log.values.isEmpty && held.isFinished && younger.runCount == 1,
        "log.values.isEmpty && held.isFinished && younger.runCount == 1")
      trial.expect(
        queue.operations.isEmpty && queue.operationCount == 0,
        "queue.operations.isEmpty && queue.operationCount == 0")
    },
    Check("operationBehindABarrierStaysBehindItWhenCancelled", .contract(116)) { trial in
      let queue = trial.queue()
      let gate = Operation()
      let older = TestOperation()
      older.addDependency(gate)
      queue.addOperation(older)
      let log = Log()
      queue.addBarrierBlock { log.note(1) }
      let cancelled = TestOperation()
      cancelled.addDependency(Operation())
      let moved = BlockOperation { log.note(2) }
      let handle = queue.addOperation { log.note(3) }
      queue.addOperations([cancelled, moved], waitUntilFinished: false)
      cancelled.cancel()
      moved.queuePriority = .veryHigh
      trial.expect(handle.operation.dependencies.isEmpty, "handle.operation.dependencies.isEmpty")
      handle.operation.queuePriority = .veryLow
      trial.expect(
        !cancelled.wait(timeout: .milliseconds(1)) && log.values.isEmpty,
        "!cancelled.wait(timeout: .milliseconds(1)) && log.values.isEmpty")
      gate.start()
      trial.expectQuiet(queue)
      trial.expect(
        log.values.first == 1 && log.values.sorted() == [1, 2, 3],
        "log.values.first == 1 && log.values.sorted() == [1, 2, 3]")
      trial.expect(
        cancelled.isFinished && cancelled.runCount == 0,
        "cancelled.isFinished && cancelled.runCount == 0")
    },
  ]
}
