// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
import Foundation
internal import SchedulerConformance

/// What one run of a script has shown.
package struct Outcome: Sendable {
  /// After each step that was taken.
  package var snapshots: [Snapshot] = []
  /// The last step did not lead to what was expected within the patience; the run ended there.
  package var isStuck = false
  package var log: ExecutionLog.Entries
}

/// Runs a script on one implementation, step by step, each when nothing goes on by itself any more.
package final class Interpreter<Family: OperationFamily>: Sendable {
  private let family: Family
  private let script: Script
  private let log: ExecutionLog
  private let queues: [Family.Queue]
  private let state: Locked<State>
  private let patience: Duration

  private enum Hold { case closed, begun, over }

  private struct State {
    var operations: [Family.Operation?] = []
    var isAdded: [Bool]
    var holds: [Hold]
    var returned: [Bool] = []
    /// Jobs that keep a worker until the run is over.
    var jobs = 0
    var isOver = false
  }

  package init(_ script: Script, on family: Family, patience: Duration) {
    self.family = family
    self.script = script
    self.patience = patience
    let count = script.program.plans.count
    log = ExecutionLog(operations: count)
    queues = (0...script.program.queueCount).map { _ in family.makeQueue() }
    state = Locked(
      State(
        isAdded: Array(repeating: false, count: count),
        holds: Array(repeating: .closed, count: count)))
  }

  /// Takes all steps; ends early when a step does not lead to what the script expects.
  package func run(_ watch: Watchdog) -> Outcome {
    let operations = script.program.plans.indices.map { make($0) }
    state.withLock { $0.operations = operations }
    var outcome = Outcome(log: log.value)
    for (number, step) in script.steps.enumerated() {
      watch.note(script.program.seed, family.name, number, step)
      log.step(number)
      perform(step)
      let (snapshot, isSettled) = settle(script.expected[number], step)
      outcome.snapshots.append(snapshot)
      if !isSettled {
        outcome.isStuck = true
        break
      }
    }
    outcome.log = log.value
    state.withLock { $0.isOver = true }
    if outcome.isStuck {
      // Operations under way must not lose their dependents on Foundation: a stuck run keeps
      // everything.
      letGo()
    } else {
      // The scheduler may be shut down from here on.
      _ = waitUntil(deadline: patience) { state.withLock { $0.jobs == 0 } }
      // The bodies hold the interpreter.
      state.withLock { $0.operations = [] }
    }
    return outcome
  }

  // MARK: Making

  private func make(_ number: Int) -> Family.Operation? {
    let plan = script.program.plans[number]
    let body: @Sendable () -> Void = { self.body(number) }
    switch plan.kind {
    case .plain: return family.makePlain()
    case .block:
      let extra = Array(
        repeating: { @Sendable in self.log.extraRuns(number) }, count: plan.extraBlocks)
      return family.makeBlock([body] + extra)
    case .subclass, .latched: return family.makeSubclass(body)
    case .conditional: return family.makeConditional(body)
    case .held: return family.makeHeld(body)
    case .custom: return family.makeCustom(body)
    default: return nil
    }
  }

  private func body(_ number: Int) {
    let plan = script.program.plans[number]
    // Before anybody can see that it runs, and tell it to finish.
    if plan.kind.isHeld { state.withLock { $0.holds[number] = .begun } }
    log.begins(number, in: queues.firstIndex { family.isCurrent($0) })
    for step in plan.inBody { perform(step) }
    if plan.kind == .latched {
      // Longer than the patience of the run, so that the run notices first.
      _ = waitUntil(deadline: patience + patience) {
        state.withLock { $0.holds[number] == .over }
      }
    }
    if !plan.kind.isHeld || plan.kind == .latched { log.ends(number) }
  }

  // MARK: Steps

  /// Nil for a closure, and for everything once the run is over: on Foundation a body may still go
  /// on then, which shows in the log as one that has not ended.
  private func operation(_ number: Int) -> Family.Operation? {
    state.withLock { $0.operations.isEmpty ? nil : $0.operations[number] }
  }

  private func perform(_ step: Step) {
    switch step {
    case .add(let number, let queue): add(number, queues[queue])
    case .addAll(let numbers, let queue, let waits):
      let isNew = state.withLock { state in
        numbers.allSatisfy { number in
          defer { state.isAdded[number] = true }
          return !state.isAdded[number]
        }
      }
      guard isNew else { return }
      family.addAll(numbers.compactMap { operation($0) }, to: queues[queue], waits: waits)
    case .together(let steps): for step in steps { perform(step) }
    case .cancelAll(let queue): family.cancelAll(queues[queue])
    case .suspend(let queue, let on): family.setSuspended(queues[queue], on)
    case .limit(let queue, let limit): family.setLimit(queues[queue], limit)
    case .waitForQueue(let queue): wait { self.family.wait(queue: self.queues[queue]) }
    case .list: break
    case .occupy: occupy()
    default:
      guard let number = step.operations.first, let operation = operation(number) else { return }
      perform(step, number, operation)
    }
  }

  private func perform(_ step: Step, _ number: Int, _ operation: Family.Operation) {
    switch step {
    case .cancel: family.cancel(operation)
    case .prioritise(_, let level): family.setPriority(operation, level)
    case .depend(_, let other):
      if let other = self.operation(other) { family.addDependency(operation, on: other) }
    case .undepend(_, let other):
      if let other = self.operation(other) { family.removeDependency(operation, on: other) }
    case .finish: finish(number, operation)
    case .finishNow: family.finish(operation)
    case .open(_, let on): family.setOpen(operation, on)
    case .start:
      // A program starts again what has finished, and not what a body has added or started.
      let isAllowed = state.withLock { state in
        defer { state.isAdded[number] = true }
        return !state.isAdded[number]
      }
      if isAllowed || family.flags(operation).isFinished { family.start(operation) }
    case .complete:
      family.setCompletionBlock(operation) {
        self.log.completes(number)
        for step in self.script.program.plans[number].inCompletion { self.perform(step) }
      }
    case .wait: wait { self.family.wait(operation) }
    default: break
    }
  }

  /// Adds what was not added before: bodies and steps may name the same operation.
  private func add(_ number: Int, _ queue: Family.Queue) {
    let wasAdded = state.withLock { state in
      defer { state.isAdded[number] = true }
      return state.isAdded[number]
    }
    if wasAdded { return }
    switch script.program.plans[number].kind {
    case .closure: family.addClosure({ self.body(number) }, to: queue)
    case .barrier: family.addBarrier({ self.body(number) }, to: queue)
    default: if let operation = operation(number) { family.add(operation, to: queue) }
    }
  }

  private func finish(_ number: Int, _ operation: Family.Operation) {
    let isUnderWay = state.withLock { state in
      guard state.holds[number] == .begun else { return false }
      state.holds[number] = .over
      return true
    }
    // A latched body notes its own end.
    guard isUnderWay, script.program.plans[number].kind != .latched else { return }
    log.ends(number)
    family.finish(operation)
  }

  private func occupy() {
    state.withLock { $0.jobs += 1 }
    family.occupyWorker {
      // As long as a latched body.
      _ = waitUntil(deadline: self.patience + self.patience) {
        self.state.withLock { $0.isOver }
      }
      self.state.withLock { $0.jobs -= 1 }
    }
  }

  private func wait(_ body: @escaping @Sendable () -> Void) {
    let index = state.withLock { state in
      state.returned.append(false)
      return state.returned.count - 1
    }
    Thread.detachNewThread {
      body()
      self.state.withLock { $0.returned[index] = true }
    }
  }

  // MARK: Looking

  /// Waits until what is seen is what is expected; returns what was seen last.
  private func settle(_ expected: Snapshot, _ step: Step) -> (Snapshot, Bool) {
    var seen = look(step)
    let isSettled = waitUntil(deadline: patience) {
      seen = look(step)
      return seen.masked(by: expected) == expected
    }
    return (seen, isSettled)
  }

  private func look(_ step: Step) -> Snapshot {
    let (operations, returned) = state.withLock { ($0.operations, $0.returned) }
    func number(_ operation: Family.Operation) -> Int {
      operations.firstIndex { $0 === operation } ?? -1
    }
    var flags: [Snapshot.Flags?] = []
    for operation in operations {
      guard let operation else {
        flags.append(nil)
        continue
      }
      var seen = family.flags(operation)
      seen.dependencies = family.dependencies(operation).map(number)
      flags.append(seen)
    }
    let entries = log.value
    var listed: [Int]?
    if case .list(let queue) = step { listed = family.members(queues[queue]).map(number) }
    return Snapshot(
      flags: flags, runs: entries.runs, extraRuns: entries.extraRuns,
      completions: entries.completions, queues: queues.map { family.state($0) },
      returned: returned, listed: listed)
  }

  /// Frees what a stuck run holds, as far as possible.
  private func letGo() {
    for number in script.program.plans.indices {
      let wasBegun = state.withLock { state in
        defer { state.holds[number] = .over }
        return state.holds[number] == .begun
      }
      guard wasBegun, script.program.plans[number].kind != .latched else { continue }
      if let operation = operation(number) { family.finish(operation) }
    }
  }
}
