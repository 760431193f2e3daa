// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives

/// Makes programs from seeds: the same seed gives the same program.
package struct ProgramGenerator {
  private var random: SeededGenerator
  private let seed: UInt64
  private let avoidsDefects: Bool
  private var shape = Shape.free
  private static let levels = [-8, -4, 0, 4, 8]
  private static let kinds: [Kind] = [
    .plain, .block, .block, .subclass, .subclass, .subclass, .conditional, .held, .held, .custom,
    .closure, .closure, .barrier, .barrier,
  ]

  /// What a program dwells on.
  private enum Shape: CaseIterable {
    case free
    /// A serial queue fills up while it is suspended.
    case ordered
    /// Operations that stay under way fill a queue with a limit.
    case limited

    var kinds: [Kind] {
      switch self {
      case .free: ProgramGenerator.kinds
      case .ordered: [.block, .subclass, .subclass, .conditional, .closure, .held]
      case .limited: [.held, .held, .custom, .subclass, .block]
      }
    }
  }

  /// With `avoidsDefects` for a comparison with Foundation.
  package init(seed: UInt64, avoidsDefects: Bool = true) {
    self.seed = seed
    self.avoidsDefects = avoidsDefects
    random = SeededGenerator(seed: seed)
  }

  /// A program that can be brought to its end.
  package mutating func script() -> Script {
    while true {
      if let script = Script(program(), avoidsDefects: avoidsDefects) { return script }
    }
  }

  private mutating func program() -> Program {
    shape = Shape.allCases[random.index(below: 3)]
    let queueCount = 1 + random.index(below: 3)
    let kinds = shape.kinds
    var plans = (0..<4 + random.index(below: 11)).map { _ in
      Plan(kind: kinds[random.index(below: kinds.count)])
    }
    if chance(4) { plans[random.index(below: plans.count)].kind = .latched }
    for number in plans.indices {
      if plans[number].kind == .block, chance(3) {
        plans[number].extraBlocks = 1 + random.index(below: 2)
      }
      // The base class itself has no body.
      if plans[number].kind != .plain, chance(10) {
        plans[number].inBody = inside(plans, number, queueCount)
      }
      if chance(14) { plans[number].inCompletion = inside(plans, number, queueCount) }
    }
    var program = Program(seed: seed, queueCount: queueCount, plans: plans, steps: [])
    var prediction = Prediction(
      plans: plans, queueCount: queueCount, avoidsDefects: avoidsDefects)
    if shape == .ordered { take(.suspend(queue: 0, true), &program, &prediction) }
    let limit = shape == .ordered ? 1 : 1 + random.index(below: 3)
    if shape != .free { take(.limit(queue: 0, limit), &program, &prediction) }
    for queue in shape == .free ? 0..<queueCount : 1..<queueCount {
      if chance(3) { take(.limit(queue: queue, 1 + random.index(below: 3)), &program, &prediction) }
      if chance(3) { take(.suspend(queue: queue, true), &program, &prediction) }
    }
    if !avoidsDefects {
      for number in plans.indices where plans[number].kind == .held && chance(4) {
        if chance(3) { skip(number, &program, &prediction) }
        take(.finishNow(number), &program, &prediction)
      }
      if chance(4) { occupy(&program, &prediction) }
    }
    for _ in 0..<10 + random.index(below: 30) {
      take(step(program, prediction), &program, &prediction)
    }
    return program
  }

  /// Takes the step if it is allowed now.
  private func take(_ step: Step, _ program: inout Program, _ prediction: inout Prediction) {
    var next = prediction
    guard next.advance(step) else { return }
    prediction = next
    program.steps.append(step)
  }

  /// Another job may keep the worker that ran the last operation of a queue when a barrier comes.
  private mutating func occupy(_ program: inout Program, _ prediction: inout Prediction) {
    let queue = random.index(below: program.queueCount)
    let number = random.index(below: program.plans.count)
    take(.together([.add(number, queue: queue), .occupy]), &program, &prediction)
    if let barrier = program.plans.firstIndex(where: { $0.kind == .barrier }) {
      take(.add(barrier, queue: queue), &program, &prediction)
    }
  }

  /// A suspended queue is to let go of what is cancelled.
  private mutating func skip(
    _ number: Int, _ program: inout Program, _ prediction: inout Prediction
  ) {
    let queue = random.index(below: program.queueCount)
    take(.suspend(queue: queue, true), &program, &prediction)
    take(.add(number, queue: queue), &program, &prediction)
    take(.cancel(number), &program, &prediction)
  }

  private mutating func chance(_ bound: Int) -> Bool { random.index(below: bound) == 0 }

  /// Up to two calls made by a body or a completion block.
  private mutating func inside(_ plans: [Plan], _ number: Int, _ queueCount: Int) -> [Step] {
    var steps: [Step] = []
    for _ in 0..<1 + random.index(below: 2) {
      let other = random.index(below: plans.count)
      guard other != number, plans[other].kind != .barrier else { continue }
      let isObject = plans[other].kind.isObject
      switch random.index(below: 6) {
      case 0, 1: if isObject { steps.append(.cancel(other)) }
      case 2: if plans[other].kind.isHeld { steps.append(.finish(other)) }
      case 3: if isObject { steps.append(.start(other)) }
      default: steps.append(.add(other, queue: random.index(below: queueCount)))
      }
    }
    return steps
  }

  /// A step, allowed or not.
  private mutating func step(_ program: Program, _ prediction: Prediction) -> Step {
    let count = program.plans.count
    let number = random.index(below: count)
    let other = random.index(below: count)
    let queue = shape != .free && chance(2) ? 0 : random.index(below: program.queueCount)
    let isHeld = program.plans[number].kind.isHeld
    switch random.index(below: 30) {
    case 0...6: return .add(number, queue: queue)
    case 7: return .addAll(some(count), queue: queue, waits: chance(3))
    case 8: return .together(some(count).map { .add($0, queue: queue) })
    case 9...11: return .depend(max(number, other), on: min(number, other))
    case 12: return .undepend(number, on: other)
    case 13, 14: return .prioritise(number, Self.levels[random.index(below: 5)])
    case 15, 16: return .cancel(number)
    case 17: return .cancelAll(queue: queue)
    case 18, 19: return .suspend(queue: queue, !prediction.queues[queue].isSuspended)
    case 20: return .limit(queue: queue, random.index(below: 5) - 1)
    case 21, 22:
      return isHeld ? .finish(number) : .open(number, !prediction.operations[number].isOpen)
    case 23, 24: return .complete(number)
    case 25: return .start(number)
    case 26: return prediction.waiters.count < 3 ? .wait(number) : .list(queue: queue)
    case 27: return prediction.waiters.count < 3 ? .waitForQueue(queue) : .finish(number)
    case 28: return avoidsDefects ? .finish(number) : .finishNow(number)
    default: return .list(queue: queue)
    }
  }

  /// Two to five different operations.
  private mutating func some(_ count: Int) -> [Int] {
    var numbers: [Int] = []
    for _ in 0..<2 + random.index(below: 4) {
      let number = random.index(below: count)
      if !numbers.contains(number) { numbers.append(number) }
    }
    return numbers
  }
}
