// SPDX-License-Identifier: Apache-2.0

extension Prediction {
  /// Takes a step and lets everything happen that it causes; false when a program must not take it
  /// now.
  ///
  /// The prediction is of no use after false.
  mutating func advance(_ step: Step) -> Bool {
    listed = nil
    orderedQueues = []
    begun = []
    addedByBodies = []
    arrivedByBodies = []
    guard perform(step), settle() else { return false }
    if case .addAll(let numbers, _, true) = step, !numbers.allSatisfy(isFinished) { return false }
    return updateWaiters()
  }

  private mutating func perform(_ step: Step) -> Bool {
    switch step {
    case .add(let number, let queue): return add(number, queue)
    case .addAll(let numbers, let queue, _):
      return numbers.allSatisfy { plans[$0].kind.isObject } && numbers.allSatisfy { add($0, queue) }
    case .together(let steps): return addTogether(steps)
    case .cancel(let number): return cancel(number)
    case .cancelAll(let queue): return cancelAll(queue)
    case .suspend(let queue, let on):
      queues[queue].isSuspended = on
      return true
    case .limit(let queue, let limit):
      queues[queue].limit = limit
      return true
    case .prioritise(let number, let level): return prioritise(number, level)
    case .depend(let number, let other): return depend(number, on: other)
    case .undepend(let number, let other): return undepend(number, on: other)
    case .finish(let number):
      guard plans[number].kind.isHeld, isExecuting(number) else { return false }
      guard addsOnly(plans[number].inCompletion) else { return false }
      finish(number)
      return true
    case .finishNow(let number): return finishNow(number)
    case .occupy: return occupy()
    case .open(let number, let on): return open(number, on)
    case .start(let number): return start(number)
    case .complete(let number):
      guard plans[number].kind.isObject else { return false }
      if !isFinished(number) { operations[number].hasCompletionBlock = true }
      return true
    case .wait(let number):
      guard plans[number].kind.isObject else { return false }
      waiters.append(.operation(number))
      return true
    case .waitForQueue(let queue):
      waiters.append(.queue(queue))
      return true
    case .list(let queue):
      guard queues[queue].hasKnownOrder else { return false }
      listed = members(queue).map { plans[$0].kind.isObject ? $0 : -1 }
      return true
    // Foundation has no such call.
    default: return false
    }
  }

  // MARK: Adding

  mutating func add(_ number: Int, _ queue: Int) -> Bool {
    guard operations[number].phase == .idle else { return false }
    let isBarrier = plans[number].kind == .barrier
    // Avoids `KnownDefect.barrierOnEmptyQueue`.
    if avoidsDefects, isBarrier, queues[queue].members.isEmpty { return false }
    // Avoids `KnownDefect.cancelledAddedBehindBarrier`.
    if operations[number].isCancelled, hasBarrier(queue) { return false }
    sequence += 1
    operations[number].phase = .pending
    operations[number].queue = queue
    operations[number].key = sequence
    operations[number].older =
      isBarrier
      ? queues[queue].members : queues[queue].members.filter { plans[$0].kind == .barrier }
    if queues[queue].members.isEmpty { queues[queue].hasKnownOrder = true }
    queues[queue].members.append(number)
    operations[number].hasPromisedPlace =
      isReady(number) && !isBehindBarrier(number) && !operations[number].isToBeSkipped
      && queues[queue].hasKnownOrder
    return true
  }

  private mutating func addTogether(_ steps: [Step]) -> Bool {
    for step in steps {
      switch step {
      case .add(let number, let queue):
        guard add(number, queue) else { return false }
        if !queues[queue].isSuspended { operations[number].hasPromisedPlace = false }
      case .addAll(let numbers, let queue, false):
        for number in numbers {
          guard plans[number].kind.isObject, add(number, queue) else { return false }
          if !queues[queue].isSuspended { operations[number].hasPromisedPlace = false }
        }
      case .occupy: guard occupy() else { return false }
      default: return false
      }
      // A barrier may find the queue empty or not.
      if case .add(let number, _) = step, plans[number].kind == .barrier { return false }
    }
    // A queue may become empty between two additions, which who waits for it sees or not.
    let meetsWaiter = waiters.indices.contains { index in
      guard !returned[index], case .queue = waiters[index] else { return false }
      return true
    }
    if meetsWaiter { return false }
    // What the first ones cause runs before or after the others are added: it must not concern
    // those.
    let added = Set(steps.flatMap(\.added))
    return plans.allSatisfy { plan in
      (plan.inBody + plan.inCompletion).allSatisfy { inside in
        guard let number = inside.number else { return true }
        return !added.contains(number)
      }
    }
  }

  // MARK: Cancelling

  private mutating func cancel(_ number: Int) -> Bool {
    guard plans[number].kind.isObject else { return false }
    if isFinished(number) { return true }
    if !isExecuting(number) {
      // Avoids `KnownDefect.cancelledCondition`.
      guard operations[number].isOpen else { return false }
      // Avoids `KnownDefect.cancelledBehindBarrier`.
      if isPending(number), isBehindBarrier(number) { return false }
      if !isReady(number) { operations[number].hasPromisedPlace = false }
    }
    operations[number].isCancelled = true
    return true
  }

  private mutating func cancelAll(_ queue: Int) -> Bool {
    // Avoids `KnownDefect.cancelledBarrier`.
    if hasBarrier(queue) { return false }
    let members = queues[queue].members
    let pending = members.filter(isPending)
    for number in pending {
      guard operations[number].isOpen else { return false }
      // Avoids `KnownDefect.cancelAllOneByOne`.
      if avoidsDefects, !queues[queue].isSuspended,
        operations[number].dependencies.contains(where: isPending)
      {
        return false
      }
    }
    for number in members {
      if isPending(number), !isReady(number) { operations[number].hasPromisedPlace = false }
      operations[number].isCancelled = true
    }
    return true
  }

  // MARK: Finishing early

  /// `finish()` of what has not started.
  ///
  /// Its queue lets go of it at once, whatever it waits for. In no queue the one that takes it does
  /// so (contract 66).
  private mutating func finishNow(_ number: Int) -> Bool {
    // Foundation has no such call. What drives its own state must not have finished when it is
    // added.
    guard !avoidsDefects, plans[number].kind == .held else { return false }
    // A second call changes nothing (contract 69).
    if operations[number].isToldToFinish { return true }
    switch operations[number].phase {
    case .idle:
      operations[number].isToldToFinish = true
      return true
    case .pending:
      // What only a barrier holds back has finished, and leaves after the barrier.
      guard !isBehindBarrier(number), addsOnly(plans[number].inCompletion) else { return false }
      operations[number].isToldToFinish = true
      finish(number)
      return true
    case .executing, .finished: return false
    }
  }

  // MARK: Editing

  private mutating func prioritise(_ number: Int, _ level: Int) -> Bool {
    guard plans[number].kind.isObject else { return false }
    guard operations[number].priority != level else { return true }
    operations[number].priority = level
    sequence += 1
    operations[number].key = sequence
    return true
  }

  private mutating func depend(_ number: Int, on other: Int) -> Bool {
    guard other < number, plans[number].kind.isObject, plans[other].kind.isObject else {
      return false
    }
    // Avoids `KnownDefect.editAfterStart`.
    guard operations[number].phase == .idle || isPending(number) else { return false }
    if operations[number].dependencies.contains(other) { return true }
    operations[number].dependencies.append(other)
    if !isReady(number) { operations[number].hasPromisedPlace = false }
    return true
  }

  private mutating func undepend(_ number: Int, on other: Int) -> Bool {
    guard number != other, plans[number].kind.isObject, plans[other].kind.isObject else {
      return false
    }
    // Avoids `KnownDefect.editAfterStart`.
    guard operations[number].phase == .idle || isPending(number) else { return false }
    guard let place = operations[number].dependencies.firstIndex(of: other) else { return true }
    // Avoids `KnownDefect.removedDependency`.
    guard !avoidsDefects || isFinished(other) && !operations[number].isCancelled else {
      return false
    }
    operations[number].dependencies.remove(at: place)
    return true
  }

  private mutating func open(_ number: Int, _ on: Bool) -> Bool {
    guard plans[number].kind == .conditional, !operations[number].isCancelled,
      operations[number].phase == .idle || isPending(number)
    else { return false }
    operations[number].isOpen = on
    if !on { operations[number].hasPromisedPlace = false }
    return true
  }

  // MARK: Starting by hand

  private mutating func start(_ number: Int) -> Bool {
    let kind = plans[number].kind
    guard kind.isObject else { return false }
    if isFinished(number) { return true }
    // A latched one would hold the thread that takes the steps.
    guard operations[number].phase == .idle, isReady(number), kind != .latched else { return false }
    guard addsOnly(plans[number].inBody + plans[number].inCompletion) else { return false }
    run(number)
    return true
  }

  /// What runs inside the step itself is not seen by `reach()`: there it may add only.
  private func addsOnly(_ steps: [Step]) -> Bool {
    steps.allSatisfy { if case .add = $0 { true } else { false } }
  }

  // MARK: Occupying

  /// One worker at most is kept from operations: a scheduler with two goes on.
  private mutating func occupy() -> Bool {
    guard !avoidsDefects, !isOccupied, !plans.contains(where: { $0.kind == .latched }) else {
      return false
    }
    isOccupied = true
    return true
  }

  // MARK: Waiting

  private mutating func updateWaiters() -> Bool {
    for (index, waiter) in waiters.enumerated() {
      if index == returned.count { returned.append(false) }
      if returned[index] { continue }
      switch waiter {
      case .operation(let number): returned[index] = isFinished(number)
      case .queue(let queue):
        // A queue that was empty for a moment may have let the thread go.
        if addedByBodies.contains(queue) { return false }
        returned[index] = queues[queue].members.isEmpty
      }
    }
    return true
  }
}
