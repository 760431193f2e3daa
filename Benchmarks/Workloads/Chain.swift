// SPDX-License-Identifier: Apache-2.0

package import Harness
internal import Operations
package import Scheduling

/// `n` operations, each depending on the one before: no parallelism at all.
///
/// Stresses: the way from one operation's finish to the start of its only successor, and construction of edges.
/// Does not show: stealing, contention, or the gain from more workers, of which there is none.
/// Every body checks that its predecessor has run.
package final class Chain: Workload {
  let storage: SlotStorage

  init(operations: Int) throws(WorkloadError) {
    storage = try SlotStorage(for: "chain", count: operations)
  }

  package var operationsPerIteration: Int { storage.count }

  /// The body of one operation.
  package static func body(_ index: Int, slots: Slots) -> @Sendable () -> Void {
    guard index > 0 else { return { slots.increment(0) } }
    return { slots.expect(index - 1, at: slots.increment(index)) }
  }

  package func iterate(
    on scheduler: any Scheduler, recorder: inout IterationRecorder
  ) throws(WrongAnswer) {
    let slots = storage.slots
    let count = storage.count
    try TimedIteration.run("chain", on: scheduler, recorder: &recorder) {
      var operations: [Operation] = []
      operations.reserveCapacity(count)
      for index in 0..<count {
        let operation = BlockOperation(
          retainsFinishedDependencies: false, block: Self.body(index, slots: slots))
        if index > 0 { operation.addDependency(operations[index - 1]) }
        operations.append(operation)
      }
      return operations
    }
    try storage.checkIteration(of: "chain")
  }
}

extension WorkloadDescription {
  /// A chain of dependencies.
  package static let chain = WorkloadDescription(
    name: "chain",
    summary: "each operation depends on the one before; cost from a finish to the next start",
    notShown: "parallel speed-up: there is no parallelism in it",
    tags: ["latency-bound", "dependencies"],
    axes: [
      Axis(
        name: "n", summary: "operations", smoke: 200, quick: 10_000, real: 100_000,
        legal: 1...100_000_000)
    ],
    make: { parameters throws(WorkloadError) in try Chain(operations: parameters["n"]) })
}
