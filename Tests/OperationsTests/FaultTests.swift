// SPDX-License-Identifier: Apache-2.0

import Operations
import Scheduling
import TestSupport
import Testing
import WorkStealingBackend

/// The message names what was attempted, operation, queue, state and the fix.
func expect(
  _ result: ExitTest.Result?, says parts: String...,
  sourceLocation: SourceLocation = #_sourceLocation
) {
  let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
  for part in parts {
    #expect(text.contains(part), "\(part)", sourceLocation: sourceLocation)
  }
}

extension OperationLayer {
  /// Faults that no scheduler takes part in; those of queues are checks of the conformance kit.
  @Suite struct FaultTests {
    @Test(.contract(14)) func startWhenNotReady() async {
      let result = await #expect(
        processExitsWith: .failure, observing: [\.standardErrorContent]
      ) {
        func misuse() {
          let (operation, blocker) = (BlockOperation {}, Operation())
          operation.name = "child"
          blocker.name = "parent"
          operation.addDependency(blocker)
          operation.start()
        }
        misuse()
      }
      expect(
        result, says: "start(): BlockOperation \"child\" (pending) cannot start yet",
        "it waits for Operation \"parent\" (pending, ready)", "add it to a queue")
    }

    @Test(.contract(15)) func startWhileExecuting() async {
      let result = await #expect(
        processExitsWith: .failure, observing: [\.standardErrorContent]
      ) {
        func misuse() {
          let operation = AsyncOperation()
          operation.name = "busy"
          operation.start()
          operation.start()
        }
        misuse()
      }
      expect(
        result, says: "start(): AsyncOperation \"busy\" (executing) is executing",
        "make a new operation")
    }

    @Test(.contract(30)) func selfDependency() async {
      let result = await #expect(
        processExitsWith: .failure, observing: [\.standardErrorContent]
      ) {
        func misuse() {
          let operation = Operation()
          operation.name = "snake"
          operation.addDependency(operation)
        }
        misuse()
      }
      expect(
        result, says: "addDependency(_:)",
        "Operation \"snake\" (pending, ready) → Operation \"snake\" (pending, ready)",
        "remove one of the dependencies")
    }

    @Test(.contract(101)) func waitOnInlineForWhatCannotStart() async {
      let result = await #expect(
        processExitsWith: .failure, observing: [\.standardErrorContent]
      ) {
        func misuse() {
          let queue = OperationQueue(scheduler: InlineScheduler())
          let blocked = Operation()
          blocked.addDependency(Operation())
          queue.addOperations(
            [TestOperation { _ in blocked.waitUntilFinished() }, blocked], waitUntilFinished: false)
        }
        misuse()
      }
      expect(
        result, says: "waitUntilFinished() on Operation", "(pending, not ready)", "of queue",
        "on the inline scheduler", "dependent operation")
    }

    @Test(.contract(78)) func closureForAStartedBlockOperation() async {
      let result = await #expect(
        processExitsWith: .failure, observing: [\.standardErrorContent]
      ) {
        func misuse() {
          let operation = BlockOperation {}
          operation.name = "done"
          operation.start()
          operation.addExecutionBlock {}
        }
        misuse()
      }
      expect(
        result, says: "addExecutionBlock(_:): BlockOperation \"done\" (finished) has finished",
        "change it only before its start")
    }

    @Test(.contract(29)) func lateDependencyEditInStrictMode() async {
      let added = await #expect(
        processExitsWith: .failure, observing: [\.standardErrorContent]
      ) {
        func misuse() {
          Operation.faultsOnLateDependencyEdits = true
          let operation = Operation()
          operation.name = "late"
          operation.start()
          operation.addDependency(Operation())
        }
        misuse()
      }
      expect(
        added, says: "addDependency(_:): Operation \"late\" (finished)",
        "change it only before its start")
      let removed = await #expect(
        processExitsWith: .failure, observing: [\.standardErrorContent]
      ) {
        func misuse() {
          let (operation, dependency) = (AsyncOperation(), Operation())
          operation.name = "late"
          dependency.start()
          operation.addDependency(dependency)
          operation.start()
          // Without strict mode nothing happens.
          operation.removeDependency(dependency)
          operation.addDependency(Operation())
          Operation.faultsOnLateDependencyEdits = true
          operation.removeDependency(dependency)
        }
        misuse()
      }
      expect(
        removed, says: "removeDependency(_:): AsyncOperation \"late\" (executing)",
        "change it only before its start")
    }

    @Test func memberOfAFinishedGroup() async {
      let result = await #expect(
        processExitsWith: .failure, observing: [\.standardErrorContent]
      ) {
        func misuse() {
          let group = GroupOperation()
          group.name = "closed"
          group.start()
          group.addOperation {}
        }
        misuse()
      }
      expect(
        result, says: "adding members to GroupOperation \"closed\" (finished)",
        "make a new operation")
    }

    @Test func retryPolicyOutOfRange() async {
      let result = await #expect(
        processExitsWith: .failure, observing: [\.standardErrorContent]
      ) {
        func misuse() { _ = RetryPolicy(attempts: 0) }
        misuse()
      }
      expect(
        result, says: "making a RetryPolicy", "attempts is 0; legal is 1 or more",
        "pass a value in that range")
    }

    // MARK: Throwing twins

    /// Every row that depends on input or timing has one, and it changes nothing.
    @Test(.contract(14, 15, 16, 30, 67, 78, 80, 106)) func twinsThrowAndChangeNothing() throws {
      let queue = OperationQueue(scheduler: InlineScheduler())
      let (blocked, blocker) = (BlockOperation {}, Operation())
      blocked.addDependency(blocker)
      #expect(caseName(thrown(blocked.tryStart)) == "notReady")
      let busy = AsyncOperation()
      busy.start()
      #expect(caseName(thrown(busy.tryStart)) == "alreadyExecuting")
      #expect(caseName(thrown { try queue.tryAddOperation(busy) }) == "alreadyExecuting")
      queue.isSuspended = true
      let queued = BlockOperation {}
      queue.addOperation(queued)
      #expect(caseName(thrown(queued.tryStart)) == "ownedByQueue")
      #expect(caseName(thrown { try queue.tryAddOperation(queued) }) == "alreadyQueued")
      let fresh = Operation()
      for illegal in [queued, busy, fresh] {
        #expect(thrown { try queue.tryAddOperations([fresh, illegal]) } != nil)
      }
      #expect(caseName(thrown { try fresh.tryAddDependency(fresh) }) == "dependencyCycle")
      let limit = thrown { try OperationQueue.Configuration(validating: -2) }
      #expect(caseName(limit) == "invalidLimit")
      queue.isSuspended = false
      #expect(caseName(thrown { try queued.tryAddExecutionBlock {} }) == "alreadyFinished")
      #expect(caseName(thrown { try queue.tryAddOperation(queued) }) == "alreadyFinished")
      let unread = ResultOperation { 1 }
      #expect(caseName(thrown(unread.value)) == "notFinished")
      // Everything is as usable as before.
      blocker.start()
      for operation in [fresh, blocked, unread] { try queue.tryAddOperation(operation) }
      busy.finish()
      for operation in [busy, queued, fresh, blocked, unread] {
        #expect(operation.isFinished)
        try operation.tryStart()
      }
    }

    /// What the message says is so.
    @Test(.contract(14, 39, 67, 106)) func messagesGiveTheReasonThatHolds() {
      let queue = OperationQueue(scheduler: InlineScheduler())
      let twice = Operation()
      let duplicate = thrown { try queue.tryAddOperations([Operation(), twice, twice]) }
      #expect(caseName(duplicate) == "listedTwice")
      #expect((duplicate as? OperationError)?.description.contains("list it once") == true)
      let withheld = ConditionalOperation()
      let notReady = thrown(withheld.tryStart) as? OperationError
      #expect(notReady?.description.contains("(pending) cannot start yet") == true)
      let ownCause = "cannot start yet: its own isReady is false, or"
      #expect(notReady?.description.contains(ownCause) == true)
      let gated = Operation()
      gated.addReadinessCondition(ReadinessGate())
      let closed = thrown(gated.tryStart) as? OperationError
      #expect(closed?.description.contains("yet: a readiness condition is not met;") == true)
      queue.addOperations([twice], waitUntilFinished: true)
    }

    @Test func configurationIsTakenOver() throws {
      let configuration = try OperationQueue.Configuration(
        validating: 3, name: "configured", qualityOfService: .utility, isSuspended: true)
      let queue = OperationQueue(scheduler: InlineScheduler(), configuration: configuration)
      #expect(queue.maxConcurrentOperationCount == 3 && queue.name == "configured")
      #expect(queue.qualityOfService == .utility && queue.isSuspended)
      #expect(!queue.startsInOrder && queue.blockingPolicy == .automatic)
      let others = try OperationQueue.Configuration(startsInOrder: true, blockingPolicy: .help)
      let ordered = OperationQueue(scheduler: InlineScheduler(), configuration: others)
      #expect(ordered.startsInOrder && ordered.blockingPolicy == .help)
      #expect(
        ordered.maxConcurrentOperationCount == OperationQueue.defaultMaxConcurrentOperationCount)
    }

    /// The timed twins of the waits that would never return.
    @Test(.contract(100, 101, 102)) func timedWaitsReturnFalse() {
      let queue = OperationQueue(scheduler: WorkStealingScheduler(workers: 2))
      queue.maxConcurrentOperationCount = 1
      let outcomes = Log()
      let later = Operation()
      let operation = TestOperation { operation in
        for outcome in [
          operation.wait(timeout: .milliseconds(5)), queue.wait(timeout: .milliseconds(5)),
          later.wait(timeout: .milliseconds(5)),
        ] { outcomes.note(outcome ? 1 : 0) }
      }
      queue.addOperations([operation, later], waitUntilFinished: false)
      queue.expectQuiet()
      #expect(outcomes.values == [0, 0, 0])
    }
  }
}
