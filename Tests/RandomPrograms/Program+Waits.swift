// SPDX-License-Identifier: Apache-2.0

extension Program {
  /// Whether a body's wait without a timeout must have an end, whatever the timing, once everything
  /// else is let go.
  ///
  /// The contract calls an impossible wait a fault (101), so programs have none. What is awaited,
  /// and all that may have to finish before it, must need neither the one that waits nor anything
  /// that this one holds: a slot, a place before a barrier, a resource. At most one body of a
  /// program waits so, and nothing in it is made of other operations, since those hold what they
  /// hold until their members have finished.
  package var waitEnds: Bool {
    guard completionWaitEnds else { return false }
    let waiting = plans.indices.filter { plans[$0].waitsFor != nil }
    guard let number = waiting.first, let target = plans[number].waitsFor else { return true }
    guard waiting.count == 1, plans[target].kind.isObject, number != target else { return false }
    if plans.contains(where: { $0.kind.isComposite }) { return false }
    if queues.contains(where: { $0.startsInOrder || $0.policy == 1 || $0.policy == 3 }) {
      return false
    }
    let steps = allSteps
    let needed = needed(by: target, steps)
    var takesUnits: Set<Int> = []
    for step in steps {
      if case .require(let other, _, _) = step { takesUnits.insert(other) }
      // One thread for everything.
      if case .move(_, .serialQueue) = step { return false }
      // The body would run on a thread that does something else as well.
      if case .main(number) = step { return false }
      if case .main(target) = step { return false }
      if case .start(number) = step { return false }
      if case .startNow(number) = step { return false }
      if case .cancelAndFinish(number) = step { return false }
    }
    guard !needed.contains(number) else { return false }
    if takesUnits.contains(number), !needed.isDisjoint(with: takesUnits) { return false }
    let places = places(steps)
    // In an inline queue it runs on top of whatever has made it startable: a body must not have
    // done so, nor one that finishes its own operation when that may end already.
    let isOnTop = needed.union([number]).contains { other in
      places[other].contains { $0 >= 0 && queues[$0].isInline }
    }
    let endsItself = plans.contains { $0.kind == .held || $0.kind == .custom }
    if isOnTop, endsItself || !inside.isEmpty { return false }
    let barriers = plans.indices.filter { plans[$0].kind == .barrier }
    let behind = barriers.reduce(into: Set<Int>()) { $0.formUnion(places[$1]) }
    let limited = Set(
      steps.compactMap { step -> Int? in
        if case .limit(let queue, let limit) = step, limit >= 0 { queue } else { nil }
      })
    return needed.allSatisfy { other in
      places[other].isDisjoint(with: behind)
        && places[other].isDisjoint(with: places[number].intersection(limited))
    }
  }

  /// The same of a completion block.
  ///
  /// The operation has given up its slot when its block runs (contract 61, 65, 127). What it waits
  /// for must not need what runs around the block, though. So the operation is finished in its own
  /// body, or by something that takes no slot, no resource and no place in a queue of the program.
  private var completionWaitEnds: Bool {
    let waiting = plans.indices.filter { plans[$0].completionWaitsFor != nil }
    guard let number = waiting.first, let target = plans[number].completionWaitsFor else {
      return true
    }
    guard waiting.count == 1, plans[target].kind.isObject, number != target,
      plans.allSatisfy({ $0.waitsFor == nil && !$0.kind.isComposite && $0.kind != .barrier }),
      queues.allSatisfy({ $0 == QueuePlan() }), graphs.isEmpty
    else { return false }
    let insiders = plans.indices.filter { !plans[$0].inside.isEmpty }
    let finishers = insiders.filter { $0 != number }
    guard finishers.count < 2 else { return false }
    let isPlain = inside.allSatisfy { step in
      switch step {
      case .start(let other), .cancelAndFinish(let other): finishers.contains(other)
      case .finishNow(number): true
      default: false
      }
    }
    let steps = allSteps
    let needed = needed(by: target, steps)
    let places = places(steps)
    guard isPlain, needed.isDisjoint(with: finishers + [number]),
      finishers.allSatisfy({ places[$0].isEmpty })
    else { return false }
    return steps.allSatisfy { step in
      switch step {
      case .require(let other, _, _): !finishers.contains(other)
      case .move, .both, .each, .run, .runAndWait, .join: false
      default: true
      }
    }
  }

  /// The operation and all that it may come to depend on.
  private func needed(by target: Int, _ steps: [Step]) -> Set<Int> {
    var needed: Set<Int> = [target]
    var isGrowing = true
    while isGrowing {
      let before = needed.count
      for step in steps {
        switch step {
        case .depend(let number, let other) where needed.contains(number),
          .inject(let number, let other) where needed.contains(number):
          needed.insert(other)
        default: break
        }
      }
      isGrowing = needed.count > before
    }
    return needed
  }

  /// The queues that each operation may be added to, but for the spare one.
  func places(_ steps: [Step]) -> [Set<Int>] {
    var places = [Set<Int>](repeating: [], count: plans.count)
    for step in steps {
      switch step {
      case .add(let number, let queue): places[number].insert(queue)
      case .addAll(let numbers, let queue, _):
        for number in numbers { places[number].insert(queue) }
      default: break
      }
    }
    return places
  }
}
