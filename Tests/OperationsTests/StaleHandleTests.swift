// SPDX-License-Identifier: Apache-2.0

import Operations
import OperationsDiagnosis
import Synchronization
import TestSupport
import Testing

extension OperationLayer {
  /// Handles of finished operations in queues that start nothing: the queue becomes empty without
  /// them.
  @Suite(.contract(103)) struct StaleHandleTests {
    /// The worker that waits runs the operation, whose header is with the scheduler and meets a
    /// suspension.
    @Test(.contract(101), arguments: Kind.single + [.inline])
    func headerOfAnOperationThatTheWaitingWorkerRan(_ kind: Kind) {
      for limit in [-1, 0] {
        let queue = kind.queue()
        let waited = TestOperation { _ in
          let inner = BlockOperation {
            queue.isSuspended = true
            queue.maxConcurrentOperationCount = limit
          }
          queue.addOperation(inner)
          inner.waitUntilFinished()
        }
        queue.addOperation(waited)
        queue.expectQuiet()
        #expect(waited.runCount == 1 && queue.isSuspended)
      }
    }

    /// The header stays in the list when an extra job stands at the tail of the new level.
    @Test(.contract(88), arguments: Kind.all)
    func headerOfAnOperationWhoseLevelWasChanged(_ kind: Kind) {
      for count in [1, 20] {
        let queue = kind.queue()
        queue.maxConcurrentOperationCount = 1
        queue.isSuspended = true
        let operations = (0..<count).map { number in
          BlockOperation { if number == 0 { queue.maxConcurrentOperationCount = 0 } }
        }
        queue.addOperations(operations, waitUntilFinished: false)
        for level in [Operation.QueuePriority.low, .veryLow, .high] {
          for operation in operations.reversed() { operation.queuePriority = level }
        }
        queue.isSuspended = false
        queue.expectQuiet()
        #expect(queue.maxConcurrentOperationCount == 0 && operations.allSatisfy { $0.isFinished })
      }
    }

    /// The skip waits for a resumption that the queue does not need any more.
    @Test(.contract(66), arguments: Kind.all)
    func skipOfAnOperationThatFinishesInASuspendedQueue(_ kind: Kind) {
      for limit in [-1, 0, 2] {
        let queue = kind.queue()
        queue.isSuspended = true
        queue.maxConcurrentOperationCount = limit
        let operations = (0..<10).map { _ in TestAsyncOperation() }
        queue.addOperations(operations, waitUntilFinished: false)
        for operation in operations { operation.cancel() }
        _ = warnings { for operation in operations { operation.finish() } }
        queue.expectQuiet()
        #expect(queue.isSuspended && operations.allSatisfy { $0.isFinished })
      }
    }

    /// A closure is skipped while the handle that it was added with lies in the list among others.
    @Test(.contract(117), arguments: Kind.all)
    func finishedClosureIsNoMember(_ kind: Kind) {
      let queue = kind.queue()
      queue.maxConcurrentOperationCount = 1
      let held = TestAsyncOperation()
      queue.addOperation(held)
      let closures = (0..<5).map { _ in queue.addOperation {} }
      let skipped = closures[0].operation
      closures[0].cancel()
      let end = ContinuousClock.now + patience
      // Its handle does not keep it counted; a worker on its way to subtract it may be seen twice.
      var count = queue.operationCount
      while count > 5, ContinuousClock.now < end { count = queue.operationCount }
      #expect(count == 5)
      #expect(queue.operations.count == 5 && !queue.operations.contains(skipped))
      #expect(queue.stallReport().entries.allSatisfy { $0.operation !== skipped })
      held.finish()
      queue.expectQuiet()
    }

    /// Nobody can resume it, and what lies in it is of no use any more.
    @Test(.contract(133), arguments: Kind.all)
    func queueWithNothingButStaleHandlesIsReleased(_ kind: Kind) {
      for limit in [-1, 0] {
        weak var dropped: OperationQueue?
        do {
          let queue = kind.queue()
          dropped = queue
          queue.maxConcurrentOperationCount = limit
          queue.isSuspended = limit < 0
          let operations = (0..<20).map { _ in TestAsyncOperation() }
          queue.addOperations(operations, waitUntilFinished: false)
          for operation in operations { operation.queuePriority = .high }
          _ = warnings { for operation in operations { operation.finish() } }
          queue.expectQuiet()
        }
        #expect(waitUntil { dropped == nil })
      }
    }

    /// The members ahead wait for nothing else: each look finds few that are stale.
    @Test(.contract(130), arguments: Kind.all)
    func staleHandlesAmongOthersDoNotPileUp(_ kind: Kind) {
      let queue = kind.queue()
      let lifetimes = LifetimeCounter()
      queue.isSuspended = true
      let waiting = (0..<100).map { _ in BlockOperation {} }
      queue.addOperations(waiting, waitUntilFinished: false)
      _ = warnings {
        for _ in 0..<2000 {
          let operation = TestAsyncOperation(lifetimes)
          queue.addOperation(operation)
          operation.queuePriority = .veryHigh
          operation.finish()
        }
      }
      #expect(queue.operationCount == waiting.count && queue.operations == waiting)
      #expect(waitUntil { lifetimes.live <= 3 * waiting.count })
      queue.isSuspended = false
      queue.expectQuiet()
      #expect(waitUntil { lifetimes.live == 0 })
    }

    /// Neither does the barrier wait for it, nor what comes after the barrier.
    @Test(.contract(66), .contract(116), arguments: Kind.all)
    func operationFinishedBehindABarrierLeavesAtOnce(_ kind: Kind) {
      let queue = kind.queue()
      let first = TestAsyncOperation()
      let hasRun = Atomic<Int>(0)
      queue.addOperation(first)
      for _ in 0..<3 {
        queue.addBarrierBlock { _ = hasRun.wrappingAdd(1, ordering: .relaxed) }
        let behind = (0..<3).map { _ in TestAsyncOperation() }
        queue.addOperations(behind, waitUntilFinished: false)
        _ = warnings { for operation in behind.dropLast() { operation.finish() } }
        behind[2].cancel()
      }
      #expect(queue.operationCount == 4 && queue.operations.count == 4)
      #expect(hasRun.load(ordering: .relaxed) == 0)
      first.finish()
      queue.expectQuiet()
      #expect(hasRun.load(ordering: .relaxed) == 3)
    }

    /// Everything that makes a second handle, at the same time as suspensions and limits.
    @Test(arguments: Kind.each)
    func handlesAgainstSuspensionsAndLimits(_ kind: Kind) {
      let queue = kind.queue()
      for round in 0..<(600 / slowness) {
        let operations = (0..<8).map { number in
          BlockOperation {
            if number == round % 8 { queue.isSuspended = true }
            if number == (round + 3) % 8 { queue.maxConcurrentOperationCount = round % 2 }
          }
        }
        onThreads(3) { index in
          switch index {
          case 0: for operation in operations { queue.addOperation(operation) }
          case 1: for operation in operations { operation.queuePriority = .high }
          default:
            for operation in operations where operation.isReady { operation.queuePriority = .low }
            if round % 3 == 0 { for operation in operations.suffix(3) { operation.cancel() } }
          }
        }
        // Whatever has not run stays; what has run leaves nothing behind.
        let haveRun = waitUntil(deadline: patience) {
          queue.maxConcurrentOperationCount = 1
          queue.isSuspended = false
          return operations.allSatisfy(\.isFinished)
        }
        #expect(haveRun)
        queue.isSuspended = true
        queue.maxConcurrentOperationCount = 0
        queue.expectQuiet("in round \(round)")
        queue.maxConcurrentOperationCount = -1
        queue.isSuspended = false
      }
    }
  }
}
