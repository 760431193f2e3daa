// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
internal import Operations
import Synchronization

extension Run {
  /// An attempt that is to be made again.
  struct OnceMore: Error {}

  /// The operation of a plan; nil for what is no object.
  static func make(
    _ number: Int, _ plan: Plan, _ made: [Operation?], _ box: RunBox
  ) -> Operation? {
    let body: @Sendable () -> Void = { box.run?.body(number) }
    switch plan.kind {
    case .closure, .storedBody, .barrier: return nil
    case .plain: return Operation()
    case .block:
      let operation = BlockOperation(block: body)
      for _ in 0..<plan.extraBlocks { operation.addExecutionBlock { box.run?.extraBody(number) } }
      return operation
    case .subclass, .latched: return Subclass(body)
    case .conditional: return Conditional(body)
    case .held: return Held(body)
    case .custom: return Custom(body)
    case .cancelling:
      return Cancelling(body) { box.run?.performInside(plan.inCancel) }
    case .result: return ResultOperation(body)
    case .resultTask: return ResultOperation(asTask(body))
    case .task: return AsyncOperation(body: asTask(body))
    case .callback:
      return AsyncOperation(onCancel: { $0.finish() }) { operation in
        body()
        operation.finish()
      }
    case .group:
      return GroupOperation(plan.members.compactMap { made[$0] }, collectsErrors: number % 2 == 0) {
        _ in body()
      }
    case .cancellingGroup:
      return CancellingGroup(
        plan.members.compactMap { made[$0] }, collectsErrors: number % 2 == 0, body
      ) { box.run?.performInside(plan.inCancel) }
    case .timeout:
      // Without what it is a limit for it does nothing.
      guard let other = plan.members.first.flatMap({ made[$0] }) else { return Operation() }
      return TimeoutOperation(other, within: .milliseconds(number % 2 == 0 ? 1 : 60_000))
    case .graph:
      return makeGraph(plan.graph) { node in
        guard let run = box.run else { return }
        run.node(node, of: plan.graph, run.facts[number].graph) { run.body(number) }
      }.operation()
    case .retry:
      let delay = Duration.microseconds(number % 2 == 0 ? 50 : 0)
      let policy = RetryPolicy(attempts: 2, delay: delay) { $0 is OnceMore }
      return RetryOperation(policy) { attempt in
        ResultOperation {
          if attempt == 1 {
            box.run?.attempt(number)
            throw OnceMore()
          }
          body()
        }
      }
    }
  }

  private static func asTask(_ body: @escaping @Sendable () -> Void)
    -> @Sendable () async throws -> Void
  {
    {
      await Task.yield()
      body()
    }
  }

  // MARK: Bodies

  /// The body of an operation.
  func body(_ number: Int) {
    let facts = facts[number]
    if facts.runs.wrappingAdd(1, ordering: .sequentiallyConsistent).newValue > 1 {
      fault("the body of \(number) ran twice")
    }
    if facts.isEndedEarly.load(ordering: .sequentiallyConsistent) {
      fault("\(number) runs although it was told to finish before its start")
    }
    if facts.isBarred.load(ordering: .sequentiallyConsistent) {
      fault("\(number) runs although it was added to a group that was cancelled")
    }
    enter(number)
    let inner = enterInner(number)
    facts.inner.withLock { $0 = inner }
    facts.begun.store(nextTicket(), ordering: .sequentiallyConsistent)
    readWhatDependenciesWrote(number)
    let plan = program.plans[number]
    if plan.kind == .retry { judgeSecondAttempt(number, inner) }
    performInside(plan.inBody)
    if let other = plan.waitsFor { waitInside(other) }
    if plan.kind == .latched { waitForLatch(facts, isAnnounced: plan.announcesBlocking) }
    unsafe facts.written += 1
    guard plan.kind == .held || plan.kind == .custom else { return leave(number) }
    // Either the one that lets it end sees that it is held, or it is seen here that it may.
    facts.isHeld.store(true, ordering: .sequentiallyConsistent)
    if facts.mayEnd.load(ordering: .sequentiallyConsistent) { endHeld(number) }
  }

  /// A further block of a block operation.
  package func extraBody(_ number: Int) {
    if facts[number].extraRuns.wrappingAdd(1, ordering: .sequentiallyConsistent).newValue
      > facts[number].extraBlocks.load(ordering: .sequentiallyConsistent)
    {
      fault("further blocks of \(number) ran too often")
    }
  }

  /// Waits for the operation in a body or a completion block.
  func waitInside(_ other: Int) {
    guard let operation = operations[other].object else { return }
    // On the inline scheduler, and after a start by hand, the thread that would let it go may be
    // this one.
    if isInline || DriverThreads.isCurrent {
      _ = operation.wait(timeout: .microseconds(20))
    } else {
      operation.waitUntilFinished()
    }
  }

  private func waitForLatch(_ facts: Facts) {
    // As above.
    if isInline || DriverThreads.isCurrent { return }
    var naps = 0
    while !facts.mayEnd.load(ordering: .sequentiallyConsistent) {
      naps += 1
      if naps < 50 { yieldThread() } else { nap(microseconds: 20) }
    }
  }

  /// The same, perhaps announced to the scheduler.
  private func waitForLatch(_ facts: Facts, isAnnounced: Bool) {
    guard isAnnounced else { return waitForLatch(facts) }
    OperationQueue.blocking { waitForLatch(facts) }
  }

  /// Ends an operation of a held kind that has begun, or lets it end as soon as it has.
  func letEnd(_ number: Int) {
    facts[number].mayEnd.store(true, ordering: .sequentiallyConsistent)
    if facts[number].isHeld.load(ordering: .sequentiallyConsistent) { endHeld(number) }
  }

  private func endHeld(_ number: Int) {
    guard facts[number].isHeld.exchange(false, ordering: .sequentiallyConsistent) else { return }
    leave(number)
    let operation = operations[number].object
    (operation as? Held)?.finish()
    (operation as? Custom)?.finish()
  }

  // MARK: What holds while bodies run

  /// Counts a body that begins in its queue and checks limit and barriers.
  private func enter(_ number: Int) {
    guard let current = OperationQueue.current,
      let place = queues.firstIndex(where: { $0.object === current }), hasPlace(number)
    else { return }
    let queue = queueFacts[place]
    facts[number].place.store(place + 1, ordering: .sequentiallyConsistent)
    let running = queue.running.wrappingAdd(1, ordering: .sequentiallyConsistent).newValue
    let barriers = queue.barriers.load(ordering: .sequentiallyConsistent)
    if program.plans[number].kind == .barrier {
      queue.barriers.wrappingAdd(1, ordering: .sequentiallyConsistent)
      if running > 1 {
        fault("barrier \(number) runs beside \(running - 1) others of queue \(place)")
      }
    } else if barriers > 0 {
      fault("\(number) runs beside a barrier of queue \(place)")
    }
    if let limit = limits[place], running > limit {
      fault("\(running) operations of queue \(place) execute, its limit was never above \(limit)")
    }
  }

  /// The body is over, and everybody may know it.
  private func leave(_ number: Int) {
    leaveInner(facts[number].inner.withLock { exchange(&$0, with: nil) }, number)
    facts[number].ended.store(nextTicket(), ordering: .sequentiallyConsistent)
    let place = facts[number].place.exchange(0, ordering: .sequentiallyConsistent)
    guard place > 0 else { return }
    if program.plans[number].kind == .barrier {
      queueFacts[place - 1].barriers.wrappingSubtract(1, ordering: .sequentiallyConsistent)
    }
    queueFacts[place - 1].running.wrappingSubtract(1, ordering: .sequentiallyConsistent)
  }

  /// Whether the queue that is current in its body must be the one that counts it: an operation
  /// that is started by hand, or a part of another one, finds the queue that it runs inside.
  private func hasPlace(_ number: Int) -> Bool { !withoutPlace.contains(number) }

  private func readWhatDependenciesWrote(_ number: Int) {
    let edges = sureEdges.withLock { $0 }
    var sum = 0
    for edge in edges where edge.later == number { sum += unsafe facts[edge.earlier].written }
    if sum < 0 { fault("unreachable") }
  }
}

/// A body that the queue stores in its own memory.
struct SmallBody: OperationBody {
  let program: Run
  let number: Int

  func run() { program.body(number) }
}

/// A body that is too large for that.
struct LargeBody: OperationBody {
  let body: SmallBody
  let rest = (0, 0)

  func run() { body.run() }
}
