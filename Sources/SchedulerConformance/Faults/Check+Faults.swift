// SPDX-License-Identifier: Apache-2.0

internal import Operations

extension Check {
  /// Programmer errors that involve a queue: each stops the process with what was attempted,
  /// operation, queue, state, and the fix.
  package static let faults: [Check] = faultsOfUse + endlessWaits

  private static let faultsOfUse: [Check] = [
    Check(
      "startOfAQueuedOperationIsAFault", .contract(16),
      says: [
        "start(): Operation \"queued\" (pending, ready)", "belongs to queue \"downloads\"",
        "leave the start to the queue",
      ]
    ) { trial in
      let queue = trial.queue()
      queue.name = "downloads"
      queue.isSuspended = true
      let operation = Operation()
      operation.name = "queued"
      queue.addOperation(operation)
      operation.start()
    },
    Check(
      "addingTwiceInABatchIsAFault", .contract(67, 106),
      says: [
        "addOperations(_:waitUntilFinished:) on queue \"downloads\"",
        "Operation \"twin\" (pending, ready) is in the list twice", "list it once",
      ]
    ) { trial in
      let queue = trial.queue()
      queue.name = "downloads"
      queue.isSuspended = true
      let operation = Operation()
      operation.name = "twin"
      queue.addOperations([operation, operation], waitUntilFinished: false)
    },
    Check(
      "addingToASecondQueueIsAFault", .contract(67),
      says: [
        "addOperation(_:) on queue \"uploads\"",
        "Operation \"wanted\" (pending, ready) is in queue \"downloads\" already",
        "make a new operation for the other queue",
      ]
    ) { trial in
      let (first, second) = (trial.queue(), trial.queue())
      first.name = "downloads"
      first.isSuspended = true
      second.name = "uploads"
      let operation = Operation()
      operation.name = "wanted"
      first.addOperation(operation)
      second.addOperation(operation)
    },
    Check(
      "addingDuringTheExecutionIsAFault", .contract(67),
      says: [
        "addOperation(_:) on queue \"uploads\"",
        "AsyncOperation \"busy\" (executing) is executing", "make a new operation",
      ]
    ) { trial in
      let operation = AsyncOperation()
      operation.name = "busy"
      operation.start()
      let queue = trial.queue()
      queue.name = "uploads"
      queue.addOperation(operation)
    },
    Check(
      "addingAfterTheFinishIsAFault", .contract(17, 67),
      says: [
        "addOperation(_:) on queue \"uploads\"", "Operation \"old\" (finished) has finished",
        "make a new operation",
      ]
    ) { trial in
      let operation = Operation()
      operation.name = "old"
      operation.start()
      let queue = trial.queue()
      queue.name = "uploads"
      queue.addOperation(operation)
    },
    Check(
      "aLimitBelowMinusOneIsAFault", .contract(111),
      says: [
        "setting maxConcurrentOperationCount of queue \"downloads\"", "(0 operations, no limit)",
        "cannot be -2", "legal are 0 and above, or -1",
      ]
    ) { trial in
      let queue = trial.queue()
      queue.name = "downloads"
      queue.maxConcurrentOperationCount = -2
    },
    Check(
      "waitingForOneselfIsAFault", .contract(100),
      says: [
        "waitUntilFinished() on TestOperation \"narcissus\" (executing)", "in queue \"mirror\"",
        "waits for itself", "completion block",
      ]
    ) { trial in
      let operation = TestOperation { $0.waitUntilFinished() }
      operation.name = "narcissus"
      let queue = trial.queue()
      queue.name = "mirror"
      queue.addOperation(operation)
      operation.waitUntilFinished()
    },
    Check(
      "aClosureWaitingForItsHandleIsAFault", .contract(100),
      says: [
        "waitUntilFinished() on BlockOperation", "(executing)", "waits for itself",
        "dependent operation",
      ]
    ) { trial in
      let queue = trial.queue()
      queue.addOperation { queue.operations.first?.waitUntilFinished() }
      queue.waitUntilAllOperationsAreFinished()
    },
    Check(
      "waitingForTheOwnQueueIsAFault", .contract(62, 101),
      says: [
        "waitUntilAllOperationsAreFinished() on queue \"ring\" (1 operation, no limit)",
        "from inside one of its operations", "use addBarrierBlock",
      ]
    ) { trial in
      let queue = trial.queue()
      queue.name = "ring"
      queue.addOperation { queue.waitUntilAllOperationsAreFinished() }
      queue.waitUntilAllOperationsAreFinished()
    },
    Check(
      "waitingForTheOwnQueueInACompletionBlockIsAFault", .contract(62),
      says: [
        "waitUntilAllOperationsAreFinished() on queue", "from inside a completion block",
        "use addBarrierBlock",
      ]
    ) { trial in
      let queue = trial.queue()
      let operation = Operation()
      operation.completionBlock = { queue.waitUntilAllOperationsAreFinished() }
      queue.addOperation(operation)
      queue.waitUntilAllOperationsAreFinished()
    },
    Check(
      "waitingFromTheOnlySlotIsAFault", .contract(101),
      says: [
        "waitUntilFinished() on Operation \"later\" (pending, ready)",
        "queue \"serial\" (2 operations, limit 1) runs one operation at a time",
        "Raise maxConcurrentOperationCount",
      ], needs: [.ownThreads]
    ) { trial in
      let queue = trial.queue()
      queue.name = "serial"
      queue.maxConcurrentOperationCount = 1
      let later = Operation()
      later.name = "later"
      queue.addOperations(
        [TestOperation { _ in later.waitUntilFinished() }, later], waitUntilFinished: true)
    },
  ]
}
