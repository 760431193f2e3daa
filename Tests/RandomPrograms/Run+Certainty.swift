// SPDX-License-Identifier: Apache-2.0

import Synchronization

// What the text of a program says for certain, whatever the timing.

/// Read off the program once.
struct Certainty: Sendable {
  /// Per queue the largest limit that it ever has, if it always has one while it holds something.
  var limits: [Int?]
  /// Operations whose body may run where another queue is current, or go on after they have
  /// finished.
  var withoutPlace: Set<Int> = []
  /// The same without those that are members of something else.
  var startedElsewhere: Set<Int> = []
  /// What bodies do in their own queues they do as members of these.
  var ownIsSure = false
  /// Something may cancel what is inside of what is not cancelled itself.
  var cancelsInside = false
  /// Operations that may finish although their body did not run, or before it has ended.
  var mayFinishEarly: Set<Int> = []
  /// Operations whose `main()` is called by hand.
  var calledByHand: Set<Int> = []
  /// Operations that may need a resource.
  var requiring: Set<Int> = []
  /// Operations with a condition that anybody may take back.
  var guarded: Set<Int> = []
  /// Operations that may end with an error.
  var failing: Set<Int> = []
  /// Queues may run elsewhere, and nothing adds to one when everything has ended, which must not
  /// race with a move.
  var movesQueues = false
  /// How far a wait for what the scheduler runs must end.
  let runWaits: RunWaits

  enum RunWaits {
    /// No policy refuses it, and nothing keeps workers for long.
    case always
    /// Something may keep all workers but the one that waits, which runs what it waits for.
    case onWorkers
    case never
  }
  /// Something cancels something.
  var hasCancellations = false
  /// Operations that something may cancel.
  let mayBeCancelled: Set<Int>
  /// Pairs of operations from which a dependency may be removed again.
  var removed: Set<[Int]> = []

  /// Dependencies that may be part of a circle of waits.
  let circularEdges: [(later: Int, earlier: Int)]

  init(_ program: Program) {
    circularEdges = program.circularEdges
    let steps = program.allSteps
    runWaits = Self.runWaits(program, steps)
    mayBeCancelled = program.mayBeCancelled
    limits = Self.limits(program, steps)
    for step in steps {
      switch step {
      case .start(let number), .startNow(let number), .main(let number):
        withoutPlace.insert(number)
        if case .main = step {
          mayFinishEarly.insert(number)
          calledByHand.insert(number)
        }
      case .cancelAndFinish(let number):
        withoutPlace.insert(number)
        hasCancellations = true
      case .finishThrowing(let number):
        failing.insert(number)
        withoutPlace.insert(number)
        mayFinishEarly.insert(number)
      case .finishNow(let number):
        withoutPlace.insert(number)
        mayFinishEarly.insert(number)
      case .set(let number, .finishesOnCancel, _):
        withoutPlace.insert(number)
        mayFinishEarly.insert(number)
      case .require(let number, _, _): requiring.insert(number)
      case .guardBy(let number, _): guarded.insert(number)
      case .move: movesQueues = true
      case .undepend(let number, let other): removed.insert([other, number])
      case .cancel, .cancelAll, .invalidate, .cancelOwner:
        hasCancellations = true
        if step.isInner, step != .cancelOwner { cancelsInside = true }
      default: break
      }
    }
    for (number, plan) in program.plans.enumerated() {
      // Its cancel hook finishes it while the body may still run.
      if plan.kind == .callback || plan.kind.isComposite { mayFinishEarly.insert(number) }
      if plan.kind == .callback || plan.kind == .graph || plan.kind.isComposite {
        withoutPlace.insert(number)
      }
      if plan.kind == .timeout { hasCancellations = true }
    }
    startedElsewhere = withoutPlace
    ownIsSure = program.plans.indices.allSatisfy { number in
      let plan = program.plans[number]
      return plan.kind == .retry || !startedElsewhere.contains(number)
        || !plan.inside.flatMap(\.flattened).contains(where: \.isInner)
    }
    withoutPlace.formUnion(program.plans.flatMap(\.members))
    for case .join(let number, _) in steps { withoutPlace.insert(number) }
    let addsInside = program.inside.contains { $0.name == .add || $0.name == .addAll }
    if addsInside, !mayFinishEarly.isEmpty { movesQueues = false }
  }

  private static func runWaits(_ program: Program, _ steps: [Step]) -> RunWaits {
    guard program.queues.allSatisfy({ $0.policy == 0 || $0.policy == 2 }) else { return .never }
    let keepsWorkers = program.plans.contains { $0.kind == .latched || $0.waitsFor != nil }
    guard keepsWorkers else { return .always }
    let runsElsewhere =
      program.queues.contains(where: \.isInline) || steps.contains { $0.name == .move }
    return runsElsewhere ? .never : .onWorkers
  }

  private static func limits(_ program: Program, _ steps: [Step]) -> [Int?] {
    program.queues.indices.map { queue -> Int? in
      let values = steps.compactMap { step -> Int? in
        if case .limit(queue, let limit) = step { limit } else { nil }
      }
      guard values.allSatisfy({ $0 >= 0 }) else { return nil }
      // It is there before the first addition, which a body may make as well.
      for step in program.steps {
        if case .limit(queue, _) = step { return max(1, values.max() ?? 1) }
        if step.mayRunBodies { return nil }
      }
      return nil
    } + [nil]
  }
}

extension Run {
  /// Nothing may have run the operation yet, and only this thread acts on it.
  func isSure(_ number: Int) -> Bool {
    isAlone.load(ordering: .sequentiallyConsistent)
      && !facts[number].isTouched.load(ordering: .sequentiallyConsistent)
      && !touchedInside.contains(number) && !isMember(number)
  }

  /// Nobody else has the operation or may get it, and nothing takes back that it is ready.
  func isFree(_ number: Int) -> Bool {
    isAlone.load(ordering: .sequentiallyConsistent)
      && !facts[number].isGiven.load(ordering: .sequentiallyConsistent)
      && !touchedInside.contains(number) && !isMember(number)
      && !certainty.requiring.contains(number) && !certainty.guarded.contains(number)
  }

  /// The dependency is never removed, and the first one does not finish before its body has ended.
  func isOrdered(_ earlier: Int, _ later: Int) -> Bool {
    !certainty.removed.contains([earlier, later]) && !mayFinishEarly(earlier)
      && !certainty.circularEdges.contains { $0 == (later, earlier) }
      && !certainty.mayFinishEarly.contains(later)
  }

  func mayFinishEarly(_ number: Int) -> Bool { certainty.mayFinishEarly.contains(number) }
  var hasCancellations: Bool { certainty.hasCancellations }
  var limits: [Int?] { certainty.limits }
  var withoutPlace: Set<Int> { certainty.withoutPlace }

  private func isMember(_ number: Int) -> Bool {
    program.plans.contains { $0.members.contains(number) }
  }
}
