// SPDX-License-Identifier: Apache-2.0

package import Harness
internal import Operations
package import Scheduling

/// A seeded random graph in layers.
///
/// Stresses: irregular release, several dependencies per operation whose last one may finish on any
/// worker, and memory that no prefetcher guesses. Does not show: barriers or phases; a layer has no
/// end, operations of several layers run side by side. The graph is drawn outside the figures. In
/// the first iteration, the warm-up, every body checks that its predecessors have run; later the
/// random reads would cost as much as the operation.
package final class Layered: Workload {
  private let graph: LayeredGraph
  let storage: SlotStorage

  init(graph: LayeredGraph) throws(WorkloadError) {
    self.graph = graph
    storage = try SlotStorage(for: "layered", count: graph.count)
  }

  package var operationsPerIteration: Int { graph.count }

  /// The body of one operation.
  package static func body(
    _ index: Int, of graph: LayeredGraph, checkingOrder: Bool, slots: Slots
  ) -> @Sendable () -> Void {
    guard checkingOrder else { return { slots.increment(index) } }
    return { visit(index, of: graph, slots) }
  }

  /// What the body of operation `index` does when it checks the order.
  @inline(__always)
  package static func visit(_ index: Int, of graph: LayeredGraph, _ slots: Slots) {
    let value = slots.increment(index)
    graph.forEachPredecessor(of: index) { slots.expect($0, at: value) }
  }

  package func iterate(
    on scheduler: any Scheduler, recorder: inout IterationRecorder
  ) throws(WrongAnswer) {
    let graph = graph
    let slots = storage.slots
    let checkingOrder = storage.isFirstIteration
    try TimedIteration.run(
      "layered", on: scheduler, recorder: &recorder, edges: checkingOrder ? graph.edgeCount : nil
    ) {
      var operations: [Operation] = []
      operations.reserveCapacity(graph.count)
      for index in 0..<graph.count {
        let operation =
          checkingOrder
          ? CheckingOperation(index, of: graph, slots) : LayeredOperation(index, slots)
        graph.forEachPredecessor(of: index) { operations.makeDependent(operation, on: $0) }
        operations.append(consume operation)
      }
      return operations
    }
    try storage.checkIteration(of: "layered")
  }
}

/// An operation of the graph: a subclass, as programs write them, without a closure.
private class LayeredOperation: Operation, @unchecked Sendable {
  final let index: Int
  final let slots: Slots

  init(_ index: Int, _ slots: Slots) {
    self.index = index
    self.slots = slots
    super.init()
  }

  override func main() { slots.increment(index) }
}

/// One that checks that its predecessors have run.
private final class CheckingOperation: LayeredOperation, @unchecked Sendable {
  private let graph: LayeredGraph

  init(_ index: Int, of graph: LayeredGraph, _ slots: Slots) {
    self.graph = graph
    super.init(index, slots)
  }

  override func main() { Layered.visit(index, of: graph, slots) }
}

extension WorkloadDescription {
  /// A seeded random graph.
  package static let layered = WorkloadDescription(
    name: "layered",
    summary: "a seeded random graph: each operation depends on some of the layer before",
    notShown: "barriers: operations of several layers run side by side",
    tags: ["throughput", "dependency", "random"],
    axes: [
      Axis(
        name: "layers", summary: "layers", smoke: 4, quick: 10, real: 100, legal: 1...100_000),
      Axis(
        name: "width", summary: "operations of one layer", smoke: 20, quick: 1000, real: 1000,
        legal: 1...1_000_000),
      Axis(
        name: "degree", summary: "predecessors of one operation, at most width", smoke: 3,
        quick: 3, real: 3, legal: 1...64),
      Axis(
        name: "seed", summary: "seed of the graph", smoke: 42, quick: 42, real: 42,
        legal: 0...Int.max),
    ],
    make: { parameters throws(WorkloadError) in
      let graph = try LayeredGraph(
        layers: parameters["layers"], width: parameters["width"], degree: parameters["degree"],
        seed: parameters["seed"])
      return try Layered(graph: graph)
    })
}
