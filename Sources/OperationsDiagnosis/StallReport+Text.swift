// SPDX-License-Identifier: Apache-2.0

import Operations

extension StallReport: CustomStringConvertible {
  /// Operations per queue, and queues and cycles in all, that the text shows one by one.
  private static let shown = 100

  /// A line per queue, cycle and operation, with the way to the root.
  ///
  /// Of many only the first of each queue; the others are counted by cause. `entries`, `others` and
  /// `cycles` have them all.
  public var description: String {
    guard !isEmpty else { return "no operation is waiting" }
    var lines = Self.first(queues, "queues") { $0.description }
    lines += Self.first(cycles, "cycles") { line(ofCycle: $0) }
    for section in sections { lines += self.lines(of: section) }
    if !others.isEmpty { lines.append("they wait for:") }
    lines += self.lines(of: others[...])
    return lines.joined(separator: "\n")
  }

  private static func first<Element>(
    _ all: [Element], _ noun: String, _ line: (Element) -> String
  ) -> [String] {
    let left = all.count - shown
    return all.prefix(shown).map(line) + (left > 0 ? ["… and \(left) more \(noun)"] : [])
  }

  /// The entries queue by queue.
  private var sections: [ArraySlice<Entry>] {
    let starts = entries.indices.filter {
      $0 == 0 || entries[$0].queueName != entries[$0 - 1].queueName
    }
    return zip(starts, starts.dropFirst() + [entries.count]).map { entries[$0..<$1] }
  }

  private func lines(of entries: ArraySlice<Entry>) -> [String] {
    let lines = entries.prefix(Self.shown).map { line(of: $0) }
    let hidden = entries.dropFirst(Self.shown)
    guard !hidden.isEmpty else { return lines }
    let counts = Dictionary(hidden.map { ($0.reasons[0].cause, 1) }, uniquingKeysWith: +)
    let causes = counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
      .map { "\($0.value) \($0.key)" }
    return lines + ["  … and \(hidden.count) more: \(causes.joined(separator: ", "))"]
  }

  private func line(of entry: Entry) -> String {
    let line = "  \(entry)"
    if entry.root == nil, entry.blocker != nil {
      if case .cycle = entry.reasons.first { return line }
      return line + "; in the end for a cycle"
    }
    guard let root = entry.root, root !== entry.blocker, root !== entry.operation,
      let found = self[root]
    else { return line }
    return line + "; in the end for \(found)"
  }

  /// Names of operations, the first few of many.
  static func names(_ operations: [Operation]) -> String {
    let shown = 6
    let names = operations.prefix(shown).map(\.diagnosticName).joined(separator: ", ")
    let left = operations.count - shown
    return left > 0 ? "\(names), … (\(left) more)" : names
  }

  /// Names along a way, without the middle of a long one.
  static func way(_ operations: [Operation]) -> String {
    let (first, last) = (4, 3)
    let left = operations.count - first - last
    guard left > 1 else { return operations.map(\.diagnosticName).joined(separator: " → ") }
    return
      (operations.prefix(first).map(\.diagnosticName) + ["… (\(left) more)"]
      + operations.suffix(last).map(\.diagnosticName)).joined(separator: " → ")
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

// MARK: Cycles

extension StallReport {
  /// Why an operation of a cycle waits for the next one.
  private enum Link: Hashable {
    case dependency
    case barrier
    case order
    case member
    case body
    case resource(names: String)

    /// What would have broken the cycle here.
    var advice: String {
      switch self {
      case .dependency: "remove a dependency or cancel a member"
      case .barrier: "add what stands behind the barrier before it"
      case .order: "add to the queue that keeps the order what others wait for first"
      case .member: "let no member of a group wait for the group"
      case .body: "make the part after the wait inside a body a dependent operation"
      case .resource(let names): "wait outside of operations that use \(names)"
      }
    }
  }

  private func line(ofCycle path: [Operation]) -> String {
    if path.count == 2, path[0] === path[1] {
      return "cycle: \(path[0].diagnosticName) waits for itself; \(advice(path))"
    }
    return "cycle: \(Self.way(path)): \(end(ofCycle: path)); \(advice(path))"
  }

  /// Whether the cycle ends by itself.
  private func end(ofCycle path: [Operation]) -> String {
    let timed = zip(path, path.dropFirst()).first { waiting, next in
      timedWaiters.contains(ObjectIdentifier(waiting)) && link(from: waiting, to: next) == .body
    }
    guard let timed else { return "a wait that cannot end" }
    return "ends when the time of the wait inside \(timed.0.diagnosticName) is over"
  }

  private func advice(_ path: [Operation]) -> String {
    var links: [Link] = []
    for (waiting, next) in zip(path, path.dropFirst()) {
      let link = link(from: waiting, to: next)
      if !links.contains(link) { links.append(link) }
    }
    // One wait outside is enough.
    if links.contains(where: { if case .resource = $0 { true } else { false } }) {
      links.removeAll { $0 == .body }
    }
    return links.map(\.advice).joined(separator: ", or ")
  }

  private func link(from waiting: Operation, to next: Operation) -> Link {
    for reason in self[waiting]?.reasons ?? [] {
      switch reason {
      case .waitingFor(let operations) where operations.contains { $0 === next }:
        return .dependency
      case .waitingForMembers(let members) where members.contains { $0 === next }: return .member
      case .behindBarrier(let barrier) where barrier === next: return .barrier
      case .behindInOrder(let head) where head === next: return .order
      case .blockedOn(let operation) where operation === next: return .body
      case .waitingForResources(let names):
        return .resource(names: names.map { "\"\($0)\"" }.joined(separator: ", "))
      case .olderOperations: return .barrier
      default: continue
      }
    }
    return .dependency
  }
}

// MARK: Reasons

extension StallReport.Reason: CustomStringConvertible {
  /// What holds the operation back, and what would help.
  public var description: String {
    switch self {
    case .cycle(let path): "is in a cycle: \(StallReport.way(path))"
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
      "executing, body returned, not finished for \(elapsed.rounded); something must call finish()"
    case .ownStateNotFinished(let elapsed):
      "executing, start() returned, isFinished false for \(elapsed.rounded); override isFinished, make it true when the "
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

  /// What operations that have this reason do, for counting them.
  fileprivate var cause: String {
    switch self {
    case .cycle: "in cycles"
    case .waitingFor: "waiting for other operations"
    case .behindBarrier: "behind barriers"
    case .olderOperations: "barriers waiting for older operations"
    case .behindInOrder: "held back by the order of their queue"
    case .waitingForResources: "waiting for resources"
    case .notReady, .gateClosed, .conditionNotMet, .readinessNotAnnounced:
      "not ready by their own isReady or condition"
    case .suspended: "in a suspended queue"
    case .noSlot(limit: 0, running: _): "under limit 0"
    case .noSlot: "without a slot"
    case .noWorker: "waiting for a worker"
    case .inNoQueue: "in no queue"
    case .reserved: "in groups that have not started"
    case .inCompletionBlock: "finished and not gone"
    case .executing, .closuresRun: "executing"
    case .waitingForMembers: "waiting for their members"
    case .waitingForAttempt: "waiting for their next attempt"
    case .notFinished, .ownStateNotFinished: "not finished since their bodies returned"
    case .finishNotAnnounced, .executionNotAnnounced: "with a state that was not announced"
    case .blockedOn, .blockedOnQueue, .blockedOnFork: "waiting inside their bodies"
    }
  }
}

extension Duration {
  /// At most three digits and a unit, cut off: `12.3 s`, `845 ms`, `2.5 min`, `26 h`.
  var rounded: String {
    let seconds = Double(components.seconds) + Double(components.attoseconds) / 1e18
    let units = [(3600.0, "h"), (60, "min"), (1, "s"), (1e-3, "ms"), (1e-6, "µs")]
    let unit = units.first { abs(seconds) >= $0.0 } ?? (1e-9, "ns")
    let value = seconds / unit.0
    let step = abs(value) < 10 ? 100.0 : abs(value) < 100 ? 10 : 1
    let cut = (value * step).rounded(.towardZero) / step
    let text = cut == cut.rounded() ? "\(Int(cut))" : "\(cut)"
    return "\(text) \(unit.1)"
  }
}
