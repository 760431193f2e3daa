// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
internal import Operations
internal import OperationsFoundation
import Synchronization

// The queues inside of what is made of others, which bodies find as the current one.

/// What is counted of such a queue.
final class InnerQueue: Sendable {
  let queue: Weak<OperationQueue>
  let facts = QueueFacts()
  /// The number of its owner, plus one, where that is certain.
  private let owner = Atomic<Int>(0)
  /// The owner ends after all that bodies have added, whatever happens.
  private let outlastsAll = Atomic<Bool>(false)
  /// A body has cancelled the owner, and that has returned.
  let isCancelled = Atomic<Bool>(false)
  /// What bodies that are certainly members have added.
  let added = Locked<[Int]>([])
  let batches = Locked<[FreshBatch]>([])

  init(_ queue: OperationQueue) { self.queue = Weak(queue) }

  /// The owner, if it must end after what bodies add.
  var certainOwner: Int? {
    guard outlastsAll.load(ordering: .sequentiallyConsistent) else { return nil }
    return anyOwner
  }
  var anyOwner: Int? {
    let number = owner.load(ordering: .sequentiallyConsistent)
    return number > 0 ? number - 1 : nil
  }

  func set(owner number: Int, outlastsAll outlasts: Bool) {
    owner.store(number + 1, ordering: .sequentiallyConsistent)
    outlastsAll.store(outlasts, ordering: .sequentiallyConsistent)
  }
}

extension Run {
  // MARK: Finding

  /// What is known of the queue, if it is none of the program's.
  func innerQueue(_ queue: OperationQueue) -> InnerQueue? {
    // The main thread has one as well.
    if queues.contains(where: { $0.object === queue }) || queue === OperationQueue.main {
      return nil
    }
    return inners.withLock { inners in
      if let known = inners.first(where: { $0.queue.object === queue }) { return known }
      let new = InnerQueue(queue)
      inners.append(new)
      return new
    }
  }

  /// The queue that a body runs in, inside of something made of others.
  var ownQueue: OperationQueue? {
    guard let current = OperationQueue.current, innerQueue(current) != nil else { return nil }
    return current
  }

  var innerQueues: [OperationQueue] { inners.withLock { $0 }.compactMap(\.queue.object) }

  // MARK: Steps

  /// Whether the operation cannot be added inside of itself.
  ///
  /// What is made of others begins by a call of `main()`, too, and may be added after that.
  func mayGoInside(_ number: Int) -> Bool {
    !program.plans[number].kind.isComposite
      || !certainty.calledByHand.contains { program.plans[$0].kind.isComposite }
  }

  func performOnOwn(_ step: Step, _ actor: Actor?) {
    switch step {
    case .handOut: if let queue = ownQueue { handed.withLock { $0 = queue } }
    case .takeOver:
      var backoff = Backoff()
      for _ in 0..<200 {
        if handed.withLock({ $0 != nil }) { return }
        backoff.wait()
      }
    case .cancelOwner: cancelOwner()
    default: break
    }
  }

  private func cancelOwner() {
    guard let queue = ownQueue, let inner = innerQueue(queue), let owner = inner.anyOwner,
      let operation = operations[owner].object
    else { return }
    operation.cancel()
    if !operation.isCancelled, !operation.isFinished {
      fault("\(owner) is not cancelled when cancel() returns")
    }
    if certainty.ownIsSure { inner.isCancelled.store(true, ordering: .sequentiallyConsistent) }
  }

  /// Adds an operation from inside of the queue.
  func addToOwn(_ number: Int, _ operation: Operation, _ queue: OperationQueue) {
    guard let inner = innerQueue(queue) else { return }
    // Before: it may run at once.
    if certainty.ownIsSure { facts[number].owner.withLock { $0 = inner } }
    let isBarred = inner.isCancelled.load(ordering: .sequentiallyConsistent)
    guard (try? queue.tryAddOperation(operation)) != nil else { return }
    guard certainty.ownIsSure else { return }
    inner.added.withLock { $0.append(number) }
    guard isBarred, let owner = inner.anyOwner, program.plans[owner].kind.isGroup,
      program.plans.allSatisfy(\.inCancel.isEmpty), !certainty.calledByHand.contains(number)
    else { return }
    if !operation.isCancelled, !operation.isFinished {
      fault("\(number) was added inside of \(owner), which is cancelled, and is not")
    }
    facts[number].isBarred.store(true, ordering: .sequentiallyConsistent)
    if facts[number].runs.load(ordering: .sequentiallyConsistent) > 0 {
      fault("\(number) was added inside of \(owner), which was cancelled before, and runs")
    }
  }

  /// The time is not up before: nobody is inside of the queue.
  func pauseForOwn(_ queue: OperationQueue) {
    if queue.wait(timeout: .microseconds(30)), certainty.ownIsSure {
      fault("a wait for the queue that the body runs in returns")
    }
  }

  // MARK: Bodies

  /// The first attempt of a retry.
  func attempt(_ number: Int) {
    let facts = facts[number]
    if facts.attempts.wrappingAdd(1, ordering: .sequentiallyConsistent).newValue > 1 {
      fault("the first attempt of \(number) ran twice")
    }
    let inner = enterInner(number)
    performInside(program.plans[number].inAttempt)
    leaveInner(inner, number)
  }

  /// Notes in which queue a body runs, and counts it there.
  func enterInner(_ number: Int) -> InnerQueue? {
    let plan = program.plans[number]
    guard let current = OperationQueue.current, let inner = innerQueue(current) else {
      if plan.kind == .retry { fault("an attempt of \(number) is in no queue of its own") }
      return nil
    }
    if plan.kind == .retry {
      inner.set(owner: number, outlastsAll: true)
    } else if let owner = owners[number], operations[owner].object != nil,
      !certainty.startedElsewhere.contains(number)
    {
      // A deadline ends it beside its members.
      let outlastsAll = program.plans[owner].kind != .timeout || owner % 2 == 1
      inner.set(owner: owner, outlastsAll: outlastsAll)
    }
    guard plan.kind == .retry || !certainty.startedElsewhere.contains(number) else { return inner }
    let running = inner.facts.running.wrappingAdd(1, ordering: .sequentiallyConsistent).newValue
    let barriers = inner.facts.barriers.load(ordering: .sequentiallyConsistent)
    if plan.kind == .barrier {
      inner.facts.barriers.wrappingAdd(1, ordering: .sequentiallyConsistent)
      if running > 1 { fault("barrier \(number) runs beside \(running - 1) others of its owner") }
    } else if barriers > 0 {
      fault("\(number) runs beside a barrier of its owner")
    }
    return inner
  }

  /// The body is over; its owner is not.
  func leaveInner(_ inner: InnerQueue?, _ number: Int) {
    guard let inner else { return }
    let plan = program.plans[number]
    guard plan.kind == .retry || !certainty.startedElsewhere.contains(number) else { return }
    let isAdded = facts[number].owner.withLock { $0 === inner }
    let isMember = inner.anyOwner.map { $0 == number || owners[number] == $0 } ?? false
    if isAdded || isMember, let owner = inner.certainOwner, isOver(owner) {
      fault("\(owner) has finished before \(number), which it is made of")
    }
    if plan.kind == .barrier {
      inner.facts.barriers.wrappingSubtract(1, ordering: .sequentiallyConsistent)
    }
    inner.facts.running.wrappingSubtract(1, ordering: .sequentiallyConsistent)
  }

  func isOver(_ number: Int) -> Bool { operations[number].object?.isFinished ?? false }

  /// The second attempt begins when everything inside of the first one has ended.
  func judgeSecondAttempt(_ number: Int, _ inner: InnerQueue?) {
    guard let inner else { return }
    if facts[number].attempts.load(ordering: .sequentiallyConsistent) != 1 {
      fault("the second attempt of \(number) runs without the first one")
    }
    if inner.isCancelled.load(ordering: .sequentiallyConsistent) {
      fault("a second attempt of \(number), which was cancelled inside of the first one")
    }
    for added in inner.added.withLock({ $0 }) {
      guard let operation = operations[added].object, !operation.isFinished else { continue }
      fault("a second attempt of \(number) begins before \(added) of the first one has ended")
    }
    for batch in inner.batches.withLock({ $0 }) where !batch.isOver {
      fault("a second attempt of \(number) begins before \(batch.fresh) has ended")
    }
  }

  /// A retry that nobody cancels makes both attempts.
  func judgeAttempts(_ number: Int, _ operation: Operation) {
    guard program.plans[number].kind == .retry, !operation.isCancelled,
      !certainty.cancelsInside, !certainty.calledByHand.contains(number)
    else { return }
    let facts = facts[number]
    let runs = (
      facts.attempts.load(ordering: .sequentiallyConsistent),
      facts.runs.load(ordering: .sequentiallyConsistent)
    )
    if runs != (1, 1) { fault("the attempts of \(number) ran \(runs) times") }
    if case .failure(let error) = (operation as? ResultOperation<Void>)?.result {
      fault("\(number) failed although its second attempt did not: \(error)")
    }
  }
}
