// SPDX-License-Identifier: Apache-2.0

import Operations
import Synchronization
import TestSupport
import Testing

extension OperationLayer {
  @Suite struct StateTests {
    @Test(.contract(2, 91, 92)) func newOperationIsReadyAndNothingElse() {
      for operation in [Operation(), BlockOperation {}, BlockOperation()] {
        #expect(operation.isReady)
        #expect(!operation.isExecuting && !operation.isFinished)
        #expect(!operation.isCancelled && !operation.isAsynchronous)
        #expect(operation.queuePriority == .normal)
        #expect(operation.qualityOfService == .default)
        #expect(operation.name == nil && operation.completionBlock == nil)
        #expect(operation.dependencies.isEmpty)
      }
      #expect(AsyncOperation().isAsynchronous)
    }

    @Test(.contract(8)) func queuesAreEqualWhenIdentical() {
      let (one, other) = (Kind.inline.queue(), Kind.inline.queue())
      #expect(one == one && one != other)
      #expect(Set([one, other, one]).count == 2)
    }

    @Test(.contract(8)) func equalMeansIdentical() {
      let (first, second) = (Operation(), Operation())
      #expect(first == first)
      #expect(first != second)
      #expect(Set([first, second, first]).count == 2)
    }

    @Test(.contract(6)) func plainOperationFinishesWithoutDoingAnything() {
      let operation = Operation()
      operation.start()
      #expect(operation.isFinished)
    }

    @Test(.contract(11)) func manualStartRunsOnTheCallingThread() {
      let thread = ThreadProbe.current
      let isSame = Log()
      let operation = BlockOperation { isSame.note(ThreadProbe.current == thread ? 1 : 0) }
      operation.start()
      #expect(operation.isFinished)
      #expect(isSame.values == [1])
    }

    @Test(.contract(12)) func startOfAFinishedOperationChangesNothing() {
      let log = Log()
      let operation = BlockOperation { log.note(1) }
      operation.completionBlock = { log.note(2) }
      operation.start()
      operation.start()
      #expect(throws: Never.self) { try operation.tryStart() }
      #expect(log.values == [1, 2])
    }

    @Test(.contract(13)) func startOfACancelledOperationSkipsTheBody() {
      let log = Log()
      let operation = BlockOperation { log.note(1) }
      operation.completionBlock = { log.note(2) }
      operation.cancel()
      operation.start()
      #expect(operation.isFinished && operation.isCancelled)
      #expect(log.values == [2])
    }

    @Test(.contract(14, 15, 16)) func tryStartSaysWhatIsInTheWay() throws {
      let blocker = Operation()
      let blocked = Operation()
      blocked.addDependency(blocker)
      #expect {
        try blocked.tryStart()
      } throws: { error in
        guard case OperationError.notReady(let who, let blockedBy)? = error as? OperationError
        else { return false }
        return who == blocked && blockedBy == [blocker]
      }
      blocker.start()
      try blocked.tryStart()
      #expect(blocked.isFinished)

      let busy = TestAsyncOperation()
      busy.start()
      #expect {
        try busy.tryStart()
      } throws: { error in
        if case OperationError.alreadyExecuting? = error as? OperationError { true } else { false }
      }
      busy.finish()

      let queue = Kind.inline.queue()
      queue.isSuspended = true
      queue.name = "held"
      let queued = Operation()
      queue.addOperation(queued)
      #expect {
        try queued.tryStart()
      } throws: { error in
        guard case OperationError.ownedByQueue(_, let name)? = error as? OperationError
        else { return false }
        return name == "held"
      }
      queue.isSuspended = false
      #expect(queued.isFinished)
    }

    @Test(.contract(10, 15)) func ofManyManualStartsOneWins() {
      for round in 0..<(2_000 / slowness) {
        let operation = TestOperation()
        let wins = Atomic<Int>(0)
        onThreads(3) { _ in
          do {
            try operation.tryStart()
            wins.add(1, ordering: .relaxed)
          } catch {}
        }
        #expect(operation.runCount == 1, "round \(round)")
        // A late start of the finished operation returns as well.
        #expect(wins.load(ordering: .relaxed) >= 1)
        #expect(operation.isFinished)
      }
    }

    @Test(.contract(17)) func whatWasStartedByHandCannotBeQueued() {
      let queue = Kind.inline.queue()
      let finished = Operation()
      finished.start()
      #expect {
        try queue.tryAddOperation(finished)
      } throws: { error in
        if case OperationError.alreadyFinished? = error as? OperationError { true } else { false }
      }
      let executing = TestAsyncOperation()
      executing.start()
      #expect {
        try queue.tryAddOperation(executing)
      } throws: { error in
        if case OperationError.alreadyExecuting? = error as? OperationError { true } else { false }
      }
      executing.finish()
      #expect(queue.operations.isEmpty && executing.isFinished)
    }

    @Test(.contract(83, 84)) func prioritiesRoundTowardsNormal() {
      let expected: [(Int, Operation.QueuePriority)] = [
        (9, .veryHigh), (10, .veryHigh), (8, .veryHigh), (7, .high), (5, .high), (4, .high),
        (3, .normal), (1, .normal), (0, .normal), (-1, .normal), (-3, .normal), (-4, .low),
        (-5, .low), (-7, .low), (-8, .veryLow), (-9, .veryLow), (.max, .veryHigh),
        (.min, .veryLow),
      ]
      for (value, level) in expected {
        #expect(Operation.QueuePriority(rounding: value) == level)
      }
      let operation = Operation()
      for level in Operation.QueuePriority.allCases {
        operation.queuePriority = level
        #expect(operation.queuePriority == level)
      }
    }
  }
}
