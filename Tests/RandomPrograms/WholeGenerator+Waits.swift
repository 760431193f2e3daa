// SPDX-License-Identifier: Apache-2.0

// Bodies that wait without a timeout, where that must have an end.

extension WholeGenerator {
  /// An operation whose body waits for an older one, where that must have an end.
  mutating func addWait() {
    let number = below(program.plans.count)
    guard number > 0 else { return }
    let other = below(number)
    if program.plans[number].kind == .closure || program.plans[number].kind == .barrier {
      program.plans[number].kind = .subclass
    }
    program.plans[number].waitsFor = other
    let steps = program.steps
    insert(.add(number, queue: below(program.queueCount)))
    insert(.add(other, queue: below(program.queueCount)))
    if !program.waitEnds {
      program.plans[number].waitsFor = nil
      program.steps = steps
    }
  }

  /// A resource that an operation of one queue holds and one of an inline queue waits for, whose body waits in turn.
  mutating func shareResource() {
    let count = program.plans.count
    let (holder, waiter, awaited) = (count, count + 1, count + 2)
    program.plans += [Plan(kind: [.held, .custom, .latched, .subclass][below(4)])]
    program.plans += [Plan(kind: .subclass), Plan(kind: [.subclass, .block, .held][below(3)])]
    program.queues += [QueuePlan(), QueuePlan()]
    let (queue, inline) = (program.queueCount - 2, program.queueCount - 1)
    program.queues[inline].isInline = true
    program.resources += [1]
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
    steps.append(.finish(holder))
    program.plans[waiter].waitsFor = awaited
    let before = program
    program.steps += steps
    if program.waitEnds { return }
    // Nothing else runs beside it.
    program = before
    program.steps = steps
    program.others = []
    for number in 0..<count {
      let kind = program.plans[number].kind
      program.plans[number] = Plan(kind: kind.isComposite ? .subclass : kind)
    }
    program.graphs = []
    for queue in program.queues.indices where !program.queues[queue].isInline {
      program.queues[queue] = QueuePlan()
    }
    if !program.waitEnds { program.plans[waiter].waitsFor = nil }
  }

  /// Somewhere among the first thread's steps.
  private mutating func insert(_ step: Step) {
    program.steps.insert(step, at: below(program.steps.count + 1))
  }
}
