// SPDX-License-Identifier: Apache-2.0

import Operations
import Scheduling

/// The making of a report: looks at every member of some queues and at whatever these wait for.
///
/// Linear in operations and edges: a barrier's edges lead to what was added since the barrier
/// before it.
struct StallSurvey {
  private var nodes = OperationNumbers([])
  private var facts: [OperationSnapshot] = []
  private var graph = WaitGraph()
  /// The queue of each node that is a member of the queues asked for; they come first.
  private var queueOf: [OperationQueue] = []
  /// For barriers: what is older, up to the barrier before and with it.
  private var olderThanBarrier: [Int: [Int]] = [:]
  /// In queues that keep strict order: the member at the head, for each that it holds back.
  private var headBefore: [Int: Int] = [:]
  private var queues: [StallReport.Queue] = []
  private let waits: [UInt: BlockedWait]
  private var blockedWorkers: [SchedulerIdentity: Int] = [:]

  // Results of the search.
  private var severity: [Int] = []
  private var next: [Int?] = []
  /// Where the way along `next` ends, per node; nil where it does not.
  private var roots: [Int?] = []
  /// The place in `cycles` for nodes that are in one.
  private var cycleOf: [Int: Int] = [:]
  private var cycles: [[Operation]] = []
  private var timedWaiters: Set<ObjectIdentifier> = []

  private init() {
    var waits: [UInt: BlockedWait] = [:]
    for wait in BlockedWait.all() {
      // Of the halves of a fork the one tells more that waits for something else.
      for waiter in wait.waiters where !wait.isForHalf || waits[waiter] == nil {
        waits[waiter] = wait
      }
      for scheduler in wait.schedulers { blockedWorkers[scheduler, default: 0] += 1 }
    }
    self.waits = waits
  }

  /// The report on these queues.
  static func report(on queues: [OperationQueue]) -> StallReport {
    var survey = StallSurvey()
    for queue in queues { survey.collect(queue) }
    survey.look()
    survey.search()
    return survey.report()
  }

  // MARK: Collecting

  private mutating func collect(_ queue: OperationQueue) {
    var segment: [Int] = []
    var barriers = 0
    let first = queueOf.count
    for operation in queue.membersForDiagnosis() {
      let number = nodes.number(of: operation)
      guard number == queueOf.count else { continue }
      queueOf.append(queue)
      if operation.isBarrier {
        olderThanBarrier[number] = exchange(&segment, with: [])
        barriers += 1
      }
      segment.append(number)
    }
    let members = first..<queueOf.count
    noteOrder(of: queue, members: members)
    guard !members.isEmpty else { return }
    queues.append(
      StallReport.Queue(
        name: queue.storedName, operationCount: members.count - barriers, barrierCount: barriers,
        isSuspended: queue.admission.isSuspended,
        maxConcurrentOperationCount: queue.storedLimit))
  }

  private mutating func noteOrder(of queue: OperationQueue, members: Range<Int>) {
    guard let held = queue.heldByOrder,
      let head = members.first(where: { nodes.operations[$0].memberWord == held.head })
    else { return }
    for member in members where held.behind.contains(nodes.operations[member].memberWord) {
      headBefore[member] = head
    }
  }

  /// Looks at every node; what it waits for becomes a node.
  private mutating func look() {
    while facts.count < nodes.operations.count {
      let number = facts.count
      let operation = nodes.operations[number]
      var found = operation.snapshot()
      if number < queueOf.count, case .finished = found.stage { found.stage = .leaving }
      var inWay = found.dependencies
      if let barrier = found.barrier { inWay.append(barrier) }
      if let wait = wait(of: found), let target = wait.target?.operation {
        inWay.append(target)
        if wait.isTimed { timedWaiters.insert(ObjectIdentifier(operation)) }
      }
      if !found.resources.isEmpty { inWay += operation.resourceBlockers }
      var blockers = (inWay + found.leftToDo.members).map { nodes.number(of: $0) }
      if let head = headBefore[number] { blockers.append(head) }
      if found.waitsForOlder { blockers += olderThanBarrier[number] ?? [] }
      facts.append(found)
      graph.addNode(waitingFor: blockers)
    }
  }

  private func wait(of found: OperationSnapshot) -> BlockedWait? {
    switch found.stage {
    case .executing, .detached, .leaving: found.words.lazy.compactMap { waits[$0] }.first
    case .outside, .waiting, .finished: nil
    }
  }

  // MARK: Searching

  /// Finds cycles, and for every node the blocker that leads to the worst root, and that root.
  private mutating func search() {
    severity = Array(repeating: 0, count: graph.count)
    next = Array(repeating: nil, count: graph.count)
    roots = next
    for group in graph.groups() {
      if let cycle = graph.cycle(in: group) {
        cycles.append(cycle.map { nodes.operations[$0] })
        let members = Set(group)
        for node in group {
          severity[node] = StallReport.Reason.severityOfCycle
          next[node] = graph.blockers(of: node).first { members.contains($0) }
          cycleOf[node] = cycles.count - 1
        }
      } else if let node = group.first {
        // Groups come after what they wait for, so the blockers are done.
        let worst = graph.blockers(of: node).filter { !isFinished($0) }
          .max { severity[$0] < severity[$1] }
        next[node] = worst
        roots[node] = worst.map { roots[$0] } ?? node
        severity[node] =
          worst.map { severity[$0] } ?? reasons(for: node).map(\.severity).max() ?? 0
      }
    }
  }

  private func isFinished(_ node: Int) -> Bool {
    if case .finished = facts[node].stage { true } else { false }
  }

  // MARK: Reasons

  private func reasons(for node: Int) -> [StallReport.Reason] {
    let found = facts[node]
    var reasons: [StallReport.Reason] = []
    if let cycle = cycleOf[node] { reasons.append(.cycle(cycles[cycle])) }
    switch found.stage {
    case .finished: break
    case .outside:
      reasons.append(reasonOutside(node, found))
      if !found.dependencies.isEmpty { reasons.append(.waitingFor(found.dependencies)) }
    case .waiting: reasons += reasonsToWait(node, found)
    case .executing, .detached, .leaving: reasons.append(reasonToGoOn(node, found))
    }
    return reasons
  }

  /// Why an operation that has begun has not left.
  private func reasonToGoOn(_ node: Int, _ found: OperationSnapshot) -> StallReport.Reason {
    switch wait(of: found)?.target {
    case .operation(let operation): return .blockedOn(operation)
    case .queue(let queue): return .blockedOnQueue(queue.storedName)
    case .run(let run): return .blockedOnQueue(run.graph.diagnosis)
    case .half: return .blockedOnFork
    case nil: break
    }
    if case .leaving = found.stage { return .inCompletionBlock }
    guard case .detached(let elapsed) = found.stage else {
      let drivesItself = found.isManual && !found.hasFinish
      return drivesItself && nodes.operations[node].isFinished ? .finishNotAnnounced : .executing
    }
    switch found.leftToDo {
    case .finish where found.hasFinish: return .notFinished(elapsed: elapsed)
    case .finish:
      return nodes.operations[node].isFinished
        ? .finishNotAnnounced : .ownStateNotFinished(elapsed: elapsed)
    case .members(let members): return members.isEmpty ? .executing : .waitingForMembers(members)
    case .closures: return .closuresRun
    case .attempt: return .waitingForAttempt
    }
  }

  /// Why an operation in no queue does not begin; asks what its class may override.
  private func reasonOutside(_ node: Int, _ found: OperationSnapshot) -> StallReport.Reason {
    if found.isReserved { return .reserved }
    if nodes.operations[node].isFinished { return .finishNotAnnounced }
    return nodes.operations[node].isExecuting ? .executionNotAnnounced : .inNoQueue
  }

  private func reasonsToWait(_ node: Int, _ found: OperationSnapshot) -> [StallReport.Reason] {
    var reasons: [StallReport.Reason] = []
    if !found.dependencies.isEmpty { reasons.append(.waitingFor(found.dependencies)) }
    if let barrier = found.barrier { reasons.append(.behindBarrier(barrier)) }
    if found.waitsForOlder {
      reasons.append(.olderOperations(olderThanBarrier[node]?.count ?? 0))
    }
    if !found.resources.isEmpty {
      reasons.append(.waitingForResources(found.resources.map(\.name)))
    }
    if let head = headBefore[node] { reasons.append(.behindInOrder(nodes.operations[head])) }
    if reasons.isEmpty, !found.isHandedOver {
      reasons += reasonsOfItsOwn(nodes.operations[node])
    }
    guard let queue = found.queue else { return reasons }
    let admission = queue.admission
    if admission.isSuspended {
      reasons.append(.suspended)
    } else if found.isHandedOver, reasons.isEmpty, !admission.hasRoom,
      let limit = admission.limit, !nodes.operations[node].needsNoSlot
    {
      reasons.append(.noSlot(limit: limit, running: admission.running))
    } else if reasons.isEmpty {
      reasons.append(.noWorker(blocked: blockedWorkers[queue.threadsIdentity] ?? 0))
    }
    return reasons
  }

  /// Why an operation is not ready that waits for nothing else; asks its overridden `isReady` and
  /// its conditions.
  private func reasonsOfItsOwn(_ operation: Operation) -> [StallReport.Reason] {
    guard !operation.isReady else { return [.readinessNotAnnounced] }
    let unmet = operation.readinessConditions.filter { !$0.isSatisfied }
    var reasons: [StallReport.Reason] = []
    if unmet.contains(where: { $0 is ReadinessGate }) { reasons.append(.gateClosed) }
    if unmet.contains(where: { !($0 is ReadinessGate) }) { reasons.append(.conditionNotMet) }
    return reasons.isEmpty ? [.notReady] : reasons
  }

  // MARK: Results

  private func report() -> StallReport {
    let isWaitedFor = Set(
      (0..<facts.count).lazy.filter { !isFinished($0) }.flatMap { graph.blockers(of: $0) })
    var entries: [StallReport.Entry] = []
    var others: [StallReport.Entry] = []
    for node in 0..<facts.count {
      let reasons = reasons(for: node)
      // A member that simply runs is no news, unless somebody waits for it: then it is among the
      // others.
      guard let first = reasons.first else { continue }
      let simplyRuns: [StallReport.Reason] = [.executing, .closuresRun, .inCompletionBlock]
      let isMember = node < queueOf.count && !simplyRuns.contains(first)
      guard isMember || isWaitedFor.contains(node) else { continue }
      let entry = StallReport.Entry(
        operation: nodes.operations[node],
        queueName: (node < queueOf.count ? queueOf[node] : facts[node].queue)?.storedName,
        isCancelled: facts[node].isCancelled, reasons: reasons,
        blocker: next[node].map { nodes.operations[$0] },
        root: roots[node].map { nodes.operations[$0] })
      if isMember { entries.append(entry) } else { others.append(entry) }
    }
    let entryOf = (entries + others).map { (ObjectIdentifier($0.operation), $0) }
    return StallReport(
      queues: queues, entries: entries, others: others, cycles: cycles, timedWaiters: timedWaiters,
      entryOf: Dictionary(uniqueKeysWithValues: entryOf))
  }
}

extension StallReport.Reason {
  /// Never ends by itself.
  fileprivate static let severityOfCycle = 5

  /// How bad it is as the end of a way: the worst is shown where there are several.
  fileprivate var severity: Int {
    switch self {
    case .cycle: Self.severityOfCycle
    case .inNoQueue, .reserved: 4
    case .notReady, .gateClosed, .conditionNotMet, .readinessNotAnnounced, .suspended,
      .finishNotAnnounced, .executionNotAnnounced, .noSlot(limit: 0, running: _):
      3
    case .notFinished, .ownStateNotFinished, .blockedOn, .blockedOnQueue, .blockedOnFork: 2
    default: 1
    }
  }
}

extension OperationQueue {
  /// Why the operations of this queue that are not running are not (contract 117).
  ///
  /// Any thread. Linear in the members of the queue, whatever they wait for, and all edges between
  /// these. Asks the overridden `isReady` and the conditions of operations that are held back by
  /// nothing else. An operation that was started by hand is in no queue and is found only if a
  /// member waits for it.
  public func stallReport() -> StallReport { StallSurvey.report(on: [self]) }

  /// As `stallReport()` of a queue, for every queue of the process that holds something, dropped
  /// ones included (contract 117, 133).
  public static func stallReport() -> StallReport {
    StallSurvey.report(on: OperationQueue.allWithMembers())
  }
}
