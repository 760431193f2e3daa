// SPDX-License-Identifier: Apache-2.0

/// A program carried to its end, with what must be seen after each step.
package struct Script: Sendable {
  package let program: Program
  /// The program's steps and those that let everything finish.
  package let steps: [Step]
  package let expected: [Snapshot]
  /// Serial queues whose start order is promised, per step.
  package let orderedQueues: [[Int]]
  /// What each step begins, in this order where it is promised.
  package let begun: [[Int]]
  /// Pairs: the body of the first must have ended before that of the second begins.
  package let edges: [(Int, Int)]
  /// The queue that each operation was added to.
  package let queueOf: [Int?]

  /// Follows the program; leaves out steps that are not allowed where they stand.
  ///
  /// Nil when what is left cannot be brought to an end.
  package init?(_ program: Program, avoidsDefects: Bool = true) {
    var program = program
    var prediction = Prediction(
      plans: program.plans, queueCount: program.queueCount, avoidsDefects: avoidsDefects)
    var kept: [Step] = []
    var expected: [Snapshot] = []
    var ordered: [[Int]] = []
    var begun: [[Int]] = []
    func take(_ step: Step) -> Bool {
      var next = prediction
      guard next.advance(step) else { return false }
      prediction = next
      expected.append(next.snapshot)
      ordered.append(next.orderedQueues)
      begun.append(next.begun)
      return true
    }
    for step in program.steps where take(step) { kept.append(step) }
    program.steps = kept
    var steps = kept
    while !prediction.isOver {
      guard let step = prediction.closingSteps.first(where: { take($0) }) else { return nil }
      steps.append(step)
    }
    self.program = program
    self.steps = steps
    self.expected = expected
    orderedQueues = ordered
    self.begun = begun
    edges = prediction.edges
    queueOf = prediction.operations.map(\.queue)
  }

  /// The steps with their numbers, for messages.
  package var listing: String {
    var program = program
    program.steps = steps
    return program.description
  }
}

extension Prediction {
  /// Steps that bring the program nearer to its end, best first.
  fileprivate var closingSteps: [Step] {
    var steps: [Step] = []
    for queue in queues.indices where queues[queue].limit != -1 {
      steps.append(.limit(queue: queue, -1))
    }
    for queue in queues.indices where queues[queue].isSuspended {
      steps.append(.suspend(queue: queue, false))
    }
    for number in plans.indices {
      if !operations[number].isOpen, !isFinished(number) { steps.append(.open(number, true)) }
      if plans[number].kind.isHeld, isExecuting(number) { steps.append(.finish(number)) }
    }
    for number in plans.indices where plans[number].kind.isObject {
      guard operations[number].phase == .idle else { continue }
      steps.append(.start(number))
      steps.append(.add(number, queue: spareQueue))
    }
    return steps
  }
}
