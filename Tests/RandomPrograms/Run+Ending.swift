// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
import Glibc
internal import Operations
import Synchronization

extension Run {
  func yieldThread() { sched_yield() }
  func nap(microseconds: UInt32) { usleep(microseconds) }

  /// Looks at the condition until it holds or the time is up.
  func waitUntil(_ deadline: UInt64, _ condition: () -> Bool) -> Bool {
    var looks = 0
    while !condition() {
      if MonotonicTime.nanoseconds() > deadline { return false }
      looks += 1
      if looks < 200 { yieldThread() } else { nap(microseconds: 50) }
    }
    return true
  }

  /// Lets everything go on to its end, and waits for that; false when something does not end in
  /// time.
  ///
  /// `isReturned` says whether the other threads have taken their steps.
  package func bringToEnd(
    _ actor: Actor, until deadline: UInt64, isReturned: () -> Bool
  ) -> Bool {
    for number in program.plans.indices { letEnd(number) }
    var looks = 0
    let isOver = waitUntil(deadline) {
      // Now and then again: other threads may still stop something. At first what stands still
      // stays so: a queue that becomes empty must not need to go on for that.
      if looks % 32 == 0 { letGoOn(looks == 0 ? .none : .holding) }
      looks += 1
      // The threads first: what they add is seen afterwards.
      return isReturned()
        && awaited.load(ordering: .sequentiallyConsistent)
          == awaiting.load(ordering: .sequentiallyConsistent)
        && isOverNow
    }
    return isOver && emptyQueuesAreQuiet(until: deadline)
  }

  /// Which queues that start nothing are to go on.
  private enum Resumed { case none, holding, all }

  /// Resumes what is stopped; adds what nobody has added, which other threads may drop or give
  /// away at any moment.
  private func letGoOn(_ resumed: Resumed) {
    for gate in gates { gate.open() }
    breakCircles()
    letFreshGoOn()
    for queue in queues.compactMap(\.object) + innerQueues {
      guard resumed == .all || resumed == .holding && !queue.isQuiet else { continue }
      // A limit above 0 stays: everything must end under it.
      if queue.maxConcurrentOperationCount == 0 { queue.maxConcurrentOperationCount = 1 }
      if queue.isSuspended { queue.isSuspended = false }
    }
    for number in program.plans.indices.reversed() {
      guard let operation = operations[number].object, !operation.isFinished else { continue }
      if let group = operation as? GroupOperation {
        if group.maxConcurrentOperationCount == 0 { group.maxConcurrentOperationCount = 1 }
        if group.isSuspended { group.isSuspended = false }
      }
      (operation as? Conditional)?.set(open: true)
      if let queue = queues.last?.object { try? queue.tryAddOperation(operation) }
    }
  }

  /// A wait for a queue that holds nothing returns, also while the queue starts nothing.
  private func emptyQueuesAreQuiet(until deadline: UInt64) -> Bool {
    var isQuiet = true
    for (number, queue) in (queues.map(\.object) + innerQueues).enumerated() {
      guard let queue, queue.isSuspended || queue.maxConcurrentOperationCount == 0
      else { continue }
      // What a body has added meanwhile runs when the queue goes on.
      let returns = waitUntil(deadline) {
        queue.wait(timeout: .milliseconds(1)) || !queue.isQuiet
      }
      if returns { continue }
      fault("queue \(number) holds nothing, starts nothing, and keeps those that wait for it")
      isQuiet = false
    }
    return isQuiet
  }

  /// Removes the dependencies that may be part of a circle of waits; what is cancelled waits for
  /// none (contract 31, 47).
  private func breakCircles() {
    for edge in certainty.circularEdges {
      guard let later = operations[edge.later].object ?? handle(edge.later)?.operation,
        let earlier = operations[edge.earlier].object ?? handle(edge.earlier)?.operation,
        !later.isCancelled
      else { continue }
      later.removeDependency(earlier)
    }
  }

  private var isOverNow: Bool {
    operations.allSatisfy { $0.object?.isFinished ?? true }
      && queues.allSatisfy { $0.object?.isQuiet ?? true }
      && innerQueues.allSatisfy(\.isQuiet) && freshIsOver
      && graphFacts.allSatisfy { !$0.isBusy.load(ordering: .sequentiallyConsistent) }
      && insideSteps.load(ordering: .sequentiallyConsistent) == 0
  }

  /// Says what does not hold now that everything has ended.
  package func judge(_ actor: Actor, until deadline: UInt64) -> Bool {
    guard queuesGoOn(until: deadline) else { return false }
    // A finish does not wait for handlers that another thread calls, nor for a completion block.
    _ = waitUntil(deadline) { program.plans.indices.allSatisfy(isTold) }
    for number in program.plans.indices { judge(number) }
    for edge in sureEdges.withLock({ $0 }) { judge(edge) }
    judgeFresh(until: deadline)
    // They come back after the finish, which may be that of a member whose owner has ended first.
    _ = waitUntil(deadline) { resources.allSatisfy { $0.used == 0 && $0.waiting == 0 } }
    for resource in resources where resource.used != 0 || resource.waiting != 0 {
      fault("\(resource.name): \(resource.used) units in use, \(resource.waiting) operations wait")
    }
    return true
  }

  /// Every queue becomes quiet, and runs what is added then; says what does not hold.
  ///
  /// Who finishes an operation between its start and its body, or the task of that, ends it before
  /// the body has begun: this may come as late as now, and stop a queue or cancel what is in it. So
  /// what was seen while such code took steps is no finding; the queues are let go on, and must
  /// become quiet, with what was added before, and be used once more. Each body comes once.
  private func queuesGoOn(until deadline: UInt64) -> Bool {
    while true {
      let isOver = waitUntil(deadline) {
        letGoOn(.all)
        return isOverNow
      }
      guard isOver else {
        fault("a body came late, and the queues do not become quiet after it")
        return false
      }
      let begun = begunInside.load(ordering: .sequentiallyConsistent)
      // What is counted as begun has ended, and stops nothing any more.
      guard insideSteps.load(ordering: .sequentiallyConsistent) == 0 else { continue }
      letGoOn(.all)
      let late = Late(run: self, begun: begun)
      let finding = findingOfQueues(until: deadline, late)
      if late.hasCome { continue }
      if let finding { fault(finding) }
      return finding == nil
    }
  }

  /// Whether a body or a block has begun to take steps since everything had ended.
  struct Late {
    let run: Run
    let begun: Int
    var hasCome: Bool { run.begunInside.load(ordering: .sequentiallyConsistent) != begun }
  }

  /// What does not hold of the queues; means nothing once something has come late.
  private func findingOfQueues(until deadline: UInt64, _ late: Late) -> String? {
    for (number, queue) in queues.enumerated() {
      guard let queue = queue.object else { continue }
      guard wait(for: queue, until: deadline, late) else {
        return "queue \(number) does not become quiet"
      }
      if queue.operationCount != 0 {
        return "queue \(number) holds \(queue.operationCount) operations after a wait for it"
      }
      guard canBeUsedAgain(queue, until: deadline, late) else {
        return "queue \(number) does not run what is added after everything has ended"
      }
      guard !certainty.movesQueues || canBeMoved(queue, until: deadline, late) else {
        return "queue \(number) does not run what is added after it was moved"
      }
    }
    // What its owner made may be used when that has ended, too.
    guard let queue = handed.withLock({ $0 }) else { return nil }
    guard wait(for: queue, until: deadline, late),
      hasCancellations || canBeUsedAgain(queue, until: deadline, late)
    else { return "the queue handed out does not run what is added after everything has ended" }
    return nil
  }

  func wait(for queue: OperationQueue, until deadline: UInt64, _ late: Late) -> Bool {
    waitUntil(deadline) { late.hasCome || queue.wait(timeout: .milliseconds(1)) }
  }

  func canBeUsedAgain(_ queue: OperationQueue, until deadline: UInt64, _ late: Late) -> Bool {
    let ran = Again()
    queue.addOperation { ran.count.wrappingAdd(1, ordering: .sequentiallyConsistent) }
    return waitUntil(deadline) {
      ran.count.load(ordering: .sequentiallyConsistent) == 1 && queue.isQuiet || late.hasCome
    }
  }

  private func isTold(_ number: Int) -> Bool {
    guard operations[number].object != nil else { return true }
    let facts = facts[number]
    func value(_ atomic: borrowing Atomic<Int>) -> Int {
      atomic.load(ordering: .sequentiallyConsistent)
    }
    return value(facts.told) >= value(facts.handlers)
      && (!facts.hasSureBlock.load(ordering: .sequentiallyConsistent)
        || value(facts.completions) > 0)
      && (!facts.hasSureObserver.load(ordering: .sequentiallyConsistent)
        || value(facts.finishes) > 0)
  }

  private func judge(_ number: Int) {
    let facts = facts[number]
    let runs = facts.runs.load(ordering: .sequentiallyConsistent)
    let completions = facts.completions.load(ordering: .sequentiallyConsistent)
    let hasSureBlock = facts.hasSureBlock.load(ordering: .sequentiallyConsistent)
    if completions > 1 { fault("the completion block of \(number) ran \(completions) times") }
    guard let operation = operations[number].object else { return }
    if operation.isExecuting { fault("\(number) executes for ever") }
    if hasSureBlock, completions == 0 { fault("the completion block of \(number) did not run") }
    let handlers = facts.handlers.load(ordering: .sequentiallyConsistent)
    let told = facts.told.load(ordering: .sequentiallyConsistent)
    if told != handlers {
      fault("\(told) of \(handlers) onFinish handlers of \(number) were called")
    }
    let finishes = facts.finishes.load(ordering: .sequentiallyConsistent)
    if facts.hasSureObserver.load(ordering: .sequentiallyConsistent), finishes != 1 {
      fault("an observer saw \(number) finish \(finishes) times")
    }
    judgeError(number, operation)
    judgeAttempts(number, operation)
    let kind = program.plans[number].kind
    if runs == 0, kind != .plain, kind != .timeout, !operation.isCancelled, !mayFinishEarly(number)
    {
      fault("\(number) neither ran nor was cancelled")
    }
    if operation.isCancelled, !certainty.mayBeCancelled.contains(number) {
      fault("\(number) is cancelled, but nobody did it")
    }
  }

  /// The first call that ends an operation says with what error.
  private func judgeError(_ number: Int, _ operation: Operation) {
    guard let operation = operation as? AsyncOperation else { return }
    if operation.error != nil, !certainty.failing.contains(number) {
      fault("\(number) has an error that nobody gave it")
    }
    if operation.error == nil, !hasCancellations,
      facts[number].hasSureError.load(ordering: .sequentiallyConsistent)
    {
      fault("\(number) has lost its error")
    }
  }

  private func judge(_ edge: (earlier: Int, later: Int)) {
    let ended = facts[edge.earlier].ended.load(ordering: .sequentiallyConsistent)
    let begun = facts[edge.later].begun.load(ordering: .sequentiallyConsistent)
    guard facts[edge.earlier].runs.load(ordering: .sequentiallyConsistent) > 0, begun > 0 else {
      return
    }
    if ended == 0 || ended > begun {
      fault("\(edge.later) began before \(edge.earlier) had ended")
    }
  }

  /// What is still alive although nobody keeps it; nil when nothing is.
  package func leftovers(until deadline: UInt64) -> String? {
    // The error of what is made of others names one of them, which may keep it in turn as a
    // dependency that has finished: a circle of the program's own.
    if certainty.circularEdges.contains(where: { program.plans[$0.earlier].kind.isComposite }) {
      return nil
    }
    for facts in facts { facts.handle.withLock { $0 = nil } }
    handed.withLock { $0 = nil }
    forgetFresh()
    for facts in graphFacts { facts.latest.withLock { $0 = nil } }
    let isGone = waitUntil(deadline) {
      operations.allSatisfy { $0.object == nil }
        && queues.allSatisfy { $0.object == nil }
        && graphs.allSatisfy { $0.object == nil }
        && innerQueues.isEmpty && freshQueuesAreGone
    }
    if isGone { return nil }
    let left = operations.indices.filter { operations[$0].object != nil }
    let leftQueues = queues.indices.filter { queues[$0].object != nil }
    let leftGraphs = graphs.indices.filter { graphs[$0].object != nil }
    return "still alive: operations \(left), queues \(leftQueues), graphs \(leftGraphs), "
      + "\(innerQueues.count) queues inside of others"
  }
}

final class Again: Sendable { let count = Atomic<Int>(0) }

extension OperationQueue {
  /// Holds nothing, barriers included.
  fileprivate var isQuiet: Bool { isEmpty }
}
