// SPDX-License-Identifier: Apache-2.0

package import Harness
internal import Operations
package import Scheduling

/// `n` operations without dependencies, each added from one thread outside the pool: by
/// `addOperation { }`, as a body that the queue stores, or as a `BlockOperation` object.
///
/// Stresses: the add path, the injector, waking the first workers, and the finish path without
/// successors. Does not show: dependency release, or adding from several threads or from inside
/// operations. The build phase is the queue alone, since operations run while later ones are added.
package final class Independent: Workload {
  /// What is added.
  enum Form { case closures, bodies, objects }

  private struct Increment: OperationBody {
    let slots: Slots
    let index: Int
    func run() { slots.increment(index) }
  }

  private let name: String
  private let storage: SlotStorage
  private let form: Form

  init(_ name: String, operations: Int, as form: Form = .closures) throws(WorkloadError) {
    self.name = name
    storage = try SlotStorage(for: name, count: operations)
    self.form = form
  }

  package var operationsPerIteration: Int { storage.count }

  package func iterate(
    on scheduler: any Scheduler, recorder: inout IterationRecorder
  ) throws(WrongAnswer) {
    let slots = storage.slots
    let count = storage.count
    try TimedIteration.run(name, on: scheduler, recorder: &recorder) { queue in
      switch form {
      case .closures:
        for index in 0..<count { queue.addOperation { slots.increment(index) } }
      case .bodies:
        for index in 0..<count { queue.addOperation(Increment(slots: slots, index: index)) }
      case .objects:
        for index in 0..<count { queue.addOperation(BlockOperation { slots.increment(index) }) }
      }
    }
    try storage.checkIteration(of: name)
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
        name: "n", summary: "operations", smoke: 200, quick: 50_000, real: 1_000_000,
        legal: 1...100_000_000, warmUp: 250_000)
    ],
    make: { parameters throws(WorkloadError) in
      try Independent("independent", operations: parameters["n"])
    })

  /// The same as bodies that the queue stores.
  package static let independentBodies = WorkloadDescription(
    name: "independent-bodies",
    summary: "values with a run() without dependencies, stored by the queue and added one by one",
    notShown: "dependency release; adding from several threads or from inside operations",
    tags: ["throughput", "closures"],
    runsByDefault: false,
    axes: independent.axes,
    make: { parameters throws(WorkloadError) in
      try Independent("independent-bodies", operations: parameters["n"], as: .bodies)
    })

  /// The same as objects.
  package static let independentObjects = WorkloadDescription(
    name: "independent-objects",
    summary: "BlockOperation objects without dependencies, made and added one by one",
    notShown: "dependency release; adding from several threads or from inside operations",
    tags: ["throughput", "closures"],
    runsByDefault: false,
    axes: independent.axes,
    make: { parameters throws(WorkloadError) in
      try Independent("independent-objects", operations: parameters["n"], as: .objects)
    })
}
