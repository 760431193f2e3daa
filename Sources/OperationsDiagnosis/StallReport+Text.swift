// SPDX-License-Identifier: Apache-2.0

import Operations

extension StallReport: CustomStringConvertible {
  /// Queues, cycles and operations that the text shows one by one.
  private static let shown = 100

  /// A line per queue, cycle and operation, with the way to the root.
  ///
  /// Of many only the first of each, and how many there are besides. `entries`, `others` and
  /// `cycles` have them all.
  public var description: String {
    guard !isEmpty else { return "no operation is waiting" }
    var lines = Self.first(queues, "queues") { $0.description }
    lines += Self.first(cycles, "cycles") {
      "cycle: \(Self.names($0, separator: " → ")); cancel a member, remove a dependency, or make what follows a wait "
        + "inside a body a dependent operation"
    }
    lines += Self.first(entries, "operations") { line(of: $0) }
    if !others.isEmpty { lines.append("they wait for:") }
    lines += Self.first(others, "operations") { line(of: $0) }
    return lines.joined(separator: "\n")
  }

  private static func first<Element>(
    _ all: [Element], _ noun: String, _ line: (Element) -> String
  ) -> [String] {
    let left = all.count - shown
    return all.prefix(shown).map(line) + (left > 0 ? ["… and \(left) more \(noun)"] : [])
  }

  private func line(of entry: Entry) -> String {
    let line = "  \(entry)"
    guard let root = entry.root, root !== entry.blocker, let found = self[root] else { return line }
    return line + "; in the end for \(found)"
  }

  /// Names of operations, the first few of many.
  static func names(_ operations: [Operation], separator: String = ", ") -> String {
    let shown = 7
    let left = operations.count - shown
    let names = operations.prefix(shown).map(\.diagnosticName)
    return (left > 0 ? names + ["… (\(left) more)"] : names).joined(separator: separator)
  }
}

extension StallReport.Queue: CustomStringConvertible {
  /// The queue's state in one line.
  public var description: String {
    var line = "queue \"\(name)\": \(operationCount) operation\(operationCount == 1 ? "" : "s")"
    if barrierCount > 0 { line += ", \(barrierCount) barrier\(barrierCount == 1 ? "" : "s")" }
    if isSuspended { line += ", suspended" }
    if maxConcurrentOperationCount >= 0 { line += ", limit \(maxConcurrentOperationCount)" }
    return line
  }
}

extension StallReport.Entry: CustomStringConvertible {
  /// The operation with its reasons.
  public var description: String {
    let place = queueName.map { " in queue \"\($0)\"" } ?? ""
    let cancelled = isCancelled ? ", cancelled" : ""
    let reasons = reasons.map(\.description).joined(separator: "; ")
    return "\(operation.diagnosticName)\(place)\(cancelled): \(reasons)"
  }
}

// MARK: Reasons

extension StallReport.Reason: CustomStringConvertible {
  /// What holds the operation back, and what would help.
  public var description: String {
    switch self {
    case .cycle(let path): "is in a cycle: \(StallReport.names(path, separator: " → "))"
    case .waitingFor(let operations): "waits for \(StallReport.names(operations))"
    case .behindBarrier(let barrier): "is behind the barrier \(barrier.diagnosticName)"
    case .olderOperations(let count): "is a barrier and waits for \(count) older operations"
    case .behindInOrder(let operation):
      "its queue keeps the order, and \(operation.diagnosticName) is not ready"
    case .waitingForResources(let names):
      "waits for resources: \(names.joined(separator: ", "))"
    case .notReady: "its own isReady is false"
    case .gateClosed: "its ReadinessGate is closed; call open() on the gate"
    case .conditionNotMet:
      "its readiness condition is not met; call signal() on the condition when it is"
    case .readinessNotAnnounced:
      "its own isReady is true, but that was not announced; call signal() on its readiness condition, or "
        + "didChangeValue(forKey: \"isReady\") on an operation that overrides isReady"
    case .suspended: "its queue is suspended; set isSuspended to false, or call invalidate()"
    case .noSlot(limit: 0, running: _):
      "no slot: the limit of its queue is 0; set maxConcurrentOperationCount to 1 or more"
    case .noSlot(let limit, let running): "no slot: \(running) executing, limit \(limit)"
    case .noWorker(let blocked):
      blocked > 0
        ? "waits for a worker; \(blocked) of its scheduler are blocked, and when all are, no more than its compensationLimit "
          + "are replaced, and one for waits inside bodies; raise that, or block in fewer operations"
        : "waits for a worker"
    case .inNoQueue: "is in no queue and was not started; add it to a queue or start it"
    case .reserved: "belongs to a group that has not started; start that or add it to a queue"
    case .inCompletionBlock: "has finished; its completion block runs, or it is about to leave"
    case .executing: "executes"
    case .waitingForMembers(let members): "executes: waits for its \(StallReport.names(members))"
    case .closuresRun: "executes: its closures run"
    case .waitingForAttempt: "executes: waits before its next attempt"
    case .notFinished(let elapsed):
      "executing, body returned, not finished for \(elapsed.components.seconds) s; something must call finish()"
    case .ownStateNotFinished(let elapsed):
      "executing, start() returned, isFinished false for \(elapsed.components.seconds) s; override isFinished, make it true when the "
        + "work has ended or was cancelled, and announce that with didChangeValue(forKey: \"isFinished\"), or use "
        + "AsyncOperation"
    case .finishNotAnnounced:
      "its own isFinished is true, but that was not announced; call didChangeValue(forKey: \"isFinished\") after the "
        + "change"
    case .executionNotAnnounced:
      "its own isExecuting is true, but that was not announced; call didChangeValue(forKey: \"isExecuting\") after the "
        + "change"
    case .blockedOn(let operation):
      "executes, and its worker waits for \(operation.diagnosticName)"
    case .blockedOnQueue(let name): "executes, and its worker waits for queue \"\(name)\""
    case .blockedOnFork:
      "executes, and its worker waits for the half of a fork that another worker has taken"
    }
  }
}
