// SPDX-License-Identifier: Apache-2.0

import Foundation

/// What an operation of a program does when it runs.
package struct Plan: Sendable {
  package var kind: Kind
  /// Further blocks of a block operation.
  package var extraBlocks = 0
  /// What the body does.
  package var inBody: [Step] = []
  /// What the first attempt of a retry does, which fails.
  package var inAttempt: [Step] = []
  /// What the completion block does, if the program assigns one.
  package var inCompletion: [Step] = []
  /// What an override of `cancel()` does.
  package var inCancel: [Step] = []
  /// What a group or a time limit is made of.
  package var members: [Int] = []
  /// An operation that the body waits for without a timeout.
  package var waitsFor: Int?
  /// One that the completion block waits for without a timeout.
  package var completionWaitsFor: Int?
  /// Blocks its thread inside `OperationQueue.blocking`.
  package var announcesBlocking = false
  /// What an operation is one run of.
  package var graph = GraphPlan()

  package init(kind: Kind) { self.kind = kind }

  /// All that it does.
  package var inside: [Step] { inBody + inAttempt + inCompletion + inCancel }
}

/// A graph whose nodes follow earlier ones; the first node does something.
package struct GraphPlan: Sendable, Equatable {
  /// Per node the nodes that it follows.
  package var nodes: [[Int]] = [[]]
  package var inNode: [Step] = []
  package init() {}
}

/// How a queue of a program is made.
package struct QueuePlan: Sendable, Equatable {
  package var startsInOrder = false
  /// On an inline scheduler of its own, whatever the other queues run on.
  package var isInline = false
  /// Number of its blocking policy.
  package var policy: UInt8 = 0
  package init() {}
}

/// A program as a value: what to make, and the steps that threads take.
package struct Program: Sendable {
  package var seed: UInt64
  /// Queues that steps use; one more exists for what the end of the program has to add.
  package var queueCount: Int { queues.count }
  package var queues: [QueuePlan]
  /// The capacity of each resource.
  package var resources: [Int] = []
  /// Readiness gates, closed at first.
  package var gates = 0
  /// Graphs that steps run.
  package var graphs: [GraphPlan] = []
  package var plans: [Plan]
  /// The steps of the first thread.
  package var steps: [Step]
  /// Those of further threads, which begin with the first one's `fork`.
  package var others: [[Step]] = []
  /// Each step waits until nothing goes on by itself any more, and what is seen then is compared
  /// with the model.
  package var isStepwise = false

  package init(seed: UInt64, queueCount: Int, plans: [Plan], steps: [Step]) {
    self.seed = seed
    queues = (0..<queueCount).map { _ in QueuePlan() }
    self.plans = plans
    self.steps = steps
  }

  /// What operations and nodes do.
  package var inside: [Step] {
    (plans.flatMap(\.inside) + graphs.flatMap(\.inNode)).flatMap(\.flattened)
  }

  /// Every step, wherever it stands, and those that it is made of.
  package var allSteps: [Step] { (steps + others.joined()).flatMap(\.flattened) + inside }

  /// The operations that something uses.
  package var used: Set<Int> {
    Set(
      allSteps.flatMap(\.operations)
        + plans.flatMap { $0.members + [$0.waitsFor, $0.completionWaitsFor].compactMap(\.self) })
  }
}

extension Program {
  /// Steps whose descriptions begin so are left out: what a known fault would be found by again and
  /// again.
  ///
  /// Given by the environment variable `BENCH_PROGRAMS_WITHOUT`, separated by commas.
  private static let leftOut = (ProcessInfo.processInfo.environment["BENCH_PROGRAMS_WITHOUT"] ?? "")
    .split(separator: ",").map(String.init)

  private func leavingOut(_ beginnings: [String]) -> Program {
    func kept(_ steps: [Step]) -> [Step] {
      steps.filter { step in !beginnings.contains { step.description.hasPrefix($0) } }
        .map { $0.mappingInner(kept) }
    }
    var program = self
    program.steps = kept(steps)
    program.others = others.map(kept)
    for graph in graphs.indices { program.graphs[graph].inNode = kept(graphs[graph].inNode) }
    for number in plans.indices {
      program.plans[number].inBody = kept(plans[number].inBody)
      program.plans[number].inAttempt = kept(plans[number].inAttempt)
      program.plans[number].inCompletion = kept(plans[number].inCompletion)
      program.plans[number].inCancel = kept(plans[number].inCancel)
    }
    return program
  }

  /// The program of a seed; every sixteenth is one for the model.
  package static func of(seed: UInt64) -> Program {
    guard seed % 16 == 15 else {
      var generator = WholeGenerator(seed: seed)
      let program = generator.make()
      return leftOut.isEmpty ? program : program.leavingOut(leftOut)
    }
    var generator = ProgramGenerator(seed: seed, avoidsDefects: false)
    var program = generator.script().program
    program.isStepwise = true
    return program
  }
}

extension Program: CustomStringConvertible {
  package var description: String {
    var lines = [
      "seed \(seed)\(isStepwise ? ", step by step" : ""), \(queueCount) queues and a spare one, operations:"
    ]
    let used = used
    for (number, plan) in plans.enumerated() where used.contains(number) {
      var line = "  \(number): \(plan.kind.rawValue)"
      if plan.extraBlocks > 0 { line += " of \(plan.extraBlocks + 1) blocks" }
      if plan.kind == .graph { line += " of nodes that follow \(plan.graph.nodes)" }
      if plan.announcesBlocking { line += " that announces its blocking" }
      if !plan.members.isEmpty { line += " of \(plan.members)" }
      if !plan.inAttempt.isEmpty { line += ", its first attempt: \(plan.inAttempt)" }
      if !plan.inBody.isEmpty { line += ", its body: \(plan.inBody)" }
      if let other = plan.waitsFor { line += ", its body waits for \(other)" }
      if !plan.inCompletion.isEmpty { line += ", its completion block: \(plan.inCompletion)" }
      if let other = plan.completionWaitsFor { line += ", its completion block waits for \(other)" }
      if !plan.inCancel.isEmpty { line += ", its cancel(): \(plan.inCancel)" }
      lines.append(line)
    }
    for (number, queue) in queues.enumerated() where queue != QueuePlan() {
      lines.append(
        "  queue \(number):\(queue.startsInOrder ? " starts in order," : "") "
          + "\(queue.isInline ? "inline, " : "")blocking policy \(queue.policy)")
    }
    for (number, graph) in graphs.enumerated() {
      lines.append(
        "  graph \(number): nodes that follow \(graph.nodes), the first does \(graph.inNode)")
    }
    for (number, capacity) in resources.enumerated() {
      lines.append("  resource \(number): \(capacity)")
    }
    lines += steps.enumerated().map { "  step \($0.offset): \($0.element)" }
    for (thread, steps) in others.enumerated() where !steps.isEmpty {
      lines.append("  thread \(thread + 1):")
      lines += steps.enumerated().map { "    step \($0.offset): \($0.element)" }
    }
    return lines.joined(separator: "\n")
  }
}

// MARK: Leaving out

extension Program {
  /// How many parts `without(_:)` can leave out; they keep their numbers.
  package var partCount: Int { var program = self; return program.visitParts { _ in true } }

  /// The program without those parts: a step, a member, a wait, further blocks, or a setting of a
  /// queue each.
  package func without(_ parts: Set<Int>) -> Program {
    var program = self
    _ = program.visitParts { !parts.contains($0) }
    return program
  }

  /// Calls `keeps` with the number of every part and drops those that it does not want; returns
  /// their number.
  private mutating func visitParts(_ keeps: (Int) -> Bool) -> Int {
    var next = 0
    func keepsNext() -> Bool {
      defer { next += 1 }
      return keeps(next)
    }
    // What is left out keeps the numbers of what it is made of.
    func kept(_ steps: [Step]) -> [Step] {
      steps.compactMap { step in
        let isKept = keepsNext()
        let step = step.mappingInner(kept)
        return isKept ? step : nil
      }
    }
    for thread in others.indices.reversed() { others[thread] = kept(others[thread]) }
    steps = kept(steps)
    for graph in graphs.indices { graphs[graph].inNode = kept(graphs[graph].inNode) }
    for number in plans.indices {
      plans[number].inBody = kept(plans[number].inBody)
      plans[number].inAttempt = kept(plans[number].inAttempt)
      plans[number].inCompletion = kept(plans[number].inCompletion)
      plans[number].inCancel = kept(plans[number].inCancel)
      if plans[number].announcesBlocking, !keepsNext() { plans[number].announcesBlocking = false }
      plans[number].members = plans[number].members.filter { _ in keepsNext() }
      if plans[number].waitsFor != nil, !keepsNext() { plans[number].waitsFor = nil }
      if plans[number].completionWaitsFor != nil, !keepsNext() {
        plans[number].completionWaitsFor = nil
      }
      if plans[number].extraBlocks > 0, !keepsNext() { plans[number].extraBlocks = 0 }
    }
    for queue in queues.indices where queues[queue] != QueuePlan() {
      if !keepsNext() { queues[queue] = QueuePlan() }
    }
    return next
  }
}
