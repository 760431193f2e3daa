// SPDX-License-Identifier: Apache-2.0

internal import Operations
internal import Scheduling

/// Faults again: waits that would never return, because what waits is part of what it waits for, or
/// in its way, by a detour.
extension Check {
  static let endlessWaits: [Check] = [
    Check(
      "anOperationStartedByHandThatWaitsForItselfIsAFault", .contract(100),
      says: [
        "waitUntilFinished() on TestOperation \"narcissus\" (executing) in no queue",
        "from inside its own body",
      ]
    ) { _ in
      let operation = TestOperation { $0.waitUntilFinished() }
      operation.name = "narcissus"
      operation.start()
    },
    Check(
      "waitingForTheOuterOperationIsAFault", .contract(100),
      says: [
        "waitUntilFinished() on TestOperation \"outer\" (executing)",
        "TestOperation \"inner\" (executing)", "from inside its own body",
      ]
    ) { trial in
      let queue = trial.queue()
      let outer = TestOperation { outer in
        let inner = TestOperation { _ in outer.waitUntilFinished() }
        inner.name = "inner"
        inner.start()
      }
      outer.name = "outer"
      queue.addOperation(outer)
      queue.waitUntilAllOperationsAreFinished()
    },
    Check(
      "awaitingItselfIsAFault", .contract(100),
      says: ["await finished() on AsyncOperation", "waits for itself from inside its own body"]
    ) { trial in
      let queue = trial.queue()
      queue.addOperation(AsyncOperation { await queue.operations.first?.finished() })
      queue.waitUntilAllOperationsAreFinished()
    },
    Check(
      "awaitingWhatNeedsTheOnlySlotIsAFault", .contract(101),
      says: [
        "await finished() on Operation \"later\" (pending, ready)",
        "queue \"serial\" (2 operations, limit 1) runs one operation at a time",
      ]
    ) { trial in
      let queue = trial.queue()
      queue.name = "serial"
      queue.maxConcurrentOperationCount = 1
      let later = Operation()
      later.name = "later"
      queue.addOperations(
        [AsyncOperation { await later.finished() }, later], waitUntilFinished: true)
    },
    Check(
      "waitingInABarrierForWhatStandsBehindItIsAFault", .contract(101, 116),
      says: [
        "waitUntilFinished() on Operation \"younger\" (pending, ready)",
        "behind a barrier of queue",
      ], needs: [.ownThreads]
    ) { trial in
      let queue = trial.queue()
      queue.addBarrierBlock {
        let younger = Operation()
        younger.name = "younger"
        queue.addOperation(younger)
        younger.waitUntilFinished()
      }
      queue.waitUntilAllOperationsAreFinished()
    },
    Check(
      "waitingForTheOwnQueueInAnInnerCompletionBlockIsAFault", .contract(62, 101),
      says: [
        "waitUntilAllOperationsAreFinished() on queue \"ring\"",
        "from inside one of its operations",
      ]
    ) { trial in
      let queue = trial.queue()
      queue.name = "ring"
      queue.addOperation {
        let inner = Operation()
        inner.completionBlock = { queue.waitUntilAllOperationsAreFinished() }
        inner.start()
      }
      queue.waitUntilAllOperationsAreFinished()
    },
    Check(
      "finishingAnotherOnesOperationDoesNotHideTheOwnQueue", .contract(62, 101),
      says: [
        "waitUntilAllOperationsAreFinished() on queue \"ring\"",
        "from inside one of its operations",
      ]
    ) { trial in
      let (queue, other) = (trial.queue(), trial.queue())
      queue.name = "ring"
      let remote = AsyncOperation { (_: AsyncOperation) in }
      remote.completionBlock = { queue.waitUntilAllOperationsAreFinished() }
      other.addOperation(remote)
      trial.expect(waitUntil { remote.isExecuting }, "remote.isExecuting")
      queue.addOperation { remote.finish() }
      queue.waitUntilAllOperationsAreFinished()
    },
    Check(
      "aMemberWaitingForItsGroupIsAFault", .contract(100),
      says: [
        "waitUntilFinished() on GroupOperation \"family\" (executing)",
        "from inside what belongs to it",
      ]
    ) { trial in
      let queue = trial.queue()
      let group = GroupOperation()
      group.name = "family"
      group.addOperation(GroupOperation([TestOperation { _ in group.waitUntilFinished() }]))
      queue.addOperation(group)
      queue.waitUntilAllOperationsAreFinished()
    },
    Check(
      "aMemberWaitingForTheQueueOfItsGroupIsAFault", .contract(62, 101),
      says: [
        "waitUntilAllOperationsAreFinished() on queue \"ring\"",
        "what belongs to one of its operations",
      ]
    ) { trial in
      let queue = trial.queue()
      queue.name = "ring"
      let member = TestOperation()
      member.completionBlock = { queue.waitUntilAllOperationsAreFinished() }
      queue.addOperation(GroupOperation([member]))
      queue.waitUntilAllOperationsAreFinished()
    },
    Check(
      "aMemberWaitingForWhatNeedsTheSlotOfItsGroupIsAFault", .contract(101),
      says: [
        "waitUntilFinished() on Operation \"later\" (pending, ready)",
        "queue \"serial\" (2 operations, limit 1) runs one operation at a time",
      ], needs: [.ownThreads]
    ) { trial in
      let queue = trial.queue()
      queue.name = "serial"
      queue.maxConcurrentOperationCount = 1
      let later = Operation()
      later.name = "later"
      let group = GroupOperation([TestOperation { _ in later.waitUntilFinished() }])
      queue.addOperations([group, later], waitUntilFinished: true)
    },
    Check(
      "aNodeWaitingForTheOperationOfItsGraphIsAFault", .contract(100, 146),
      says: ["waitUntilFinished() on GraphOperation", "from inside what belongs to it"]
    ) { trial in
      let queue = trial.queue()
      let graph = trial.graphOperation { queue.operations.first?.waitUntilFinished() }
      if let graph { queue.addOperation(graph) }
      queue.waitUntilAllOperationsAreFinished()
    },
    Check(
      "aNodeWaitingForTheQueueOfItsGraphIsAFault", .contract(101, 146),
      says: [
        "waitUntilAllOperationsAreFinished() on queue \"ring\"",
        "what belongs to one of its operations",
      ]
    ) { trial in
      let queue = trial.queue()
      queue.name = "ring"
      let graph = trial.graphOperation { queue.waitUntilAllOperationsAreFinished() }
      if let graph { queue.addOperation(graph) }
      queue.waitUntilAllOperationsAreFinished()
    },
  ]
}

extension Trial {
  /// An operation whose work is a graph with one node.
  fileprivate func graphOperation(_ body: @escaping @Sendable () -> Void) -> Operation? {
    try? OperationGraph { $0.add(body) }.operation()
  }
}
