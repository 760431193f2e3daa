// SPDX-License-Identifier: Apache-2.0

extension Prediction {
  /// Lets everything happen that happens by itself; false when timing would decide what that is.
  mutating func settle() -> Bool {
    guard let reach = reach() else { return false }
    for queue in queues.indices where !isDetermined(queue, reach) { return false }
    var isMoving = true
    while isMoving {
      isMoving = false
      for queue in queues.indices {
        while let next = next(queue) {
          run(next)
          isMoving = true
        }
      }
    }
    if meetsDefectInside { return false }
    // Avoids `KnownDefect.cancelledNeedsSlot`; whether a limit of 0 lets them go the statements
    // leave open.
    return !plans.indices.contains { number in
      needsNoSlot(number) && isStartable(number)
    }
  }

  /// The best startable operation of a queue with a free slot.
  private func next(_ queue: Int) -> Int? {
    let hasRoom = room(queue) != 0
    let isSkipping = !avoidsDefects && queues[queue].limit != 0
    return queues[queue].members.filter { number in
      isStartable(number)
        && (hasRoom || isSkipping && needsNoSlot(number))
    }.min { one, two in
      (-operations[one].priority, operations[one].key)
        < (-operations[two].priority, operations[two].key)
    }
  }

  // MARK: Running

  mutating func run(_ number: Int) {
    if operations[number].isToBeSkipped { return finish(number) }
    operations[number].phase = .executing
    begun.append(number)
    let edges = (operations[number].dependencies + operations[number].older).map { ($0, number) }
    self.edges += edges
    if plans[number].kind != .plain { operations[number].runs += 1 }
    perform(inside: plans[number].inBody)
    if !plans[number].kind.isHeld { finish(number) }
  }

  mutating func finish(_ number: Int) {
    operations[number].phase = .finished
    if let queue = operations[number].queue { queues[queue].members.removeAll { $0 == number } }
    guard operations[number].hasCompletionBlock else { return }
    operations[number].completions += 1
    perform(inside: plans[number].inCompletion)
  }

  /// What a body or a completion block does; `reach()` has seen that it is safe.
  private mutating func perform(inside steps: [Step]) {
    for step in steps {
      switch step {
      case .add(let number, let queue):
        guard operations[number].phase == .idle else { continue }
        guard add(number, queue) else {
          meetsDefectInside = true
          continue
        }
        operations[number].hasPromisedPlace = false
        queues[queue].hasKnownOrder = false
        addedByBodies.insert(queue)
        arrivedByBodies.insert(number)
      case .cancel(let number):
        if !isFinished(number) { operations[number].isCancelled = true }
      case .finish(let number): if isExecuting(number) { finish(number) }
      case .start(let number): if operations[number].phase == .idle { run(number) }
      default: continue
      }
    }
  }

  // MARK: What timing could decide

  /// What may happen while things settle, whatever the order.
  struct Reach {
    /// May begin or be skipped.
    var isReached: [Bool]
    /// The queue an operation may be in by then.
    var queue: [Int?]
  }

  /// Follows every cause; nil when what a body or a completion block does would meet an unknown
  /// state.
  private func reach() -> Reach? {
    let no = plans.indices.map { _ in false }
    var queueOf = operations.map(\.queue)
    var runnable = no
    var skippable = no
    var inside = Inside(mayBeCancelled: no, arrives: no, mayEnd: no, starts: no)
    func isDone(_ number: Int) -> Bool {
      if isFinished(number) || skippable[number] || inside.mayEnd[number] { return true }
      return runnable[number] && (!plans[number].kind.isHeld || operations[number].isToBeSkipped)
    }
    func mayMove(_ number: Int) -> Bool {
      guard isPending(number) || inside.arrives[number], let queue = queueOf[number] else {
        return false
      }
      let older =
        inside.arrives[number]
        ? queues[queue].members.filter { plans[$0].kind == .barrier } : operations[number].older
      return !queues[queue].isSuspended && queues[queue].limit != 0 && older.allSatisfy(isDone)
    }
    var isGrowing = true
    while isGrowing {
      isGrowing = false
      for number in plans.indices where !runnable[number] {
        let operation = operations[number]
        let isFree = operation.isToBeSkipped || operation.dependencies.allSatisfy(isDone)
        if inside.starts[number] || mayMove(number) && operation.isOpen && isFree {
          runnable[number] = true
        } else if mayMove(number), inside.mayBeCancelled[number], !skippable[number] {
          skippable[number] = true
        } else {
          continue
        }
        isGrowing = true
        if runnable[number], !operation.isToBeSkipped {
          guard inside.note(plans[number].inBody, in: self, &queueOf) else { return nil }
        }
        let ends = operation.isToBeSkipped || !plans[number].kind.isHeld || skippable[number]
        if operation.hasCompletionBlock, ends {
          guard inside.note(plans[number].inCompletion, in: self, &queueOf) else { return nil }
        }
      }
    }
    guard inside.meetsKnownStates(in: self, runnable) else { return nil }
    return Reach(isReached: zip(runnable, skippable).map { $0 || $1 }, queue: queueOf)
  }

  /// Whether everybody starts who may, or nobody, or a promised order says who.
  private mutating func isDetermined(_ queue: Int, _ reach: Reach) -> Bool {
    guard let room = room(queue) else { return true }
    let wanting = plans.indices.filter {
      reach.isReached[$0] && reach.queue[$0] == queue && !isFinished($0) && !isExecuting($0)
    }
    if room == 0 || wanting.isEmpty { return true }
    let isPromised = wanting.allSatisfy { number in
      isStartable(number) && operations[number].hasPromisedPlace
        && !needsNoSlot(number)
    }
    if isPromised, queues[queue].limit == 1 { orderedQueues.append(queue) }
    let staying = wanting.count { plans[$0].kind.isHeld && !operations[$0].isToBeSkipped }
    return staying < room || staying == wanting.count && staying == room || isPromised
  }
}
