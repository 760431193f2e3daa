// SPDX-License-Identifier: Apache-2.0

/// Programmer errors: each stops the process with what was attempted, what was found, and the fix.
enum Fault {
  static func stop(_ message: String) -> Never { fatalError("Operations: \(message).") }

  static func internalError(_ message: String) -> Never {
    fatalError(
      "Operations: internal error: \(message). Please report this with a program that shows it.")
  }

  static func queueOverflow(_ queue: OperationQueue, count: Int) -> Never {
    stop(
      "adding to queue \"\(queue.storedName)\": it would hold \(count) operations and can hold "
        + "\(MemberCount.limit); add them in batches and wait in between")
  }

  static func tooManyExecuting(_ queue: OperationQueue) -> Never {
    stop(
      "starting in \(queue.diagnosis): more than \(PolicyWord.largestRunning) asynchronous operations would execute at "
        + "once; set maxConcurrentOperationCount to what the program can use")
  }

  static func nestingTooDeep(_ queue: OperationQueue) -> Never {
    stop(
      "starting an operation of \(queue.diagnosis): it would run on top of others on a thread that has a quarter of its stack left, or as "
        + "level \(ThreadRecord.depthLimit); operations that start each other with start() must return in between"
    )
  }

  static func waitOnSelf(
    _ operation: Operation, _ style: WaitStyle, from place: String
  ) -> Never {
    stop(
      "\(style.rawValue) \(operation.diagnosis) in \(currentQueue): it waits for itself from inside \(place) and would never "
        + "return; do what must follow in a dependent operation or in the completion block")
  }

  static func waitForOwnRun(_ graph: OperationGraph) -> Never {
    stop(
      "wait() on a run of \(graph.diagnosis) from inside one of its nodes waits for itself and would never return; do "
        + "what must follow in a node without successors or in onFinish")
  }

  static func waitForOwnQueue(
    _ queue: OperationQueue, _ style: WaitStyle, from place: String
  ) -> Never {
    stop(
      "\(style.forQueue) \(queue.diagnosis) from inside \(place): it waits for itself and would never return; use "
        + "addBarrierBlock or a dependent operation")
  }

  /// What keeps an operation from starting before what waits for it has ended.
  enum Obstacle { case onlySlot, barrier, mainThread }

  static func wait(
    _ style: WaitStyle, _ operation: Operation, heldBackBy obstacle: Obstacle,
    _ queue: OperationQueue
  ) -> Never {
    let finding =
      switch obstacle {
      case .onlySlot:
        "it cannot start, because \(queue.diagnosis) runs one operation at a time, and that one waits for it. "
          + "Raise maxConcurrentOperationCount, or make the waiting part a dependent operation"
      case .barrier:
        "it stands behind a barrier of \(queue.diagnosis) that cannot end before what waits here has; "
          + "make the waiting part a dependent operation, or add it after the barrier"
      case .mainThread:
        "it cannot start, because the main thread, which runs the operations of \(queue.diagnosis), waits for it; "
          + "wait on another thread, or make the waiting part a dependent operation"
      }
    stop("\(style.rawValue) \(operation.diagnosis): \(finding)")
  }

  static func waitRefused(_ awaited: String, _ queue: OperationQueue, by waiter: String) -> Never {
    stop(
      "\(waiter) of \(queue.diagnosis) waits for \(awaited), and the queue's blockingPolicy is fail; make the part "
        + "after the wait a dependent operation, or set another policy")
  }

  static func noThreadLeft(_ awaited: String) -> Never {
    stop(
      "\(awaited) is waited for, and no thread is left to run it or what it waits for: all threads of "
        + "its scheduler wait for operations, this one cannot run it, or has less than a quarter of "
        + "its stack left, and there can be no other thread. Raise the scheduler's "
        + "compensationLimit or its threads' stackSize, or the system's limit on threads "
        + "(ulimit -u), let a dispatch queue that is set as underlyingQueue be concurrent, or make "
        + "what follows the waits dependent operations")
  }

  static func waitInlineForOther(_ operation: Operation) -> Never {
    stop(
      "waitUntilFinished() on \(operation.diagnosis): it cannot start while an operation of \(currentQueue) on the inline "
        + "scheduler waits for it on the same thread, or too many of them wait one inside the other; make the waiting part a "
        + "dependent operation")
  }

  static func waitInlineForRun(_ graph: OperationGraph) -> Never {
    stop(
      "wait() on a run of \(graph.diagnosis) in \(currentQueue): its nodes run on this thread, which could not run them "
        + "while it waits, because too many waits are under way one inside the other or the run waits for this one; do what "
        + "must follow in a node or in onFinish")
  }

  static func notObservable(_ property: String, of object: String, _ known: String) -> Never {
    stop("\(object) was asked to observe \(property); observable are \(known)")
  }

  /// What to call a property of which only the key path is there, which knows an address only.
  static func name(of keyPath: AnyKeyPath) -> String {
    "a property of type \(type(of: keyPath).valueType)"
  }

  private static var currentQueue: String { OperationQueue.builtInCurrent?.diagnosis ?? "no queue" }
}

extension OperationQueue {
  /// Name and state, for messages: `queue "downloads" (3 operations, limit 2, suspended)`.
  var diagnosis: String {
    let (count, limit) = (operationCount, storedLimit)
    let operations = count == 1 ? "1 operation" : "\(count) operations"
    let limited = limit == Self.defaultMaxConcurrentOperationCount ? "no limit" : "limit \(limit)"
    return "queue \"\(storedName)\" (\(operations), \(limited)"
      + (isSuspendedNow ? ", suspended)" : ")")
  }
}
