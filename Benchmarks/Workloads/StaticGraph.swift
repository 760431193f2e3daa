// SPDX-License-Identifier: Apache-2.0

package import Harness
internal import Operations
package import Scheduling

/// The graphs of `chain`, `wavefront` and `layered`, built once as an `OperationGraph` and run in
/// every iteration.
///
/// Stresses: what a scheduler and a counter per node cost when nothing is allocated, retained or
/// released. Does not show: construction, which is outside of every figure; the same names without
/// `graph-` have it. Every body checks that its predecessors have run; those of `graph-layered` in
/// the first iteration only, for which there is a graph of its own.
package final class StaticGraph: Workload {
  private let name: String
  private let make: (_ checkingOrder: Bool) throws(OperationError) -> OperationGraph
  private let edges: Int
  /// Whether the first iteration has a graph of its own.
  private let checksOrderOnce: Bool
  private var graph: OperationGraph?
  let storage: SlotStorage

  init(
    _ name: String, count: Int, edges: Int, checksOrderOnce: Bool = false,
    make: @escaping (Slots, _ checkingOrder: Bool) throws(OperationError) -> OperationGraph
  ) throws(WorkloadError) {
    let storage = try SlotStorage(for: name, count: count)
    let slots = storage.slots
    self.name = name
    self.edges = edges
    self.storage = storage
    self.checksOrderOnce = checksOrderOnce
    self.make = { checkingOrder throws(OperationError) in try make(slots, checkingOrder) }
  }

  package var operationsPerIteration: Int { storage.count }

  package func iterate(
    on scheduler: any Scheduler, recorder: inout IterationRecorder
  ) throws(WrongAnswer) {
    let graph = try graphOfIteration()
    recorder.begin()
    recorder.built()
    let run = graph.run(on: scheduler)
    guard run.wait(timeout: TimedIteration.patience) else {
      throw WrongAnswer(
        message: "\(name): the run has not finished after \(TimedIteration.patience)")
    }
    recorder.ran()
    recorder.released()
    try storage.checkIteration(of: name)
  }

  private func graphOfIteration() throws(WrongAnswer) -> OperationGraph {
    if let graph { return graph }
    let made: OperationGraph
    do throws(OperationError) {
      made = try make(storage.isFirstIteration)
    } catch {
      throw WrongAnswer(message: "\(name): \(error)")
    }
    try TimedIteration.check(name, edges: made.edgeCount, expected: edges)
    if !checksOrderOnce || !storage.isFirstIteration { graph = made }
    return made
  }
}

extension OperationGraph.Builder {
  /// Adds the edge; the nodes were added in the order of their slots.
  @inline(__always)
  mutating func connect(_ predecessor: OperationGraph.Node, to successor: OperationGraph.Node) {
    guard PlantedFault.keepsEdge(from: predecessor.index) else { return }
    addEdge(from: predecessor, to: successor)
  }
}

extension WorkloadDescription {
  private static let notShownByGraphs = "construction, which is outside of every figure"

  /// A chain, built once.
  package static let graphChain = WorkloadDescription(
    name: "graph-chain",
    summary: "the graph of chain, built once and run in every iteration",
    notShown: notShownByGraphs,
    tags: ["latency-bound", "dependency", "graph"],
    runsByDefault: false,
    axes: chain.axes,
    make: { parameters throws(WorkloadError) in
      let count = parameters["n"]
      return try StaticGraph(
        "graph-chain", count: count, edges: count - 1
      ) { slots, _ throws(OperationError) in
        try OperationGraph { builder in
          builder.reserveCapacity(nodes: count, edges: count)
          var last: OperationGraph.Node?
          for index in 0..<count {
            let node = builder.add(Chain.body(index, slots: slots))
            if let last { builder.connect(last, to: node) }
            last = node
          }
        }
      }
    })

  /// A square, built once.
  package static let graphWavefront = WorkloadDescription(
    name: "graph-wavefront",
    summary: "the graph of wavefront, built once and run in every iteration",
    notShown: notShownByGraphs,
    tags: ["throughput", "dependency", "graph"],
    runsByDefault: false,
    axes: wavefront.axes,
    make: { parameters throws(WorkloadError) in
      let side = parameters["n"]
      return try StaticGraph(
        "graph-wavefront", count: side * side, edges: 2 * side * (side - 1)
      ) { slots, _ throws(OperationError) in
        try OperationGraph { builder in
          builder.reserveCapacity(nodes: side * side, edges: 2 * side * side)
          var row: [OperationGraph.Node] = []
          for index in 0..<side * side {
            let node = builder.add(
              Wavefront.body(row: index / side, column: index % side, side: side, slots: slots))
            if index >= side { builder.connect(row[index % side], to: node) }
            if index % side > 0 { builder.connect(row[index % side - 1], to: node) }
            if index < side { row.append(node) } else { row[index % side] = node }
          }
        }
      }
    })

  /// A seeded random graph, built once.
  package static let graphLayered = WorkloadDescription(
    name: "graph-layered",
    summary: "the graph of layered, built once and run in every iteration",
    notShown: notShownByGraphs,
    tags: ["throughput", "dependency", "random", "graph"],
    runsByDefault: false,
    axes: layered.axes,
    make: { parameters throws(WorkloadError) in
      let shape = try LayeredGraph(
        layers: parameters["layers"], width: parameters["width"], degree: parameters["degree"],
        seed: parameters["seed"])
      return try StaticGraph(
        "graph-layered", count: shape.count, edges: shape.edgeCount, checksOrderOnce: true
      ) { slots, checkingOrder throws(OperationError) in
        try OperationGraph { builder in
          builder.reserveCapacity(nodes: shape.count, edges: shape.count * shape.degree)
          var nodes: [OperationGraph.Node] = []
          for index in 0..<shape.count {
            let node = builder.add(
              Layered.body(index, of: shape, checkingOrder: checkingOrder, slots: slots))
            for predecessor in shape.predecessors(of: index) {
              builder.connect(nodes[Int(predecessor)], to: node)
            }
            nodes.append(node)
          }
        }
      }
    })
}
