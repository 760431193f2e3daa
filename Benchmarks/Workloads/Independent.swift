// SPDX-License-Identifier: Apache-2.0

package import Harness
internal import Operations
package import Scheduling

/// `n` operations without dependencies, each added by `addOperation { }` from one thread outside the pool.
///
/// Stresses: the add path, the injector, waking the first workers, and the finish path without successors.
/// Does not show: dependency release, or adding from several threads or from inside operations.
/// One operation is one closure. The build phase is the queue alone, since operations run while later ones are added.
package final class Independent: Workload {
  private let storage: SlotStorage

  init(operations: Int) throws(WorkloadError) {
    storage = try SlotStorage(for: "independent", count: operations)
  }

  package var operationsPerIteration: Int { storage.count }

  package func iterate(
    on scheduler: any Scheduler, recorder: inout IterationRecorder
  ) throws(WrongAnswer) {
    let slots = storage.slots
    let count = storage.count
    try TimedIteration.run("independent", on: scheduler, recorder: &recorder) { queue in
      for index in 0..<count {
        queue.addOperation { slots.increment(index) }
      }
    }
    try storage.checkIteration(of: "independent")
  }
}

extension WorkloadDescription {
  /// Operations without dependencies.
  package static let independent = WorkloadDescription(
    name: "independent",
    summary: "closures without dependencies, added one by one from outside the pool",
    notShown: "dependency release; adding from several threads or from inside operations",
    tags: ["throughput", "closures"],
    axes: [
      Axis(
        name: "n", summary: "operations", smoke: 200, quick: 100_000, real: 1_000_000,
        legal: 1...100_000_000, warmUp: 250_000)
    ],
    make: { parameters throws(WorkloadError) in try Independent(operations: parameters["n"]) })
}
