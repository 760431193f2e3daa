// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
import Operations
import Synchronization
import TestSupport
import Testing

extension OperationLayer {
  /// Operations that finish before their queue has started them.
  @Suite(.contract(66)) struct EarlyFinishTests {
    @Test(arguments: Kind.all)
    func finishDoesNotWaitForDependencies(_ kind: Kind) {
      for limit in [-1, 1] {
        let queue = kind.queue()
        queue.name = "uploads"
        queue.maxConcurrentOperationCount = limit
        let operation = TestAsyncOperation()
        operation.name = "early bird"
        let never = (0..<5).map { _ in Operation() }
        for dependency in never { operation.addDependency(dependency) }
        let dependent = TestOperation()
        dependent.addDependency(operation)
        let completed = Log()
        operation.completionBlock = { completed.note(1) }
        queue.addOperations([operation, dependent], waitUntilFinished: false)
        let found = warnings(naming: "early bird") {
          operation.finish()
          #expect(operation.isFinished && !operation.isExecuting && !operation.isCancelled)
          queue.expectQuiet()
        }
        #expect(found.count == 1 && found[0].contains("\"uploads\""))
        #expect(operation.runs.load(ordering: .relaxed) == 0 && dependent.runCount == 1)
        #expect(completed.values == [1] && operation.surplusFinishCount == 0)
        #expect(operation.dependencies == never && queue.operations.isEmpty)
        for dependency in never { dependency.start() }
      }
    }

    /// The worker that carries out the first `finish()` keeps the operation while another one ends
    /// it.
    @Test(arguments: Kind.all)
    func finishAgainWhileTheQueueCarriesItOut(_ kind: Kind) {
      let queue = kind.queue()
      let held = Locked<AsyncOperation?>(nil)
      let wasKept = Locked<Bool?>(nil)
      // What the body captures goes when the queue skips it.
      do {
        let token = Ending {
          weak let operation = held.withLock { $0 }
          held.withLock { $0.take() }?.finish()
          wasKept.withLock { $0 = operation != nil }
        }
        let operation = AsyncOperation { (_: AsyncOperation) in withExtendedLifetime(token) {} }
        operation.name = "twice"
        held.withLock { $0 = operation }
      }
      _ = warnings(naming: "twice") {
        held.withLock { $0 }?.finish()
        if let operation = held.withLock({ $0 }) { queue.addOperation(operation) }
        queue.expectQuiet()
      }
      // The second `finish()` empties the queue before the token is done.
      #expect(waitUntil { wasKept.withLock { $0 } != nil })
      #expect(wasKept.withLock { $0 } == true)
    }

    @Test(arguments: Kind.all)
    func finishNeedsNoSlot(_ kind: Kind) {
      let queue = kind.queue()
      queue.maxConcurrentOperationCount = 1
      let holder = TestAsyncOperation()
      let early = (0..<20).map { _ in TestAsyncOperation() }
      let dependent = TestOperation()
      for operation in early { dependent.addDependency(operation) }
      queue.addOperations([holder] + early, waitUntilFinished: false)
      let other = kind.queue()
      other.addOperation(dependent)
      #expect(waitUntil(deadline: patience) { holder.isExecuting })
      _ = warnings(naming: "TestAsyncOperation") {
        for operation in early {
          operation.finish()
          #expect(operation.isFinished)
        }
      }
      other.expectQuiet()
      #expect(dependent.runCount == 1)
      #expect(queue.operations == [holder] && queue.operationCount == 1)
      holder.finish()
      queue.expectQuiet()
      #expect(early.allSatisfy { $0.runs.load(ordering: .relaxed) == 0 })
    }

    @Test(arguments: Kind.all, [true, false])
    func finishLeavesAQueueThatStartsNothing(_ kind: Kind, isSuspended: Bool) {
      let queue = kind.queue()
      if isSuspended { queue.isSuspended = true } else { queue.maxConcurrentOperationCount = 0 }
      let operations = (0..<100).map { _ in TestAsyncOperation() }
      queue.addOperations(operations, waitUntilFinished: false)
      _ = warnings { for operation in operations { operation.finish() } }
      // Nothing is left, not even a handle in the ready list.
      queue.expectQuiet()
      #expect(operations.allSatisfy { $0.isFinished })
    }

    @Test(arguments: Kind.all)
    func finishBehindABarrierDoesNotFreeTheBarrier(_ kind: Kind) {
      let queue = kind.queue()
      let older = TestAsyncOperation()
      queue.addOperation(older)
      let log = Log()
      queue.addBarrierBlock { log.note(1) }
      let early = TestAsyncOperation()
      let dependent = TestOperation { _ in log.note(0) }
      dependent.addDependency(early)
      queue.addOperation(early)
      let other = kind.queue()
      other.addOperation(dependent)
      queue.addOperation { log.note(2) }
      _ = warnings(naming: "TestAsyncOperation") { early.finish() }
      #expect(early.isFinished)
      other.expectQuiet()
      #expect(log.values == [0])
      #expect(!queue.operations.contains(early))
      older.finish()
      queue.expectQuiet()
      #expect(log.values == [0, 1, 2])
    }

    /// Two threads finish a member behind a barrier: the one that comes second must not let it
    /// leave before the first has taken it out of what the barrier counts.
    @Test(.contract(66, 116), arguments: Kind.each)
    func finishTwiceBehindABarrierDoesNotFreeTheBarrier(_ kind: Kind) {
      struct Round: Sendable {
        let queue: OperationQueue
        let older = TestAsyncOperation()
        let early = TestAsyncOperation()
        let ran = Counter()
      }
      Duel.fight(
        rounds: 300,
        prepare: { _ -> Round in
          let round = Round(queue: kind.queue())
          round.queue.addOperation(round.older)
          round.queue.addBarrierBlock { round.ran.add(1) }
          round.queue.addOperation(round.early)
          return round
        },
        left: { $0.early.finish() },
        right: { $0.early.finish() },
        check: { round, number in
          let isOpen = waitUntil { !round.queue.operations.contains(round.early) }
          #expect(round.early.isFinished && isOpen && round.ran.value == 0, "round \(number)")
          round.older.finish()
          round.queue.expectQuiet()
          return round.ran.value == 1
        })
    }

    /// A subclass of the old style, which announces that it is finished before the queue has called
    /// `start()`.
    @Test(arguments: Kind.each)
    func announcedFinishIsEnough(_ kind: Kind) {
      final class OldStyle: Operation, @unchecked Sendable {
        let isDone = Atomic<Bool>(false)
        let starts = Atomic<Int>(0)
        override var isFinished: Bool { isDone.load(ordering: .acquiring) }
        override var isAsynchronous: Bool { true }
        override func start() { starts.add(1, ordering: .relaxed) }
        func end() {
          willChangeValue(forKey: "isFinished")
          isDone.store(true, ordering: .releasing)
          didChangeValue(forKey: "isFinished")
        }
      }
      let queue = kind.queue()
      let operation = OldStyle()
      operation.addDependency(Operation())
      let dependent = TestOperation()
      dependent.addDependency(operation)
      queue.addOperations([operation, dependent], waitUntilFinished: false)
      let found = warnings(naming: "OldStyle") {
        operation.end()
        queue.expectQuiet()
      }
      #expect(found.count == 1 && dependent.runCount == 1)
      #expect(operation.starts.load(ordering: .relaxed) == 0)
    }

    /// Finished in no queue, then added: the queue lets go of it without a slot and without its
    /// dependencies.
    @Test(arguments: Kind.each)
    func finishBeforeTheAddNeedsNoSlotEither(_ kind: Kind) {
      let queue = kind.queue()
      queue.maxConcurrentOperationCount = 0
      let operation = TestAsyncOperation()
      operation.name = "before the add"
      operation.addDependency(Operation())
      operation.finish()
      #expect(!operation.isFinished)
      let found = warnings(naming: "before the add") {
        queue.addOperation(operation)
        queue.expectQuiet()
      }
      #expect(found.count == 1 && operation.isFinished)
      #expect(operation.runs.load(ordering: .relaxed) == 0)
    }

    /// A parked operation, whose only handle has come back.
    @Test(arguments: Kind.each)
    func finishOfAnOperationWhoseReadinessWasWithdrawn(_ kind: Kind) {
      final class Shut: AsyncOperation, @unchecked Sendable {
        let looks = Atomic<Int>(0)
        override var isReady: Bool {
          looks.add(1, ordering: .relaxed)
          return false
        }
      }
      let queue = kind.queue()
      let operation = Shut()
      queue.addOperation(operation)
      // The second look follows the parking.
      #expect(waitUntil(deadline: patience) { operation.looks.load(ordering: .relaxed) >= 2 })
      _ = warnings(naming: "Shut") { operation.finish() }
      queue.expectQuiet()
      #expect(operation.isFinished)
    }

    /// The first call counts, the others are counted, before the start too.
    @Test(.contract(69), arguments: Kind.each)
    func firstOfSeveralEarlyFinishesCounts(_ kind: Kind) {
      struct Failure: Error {}
      let queue = kind.queue()
      queue.isSuspended = true
      let (succeeded, failed) = (TestAsyncOperation(), TestAsyncOperation())
      succeeded.finish()
      succeeded.finish(throwing: Failure())
      succeeded.finish()
      failed.finish(throwing: Failure())
      failed.finish()
      #expect(succeeded.surplusFinishCount == 2 && failed.surplusFinishCount == 1)
      _ = warnings(naming: "TestAsyncOperation") {
        queue.addOperations([succeeded, failed], waitUntilFinished: false)
        queue.isSuspended = false
        queue.expectQuiet()
      }
      failed.finish()
      #expect(succeeded.surplusFinishCount == 2 && failed.surplusFinishCount == 2)
      #expect(succeeded.error == nil && failed.error is Failure)
    }

    /// A group with a state of its own, from a thread that runs no operation and from another
    /// queue's worker.
    @Test(arguments: Kind.each, [true, false])
    func groupFinishedBeforeItsStart(_ kind: Kind, onAWorker: Bool) {
      final class Early: GroupOperation, @unchecked Sendable {
        private let isOver = Atomic<Bool>(false)
        override var isFinished: Bool { isOver.load(ordering: .acquiring) || super.isFinished }
        func end() {
          isOver.store(true, ordering: .releasing)
          didChangeValue(forKey: "isFinished")
        }
      }
      let (queue, other) = (kind.queue(), kind.queue())
      queue.isSuspended = true
      let current = Locked<OperationQueue?>(nil)
      let member = TestOperation { _ in current.withLock { $0 = OperationQueue.current } }
      let group = Early([member])
      queue.addOperation(group)
      _ = warnings(naming: "Early") {
        if onAWorker {
          other.addOperation { group.end() }
          other.expectQuiet()
        } else {
          group.end()
        }
        queue.isSuspended = false
        queue.expectQuiet()
      }
      #expect(
        member.wait(timeout: patience) && member.runCount == 0 && current.withLock { $0 } == nil)
    }

    /// The add, the start, a cancel and the finish at the same time: every operation leaves, and
    /// runs at most once.
    @Test(arguments: Kind.each)
    func finishRacesWithEverything(_ kind: Kind) {
      let lifetimes = LifetimeCounter()
      let runs = Atomic<Int>(0)
      _ = warnings(naming: "TestAsyncOperation") {
        for round in 0..<(4_000 / slowness) {
          let queue = kind.queue()
          if round % 3 == 1 { queue.maxConcurrentOperationCount = 1 }
          let dependency = Operation()
          let operation = TestAsyncOperation(lifetimes) { _ in runs.add(1, ordering: .relaxed) }
          if round % 2 == 0 { operation.addDependency(dependency) }
          let dependent = TestOperation(lifetimes)
          dependent.addDependency(operation)
          if round % 5 == 0 { queue.addBarrierBlock {} }
          onThreads(3) { index in
            switch index {
            case 0: queue.addOperations([operation, dependent], waitUntilFinished: false)
            case 1: operation.finish()
            default: round % 4 < 2 ? operation.cancel() : dependency.start()
            }
          }
          queue.expectQuiet()
          #expect(operation.isFinished && dependent.isFinished)
        }
      }
      #expect(waitUntil { lifetimes.live == 0 })
    }
  }
}

/// Calls a closure when it goes.
private final class Ending: Sendable {
  private let action: @Sendable () -> Void

  init(_ action: @escaping @Sendable () -> Void) { self.action = action }

  deinit { action() }
}
