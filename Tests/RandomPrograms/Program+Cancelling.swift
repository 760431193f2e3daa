// SPDX-License-Identifier: Apache-2.0

extension Program {
  /// The operations that something may cancel, in some timing.
  ///
  /// A step does, a time limit does, and so does what they are a member of, or depend on when that
  /// passes its cancellation on.
  package var mayBeCancelled: Set<Int> {
    let steps = allSteps
    let places = places(steps)
    let joining = steps.compactMap { if case .join(let number, _) = $0 { number } else { nil } }
    var found: Set<Int> = []
    /// Pairs: when the first is cancelled, so may be the second.
    var passes: [(from: Int, to: Int)] = []
    var passing: Set<Int> = []
    for step in steps {
      switch step {
      case .cancel(let number), .cancelAndFinish(let number): found.insert(number)
      case .cancelAll(let queue), .invalidate(let queue):
        found.formUnion(plans.indices.filter { places[$0].contains(queue) })
        if step.isInner { found.formUnion(innerMembers.union(owners.keys).union(joining)) }
      case .cancelOwner: found.formUnion(plans.indices.filter { plans[$0].kind.isComposite })
      case .set(let number, .cancelsDependents, true): passing.insert(number)
      case .join(let number, let group): passes.append((group, number))
      default: break
      }
    }
    for (number, plan) in plans.enumerated() {
      for member in plan.members { passes.append((number, member)) }
      if plan.kind.isGroup { passes += innerMembers.map { (number, $0) } }
      if plan.kind == .timeout { found.formUnion(plan.members + [number]) }
    }
    for (later, earlier) in lastingEdges where passing.contains(earlier) {
      passes.append((earlier, later))
    }
    var isGrowing = true
    while isGrowing {
      isGrowing = false
      for pass in passes where found.contains(pass.from) && found.insert(pass.to).inserted {
        isGrowing = true
      }
    }
    return found
  }

  /// The dependencies that may be there when the earlier operation finishes.
  ///
  /// Not so those that the first thread removes while nothing can have finished it, and that
  /// nothing adds again.
  private var lastingEdges: [(later: Int, earlier: Int)] {
    let beginning = steps.prefix { $0 != .fork }
    let rest = steps.dropFirst(beginning.count) + others.joined()
    let certain = plans.indices.filter { number in
      plans[number].kind.isObject && !inside.contains { $0.operations.contains(number) }
        && !plans.contains { $0.members.contains(number) }
    }
    var given = Set(plans.indices).subtracting(certain)
    // What the thread has dropped it does not find any more.
    var dropped: Set<Int> = []
    var lasting: [(later: Int, earlier: Int)] = []
    for step in beginning {
      if case .undepend(let later, let earlier) = step, !given.contains(earlier),
        plans[later].kind.isObject, dropped.isDisjoint(with: [later, earlier])
      {
        lasting.removeAll { $0 == (later, earlier) }
      }
      lasting += step.flattened.flatMap(\.edges)
      if case .drop(let number) = step { dropped.insert(number) }
      if step.mayRunBodies { given.formUnion(step.operations) }
    }
    return lasting + (rest.flatMap(\.flattened) + inside).flatMap(\.edges)
  }
}

extension Step {
  /// The dependencies that it adds.
  fileprivate var edges: [(later: Int, earlier: Int)] {
    switch self {
    case .depend(let later, let earlier), .inject(let later, let earlier): [(later, earlier)]
    default: []
    }
  }
}
