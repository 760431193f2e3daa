// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
import Operations
import Scheduling
import Synchronization
import TestSupport
import Testing
import WorkStealingBackend

/// Races between the life of an operation and what users do to it meanwhile.
struct LeavingRaceTests {
  private final class Remote: AsyncOperation, @unchecked Sendable {
    override func main() { if isCancelled { finish() } }
    override func cancel() {
      super.cancel()
      finish()
    }
  }

  /// Far more than a registry chunk has slots, so that the memory of early members is given back.
  private static let many = 500

  @Test(.contract(69)) func finishingAgainAfterTheQueueIsGoneIsCounted() {
    var operations: [Remote] = []
    do {
      let queue = OperationQueue(scheduler: WorkStealingScheduler(workers: 2))
      operations = (0..<Self.many).map { _ in Remote() }
      queue.addOperations(operations, waitUntilFinished: false)
      _ = warnings { for operation in operations { operation.finish() } }
      queue.waitUntilAllOperationsAreFinished()
    }
    for operation in operations { operation.finish() }
    #expect(operations.allSatisfy { $0.surplusFinishCount == 1 })
  }

  @Test(.contract(66)) func cancellingAndFinishingWhileTheQueueStartsThemLeavesNothing() {
    let scheduler = WorkStealingScheduler(workers: 2)
    for _ in 0..<50 {
      let queue = OperationQueue(scheduler: scheduler)
      let operations = (0..<100).map { _ in Remote() }
      queue.addOperations(operations, waitUntilFinished: false)
      _ = warnings { for operation in operations { operation.cancel() } }
      #expect(queue.wait(timeout: patience))
      #expect(queue.operationCount == 0)
    }
  }

  /// A member that leaves is taken off the number once, whatever it is at the moment, so that who
  /// stays is always counted.
  @Test(.contract(117, 120)) func aQueueThatHoldsAMemberIsNeverSeenEmpty() throws {
    let queue = OperationQueue(scheduler: WorkStealingScheduler(workers: 2))
    // Each departure is told while it is on its way out.
    let observation = queue.observe(\.operationCount) { _, _ in }
    let staying = Remote()
    queue.addOperation(staying)
    let isOver = Atomic<Bool>(false)
    let adder = try SystemThread.start(name: "adder") {
      for _ in 0..<Self.departures {
        let passing = BlockOperation {}
        queue.addOperation(passing)
        passing.waitUntilFinished()
      }
      isOver.store(true, ordering: .releasing)
    }
    var emptyLooks = 0
    while !isOver.load(ordering: .acquiring) {
      if queue.operationCount < 1 || queue.isEmpty { emptyLooks += 1 }
    }
    adder.join()
    #expect(emptyLooks == 0)
    staying.finish()
    #expect(queue.wait(timeout: patience))
    #expect(queue.isEmpty && queue.operationCount == 0)
    observation.invalidate()
  }

  private static let departures = 20_000

  @Test(.contract(49)) func cancelledOperationsLeaveAQueueThatStartsNothing() {
    let scheduler = WorkStealingScheduler(workers: 1)
    let queue = OperationQueue(scheduler: scheduler)
    queue.maxConcurrentOperationCount = 0
    let never = BlockOperation {}
    let waiting = BlockOperation {}
    waiting.addDependency(never)
    let early = BlockOperation {}
    early.cancel()
    let batched = BlockOperation {}
    batched.cancel()
    queue.addOperation(waiting)
    queue.addOperation(early)
    queue.addOperations([batched], waitUntilFinished: false)
    waiting.cancel()
    #expect(queue.wait(timeout: patience))
    #expect(waiting.isFinished && early.isFinished && batched.isFinished)
  }

  @Test(.contract(112)) func limitsComingAndGoingStrandNothing() {
    let scheduler = WorkStealingScheduler(workers: 2)
    let ran = Atomic<Int>(0)
    let running = Atomic<Int>(0)
    let excess = Atomic<Int>(0)
    let queue = OperationQueue(scheduler: scheduler)
    var added = 0
    for round in 0..<300 {
      for _ in 0..<20 { queue.addOperation { ran.wrappingAdd(1, ordering: .relaxed) } }
      added += 20
      queue.maxConcurrentOperationCount = 1
      queue.maxConcurrentOperationCount = -1
      guard round % 20 == 0 else { continue }
      #expect(queue.wait(timeout: patience))
      // With a limit of one nothing may be counted that no longer runs, and nothing may run
      // uncounted.
      queue.maxConcurrentOperationCount = 1
      for _ in 0..<20 {
        queue.addOperation {
          if running.wrappingAdd(1, ordering: .sequentiallyConsistent).newValue > 1 {
            excess.wrappingAdd(1, ordering: .relaxed)
          }
          running.wrappingSubtract(1, ordering: .sequentiallyConsistent)
          ran.wrappingAdd(1, ordering: .relaxed)
        }
      }
      added += 20
      #expect(queue.wait(timeout: patience))
      queue.maxConcurrentOperationCount = -1
    }
    #expect(queue.wait(timeout: patience))
    #expect(ran.load(ordering: .relaxed) == added)
    #expect(excess.load(ordering: .relaxed) == 0)
  }

  @Test(.contract(108)) func closuresRunOnceWhileOthersAskForTheirOperations() {
    let counter = LifetimeCounter()
    let ran = Atomic<Int>(0)
    let added = 20_000
    do {
      let queue = OperationQueue(scheduler: WorkStealingScheduler(workers: 2))
      let stop = Atomic<Bool>(false)
      onThreads(2) { thread in
        guard thread == 0 else {
          while !stop.load(ordering: .acquiring) { _ = queue.operations.count }
          return
        }
        for _ in 0..<added {
          let token = counter.token()
          let handle = queue.addOperation {
            withExtendedLifetime(token) { _ = ran.wrappingAdd(1, ordering: .relaxed) }
          }
          _ = handle.operation
        }
        _ = queue.wait(timeout: patience)
        stop.store(true, ordering: .releasing)
      }
    }
    #expect(ran.load(ordering: .relaxed) == added)
    #expect(waitUntil { counter.live == 0 })
  }

  /// A look at the members reads no memory that was given back; AddressSanitizer sees it, in an
  /// optimised build.
  @Test(.contract(117)) func membersAreListedWhileTheMemoryOfOthersIsGivenBack() {
    let queue = OperationQueue(scheduler: WorkStealingScheduler(workers: 2))
    let stop = Atomic<Bool>(false)
    let most = Atomic<Int>(0)
    onThreads(2) { thread in
      guard thread == 0 else {
        while !stop.load(ordering: .acquiring) {
          most.max(queue.operations.count, ordering: .relaxed)
        }
        return
      }
      for _ in 0..<100 {
        for _ in 0..<Self.many { queue.addOperation {} }
        #expect(queue.wait(timeout: patience))
      }
      stop.store(true, ordering: .releasing)
    }
    #expect(most.load(ordering: .relaxed) <= Self.many)
    #expect(queue.operations.isEmpty)
  }

  @Test(.contract(28)) func operationsThatAreWaitedForHonourDependenciesAddedMeanwhile() {
    let scheduler = WorkStealingScheduler(workers: 2)
    let violations = Atomic<Int>(0)
    for _ in 0..<300 {
      let queue = OperationQueue(scheduler: scheduler)
      let late = BlockOperation {}
      let refused = Atomic<Bool>(false)
      let waitedFor = BlockOperation {
        if !late.isFinished, !refused.load(ordering: .acquiring) {
          violations.wrappingAdd(1, ordering: .relaxed)
        }
      }
      // Started already when the dependency comes: that is no violation.
      refused.store(true, ordering: .releasing)
      queue.addOperation { waitedFor.waitUntilFinished() }
      queue.addOperation(waitedFor)
      waitedFor.addDependency(late)
      if !waitedFor.isExecuting, !waitedFor.isFinished {
        refused.store(false, ordering: .releasing)
      }
      queue.addOperation(late)
      #expect(queue.wait(timeout: patience))
    }
    #expect(violations.load(ordering: .relaxed) == 0)
  }

  @Test(.contract(10, 88)) func changesOfLevelDuringHandOverStartNothingTwice() {
    let scheduler = WorkStealingScheduler(workers: 2)
    let ran = Atomic<Int>(0)
    let rounds = 2_000
    for round in 0..<rounds {
      let queue = OperationQueue(scheduler: scheduler)
      let never = BlockOperation {}
      let operation = BlockOperation { _ = ran.wrappingAdd(1, ordering: .relaxed) }
      operation.addDependency(never)
      queue.addOperation(operation)
      onThreads(2) { thread in
        if thread == 0 {
          operation.removeDependency(never)
        } else {
          operation.queuePriority = round % 2 == 0 ? .high : .low
        }
      }
      #expect(queue.wait(timeout: patience))
    }
    #expect(ran.load(ordering: .relaxed) == rounds)
  }

  @Test(.contract(62), arguments: [true, false])
  func completionBlocksMayWaitForOperationsOfTheirScheduler(isInline: Bool) {
    let scheduler: any Scheduler = isInline ? InlineScheduler() : WorkStealingScheduler(workers: 1)
    let first = OperationQueue(scheduler: scheduler)
    let second = OperationQueue(scheduler: scheduler)
    first.maxConcurrentOperationCount = 1
    second.maxConcurrentOperationCount = 1
    let ran = Atomic<Int>(0)
    let awaited = BlockOperation { _ = ran.wrappingAdd(1, ordering: .relaxed) }
    let operation = BlockOperation { second.addOperation(awaited) }
    operation.completionBlock = { awaited.waitUntilFinished() }
    first.addOperation(operation)
    // Both queues must still start things one by one.
    for queue in [first, second] {
      for _ in 0..<10 { queue.addOperation { _ = ran.wrappingAdd(1, ordering: .relaxed) } }
    }
    #expect(first.wait(timeout: patience))
    #expect(second.wait(timeout: patience))
    #expect(ran.load(ordering: .relaxed) == 21)
  }
}
