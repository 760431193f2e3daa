// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives

/// Makes programs of the whole public API from seeds: the same seed gives the same program.
///
/// Programs are short. Each draws the kinds of steps that it uses, and a few operations and queues
/// that most steps concern, so that calls meet on the same objects in every combination.
package struct WholeGenerator {
  private var random: SeededGenerator
  private let seed: UInt64
  private var weights: [Int] = []
  /// Forks around the step that is drawn.
  private var depth = 0
  private var hot: [Int] = []
  private var hotQueue = 0
  /// Executes in the hot queue from the beginning, until something ends it.
  private var holder: Int?
  /// A barrier behind that.
  private var wall: Int?
  var program: Program
  private static let levels = [-8, -4, 0, 4, 8]
  private static let kinds: [Kind] = [
    .plain, .block, .block, .subclass, .subclass, .conditional, .held, .held, .held, .custom,
    .custom, .latched, .latched, .closure, .storedBody, .barrier, .barrier, .result, .resultTask,
    .task, .callback, .callback, .cancelling, .group, .cancellingGroup, .timeout, .retry, .graph,
  ]

  package init(seed: UInt64) {
    self.seed = seed
    random = SeededGenerator(seed: seed)
    // Neighbouring seeds are unlike each other from the first draw on.
    _ = random.next()
    program = Program(seed: seed, queueCount: 1, plans: [], steps: [])
  }

  /// The program of the seed.
  package mutating func make() -> Program {
    makeObjects()
    chooseSteps()
    for graph in program.graphs.indices where chance(3) {
      program.graphs[graph].inNode = inside()
    }
    makeSteps()
    for number in program.plans.indices {
      let plan = program.plans[number]
      if plan.kind == .latched, chance(2) { program.plans[number].announcesBlocking = true }
      if plan.kind != .plain, chance(7) { program.plans[number].inBody = inside() }
      if chance(9) { program.plans[number].inCompletion = inside() }
      if plan.kind.overridesCancel, chance(2) { program.plans[number].inCancel = inside() }
    }
    if chance(3) { addInside() }
    if chance(12) { addBatch() }
    if chance(24) {
      shareResource()
    } else if chance(24) {
      finishInside()
    } else if chance(3) {
      addWait()
    }
    return program
  }

  // MARK: Objects

  private mutating func makeObjects() {
    let count = 2 + below(4) + (chance(2) ? below(4) : 0) + (chance(5) ? below(4) : 0)
    var plans = (0..<count).map { _ in Plan(kind: Self.kinds[below(Self.kinds.count)]) }
    // Programs of few kinds meet more often on the same ground.
    if chance(3) {
      let favourite = Self.kinds[below(Self.kinds.count)]
      for number in plans.indices where chance(2) { plans[number].kind = favourite }
    }
    hot = (0...below(3)).map { _ in below(count) }
    if chance(3) { plans[hot[0]].kind = [.held, .task, .callback][below(3)] }
    if chance(3) { holdUp(&plans) }
    var free = Set<Int>()
    for number in plans.indices {
      if plans[number].kind == .block, chance(3) { plans[number].extraBlocks = 1 + below(2) }
      let candidates = free.sorted()
      switch plans[number].kind {
      case .group, .cancellingGroup: plans[number].members = candidates.filter { _ in chance(2) }
      case .timeout:
        if candidates.isEmpty {
          plans[number].kind = .subclass
        } else {
          plans[number].members = [candidates[below(candidates.count)]]
        }
      default: break
      }
      free.subtract(plans[number].members)
      if plans[number].kind.isObject { free.insert(number) }
    }
    program = Program(
      seed: seed, queueCount: [1, 1, 2, 2, 2, 3][below(6)], plans: plans, steps: [])
    for queue in program.queues.indices {
      if chance(12) { program.queues[queue].startsInOrder = true }
      if chance(6) { program.queues[queue].policy = UInt8(below(4)) }
      if chance(12) { program.queues[queue].isInline = true }
    }
    for number in plans.indices where plans[number].kind == .graph {
      program.plans[number].graph = graph()
    }
    if chance(4) { program.graphs = (0...below(2)).map { _ in graph() } }
    if chance(3) { program.resources = (0...below(2)).map { _ in chance(3) ? 2 : 1 } }
    if chance(4) { program.gates = 1 }
    hotQueue = below(program.queueCount)
  }

  /// Chooses what executes for long, and perhaps a barrier that waits for it.
  private mutating func holdUp(_ plans: inout [Plan]) {
    let others = plans.indices.filter { $0 != hot[0] }
    let first = others[below(others.count)]
    plans[first].kind = [.held, .custom, .latched][below(3)]
    holder = first
    let number = others[below(others.count)]
    guard number != first, chance(2) else { return }
    plans[number].kind = .barrier
    wall = number
  }

  /// What stands before the other steps: calls that come too early in most programs, or too late.
  private mutating func prepare() {
    if let holder, !program.resources.isEmpty, chance(2) { program.steps.append(require(holder)) }
    if let holder { program.steps.append(.add(holder, queue: hotQueue)) }
    if let wall { program.steps.append(.add(wall, queue: hotQueue)) }
    for number in program.plans.indices where number > 0 && chance(4) {
      program.steps.append(.depend(number, on: below(number)))
    }
    let early = hot[0]
    if program.plans[early].kind.isAsync, chance(2) {
      if chance(3) { skip(early) }
      program.steps.append(.finishNow(early))
      if chance(2) { edit(early) }
    }
    if chance(3) { program.steps.append(.add(early, queue: hotQueue)) }
    if chance(12) { cancelSource() }
  }

  /// What passes its cancellation on is cancelled, and something has depended on it.
  private mutating func cancelSource() {
    let source = operation()
    let dependent = below(program.plans.count)
    guard source != dependent else { return }
    program.steps += [
      .set(source, .cancelsDependents, true), .depend(dependent, on: source),
      .undepend(dependent, on: source),
    ]
    if chance(4) { program.steps.append(.depend(dependent, on: source)) }
    program.steps += [.cancel(source), .add(source, queue: hotQueue)]
  }

  /// A queue that starts nothing is to let go of what is cancelled.
  private mutating func skip(_ early: Int) {
    program.steps += [
      chance(2) ? .suspend(queue: hotQueue, true) : .limit(queue: hotQueue, 0),
      .add(early, queue: hotQueue), .cancel(early),
    ]
  }

  /// Adds what was told to finish, and changes what the queue may start while that is on its way.
  private mutating func edit(_ early: Int) {
    program.steps.append(.add(early, queue: hotQueue))
    if early > 0 { program.steps.append(.depend(early, on: below(early))) }
    if chance(2) { program.steps.append(.limit(queue: hotQueue, 1 + below(2))) }
  }

  /// Up to five nodes.
  private mutating func graph() -> GraphPlan {
    var plan = GraphPlan()
    for number in 1...1 + below(4) {
      plan.nodes.append((0..<number).filter { _ in chance(2) })
    }
    return plan
  }

  // MARK: Steps

  /// What a step is; the number is its weight.
  private enum Call: Int, CaseIterable {
    case add, addAll, cancel, cancelAll, suspend, limit, prioritise, depend, undepend, finish, open
    case start, complete, list, finishNow, cancelAndFinish, main, require, guardBy, openGate
    case observe, observeQueue, events, onFinish, await, awaitQueue, handle, addBlock, drop
    case dropQueue, name, quality, queueQuality, invalidate, report, set, join, limitGroup
    case suspendGroup, inject, look, pause, pauseForQueue, meet, startNow, finishThrowing, both,
      each
    case blocking, validate, move, run, runAndWait, cancelRun, pauseForRun, retain

    var weight: Int {
      switch self {
      case .add: 24
      case .depend, .limit: 10
      case .finish, .cancel, .undepend, .finishNow: 6
      case .suspend, .complete, .start, .require, .open, .openGate, .main: 4
      case .await, .awaitQueue, .pause, .pauseForQueue, .report: 1
      case .name, .quality, .queueQuality, .both, .each, .blocking, .validate, .move: 1
      case .run, .runAndWait, .cancelRun, .pauseForRun: 1
      default: 3
      }
    }
  }

  /// Draws how often each kind of step comes in this program; half of them not at all.
  private mutating func chooseSteps() {
    weights = Call.allCases.map { call in
      if call == .add { return call.weight }
      return chance(2) ? 0 : call.weight << below(3)
    }
  }

  private mutating func makeSteps() {
    let threads = [0, 0, 0, 1, 1, 2][below(6)]
    if chance(12) { program.steps.append(.move(queue: hotQueue, place())) }
    for queue in 0..<program.queueCount {
      if chance(2) { program.steps.append(.limit(queue: queue, [1, 1, 1, 2, 3, 0][below(6)])) }
      if chance(6) { program.steps.append(.suspend(queue: queue, true)) }
    }
    if !program.resources.isEmpty {
      for number in program.plans.indices where chance(2) {
        program.steps.append(require(number))
      }
    }
    prepare()
    let before = below(threads == 0 ? 14 : 7)
    for _ in 0..<2 + before { program.steps.append(step()) }
    guard threads > 0 else { return }
    program.steps.append(.fork)
    program.steps += racing()
    for _ in 0..<threads { program.others.append(racing()) }
    // A wait without a timeout is the last thing a thread does; the first thread brings everything
    // to its end.
    for thread in program.others.indices where chance(5) {
      let number = below(program.plans.count)
      program.others[thread].append(
        chance(3) ? .waitForQueue(below(program.queueCount)) : .wait(number))
    }
  }

  /// What a thread does while others do something too; it begins when all are there.
  private mutating func racing() -> [Step] {
    var steps: [Step] = [.meet]
    for _ in 0..<1 + below(4) { steps.append(step()) }
    if chance(3) {
      steps.append(.meet)
      for _ in 0..<1 + below(3) { steps.append(step()) }
    }
    return steps
  }

  /// Up to three calls made by a body, a completion block or an override.
  private mutating func inside() -> [Step] {
    (0...below(3)).map { _ in step() }.filter { step in
      switch step {
      case .meet, .drop, .dropQueue, .move: false
      default: true
      }
    }
  }

  private mutating func step() -> Step {
    var draw = below(weights.reduce(0, +))
    for call in Call.allCases {
      draw -= weights[call.rawValue]
      if draw < 0 { return step(call) }
    }
    return step(.add)
  }

  private mutating func step(_ call: Call) -> Step {
    let number = operation()
    let queue = chance(2) ? hotQueue : below(program.queueCount)
    switch call {
    case .add: return .add(chance(2) ? below(program.plans.count) : number, queue: queue)
    case .addAll: return .addAll(some(), queue: queue, waits: false)
    case .cancel: return .cancel(number)
    case .cancelAll: return .cancelAll(queue: queue)
    case .suspend: return .suspend(queue: queue, chance(2))
    case .limit: return .limit(queue: queue, [1, 1, -1, -1, 2, 3, 0][below(7)])
    case .prioritise: return .prioritise(number, Self.levels[below(5)])
    case .depend:
      // Rarely in a circle, which the end of the program breaks.
      let other = operation()
      if number == other { return .depend(number, on: below(program.plans.count)) }
      return chance(8)
        ? .depend(min(number, other), on: max(number, other))
        : .depend(max(number, other), on: min(number, other))
    case .undepend:
      let other = operation()
      return .undepend(max(number, other), on: min(number, other))
    case .finish: return .finish(number)
    case .open: return .open(number, !chance(4))
    case .start: return .start(number)
    case .complete: return .complete(number)
    case .list: return .list(queue: queue)
    case .finishNow: return .finishNow(number)
    case .cancelAndFinish: return .cancelAndFinish(number)
    case .main: return .main(number)
    case .require: return program.resources.isEmpty ? .finishNow(number) : require(number)
    case .guardBy: return program.gates == 0 ? .depend(number, on: 0) : .guardBy(number, gate: 0)
    case .openGate: return program.gates == 0 ? .limit(queue: queue, 1) : .openGate(0, !chance(3))
    case .observe: return .observe(number)
    case .observeQueue: return .observeQueue(queue)
    case .events: return .events(queue: queue, !chance(4))
    case .onFinish: return .onFinish(number)
    case .await: return .await(number)
    case .awaitQueue: return .awaitQueue(queue)
    case .handle: return .handle(number)
    case .addBlock: return .addBlock(number)
    case .drop: return .drop(number)
    case .dropQueue: return .dropQueue(queue)
    case .name: return .name(queue: queue)
    case .retain: return .retain(queue: queue, chance(2))
    case .quality: return .quality(number, below(5))
    case .queueQuality: return .queueQuality(queue: queue, below(5))
    case .invalidate: return .invalidate(queue: queue)
    case .report: return .report(queue: queue)
    case .set: return .set(number, Step.Setting.allCases[below(4)], !chance(4))
    case .join: return .join(number, group: operation(.group, .cancellingGroup))
    case .limitGroup: return .limitGroup(operation(.group, .cancellingGroup), below(4) - 1)
    case .suspendGroup: return .suspendGroup(operation(.group, .cancellingGroup), chance(2))
    case .inject: return .inject(number, from: operation(.result))
    case .look: return .look(number)
    case .pause: return .pause(number)
    case .pauseForQueue: return .pauseForQueue(queue)
    case .meet: return .meet
    case .startNow: return .startNow(chance(2) ? below(program.plans.count) : number)
    case .finishThrowing: return .finishThrowing(number)
    // A part of a fork is no fork itself.
    case .both: return depth > 0 ? .blocking : .both(part(), part())
    case .each: return depth > 0 ? .blocking : .each(2 + below(3), part())
    case .blocking: return .blocking
    case .validate: return .validate(some())
    case .move: return .move(queue: queue, place())
    case .run: return program.graphs.isEmpty ? .look(number) : .run(graph: someGraph())
    case .runAndWait:
      return program.graphs.isEmpty ? .look(number) : .runAndWait(graph: someGraph())
    case .cancelRun:
      return program.graphs.isEmpty ? .cancel(number) : .cancelRun(graph: someGraph())
    case .pauseForRun:
      return program.graphs.isEmpty ? .pause(number) : .pauseForRun(graph: someGraph())
    }
  }

  /// What a part of a fork does.
  private mutating func part() -> [Step] {
    depth += 1
    defer { depth -= 1 }
    return inside()
  }

  private mutating func someGraph() -> Int { below(program.graphs.count) }

  private mutating func place() -> Step.Place {
    Step.Place.allCases[[1, 1, 2, 0][below(4)]]
  }

  // MARK: Drawing

  mutating func below(_ bound: Int) -> Int { random.index(below: bound) }
  mutating func chance(_ bound: Int) -> Bool { below(bound) == 0 }

  /// An operation, most often one that many steps concern.
  private mutating func operation() -> Int {
    chance(3) ? below(program.plans.count) : hot[below(hot.count)]
  }

  /// One of these kinds if there is any.
  private mutating func operation(_ kinds: Kind...) -> Int {
    let found = program.plans.indices.filter { kinds.contains(program.plans[$0].kind) }
    return found.isEmpty ? operation() : found[below(found.count)]
  }

  private mutating func some() -> [Int] {
    var numbers: [Int] = []
    for _ in 0..<2 + below(3) {
      let number = operation()
      if !numbers.contains(number) { numbers.append(number) }
    }
    return numbers
  }

  /// What is made of others takes none: it would hold it while its members wait for it.
  private mutating func require(_ number: Int) -> Step {
    if program.plans[number].kind.isComposite { return .look(number) }
    let resource = below(program.resources.count)
    return .require(number, resource: resource, amount: 1 + below(program.resources[resource]))
  }
}
