// SPDX-License-Identifier: Apache-2.0

package import Harness
internal import Operations
package import Scheduling

/// `n` operations, each depending on the one before: no parallelism at all.
///
/// Stresses: the way from one operation's finish to the start of its only successor, and
/// construction of edges. Does not show: stealing, contention, or the gain from more workers, of
/// which there is none. Every body checks that its predecessor has run.
package final class Chain: Workload {
  let storage: SlotStorage

  init(operations: Int) throws(WorkloadError) {
    storage = try SlotStorage(for: "chain", count: operations)
  }

  package var operationsPerIteration: Int { storage.count }

  /// The body of one operation.
  package static func body(_ index: Int, slots: Slots) -> @Sendable () -> Void {
    { visit(index, slots) }
  }

  /// What the body of operation `index` does.
  @inline(__always) package static func visit(_ index: Int, _ slots: Slots) {
    let value = slots.increment(index)
    if index > 0 { slots.expect(index - 1, at: value) }
  }

  package func iterate(
    on scheduler: any Scheduler, recorder: inout IterationRecorder
  ) throws(WrongAnswer) {
    let slots = storage.slots
    let count = storage.count
    try TimedIteration.run(
      "chain", on: scheduler, recorder: &recorder,
      edges: storage.isFirstIteration ? count - 1 : nil
    ) {
      var operations: [Operation] = []
      operations.reserveCapacity(count)
      for index in 0..<count {
        let operation = ChainOperation(index, slots)
        if index > 0 { operations.makeDependent(operation, on: index - 1) }
        operations.append(consume operation)
      }
      return operations
    }
    try storage.checkIteration(of: "chain")
  }
}

/// An operation of the chain: a subclass, as programs write them, without a closure.
private final class ChainOperation: Operation, @unchecked Sendable {
  private let index: Int
  private let slots: Slots

  init(_ index: Int, _ slots: Slots) {
    self.index = index
    self.slots = slots
    super.init()
  }

  override func main() { Chain.visit(index, slots) }
}

extension WorkloadDescription {
  /// A chain of dependencies.
  package static let chain = WorkloadDescription(
    name: "chain",
    summary: "each operation depends on the one before; cost from a finish to the next start",
    notShown: "parallel speed-up: there is no parallelism in it",
    tags: ["latency-bound", "dependency"],
    axes: [
      Axis(
        name: "n", summary: "operations", smoke: 200, quick: 10_000, real: 100_000,
        legal: 1...100_000_000)
    ],
    make: { parameters throws(WorkloadError) in try Chain(operations: parameters["n"]) })
}
