// SPDX-License-Identifier: Apache-2.0

/// What the throwing twins throw where the plain calls stop the process.
public enum OperationError: Error, CustomStringConvertible {
  /// `start()` before the dependencies have finished or readiness was announced.
  case notReady(Operation, blockedBy: [Operation])
  /// The operation's body runs or has been started.
  case alreadyExecuting(Operation)
  /// The operation has finished.
  case alreadyFinished(Operation)
  /// The operation is in a queue already.
  case alreadyQueued(Operation, queueName: String)
  /// `start()` on an operation that a queue will start.
  case ownedByQueue(Operation, queueName: String)
  /// Operations that wait for each other; the first and the last are the same.
  case dependencyCycle(path: [Operation])

  /// What was attempted, what was found, and what to do.
  public var description: String {
    switch self {
    case .notReady(let operation, let blockers):
      let names = blockers.map(Self.name).joined(separator: ", ")
      return "start() on \(Self.name(operation)), which is not ready: it waits for "
        + (blockers.isEmpty ? "its own readiness condition" : names)
        + "; start it when isReady is true, or add it to a queue, which waits for that"
    case .alreadyExecuting(let operation):
      return
        "\(Self.name(operation)) is executing and runs only once; make a new operation to run the work again"
    case .alreadyFinished(let operation):
      return
        "\(Self.name(operation)) has finished and runs only once; make a new operation to run the work again"
    case .alreadyQueued(let operation, let queue):
      return
        "\(Self.name(operation)) is in queue \"\(queue)\" already; an operation belongs to one queue and is added once"
    case .ownedByQueue(let operation, let queue):
      return
        "start() on \(Self.name(operation)), which belongs to queue \"\(queue)\"; the queue starts it when it is its turn"
    case .dependencyCycle(let path):
      return "these operations wait for each other and would never start: "
        + path.map(Self.name).joined(separator: " → ")
        + "; remove one of the dependencies"
    }
  }

  /// The operation's type with its name, or its address.
  static func name(_ operation: Operation) -> String {
    let type = "\(Swift.type(of: operation))"
    return operation.name.map { "\(type) \"\($0)\"" }
      ?? "\(type) 0x\(String(operation.word, radix: 16))"
  }

  /// Stops the process with this message.
  func fault() -> Never { Fault.stop(description) }
}

/// Programmer errors: each stops the process with what happened, where, and the fix.
enum Fault {
  static func stop(_ message: String) -> Never { fatalError("Operations: \(message).") }

  static func internalError(_ message: String) -> Never {
    fatalError(
      "Operations: internal error: \(message). Please report this with a program that shows it.")
  }

  static func badLimit(_ queue: OperationQueue, _ limit: Int) -> Never {
    stop(
      "maxConcurrentOperationCount of queue \"\(queue.name ?? "")\" was set to \(limit); legal are 0 and above, or "
        + "\(OperationQueue.defaultMaxConcurrentOperationCount) to let the scheduler decide")
  }

  static func queueOverflow(_ queue: OperationQueue, count: Int) -> Never {
    stop(
      "queue \"\(queue.name ?? "")\" would hold \(count) operations; the limit is \(MemberCount.limit). Add them in "
        + "batches and wait in between")
  }

  static func tooManyExecuting(_ queue: OperationQueue) -> Never {
    stop(
      "more than \(PolicyWord.largestRunning) asynchronous operations of queue \"\(queue.name ?? "")\" execute at "
        + "once; set maxConcurrentOperationCount to what the program can use")
  }

  static func nestingTooDeep(_ queue: OperationQueue) -> Never {
    stop(
      "an operation of queue \"\(queue.name ?? "")\" would run \(ThreadRecord.depthLimit) levels deep on one thread; "
        + "operations that start each other with start() must return in between")
  }

  static func waitOnSelf(_ operation: Operation) -> Never {
    stop(
      "\(type(of: operation)) \(operation.name ?? "") waits for itself from inside its own body and would never "
        + "return; do what must follow in a dependent operation or in the completion block")
  }

  static func waitForOwnQueue(_ queue: OperationQueue, from place: String) -> Never {
    stop(
      "waitUntilAllOperationsAreFinished() on queue \"\(queue.name ?? "")\" from inside \(place) waits for itself and "
        + "would never return; use addBarrierBlock or a dependent operation")
  }

  static func waitFromOnlySlot(_ operation: Operation, _ queue: OperationQueue) -> Never {
    stop(
      "\(type(of: operation)) \(operation.name ?? "") cannot start: queue \"\(queue.name ?? "")\" runs one operation at "
        + "a time, and that one waits for it. Raise maxConcurrentOperationCount, or make the waiting part a dependent "
        + "operation")
  }

  static func waitInlineForOther(_ operation: Operation) -> Never {
    stop(
      "\(type(of: operation)) \(operation.name ?? "") cannot start while an operation on the inline scheduler waits "
        + "for it on the same thread; make the waiting part a dependent operation")
  }
}

extension Operation {
  /// The name of the queue that holds the operation, safe against its leaving.
  final var queueNameForDiagnostics: String {
    let queue = queueIfUnstarted()
    return queue?.name ?? "(another queue)"
  }
}
