// SPDX-License-Identifier: Apache-2.0

internal import Operations

extension Check {
  /// Programmer errors that involve a queue: each stops the process with what happened, where, and the fix.
  package static let faults: [Check] = [
    Check(
      "startOfAQueuedOperationIsAFault", .contract(16), says: ["belongs to queue \"downloads\""]
    ) { trial in
      let queue = trial.queue()
      queue.name = "downloads"
      queue.isSuspended = true
      let operation = Operation()
      queue.addOperation(operation)
      operation.start()
    },
    Check("addingTwiceInABatchIsAFault", .contract(67, 106), says: ["is in queue"]) { trial in
      let queue = trial.queue()
      queue.name = "downloads"
      queue.isSuspended = true
      let operation = Operation()
      queue.addOperations([operation, operation], waitUntilFinished: false)
    },
    Check("addingAfterTheFinishIsAFault", .contract(17, 67), says: ["has finished"]) { trial in
      let operation = Operation()
      operation.start()
      trial.queue().addOperation(operation)
    },
    Check("aLimitBelowMinusOneIsAFault", .contract(111), says: ["downloads", "-2"]) { trial in
      let queue = trial.queue()
      queue.name = "downloads"
      queue.maxConcurrentOperationCount = -2
    },
    Check("waitingForOneselfIsAFault", .contract(100), says: ["waits for itself"]) { trial in
      let operation = TestOperation { $0.waitUntilFinished() }
      trial.queue().addOperation(operation)
      operation.waitUntilFinished()
    },
    Check("aClosureWaitingForItsHandleIsAFault", .contract(100), says: ["waits for itself"]) {
      trial in
      let queue = trial.queue()
      queue.addOperation { queue.operations.first?.waitUntilFinished() }
      queue.waitUntilAllOperationsAreFinished()
    },
    Check(
      "waitingForTheOwnQueueIsAFault", .contract(101), says: ["from inside one of its operations"]
    ) { trial in
      let queue = trial.queue()
      queue.addOperation { queue.waitUntilAllOperationsAreFinished() }
      queue.waitUntilAllOperationsAreFinished()
    },
    Check(
      "waitingForTheOwnQueueInACompletionBlockIsAFault", .contract(62),
      says: ["from inside a completion block"]
    ) { trial in
      let queue = trial.queue()
      let operation = Operation()
      operation.completionBlock = { queue.waitUntilAllOperationsAreFinished() }
      queue.addOperation(operation)
      queue.waitUntilAllOperationsAreFinished()
    },
    Check(
      "waitingFromTheOnlySlotIsAFault", .contract(101), says: ["later", "one operation at"],
      needs: [.ownThreads]
    ) { trial in
      let queue = trial.queue()
      queue.maxConcurrentOperationCount = 1
      let later = Operation()
      later.name = "later"
      queue.addOperations(
        [TestOperation { _ in later.waitUntilFinished() }, later], waitUntilFinished: true)
    },
  ]
}
