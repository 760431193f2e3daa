// SPDX-License-Identifier: Apache-2.0

import Operations
import Scheduling
import TestSupport
import Testing
import WorkStealingBackend

extension OperationLayer {
  /// The fault table: each stops the process with a message that names the place, the finding and the remedy.
  @Suite struct FaultTests {
    /// The message names what was attempted, operation, queue, state and the fix.
    private func expect(
      _ result: ExitTest.Result?, says parts: String...,
      sourceLocation: SourceLocation = #_sourceLocation
    ) {
      let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
      for part in parts {
        #expect(text.contains(part), "\(part)", sourceLocation: sourceLocation)
      }
    }

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
        result, says: "start(): BlockOperation \"child\" (pending, not ready) is not ready",
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

    @Test(.contract(16)) func startOfAQueuedOperation() async {
      let result = await #expect(
        processExitsWith: .failure, observing: [\.standardErrorContent]
      ) {
        func misuse() {
          let queue = OperationQueue(scheduler: InlineScheduler())
          queue.name = "downloads"
          queue.isSuspended = true
          let operation = Operation()
          operation.name = "queued"
          queue.addOperation(operation)
          operation.start()
        }
        misuse()
      }
      expect(
        result, says: "start(): Operation \"queued\" (pending, ready)",
        "belongs to queue \"downloads\"", "leave the start to the queue")
    }

    @Test(.contract(67, 106)) func addTwice() async {
      let result = await #expect(
        processExitsWith: .failure, observing: [\.standardErrorContent]
      ) {
        func misuse() {
          let queue = OperationQueue(scheduler: InlineScheduler())
          queue.name = "downloads"
          queue.isSuspended = true
          let operation = Operation()
          operation.name = "twin"
          queue.addOperations([operation, operation], waitUntilFinished: false)
        }
        misuse()
      }
      expect(
        result, says: "addOperations(_:waitUntilFinished:) on queue \"downloads\"",
        "Operation \"twin\" (pending, ready) is in queue", "add it once")
    }

    @Test(.contract(67)) func addAfterTheFinish() async {
      let result = await #expect(
        processExitsWith: .failure, observing: [\.standardErrorContent]
      ) {
        func misuse() {
          let operation = Operation()
          operation.name = "old"
          operation.start()
          let queue = OperationQueue(scheduler: InlineScheduler())
          queue.name = "uploads"
          queue.addOperation(operation)
        }
        misuse()
      }
      expect(
        result, says: "addOperation(_:) on queue \"uploads\"",
        "Operation \"old\" (finished) has finished", "make a new operation")
    }

    @Test(.contract(111)) func limitBelowMinusOne() async {
      let result = await #expect(
        processExitsWith: .failure, observing: [\.standardErrorContent]
      ) {
        func misuse() {
          let queue = OperationQueue(scheduler: InlineScheduler())
          queue.name = "downloads"
          queue.maxConcurrentOperationCount = -2
        }
        misuse()
      }
      expect(
        result, says: "setting maxConcurrentOperationCount of queue \"downloads\"",
        "(0 operations, no limit)", "cannot be -2", "legal are 0 and above, or -1")
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
        result, says: "addDependency(_:)", "wait for each other",
        "Operation \"snake\" (pending, ready) → Operation \"snake\" (pending, ready)",
        "remove one of the dependencies")
    }

    @Test(.contract(100)) func waitForOneself() async {
      let result = await #expect(
        processExitsWith: .failure, observing: [\.standardErrorContent]
      ) {
        func misuse() {
          let operation = TestOperation { $0.waitUntilFinished() }
          operation.name = "narcissus"
          let queue = OperationQueue(scheduler: WorkStealingScheduler(workers: 1))
          queue.name = "mirror"
          queue.addOperation(operation)
          operation.waitUntilFinished()
        }
        misuse()
      }
      expect(
        result, says: "waitUntilFinished() on TestOperation \"narcissus\" (executing)",
        "in queue \"mirror\"", "waits for itself", "completion block")
    }

    @Test(.contract(100)) func closureWaitsForItsOwnHandle() async {
      let result = await #expect(
        processExitsWith: .failure, observing: [\.standardErrorContent]
      ) {
        func misuse() {
          let queue = OperationQueue(scheduler: WorkStealingScheduler(workers: 1))
          queue.addOperation { queue.operations.first?.waitUntilFinished() }
          queue.waitUntilAllOperationsAreFinished()
        }
        misuse()
      }
      expect(
        result, says: "waitUntilFinished() on BlockOperation", "(executing)", "waits for itself",
        "dependent operation")
    }

    @Test(.contract(62)) func waitForTheOwnQueue() async {
      let result = await #expect(
        processExitsWith: .failure, observing: [\.standardErrorContent]
      ) {
        func misuse() {
          let queue = OperationQueue(scheduler: WorkStealingScheduler(workers: 2))
          queue.name = "ring"
          queue.addOperation { queue.waitUntilAllOperationsAreFinished() }
          queue.waitUntilAllOperationsAreFinished()
        }
        misuse()
      }
      expect(
        result,
        says: "waitUntilAllOperationsAreFinished() on queue \"ring\" (1 operations, no limit)",
        "from inside one of its operations", "use addBarrierBlock")
    }

    @Test(.contract(62)) func waitForTheOwnQueueInACompletionBlock() async {
      let result = await #expect(
        processExitsWith: .failure, observing: [\.standardErrorContent]
      ) {
        func misuse() {
          let queue = OperationQueue(scheduler: WorkStealingScheduler(workers: 2))
          let operation = Operation()
          operation.completionBlock = { queue.waitUntilAllOperationsAreFinished() }
          queue.addOperation(operation)
          queue.waitUntilAllOperationsAreFinished()
        }
        misuse()
      }
      expect(
        result, says: "waitUntilAllOperationsAreFinished() on queue",
        "from inside a completion block",
        "use addBarrierBlock")
    }

    @Test(.contract(101)) func waitFromTheOnlySlot() async {
      let result = await #expect(
        processExitsWith: .failure, observing: [\.standardErrorContent]
      ) {
        func misuse() {
          let queue = OperationQueue(scheduler: WorkStealingScheduler(workers: 2))
          queue.name = "serial"
          queue.maxConcurrentOperationCount = 1
          let later = Operation()
          later.name = "later"
          queue.addOperations(
            [TestOperation { _ in later.waitUntilFinished() }, later], waitUntilFinished: true)
        }
        misuse()
      }
      expect(
        result, says: "waitUntilFinished() on Operation \"later\" (pending, ready)",
        "queue \"serial\" (2 operations, limit 1) runs one operation at a time",
        "Raise maxConcurrentOperationCount")
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
        "change it before it starts")
    }

    @Test(.contract(67)) func addWhileExecuting() async {
      let result = await #expect(
        processExitsWith: .failure, observing: [\.standardErrorContent]
      ) {
        func misuse() {
          let operation = AsyncOperation()
          operation.name = "busy"
          operation.start()
          let queue = OperationQueue(scheduler: InlineScheduler())
          queue.name = "uploads"
          queue.addOperation(operation)
        }
        misuse()
      }
      expect(
        result, says: "addOperation(_:) on queue \"uploads\"",
        "AsyncOperation \"busy\" (executing) is executing", "make a new operation")
    }

    @Test(.contract(67)) func addToASecondQueue() async {
      let result = await #expect(
        processExitsWith: .failure, observing: [\.standardErrorContent]
      ) {
        func misuse() {
          let first = OperationQueue(scheduler: InlineScheduler())
          let second = OperationQueue(scheduler: InlineScheduler())
          first.name = "downloads"
          first.isSuspended = true
          second.name = "uploads"
          let operation = Operation()
          operation.name = "wanted"
          first.addOperation(operation)
          second.addOperation(operation)
        }
        misuse()
      }
      expect(
        result, says: "addOperation(_:) on queue \"uploads\"",
        "Operation \"wanted\" (pending, ready) is in queue \"downloads\" already",
        "make a new operation for the other queue")
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
        "change it before it starts")
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
        "change it before it starts")
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

    @Test func memberThatAGroupHas() async {
      let result = await #expect(
        processExitsWith: .failure, observing: [\.standardErrorContent]
      ) {
        func misuse() {
          let member = Operation()
          member.name = "shared"
          let group = GroupOperation([member])
          group.name = "first"
          let queue = OperationQueue(scheduler: InlineScheduler())
          queue.name = "uploads"
          queue.addOperation(member)
          withExtendedLifetime(group) {}
        }
        misuse()
      }
      expect(
        result, says: "addOperation(_:) on queue \"uploads\"",
        "Operation \"shared\" (pending, ready) is in queue \"(the members of another operation)\"")
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

    @Test func configurationIsTakenOver() throws {
      let configuration = try OperationQueue.Configuration(
        validating: 3, name: "configured", qualityOfService: .utility, isSuspended: true)
      let queue = OperationQueue(scheduler: InlineScheduler(), configuration: configuration)
      #expect(queue.maxConcurrentOperationCount == 3 && queue.name == "configured")
      #expect(queue.qualityOfService == .utility && queue.isSuspended)
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
