// SPDX-License-Identifier: Apache-2.0

/// What the throwing twins throw where the plain calls stop the process, and how operations fail
/// that never ran.
public enum OperationError: Error, CustomStringConvertible {
  /// `start()` before the dependencies have finished or readiness was announced.
  case notReady(Operation, blockedBy: [Operation])
  /// The operation's body runs or has been started.
  case alreadyExecuting(Operation)
  /// The operation has finished.
  case alreadyFinished(Operation)
  /// The operation is in a queue or group already.
  case alreadyQueued(Operation, queueName: String)
  /// The operation occurs more than once in what is to be added in one step.
  case listedTwice(Operation)
  /// `start()` on an operation that a queue will start.
  case ownedByQueue(Operation, queueName: String)
  /// `start()` by hand while other operations use what this one needs.
  case resourcesInUse(Operation)
  /// `require(_:amount:)` when the operation waits for the resources named so far, or has got them.
  case resourcesAskedFor(Operation)
  /// `require(_:amount:)` with a total that is below 1 or above the resource's capacity.
  case badAmount(Operation, resource: OperationResource, amount: Int)
  /// Operations that wait for each other; the first and the last are the same.
  case dependencyCycle(path: [Operation])
  /// Nodes of a graph that wait for each other; the first and the last are the same.
  case graphCycle(graph: String, path: [OperationGraph.Label])
  /// An edge with a node that another builder has made.
  case nodeOfAnotherGraph(graph: String, OperationGraph.Label)
  /// The graph was to run while it is running.
  case graphIsRunning(OperationGraph)
  /// A limit that is neither `defaultMaxConcurrentOperationCount` nor 0 or above.
  case invalidLimit(Int)
  /// A value of a retry policy is out of range; says which and what is legal.
  case invalidRetryPolicy(String)
  /// The result was asked for before the operation had finished.
  case notFinished(Operation)
  /// The operation was cancelled before it began, so it has no value.
  case cancelled(Operation)
  /// The operation did not finish within the time that it was given.
  case timedOut(Operation, after: Duration)

  /// What was found: operation, queue and state; and what to do.
  public var description: String { "\(finding); \(remedy)" }

  private var finding: String {
    switch self {
    // Not `diagnosis`, which does not know what an override of isReady or a condition says.
    case .notReady(let operation, let blockers):
      "\(operation.diagnosticName) (pending) cannot start yet: "
        + (!blockers.isEmpty
          ? "it waits for \(blockers.map(\.diagnosis).joined(separator: ", "))"
          : operation.isOfPlainClass
            ? "a readiness condition is not met"
            : "its own isReady is false, or a readiness condition is not met")
    case .alreadyExecuting(let operation):
      "\(operation.diagnosis) "
        + (operation.queueIfMember.map { "was added to queue \"\($0.nameInErrors)\"" }
          ?? "is executing") + " and runs only once"
    case .alreadyFinished(let operation): "\(operation.diagnosis) has finished and runs only once"
    case .alreadyQueued(let operation, let queue):
      "\(operation.diagnosis) is in queue \"\(queue)\" already, and belongs to one only"
    case .listedTwice(let operation):
      "\(operation.diagnosis) is in the list twice, and runs only once"
    case .ownedByQueue(let operation, let queue):
      "\(operation.diagnosis) belongs to queue \"\(queue)\", which starts it in its turn"
    case .resourcesInUse(let operation):
      "\(operation.diagnosis) needs "
        + operation.requiredResources.map { "\"\($0.name)\"" }.joined(separator: ", ")
        + ", in use by other operations"
    case .resourcesAskedFor(let operation):
      "\(operation.diagnosis) waits for its resources or has got them"
    case .badAmount(let operation, let resource, let amount):
      "\(operation.diagnosis) would need \(amount) units of resource \"\(resource.name)\", which has "
        + "\(resource.capacity)"
    case .dependencyCycle(let path):
      "these operations wait for each other and would never start: "
        + path.map(\.diagnosis).joined(separator: " → ")
    case .graphCycle(let graph, let path):
      "these nodes of graph \"\(graph)\" wait for each other and would never start: "
        + path.map(\.description).joined(separator: " → ")
    case .nodeOfAnotherGraph(let graph, let node):
      "an edge of graph \"\(graph)\" names \(node) of another builder"
    case .graphIsRunning(let graph): "\(graph.diagnosis) is running and runs once at a time"
    case .invalidLimit(let limit): "maxConcurrentOperationCount cannot be \(limit)"
    case .invalidRetryPolicy(let finding): "the policy is invalid: \(finding)"
    case .notFinished(let operation): "\(operation.diagnosis) has no result yet"
    case .cancelled(let operation):
      "\(operation.diagnosis) was cancelled before it began, so it has no value"
    case .timedOut(let operation, let limit):
      "\(operation.diagnosis) did not finish within \(limit)"
    }
  }

  private var remedy: String {
    switch self {
    case .notReady: "start it when that has changed, or add it to a queue, which waits for that"
    case .alreadyExecuting, .alreadyFinished:
      "add it once, and change it only before its start; to run the work again, make a new operation"
    case .alreadyQueued: "add it once, or make a new operation for the other queue"
    case .listedTwice: "list it once"
    case .ownedByQueue: "leave the start to the queue, or do not add the operation to one"
    case .resourcesInUse: "add it to a queue, which waits for that"
    case .resourcesAskedFor: "name all of them before it is ready"
    case .badAmount: "ask for at least 1 and at most what there is"
    case .dependencyCycle: "remove one of the dependencies"
    case .graphCycle: "remove one of the edges"
    case .nodeOfAnotherGraph: "use the nodes that this graph's builder has returned"
    case .graphIsRunning: "wait for the run under way, or build a second graph"
    case .invalidLimit:
      "legal are 0 and above, or \(OperationQueue.defaultMaxConcurrentOperationCount) to let the scheduler decide"
    case .invalidRetryPolicy: "pass a value in that range"
    case .notFinished: "ask in a dependent operation, or read result, which is nil until then"
    case .cancelled: "look at isCancelled, or handle this error as a cancellation"
    case .timedOut: "allow more time, or let the work look at its cancellation more often"
    }
  }

  /// Stops the process, saying what was attempted.
  func fault(_ attempt: String) -> Never { Fault.stop("\(attempt): \(self)") }
}

extension Operation {
  /// Type, name and state, for messages: `BlockOperation "child" (pending, not ready)`.
  final var diagnosis: String { "\(diagnosticName) (\(stateForDiagnostics))" }

  /// Type and name, or address.
  package final var diagnosticName: String { label.description }

  final var label: OperationLabel {
    OperationLabel(type: type(of: self), name: storedName, word: word)
  }

  /// Built-in facts only: neither a message nor `description` may run overridden members or
  /// conditions, which are the user's and may want a lock that the caller holds.
  private final var stateForDiagnostics: String {
    // acquire: as `isExecuting`.
    let bits = state.load(ordering: .acquiring)
    let progress: String
    if isSealed {
      progress = "finished"
    } else if bits & StateBit.started != 0 {
      progress = bits & StateBit.skipped != 0 ? "finishing without having run" : "executing"
    } else {
      progress = "pending, \(readinessForDiagnostics(bits))"
    }
    return bits & StateBit.cancelled != 0 ? progress + ", cancelled" : progress
  }

  private final func readinessForDiagnostics(_ bits: UInt32) -> String {
    guard computeBuiltInReady(bits) else { return "not ready" }
    guard bits & (StateBit.ignoresDependencies | StateBit.hasExtras) == StateBit.hasExtras else {
      return "ready"
    }
    return readinessConditions.isEmpty ? "ready" : "ready but for its conditions"
  }
}
