// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
import RandomPrograms
import TestSupport

/// Takes the steps of a program without waiting for what they cause, so that they race with the
/// operations.
///
/// Timing decides who is cancelled before it begins. So what is seen in between is not compared,
/// but what must hold at the end however it came. Steps that need a known state are left out, and
/// so are those that would meet a `KnownDefect` if they came too early or too late.
final class HurriedRun<Family: OperationFamily>: Sendable {
  private let family: Family
  private let program: Program
  private let log: ExecutionLog
  private let queues: [Family.Queue]
  private let state: Locked<State>
  /// Operations that bodies or completion blocks add, at a moment that nobody knows.
  private let addedInside: Set<Int>

  private struct State {
    var operations: [Family.Operation?] = []
    var isAdded: [Bool]
    /// Its body has begun and goes on until it is told to end.
    var isHeld: [Bool]
    var mayEnd: [Bool]
    var mayBeCancelled: [Bool]
    var hasBlock: [Bool]
    var edges: [(earlier: Int, later: Int)] = []
  }

  init(_ program: Program, on family: Family) {
    self.program = program
    self.family = family
    let no = Array(repeating: false, count: program.plans.count)
    log = ExecutionLog(operations: program.plans.count)
    queues = (0...program.queueCount).map { _ in family.makeQueue() }
    let inside = program.plans.flatMap { $0.inBody + $0.inCompletion }
    addedInside = Set(
      inside.compactMap { if case .add(let number, _) = $0 { number } else { nil } })
    state = Locked(
      State(isAdded: no, isHeld: no, mayEnd: no, mayBeCancelled: no, hasBlock: no))
  }

  /// Takes the steps, lets everything finish and says what does not hold.
  func run(_ watch: Watchdog, patience: Duration) -> [String] {
    let operations = program.plans.indices.map { make($0) }
    state.withLock { $0.operations = operations }
    for (number, step) in program.steps.enumerated() {
      watch.note(program.seed, family.name, number, step)
      perform(step)
    }
    letEverythingFinish()
    guard waitUntil(deadline: patience, { isOver }) else {
      // Whoever is stuck stays: operations under way must not lose their dependents on Foundation.
      return ["\(family.name): not over: \(whatIsLeft)"] + faults
    }
    let faults = faults
    state.withLock { $0.operations = [] }
    return faults
  }

  private func make(_ number: Int) -> Family.Operation? {
    let body: @Sendable () -> Void = { self.body(number) }
    switch program.plans[number].kind {
    case .plain: return family.makePlain()
    case .block: return family.makeBlock([body])
    case .subclass, .latched: return family.makeSubclass(body)
    case .conditional: return family.makeConditional(body)
    case .held: return family.makeHeld(body)
    case .custom: return family.makeCustom(body)
    default: return nil
    }
  }

  private func staysUnderWay(_ number: Int) -> Bool {
    program.plans[number].kind == .held || program.plans[number].kind == .custom
  }

  private func body(_ number: Int) {
    log.begins(number, in: nil)
    for step in program.plans[number].inBody { perform(step) }
    guard staysUnderWay(number) else { return log.ends(number) }
    let endsNow = state.withLock { state in
      state.isHeld[number] = !state.mayEnd[number]
      return state.mayEnd[number]
    }
    if endsNow { end(number) }
  }

  private func end(_ number: Int) {
    log.ends(number)
    if let operation = operation(number) { family.finish(operation) }
  }

  /// Nil for a closure, and for everything once the run is over; see `Interpreter`.
  private func operation(_ number: Int) -> Family.Operation? {
    state.withLock { $0.operations.isEmpty ? nil : $0.operations[number] }
  }

  // MARK: Steps

  private func perform(_ step: Step) {
    switch step {
    case .add(let number, let queue): add([number], queue)
    case .addAll(let numbers, let queue, _): add(numbers, queue)
    case .together(let steps): for step in steps { perform(step) }
    case .cancel(let number): cancel(number)
    case .cancelAll(let queue):
      // Whoever is or will be in it.
      state.withLock { $0.mayBeCancelled = $0.mayBeCancelled.map { _ in true } }
      family.cancelAll(queues[queue])
    case .suspend(let queue, let on): family.setSuspended(queues[queue], on)
    case .limit(let queue, let limit): family.setLimit(queues[queue], limit)
    case .prioritise(let number, let level):
      if let operation = operation(number) { family.setPriority(operation, level) }
    case .depend(let number, let other): depend(number, on: other)
    case .finish(let number): finish(number)
    case .open(let number, let on):
      if let operation = operation(number) { family.setOpen(operation, on) }
    case .complete(let number): complete(number)
    case .list(let queue): _ = family.members(queues[queue])
    default: break
    }
  }

  /// Adds those that were not added before, but no barrier: the queue might be empty.
  private func add(_ numbers: [Int], _ queue: Int) {
    let new = state.withLock { state in
      numbers.filter { number in
        guard !state.isAdded[number], program.plans[number].kind != .barrier else { return false }
        state.isAdded[number] = true
        return true
      }
    }
    for number in new where program.plans[number].kind == .closure {
      family.addClosure({ self.body(number) }, to: queues[queue])
    }
    family.addAll(new.compactMap { operation($0) }, to: queues[queue], waits: false)
  }

  private func cancel(_ number: Int) {
    guard let operation = operation(number) else { return }
    state.withLock { $0.mayBeCancelled[number] = true }
    family.cancel(operation)
  }

  /// Before the addition only: afterwards the operation may have begun.
  private func depend(_ number: Int, on other: Int) {
    guard other < number, let operation = operation(number), let other = self.operation(other)
    else { return }
    guard !addedInside.contains(number), state.withLock({ !$0.isAdded[number] }) else { return }
    family.addDependency(operation, on: other)
    noteEdge(to: number, operation)
  }

  private func noteEdge(to number: Int, _ operation: Family.Operation) {
    let last = family.dependencies(operation).last
    state.withLock { state in
      guard let earlier = state.operations.firstIndex(where: { $0 === last }) else { return }
      state.edges.append((earlier, number))
    }
  }

  private func finish(_ number: Int) {
    let isUnderWay = state.withLock { state in
      defer { (state.mayEnd[number], state.isHeld[number]) = (true, false) }
      return state.isHeld[number]
    }
    if isUnderWay { end(number) }
  }

  /// Before the addition only: a block that comes after the end does not run.
  private func complete(_ number: Int) {
    guard let operation = operation(number), !addedInside.contains(number),
      state.withLock({ !$0.isAdded[number] })
    else { return }
    state.withLock { $0.hasBlock[number] = true }
    family.setCompletionBlock(operation) {
      self.log.completes(number)
      for step in self.program.plans[number].inCompletion { self.perform(step) }
    }
  }

  // MARK: The end

  private func letEverythingFinish() {
    for queue in queues {
      family.setLimit(queue, -1)
      family.setSuspended(queue, false)
    }
    for number in program.plans.indices {
      if let operation = operation(number) { family.setOpen(operation, true) }
      finish(number)
      add(program.plans[number].kind.isObject ? [number] : [], program.queueCount)
    }
  }

  private var isOver: Bool {
    let state = state.withLock { $0 }
    let completions = log.value.completions
    return program.plans.indices.allSatisfy { number in
      guard let operation = state.operations[number] else { return true }
      return family.flags(operation).isFinished
        && (!state.hasBlock[number] || completions[number] > 0)
    } && queues.allSatisfy { family.state($0).count == 0 }
  }

  private var whatIsLeft: String {
    let operations = state.withLock { $0.operations }
    let left = operations.indices.filter { number in
      operations[number].map { !family.flags($0).isFinished } ?? false
    }
    return "operations \(left), queues hold \(queues.map { family.state($0).count })"
  }

  private var faults: [String] {
    let (state, entries) = (state.withLock { $0 }, log.value)
    var faults: [String] = []
    for number in program.plans.indices {
      let runs = entries.runs[number]
      if runs > 1 { faults.append("\(number) ran \(runs) times") }
      if entries.completions[number] > 1 {
        faults.append("\(number) completed \(entries.completions[number]) times")
      }
      guard let operation = state.operations[number] else { continue }
      let flags = family.flags(operation)
      if flags.isCancelled, !state.mayBeCancelled[number] {
        faults.append("\(number) is cancelled, but nobody did it")
      }
      if runs == 0, !flags.isCancelled, program.plans[number].kind != .plain {
        faults.append("\(number) neither ran nor is cancelled")
      }
      if flags.isExecuting { faults.append("\(number) executes for ever") }
    }
    for (earlier, later) in state.edges
    where entries.begun[later] > 0 && entries.begun[earlier] > 0 {
      // A cancelled one ignores its dependencies, and does not begin.
      if entries.ended[earlier] == 0 || entries.ended[earlier] > entries.begun[later] {
        faults.append("\(later) began before \(earlier) had ended")
      }
    }
    return faults.map { "\(family.name): \($0)" }
  }
}
