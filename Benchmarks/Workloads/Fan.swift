// SPDX-License-Identifier: Apache-2.0

package import Harness
internal import Operations
package import Scheduling

/// Where the operations of `Fan` lie and what they depend on.
package struct FanShape: Sendable {
  /// Rounds, one after the other.
  package var rounds: Int
  /// Operations between the first and the last of a round.
  package var width: Int

  /// A fan; both are 1 or more.
  package init(rounds: Int, width: Int) {
    self.rounds = rounds
    self.width = width
  }

  /// Operations of one round: the first, `width` in the middle, and the last.
  package var stride: Int { width + 2 }
  /// Operations of all rounds.
  package var count: Int { rounds * stride }

  /// Edges of all rounds, and those between them.
  package var edgeCount: Int { 2 * rounds * width + rounds - 1 }

  /// The predecessors of an operation, a contiguous range of lower indices.
  package func predecessors(of index: Int) -> Range<Int> {
    let place = index % stride
    let first = index - place
    if place == 0 { return first == 0 ? 0..<0 : first - 1..<first }
    if place <= width { return first..<first + 1 }
    return first + 1..<first + 1 + width
  }
}

/// `rounds` times one operation, then `width` that depend on it, then one that depends on all of
/// those.
///
/// Stresses: releasing many successors at once, spreading them over the workers, and counting down
/// one hot join. Does not show: work that is already spread, since every round starts on one
/// worker. Every body checks that its predecessors have run; the last of a round checks them all.
package final class Fan: Workload {
  private let shape: FanShape
  let storage: SlotStorage

  init(shape: FanShape) throws(WorkloadError) {
    self.shape = shape
    storage = try SlotStorage(for: "fan", count: shape.count)
  }

  package var operationsPerIteration: Int { shape.count }

  /// The body of one operation.
  package static func body(
    _ index: Int, after predecessors: Range<Int>, slots: Slots
  ) -> @Sendable () -> Void {
    {
      let value = slots.increment(index)
      for predecessor in predecessors { slots.expect(predecessor, at: value) }
    }
  }

  package func iterate(
    on scheduler: any Scheduler, recorder: inout IterationRecorder
  ) throws(WrongAnswer) {
    let slots = storage.slots
    let shape = shape
    try TimedIteration.run(
      "fan", on: scheduler, recorder: &recorder,
      edges: storage.isFirstIteration ? shape.edgeCount : nil
    ) {
      var operations: [Operation] = []
      operations.reserveCapacity(shape.count)
      for index in 0..<shape.count {
        let predecessors = shape.predecessors(of: index)
        let operation = BlockOperation(
          block: Self.body(index, after: predecessors, slots: slots))
        for predecessor in predecessors { operations.makeDependent(operation, on: predecessor) }
        operations.append(consume operation)
      }
      return operations
    }
    try storage.checkIteration(of: "fan")
  }
}

extension WorkloadDescription {
  /// Rounds of one operation, many, and one again.
  package static let fan = WorkloadDescription(
    name: "fan",
    summary: "rounds of 1, then width, then 1: releasing many successors and joining them",
    notShown: "work that is already spread: every round starts on one worker",
    tags: ["throughput", "dependency"],
    axes: [
      Axis(
        name: "rounds", summary: "rounds, one after the other", smoke: 3, quick: 10, real: 200,
        legal: 1...1_000_000, warmUp: 20),
      Axis(
        name: "width", summary: "operations between the first and the last of a round", smoke: 20,
        quick: 1000, real: 1000, legal: 1...1_000_000),
    ],
    make: { parameters throws(WorkloadError) in
      let shape = FanShape(rounds: parameters["rounds"], width: parameters["width"])
      return try Fan(shape: shape)
    })
}
