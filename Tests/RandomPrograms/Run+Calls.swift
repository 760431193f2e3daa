// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
internal import Operations
internal import OperationsDiagnosis
import Synchronization

extension Run {
  func perform(_ steps: [Step], _ actor: Actor?) { for step in steps { perform(step, actor) } }

  /// Takes the steps of a body or a block, which may go on when its operation has finished.
  func performInside(_ steps: [Step]) {
    guard !steps.isEmpty else { return }
    // In this order: see `queuesGoOn`.
    insideSteps.wrappingAdd(1, ordering: .sequentiallyConsistent)
    begunInside.wrappingAdd(1, ordering: .sequentiallyConsistent)
    perform(steps, nil)
    insideSteps.wrappingSubtract(1, ordering: .sequentiallyConsistent)
  }

  /// Makes the call of a step; without an actor from inside a body.
  func perform(_ step: Step, _ actor: Actor?) {
    switch step {
    case .startNow(let number): callStart(number, actor)
    case .finishNow(let number), .finishThrowing(let number): noteEarlyFinish(number, actor)
    default: break
    }
    if case .finishThrowing(let number) = step, let operation = operation(number, actor) {
      finishThrowing(number, operation, isFirst: isSure(number))
    }
    note(step)
    switch step {
    case .startNow, .finishThrowing: break
    case .together(let steps): perform(steps, actor)
    case .both(let first, let second): both(first, second)
    case .each(let count, let steps): each(count, steps)
    case .blocking: blockForAMoment()
    case .validate(let numbers): validate(numbers, actor)
    case .move(let queue, let place): move(queue, to: place, actor)
    case .handOut, .takeOver, .cancelOwner: performOnOwn(step, actor)
    case .fresh(let fresh, let queue): addFresh(fresh, to: queue, actor)
    case .run, .runAndWait, .cancelRun, .pauseForRun: performOnGraph(step, actor)
    case .addAll(let numbers, let queue, _):
      let added = queue < 0 ? numbers.filter(mayGoInside) : numbers
      try? self.queue(queue, actor)?.tryAddOperations(added.compactMap { operation($0, actor) })
    case .add(let number, let queue):
      let isOwn = queue == Step.ownQueue
      if queue < 0, !mayGoInside(number) { return }
      if let queue = self.queue(queue, actor) { add(number, to: queue, isOwn: isOwn, actor) }
    case .cancelAll(let queue): cancelAll(queue, actor)
    case .suspend(let queue, let on): self.queue(queue, actor)?.isSuspended = on
    case .limit(let queue, let limit):
      self.queue(queue, actor)?.maxConcurrentOperationCount = limit
    case .list(let queue): _ = self.queue(queue, actor)?.operations.count
    case .name(let queue): self.queue(queue, actor)?.name = "renamed"
    case .retain(let queue, let on): self.queue(queue, actor)?.retainsFinishedDependencies = on
    case .invalidate(let queue): self.queue(queue, actor)?.invalidate()
    case .report(let queue): _ = self.queue(queue, actor)?.stallReport().isEmpty
    case .queueQuality(let queue, let level):
      self.queue(queue, actor)?.qualityOfService = Self.quality(level)
    case .events(let queue, let on):
      self.queue(queue, actor)?.eventHandler = on ? Self.ignore : nil
    case .observeQueue(let queue): if let actor { observe(queue, actor) }
    case .dropQueue(let queue): if let actor { actor.queues[queue] = nil }
    case .waitForQueue(let queue): self.queue(queue, actor)?.waitUntilAllOperationsAreFinished()
    case .pauseForQueue(Step.ownQueue): if let queue = ownQueue { pauseForOwn(queue) }
    case .pauseForQueue(let queue):
      _ = self.queue(queue, actor)?.wait(timeout: .microseconds(30))
    case .awaitQueue(let queue):
      guard let queue = self.queue(queue, actor) else { return }
      inTask { await queue.finished() }
    case .openGate(let gate, let on):
      guard gates.indices.contains(gate) else { return }
      if on { gates[gate].open() } else { gates[gate].close() }
    case .fork, .meet: break
    default:
      guard let number = step.operations.first else { return }
      if let operation = operation(number, actor) {
        perform(step, on: operation, number, actor)
      } else {
        performOnHandle(step, number, actor)
      }
    }
  }

  private static func quality(_ level: Int) -> Operations.QualityOfService {
    Operations.QualityOfService.allCases[level]
  }

  @Sendable private static func ignore(_ event: OperationEvent) {}

  /// What has been told to finish before anything could start it does not run any more (contract
  /// 66).
  private func noteEarlyFinish(_ number: Int, _ actor: Actor?) {
    guard isSure(number), program.plans[number].kind.isAsync, operation(number, actor) != nil,
      !certainty.calledByHand.contains(number)
    else { return }
    facts[number].isEndedEarly.store(true, ordering: .sequentiallyConsistent)
  }

  /// Notes what a step makes possible, before it is taken.
  private func note(_ step: Step) {
    if step.mayRunBodies { mayHaveBegun.store(true, ordering: .sequentiallyConsistent) }
    switch step {
    case .add(let number, _), .start(let number), .startNow(let number), .main(let number),
      .cancelAndFinish(let number), .join(let number, _):
      note(number, isGiven: true)
    case .addAll(let numbers, _, _): for number in numbers { note(number, isGiven: true) }
    case .finishNow(let number), .finishThrowing(let number), .cancel(let number):
      note(number, isGiven: false)
    default: for step in step.inner { note(step) }
    }
  }

  private func note(_ number: Int, isGiven: Bool) {
    facts[number].isTouched.store(true, ordering: .sequentiallyConsistent)
    if isGiven { facts[number].isGiven.store(true, ordering: .sequentiallyConsistent) }
  }

  private func add(_ number: Int, to queue: OperationQueue, isOwn: Bool, _ actor: Actor?) {
    let kind = program.plans[number].kind
    // Once: there is no object that could refuse.
    if !kind.isObject,
      facts[number].isAdded.exchange(true, ordering: .sequentiallyConsistent)
    {
      return
    }
    switch kind {
    case .closure:
      let handle = queue.addOperation { self.body(number) }
      facts[number].handle.withLock { $0 = handle }
    case .storedBody:
      let body = SmallBody(program: self, number: number)
      let handle =
        number % 4 == 0 ? queue.addOperation(LargeBody(body: body)) : queue.addOperation(body)
      facts[number].handle.withLock { $0 = handle }
    case .barrier: queue.addBarrierBlock { self.body(number) }
    default:
      guard let operation = operation(number, actor) else { return }
      if isOwn { addToOwn(number, operation, queue) } else { try? queue.tryAddOperation(operation) }
    }
  }

  private func observe(_ queue: Int, _ actor: Actor) {
    guard let queue = self.queue(queue, actor) else { return }
    actor.observations.append(queue.observe(\.operationCount) { _, _ in })
    actor.observations.append(queue.observe(\.operations) { _, _ in })
  }

  func inTask(_ body: @escaping @Sendable () async -> Void) {
    awaiting.wrappingAdd(1, ordering: .sequentiallyConsistent)
    Task.detached {
      await body()
      self.awaited.wrappingAdd(1, ordering: .sequentiallyConsistent)
    }
  }

  // MARK: Calls of an operation

  private func perform(
    _ step: Step, on operation: Operation, _ number: Int, _ actor: Actor?
  ) {
    let facts = facts[number]
    switch step {
    case .cancel:
      operation.cancel()
      if actor != nil { judgeMarks(number) }
    case .cancelAndFinish: operation.cancelAndFinish()
    case .prioritise(_, let level):
      operation.queuePriority = Operation.QueuePriority(rounding: level)
    case .quality(_, let level): operation.qualityOfService = Self.quality(level)
    case .depend(_, let other): depend(number, on: other, operation, actor)
    case .undepend(_, let other):
      if let other = self.operation(other, actor) { operation.removeDependency(other) }
    case .inject(_, let source):
      guard let other = self.operation(source, actor) as? ResultOperation<Void>, source < number
      else { return }
      operation.addDependency(on: other) { _ in }
    case .finish: letEnd(number)
    case .finishNow: (operation as? AsyncOperation)?.finish()
    case .open(_, let on): (operation as? Conditional)?.set(open: on)
    case .start: try? operation.tryStart()
    case .main: callMain(of: operation, number)
    case .complete: complete(number, operation)
    case .onFinish:
      facts.handlers.wrappingAdd(1, ordering: .sequentiallyConsistent)
      operation.onFinish { _ in facts.told.wrappingAdd(1, ordering: .sequentiallyConsistent) }
    case .observe: if let actor { observe(number, operation, actor) }
    case .wait: operation.waitUntilFinished()
    case .pause: _ = operation.wait(timeout: .microseconds(30))
    case .await: inTask { await operation.finished() }
    case .require(_, let resource, let amount):
      // What is made of others would hold it while what is inside waits for it.
      guard resources.indices.contains(resource), !program.plans[number].kind.isComposite
      else { return }
      try? operation.tryRequire(resources[resource], amount: amount)
    case .guardBy(_, let gate):
      if gates.indices.contains(gate) { operation.addReadinessCondition(gates[gate]) }
    case .addBlock:
      facts.extraBlocks.wrappingAdd(1, ordering: .sequentiallyConsistent)
      try? (operation as? BlockOperation)?.tryAddExecutionBlock { self.extraBody(number) }
    case .set(_, let setting, let on): set(setting, on, operation)
    case .join(_, let group):
      // A member must not wait for its own group.
      guard let group = self.operation(group, actor) as? GroupOperation, number < step.operations[1]
      else { return }
      try? group.tryAddOperation(operation)
    case .limitGroup(_, let limit):
      (operation as? GroupOperation)?.maxConcurrentOperationCount = limit
    case .suspendGroup(_, let on): (operation as? GroupOperation)?.isSuspended = on
    case .look: look(operation)
    case .drop: if !keepsUnits(number) { actor?.operations[number] = nil }
    default: break
    }
  }

  /// May execute with units of a resource until somebody ends it: gone before, it would never give
  /// them back.
  private func keepsUnits(_ number: Int) -> Bool {
    program.plans[number].kind.isHeld && certainty.requiring.contains(number)
  }

  private func depend(_ number: Int, on other: Int, _ operation: Operation, _ actor: Actor?) {
    guard number != other else { return }
    guard let earlier = self.operation(other, actor) else {
      handle(other)?.addDependency(to: operation)
      return
    }
    try? operation.tryAddDependency(earlier)
    if isSure(number), isOrdered(other, number) {
      sureEdges.withLock { $0.append((other, number)) }
    }
  }

  /// `main()` is public; what a subclass does in its own is the subclass's affair.
  private func callMain(of operation: Operation, _ number: Int) {
    guard program.plans[number].kind.isBuiltIn else { return }
    operation.main()
  }

  private func complete(_ number: Int, _ operation: Operation) {
    if isSure(number) {
      facts[number].hasSureBlock.store(true, ordering: .sequentiallyConsistent)
    }
    operation.completionBlock = {
      let facts = self.facts[number]
      facts.completions.wrappingAdd(1, ordering: .sequentiallyConsistent)
      self.performInside(self.program.plans[number].inCompletion)
      if let other = self.program.plans[number].completionWaitsFor { self.waitInside(other) }
    }
  }

  private func observe(_ number: Int, _ operation: Operation, _ actor: Actor) {
    let facts = facts[number]
    if isSure(number), !facts.hasSureObserver.exchange(true, ordering: .sequentiallyConsistent) {
      actor.observations.append(
        operation.observe(\.isFinished) { _, change in
          guard change.newValue != change.oldValue else { return }
          facts.finishes.wrappingAdd(1, ordering: .sequentiallyConsistent)
        })
    }
    actor.observations.append(operation.observe(\.isReady) { _, _ in })
    actor.observations.append(operation.observe(\.isCancelled) { _, _ in })
    actor.observations.append(operation.observe(\.dependencies) { _, _ in })
  }

  private func set(_ setting: Step.Setting, _ on: Bool, _ operation: Operation) {
    switch setting {
    case .cancelsDependents: operation.cancelDependentsOnCancel = on
    case .keepsFinishedDependencies: operation.retainsFinishedDependencies = on
    case .finishesOnCancel: (operation as? AsyncOperation)?.finishOnCancel = on
    case .runsSerially: (operation as? BlockOperation)?.execution = on ? .serial : .concurrent
    }
  }

  private func look(_ operation: Operation) {
    let flags = (operation.isExecuting, operation.isFinished)
    _ = operation.isReady
    _ = operation.isCancelled
    _ = operation.dependencies.count
    _ = operation.description
    _ = operation.effectiveQualityOfService
    // Read one after the other, so executing may have ended in between; never the other way round.
    if flags.1, operation.isExecuting { fault("\(operation) executes and has finished") }
  }

  /// Calls of a closure that has no object yet.
  private func performOnHandle(_ step: Step, _ number: Int, _ actor: Actor?) {
    guard let handle = handle(number) else { return }
    switch step {
    case .cancel, .cancelAndFinish: handle.cancel()
    case .handle: actor?.operations[number] = handle.operation
    case .pause: _ = handle.wait(timeout: .microseconds(30))
    case .wait: handle.waitUntilFinished()
    case .look: _ = (handle.isFinished, handle.isCancelled)
    case .prioritise(_, let level):
      handle.operation.queuePriority = Operation.QueuePriority(rounding: level)
    case .depend(_, let other):
      // Circles with closures are broken as others are: the end removes the edge.
      guard let earlier = operation(other, actor), other < number else { return }
      try? handle.operation.tryAddDependency(earlier)
    default: break
    }
  }
}
