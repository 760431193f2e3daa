// SPDX-License-Identifier: Apache-2.0

// Bodies that wait without a timeout, where that must have an end.

extension WholeGenerator {
  /// An operation whose body waits for an older one, where that must have an end.
  mutating func addWait() {
    let number = below(program.plans.count)
    guard number > 0 else { return }
    let other = below(number)
    if !program.plans[number].kind.isObject { program.plans[number].kind = .subclass }
    program.plans[number].waitsFor = other
    let steps = program.steps
    insert(.add(number, queue: below(program.queueCount)))
    insert(.add(other, queue: below(program.queueCount)))
    if !program.waitEnds {
      program.plans[number].waitsFor = nil
      program.steps = steps
    }
  }

  /// A resource that an operation holds and others wait for, and a body that waits for an
  /// operation.
  mutating func shareResource() {
    let count = program.plans.count
    let before = program
    let waiter = count + 1
    let steps = chance(2) ? waitOnTop() : waitBesideLimit()
    let added = program
    program.steps = before.steps + steps
    if program.waitEnds { return }
    // Nothing else runs beside it.
    program = added
    program.steps = steps
    program.others = []
    program.graphs = []
    for number in 0..<count {
      let kind = program.plans[number].kind
      program.plans[number] = Plan(kind: kind.isComposite ? .subclass : kind)
    }
    for queue in program.queues.indices where !program.queues[queue].isInline {
      program.queues[queue] = QueuePlan()
    }
    if !program.waitEnds { program.plans[waiter].waitsFor = nil }
  }

  /// What waits for the resource is in an inline queue, and its body waits in turn.
  private mutating func waitOnTop() -> [Step] {
    let (holder, waiter, awaited) = addHolder()
    let (queue, inline) = addQueues()
    program.queues[inline].isInline = true
    let resource = program.resources.count - 1
    var steps: [Step] = [
      .require(holder, resource: resource, amount: 1),
      .require(waiter, resource: resource, amount: 1),
    ]
    if chance(2) { steps.append(.depend(awaited, on: holder)) }
    if chance(3) { steps.append(.limit(queue: queue, 1)) }
    steps += [
      .add(holder, queue: queue), .add(waiter, queue: inline), .add(awaited, queue: queue),
    ]
    if chance(2) { steps.append(.finish(awaited)) }
    return steps + [.finish(holder)]
  }

  /// What is awaited needs the resource, and so does something that needs the slot of the one that
  /// waits.
  private mutating func waitBesideLimit() -> [Step] {
    let (holder, waiter, awaited) = addHolder()
    let (queue, limited) = addQueues()
    let asker = program.plans.count
    program.plans.append(Plan(kind: [.subclass, .block, .callback][below(3)]))
    let resource = program.resources.count - 1
    var steps = [holder, awaited, asker].map {
      Step.require($0, resource: resource, amount: 1)
    }
    steps += [
      .limit(queue: limited, 1), .add(holder, queue: queue), .add(asker, queue: limited),
      .add(waiter, queue: limited), .add(awaited, queue: queue), .finish(holder),
    ]
    if chance(2) { steps.append(.finish(awaited)) }
    return steps
  }

  /// What holds the resource, what waits in its body, and what that waits for.
  private mutating func addHolder() -> (holder: Int, waiter: Int, awaited: Int) {
    let first = program.plans.count
    program.plans += [
      Plan(kind: [.held, .custom, .latched, .subclass][below(4)]), Plan(kind: .subclass),
      Plan(kind: [.subclass, .block, .held][below(3)]),
    ]
    program.plans[first + 1].waitsFor = first + 2
    program.resources.append(1)
    return (first, first + 1, first + 2)
  }

  private mutating func addQueues() -> (first: Int, second: Int) {
    program.queues += [QueuePlan(), QueuePlan()]
    return (program.queueCount - 2, program.queueCount - 1)
  }

  /// An operation is finished inside of its own start, by something that runs on top of it, and its
  /// completion block waits for what needs its slot.
  mutating func finishInside() {
    let first = program.plans.count
    let (inner, awaited) = (first + 1, first + 2)
    var before = program
    before.queues.append(QueuePlan())
    let queue = before.queueCount - 1
    before.plans += [
      Plan(kind: [.held, .callback][below(2)]), Plan(kind: .subclass),
      Plan(kind: [.subclass, .block, .held][below(3)]),
    ]
    before.plans[first].completionWaitsFor = awaited
    var steps: [Step] = [.complete(first)]
    if chance(2) {
      before.plans[first].inBody = [.start(inner)]
      before.plans[inner].inBody = [.finishNow(first)]
    } else {
      before.plans[first].inBody = [.cancelAndFinish(inner)]
      before.plans[inner].inCompletion = [.finishNow(first)]
      steps.append(.complete(inner))
    }
    if !chance(4) { steps.append(.limit(queue: queue, 1)) }
    steps += [.add(first, queue: queue), .add(awaited, queue: queue)]
    if chance(2) { steps.append(.finish(awaited)) }
    // Among the rest, where the wait must end beside it.
    program = before
    program.steps = before.steps + steps
    if program.waitEnds { return }
    program.steps = steps
    program.others = []
    program.graphs = []
    for number in 0..<first { program.plans[number] = Plan(kind: .subclass) }
    for queue in program.queues.indices { program.queues[queue] = QueuePlan() }
  }

  /// Somewhere among the first thread's steps.
  private mutating func insert(_ step: Step) {
    program.steps.insert(step, at: below(program.steps.count + 1))
  }
}
