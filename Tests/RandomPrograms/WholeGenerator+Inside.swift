// SPDX-License-Identifier: Apache-2.0

// What bodies do with the queue that they run in, inside of what is made of others.

extension WholeGenerator {
  /// Gives bodies inside of something steps on their own queue, other threads what is handed out.
  mutating func addInside() {
    let composites = program.plans.indices.filter {
      program.plans[$0].kind == .retry || !program.plans[$0].members.isEmpty
    }
    let owner = composites.isEmpty ? makeRetry() : composites[below(composites.count)]
    for body in bodies(of: owner) {
      let steps = onOwn()
      if program.plans[body].kind == .retry, chance(2) {
        program.plans[body].inAttempt = steps
      } else {
        program.plans[body].inBody = steps
      }
    }
    if !chance(6) { insertEarly(.add(owner, queue: below(program.queueCount))) }
    let isHandedOut = program.inside.contains(.handOut)
    for thread in program.others.indices where isHandedOut {
      program.others[thread] += [.takeOver] + (0...below(4)).map { _ in onHanded() }
      if chance(6) { program.others[thread].append(.waitForQueue(Step.handedQueue)) }
    }
    if isHandedOut, program.others.isEmpty, chance(2) {
      program.steps.append(.takeOver)
      program.steps += (0...below(3)).map { _ in onHanded() }
    }
    guard program.waitForFreshEnds else { return }
    for number in program.plans.indices {
      let steps = (program.plans[number].inBody, program.plans[number].inAttempt)
      program.plans[number].inBody = steps.0.map { waiting($0) }
      program.plans[number].inAttempt = steps.1.map { waiting($0) }
    }
  }

  /// A batch whose order is to be seen.
  mutating func addBatch() {
    insertEarly(.fresh(fresh(), queue: Step.newQueue))
  }

  private mutating func makeRetry() -> Int {
    let number = below(program.plans.count)
    program.plans[number].kind = .retry
    program.plans[number].extraBlocks = 0
    program.plans[number].inCancel = []
    return number
  }

  /// Up to two operations whose bodies run inside of the owner; of a retry, itself.
  private mutating func bodies(of owner: Int) -> [Int] {
    if program.plans[owner].kind == .retry { return [owner] }
    var found: [Int] = []
    for member in program.plans[owner].members where found.count < 2 && !chance(3) {
      if program.plans[member].kind == .plain { program.plans[member].kind = .subclass }
      found.append(member)
    }
    return found
  }

  private mutating func onOwn() -> [Step] {
    var steps = (0...below(5)).map { _ in onQueue(Step.ownQueue) }
    if steps.contains(.suspend(queue: Step.ownQueue, true)), !chance(4) {
      steps.append(.suspend(queue: Step.ownQueue, false))
    }
    if chance(4) { steps.insert(.handOut, at: below(steps.count + 1)) }
    // From halves of a fork now and then.
    if chance(12) { steps = [.both(steps, [onQueue(Step.ownQueue)])] }
    return steps
  }

  private mutating func onHanded() -> Step {
    chance(8) ? .pause(anybody()) : onQueue(Step.handedQueue)
  }

  private mutating func onQueue(_ queue: Int) -> Step {
    switch below(34) {
    case 0..<7: return .add(anybody(), queue: queue)
    case 7..<9: return .addAll([anybody(), anybody()], queue: queue, waits: false)
    case 9..<16: return .fresh(fresh(), queue: queue)
    case 16: return .suspend(queue: queue, true)
    case 17: return .suspend(queue: queue, false)
    case 18, 19: return .limit(queue: queue, [1, 1, 2, -1, 0][below(5)])
    case 20: return .cancelAll(queue: queue)
    case 21: return queue == Step.ownQueue ? .cancelOwner : .cancel(anybody())
    case 22, 23: return .pauseForQueue(queue)
    case 24: return .awaitQueue(queue)
    case 25: return chance(2) ? .invalidate(queue: queue) : .cancelAll(queue: queue)
    case 26: return .list(queue: queue)
    case 27: return [.report(queue: queue), .name(queue: queue)][below(2)]
    case 28: return .queueQuality(queue: queue, below(5))
    case 29: return .events(queue: queue, !chance(4))
    case 30: return .pause(anybody())
    case 31: return .retain(queue: queue, chance(2))
    case 32:
      let pair = [anybody(), anybody()].sorted()
      return pair[0] == pair[1] ? .list(queue: queue) : .depend(pair[1], on: pair[0])
    default: return queue == Step.ownQueue ? .handOut : .list(queue: queue)
    }
  }

  private mutating func anybody() -> Int { below(program.plans.count) }

  private mutating func fresh() -> Fresh {
    var fresh = Fresh(seed: UInt64(below(1 << 20)))
    fresh.hasBarrier = chance(8)
    return fresh
  }

  private mutating func waiting(_ step: Step) -> Step {
    guard case .fresh(var fresh, Step.ownQueue) = step, chance(2) else { return step }
    fresh.waits = true
    return .fresh(fresh, queue: Step.ownQueue)
  }

  /// Somewhere among the first thread's steps.
  private mutating func insertEarly(_ step: Step) {
    program.steps.insert(step, at: below(program.steps.count + 1))
  }
}
