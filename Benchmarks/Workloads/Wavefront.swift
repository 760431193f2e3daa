// SPDX-License-Identifier: Apache-2.0

package import Harness
internal import Operations
package import Scheduling

/// A square of `n` by `n` operations; each depends on the one above and the one to the left.
///
/// Stresses: two dependencies per operation, parallelism that grows to `n` and shrinks again, and the choice between
/// running a successor in place and offering it to others.
/// Does not show: wide release; no operation has more than two successors.
/// Every body checks that both predecessors have run. Row-major order, so that a predecessor has a lower index.
package final class Wavefront: Workload {
  private let side: Int
  let storage: SlotStorage

  init(side: Int) throws(WorkloadError) {
    self.side = side
    storage = try SlotStorage(for: "wavefront", count: side * side)
  }

  package var operationsPerIteration: Int { side * side }

  /// The body of one operation.
  package static func body(
    row: Int, column: Int, side: Int, slots: Slots
  ) -> @Sendable () -> Void {
    let index = row * side + column
    switch (row > 0, column > 0) {
    case (true, true):
      return {
        let value = slots.increment(index)
        slots.expect(index - side, at: value)
        slots.expect(index - 1, at: value)
      }
    case (true, false): return { slots.expect(index - side, at: slots.increment(index)) }
    case (false, true): return { slots.expect(index - 1, at: slots.increment(index)) }
    case (false, false): return { slots.increment(index) }
    }
  }

  package func iterate(
    on scheduler: any Scheduler, recorder: inout IterationRecorder
  ) throws(WrongAnswer) {
    let slots = storage.slots
    let side = side
    try TimedIteration.run("wavefront", on: scheduler, recorder: &recorder) {
      var operations: [Operation] = []
      operations.reserveCapacity(side * side)
      for row in 0..<side {
        for column in 0..<side {
          let operation = BlockOperation(
            retainsFinishedDependencies: false,
            block: Self.body(row: row, column: column, side: side, slots: slots))
          let index = operations.count
          if row > 0 { operation.addDependency(operations[index - side]) }
          if column > 0 { operation.addDependency(operations[index - 1]) }
          operations.append(operation)
        }
      }
      return operations
    }
    try storage.checkIteration(of: "wavefront")
  }
}

extension WorkloadDescription {
  /// A square of operations that depend on their upper and left neighbours.
  package static let wavefront = WorkloadDescription(
    name: "wavefront",
    summary: "a square in which each operation depends on the one above and the one to the left",
    notShown: "wide release: no operation has more than two successors",
    tags: ["throughput", "dependencies"],
    axes: [
      Axis(
        name: "n", summary: "side of the square; n times n operations", smoke: 8, quick: 160,
        real: 512, legal: 1...8192)
    ],
    make: { parameters throws(WorkloadError) in try Wavefront(side: parameters["n"]) })
}
