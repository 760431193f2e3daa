// SPDX-License-Identifier: Apache-2.0

import Operations
import Synchronization
import TestSupport
import Testing

/// Counts bodies that run at the same time and remembers the most.
final class Concurrency: Sendable {
  private let running = Atomic<Int>(0)
  private let highest = Atomic<Int>(0)

  func body() {
    let now = running.add(1, ordering: .acquiringAndReleasing).newValue
    _ = highest.max(now, ordering: .acquiringAndReleasing)
    yieldCore()
    running.subtract(1, ordering: .acquiringAndReleasing)
  }

  var peak: Int { highest.load(ordering: .acquiring) }
  func reset() { highest.store(0, ordering: .releasing) }
}

extension OperationLayer {
  /// Contract 111–116.
  @Suite struct PolicyTests {
    @Test(arguments: Kind.all)
    func neverMoreThanTheLimit(_ kind: Kind) {
      for limit in [1, 2, 3, 7] {
        let queue = kind.queue()
        #expect(queue.maxConcurrentOperationCount == -1)
        queue.maxConcurrentOperationCount = limit
        #expect(queue.maxConcurrentOperationCount == limit)
        let concurrency = Concurrency()
        for number in 0..<300 {
          if number % 2 == 0 {
            queue.addOperation { concurrency.body() }
          } else {
            queue.addOperation(TestOperation { _ in concurrency.body() })
          }
        }
        queue.expectQuiet()
        #expect(concurrency.peak <= limit && concurrency.peak >= 1)
      }
    }

    @Test(arguments: Kind.all)
    func limitZeroStartsNothing(_ kind: Kind) {
      let queue = kind.queue()
      queue.maxConcurrentOperationCount = 0
      let operation = TestOperation()
      queue.addOperation(operation)
      let handle = queue.addOperation {}
      queue.addBarrierBlock {}
      #expect(!queue.wait(timeout: .milliseconds(2)))
      #expect(operation.runCount == 0 && !handle.isFinished)
      queue.maxConcurrentOperationCount = 2
      queue.expectQuiet()
      #expect(operation.runCount == 1)
      queue.maxConcurrentOperationCount = -1
      queue.maxConcurrentOperationCount = .max
      #expect(queue.maxConcurrentOperationCount == .max)
      queue.addOperation {}
      queue.expectQuiet()
    }

    @Test(arguments: Kind.pools)
    func limitAppliesToWhatRunsAlready(_ kind: Kind) {
      let queue = kind.queue()
      let begun = Atomic<Int>(0)
      let release = Gate()
      for _ in 0..<kind.workers {
        queue.addOperation {
          begun.add(1, ordering: .releasing)
          release.wait()
        }
      }
      #expect(waitUntil(deadline: patience) { begun.load(ordering: .acquiring) == kind.workers })
      queue.maxConcurrentOperationCount = kind.workers
      let log = Log()
      for number in 0..<10 { queue.addOperation { log.note(number) } }
      #expect(log.values.isEmpty)
      release.open()
      queue.expectQuiet()
      #expect(log.values.count == 10)
    }

    @Test(arguments: Kind.pools)
    func raisingTheLimitStartsMoreAtOnce(_ kind: Kind) {
      let queue = kind.queue()
      queue.maxConcurrentOperationCount = 0
      let begun = Atomic<Int>(0)
      let release = Gate()
      for _ in 0..<20 {
        queue.addOperation {
          begun.add(1, ordering: .releasing)
          release.wait()
        }
      }
      for limit in 1...kind.workers {
        queue.maxConcurrentOperationCount = limit
        #expect(waitUntil(deadline: patience) { begun.load(ordering: .acquiring) == limit })
      }
      release.open()
      queue.maxConcurrentOperationCount = -1
      queue.expectQuiet()
      #expect(begun.load(ordering: .acquiring) == 20)
    }

    @Test(arguments: Kind.pools)
    func loweringTheLimitInterruptsNothing(_ kind: Kind) {
      let queue = kind.queue()
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
        queue.expectQuiet()
        #expect(concurrency.peak == 1)
      }
    }

    @Test(arguments: Kind.pools)
    func asManyBlockedOperationsAsWorkersAllRun(_ kind: Kind) {
      let queue = kind.queue()
      for limit in [-1, kind.workers] {
        queue.maxConcurrentOperationCount = limit
        let arrived = Atomic<Int>(0)
        for _ in 0..<kind.workers {
          queue.addOperation {
            arrived.add(1, ordering: .releasing)
            #expect(
              waitUntil(deadline: patience) { arrived.load(ordering: .acquiring) == kind.workers })
          }
        }
        queue.expectQuiet()
      }
    }

    @Test(arguments: Kind.all)
    func suspendedQueueStartsNothing(_ kind: Kind) {
      for limit in [-1, 2] {
        let queue = kind.queue()
        queue.maxConcurrentOperationCount = limit
        #expect(!queue.isSuspended)
        queue.isSuspended = true
        queue.isSuspended = true
        #expect(queue.isSuspended)
        let count = Atomic<Int>(0)
        for _ in 0..<50 { queue.addOperation { count.add(1, ordering: .relaxed) } }
        let moved = TestOperation { _ in count.add(1, ordering: .relaxed) }
        queue.addOperation(moved)
        moved.queuePriority = .veryHigh
        #expect(count.load(ordering: .relaxed) == 0)
        #expect(queue.operationCount == 51)
        queue.isSuspended = false
        queue.expectQuiet()
        #expect(count.load(ordering: .relaxed) == 51)
      }
    }

    @Test(arguments: Kind.pools)
    func runningOperationsGoOnWhileSuspended(_ kind: Kind) {
      let queue = kind.queue()
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
      #expect(running.wait(timeout: patience))
      #expect(!next.wait(timeout: .milliseconds(2)))
      queue.isSuspended = false
      queue.expectQuiet()
      #expect(next.runCount == 1)
    }

    @Test(arguments: Kind.all)
    func barrierSeparatesOlderFromYounger(_ kind: Kind) {
      for limit in [-1, 1, 3] {
        let queue = kind.queue()
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
        queue.expectQuiet()
        #expect(wrong.load(ordering: .relaxed) == 0)
        #expect(phase.load(ordering: .relaxed) == 20)
        #expect(queue.operations.isEmpty && queue.operationCount == 0)
      }
    }

    @Test(arguments: Kind.all)
    func barrierOnAnEmptyQueueObeysSuspensionLimitAndCancel(_ kind: Kind) {
      let queue = kind.queue()
      let log = Log()
      queue.isSuspended = true
      queue.addBarrierBlock { log.note(1) }
      #expect(queue.operationCount == 0 && queue.operations.isEmpty)
      #expect(!queue.wait(timeout: .microseconds(10)))
      #expect(log.values.isEmpty)
      queue.isSuspended = false
      queue.waitUntilAllOperationsAreFinished()
      #expect(log.values == [1])
      queue.maxConcurrentOperationCount = 0
      queue.addBarrierBlock { log.note(2) }
      queue.addOperation { log.note(3) }
      #expect(!queue.wait(timeout: .microseconds(10)))
      queue.cancelAllOperations()
      queue.maxConcurrentOperationCount = -1
      queue.expectQuiet()
      #expect(log.values == [1])
    }

    /// Setting a limit flushes what was cancelled, but no barrier before its time.
    @Test(arguments: Kind.all)
    func cancelledBarrierStaysInPlaceWhenALimitIsSet(_ kind: Kind) {
      let queue = kind.queue()
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
      queue.expectQuiet()
      #expect(log.values.isEmpty && held.isFinished && younger.runCount == 1)
      #expect(queue.operations.isEmpty && queue.operationCount == 0)
    }

    @Test(arguments: Kind.all)
    func operationBehindABarrierStaysBehindItWhenCancelled(_ kind: Kind) {
      let queue = kind.queue()
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
      #expect(handle.operation.dependencies.isEmpty)
      handle.operation.queuePriority = .veryLow
      #expect(!cancelled.wait(timeout: .milliseconds(1)) && log.values.isEmpty)
      gate.start()
      queue.expectQuiet()
      #expect(log.values.first == 1 && log.values.sorted() == [1, 2, 3])
      #expect(cancelled.isFinished && cancelled.runCount == 0)
    }
  }
}
