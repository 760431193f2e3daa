// SPDX-License-Identifier: Apache-2.0

extension Program {
  /// The dependencies that may be part of a circle of waits, in some timing; the end of a program
  /// removes them.
  ///
  /// The start of an operation waits for the end of its dependencies, the end of a group for that
  /// of its members, and their start for the group's. In a queue with barriers or a strict order
  /// the start of each member may wait for the end of each other one, and so in one with a limit in
  /// which something made of others holds its slot until these have finished.
  package var circularEdges: [(later: Int, earlier: Int)] {
    let steps = allSteps
    let edges = steps.compactMap { step -> (later: Int, earlier: Int)? in
      switch step {
      case .depend(let number, let other), .inject(let number, let other):
        number == other ? nil : (number, other)
      default: nil
      }
    }
    guard !edges.isEmpty else { return [] }
    // Starts are even, ends are odd.
    var waits = [[Bool]](
      repeating: [Bool](repeating: false, count: 2 * plans.count), count: 2 * plans.count)
    for number in plans.indices { waits[2 * number + 1][2 * number] = true }
    for (later, earlier) in edges { waits[2 * later][2 * earlier + 1] = true }
    func note(_ member: Int, of group: Int) {
      waits[2 * group + 1][2 * member + 1] = true
      waits[2 * member][2 * group] = true
    }
    for step in steps { if case .join(let number, let group) = step { note(number, of: group) } }
    for (number, plan) in plans.enumerated() {
      for member in plan.members { note(member, of: number) }
    }
    let innerMembers = innerMembers
    for owner in plans.indices where plans[owner].kind.isComposite {
      // What a body adds inside of it it waits for, whatever that is a member of.
      for member in innerMembers where member != owner {
        waits[2 * owner + 1][2 * member + 1] = true
      }
    }
    for members in closeQueues(steps) + closeGroups(steps) {
      for one in members {
        for other in members where one != other { waits[2 * one][2 * other + 1] = true }
      }
    }
    for middle in waits.indices {
      for from in waits.indices where waits[from][middle] {
        for to in waits.indices where waits[middle][to] { waits[from][to] = true }
      }
    }
    return edges.filter { waits[2 * $0.earlier + 1][2 * $0.later] }
  }

  /// The possible members of queues whose members may wait for each other.
  private func closeQueues(_ steps: [Step]) -> [Set<Int>] {
    let places = places(steps)
    return queues.indices.compactMap { queue in
      let members = Set(plans.indices.filter { places[$0].contains(queue) })
      let isLimited = steps.contains { step in
        if case .limit(queue, let limit) = step { limit >= 0 } else { false }
      }
      let isClose =
        queues[queue].startsInOrder || members.contains { plans[$0].kind == .barrier }
        || isLimited && members.contains { plans[$0].kind.isComposite }
      return isClose ? members : nil
    }
  }

  /// The possible members of what has a limit inside, or barriers, so that they may wait for each
  /// other.
  private func closeGroups(_ steps: [Step]) -> [Set<Int>] {
    let innerMembers = innerMembers
    let isLimitedInside = steps.contains { step in
      if case .limit(_, let limit) = step { step.isInner && limit >= 0 } else { false }
    }
    let hasBarriers =
      innerMembers.contains { plans[$0].kind == .barrier }
      || steps.contains { step in
        if case .fresh(let fresh, _) = step { step.isInner && fresh.hasBarrier } else { false }
      }
    return plans.indices.filter { plans[$0].kind.isComposite }.compactMap { group in
      var members = Set(plans[group].members).union(innerMembers.subtracting([group]))
      var isLimited = isLimitedInside
      for step in steps {
        if case .join(let number, group) = step { members.insert(number) }
        if case .limitGroup(group, let limit) = step, limit >= 0 { isLimited = true }
      }
      let isClose = hasBarriers || isLimited && members.contains { plans[$0].kind.isComposite }
      return isClose ? members : nil
    }
  }
}
