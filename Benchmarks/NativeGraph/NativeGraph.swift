// SPDX-License-Identifier: Apache-2.0

internal import CNativeGraph
package import Harness
internal import Workloads

/// One of the suite's graphs, run by a reference system that is written in C or C++.
package final class NativeGraph: ReferenceWorkload {
  /// What a system does with a graph; the words are handles.
  package struct System: Sendable {
    /// As in `--reference`, for messages.
    package var name: String
    /// Makes nodes and edges of a `native_graph`; 0 for a system that builds while it runs.
    package var build: @Sendable (_ graph: UInt) -> UInt
    /// Runs every node of the graph once, with that many workers, and waits.
    package var run: @Sendable (_ graph: UInt, _ program: UInt, _ workers: Int) -> Void
    /// Frees what `build` made.
    package var drop: @Sendable (_ program: UInt) -> Void
    /// How it is told its number of workers.
    package var limit: NativeLimit

    /// A system; see the properties.
    package init(
      name: String, limit: NativeLimit = .none, build: @escaping @Sendable (UInt) -> UInt,
      run: @escaping @Sendable (UInt, UInt, Int) -> Void,
      drop: @escaping @Sendable (UInt) -> Void
    ) {
      self.name = name
      self.limit = limit
      self.build = build
      self.run = run
      self.drop = drop
    }
  }

  private let workload: String
  private let system: System
  private let storage: SlotStorage
  let graph: UInt
  /// Whether bodies check their order in every iteration, not only in the first.
  private let alwaysChecksOrder: Bool

  init(
    _ workload: String, on system: System, count: Int, alwaysChecksOrder: Bool = true,
    predecessors: (Int) -> [Int32]
  ) throws(WorkloadError) {
    self.workload = workload
    self.system = system
    self.alwaysChecksOrder = alwaysChecksOrder
    storage = try SlotStorage(for: workload, count: count)
    var offsets: [Int64] = [0]
    var list: [Int32] = []
    offsets.reserveCapacity(count + 1)
    for node in 0..<count {
      list += predecessors(node)
      offsets.append(Int64(list.count))
    }
    // SAFETY: the call copies both arrays; `offsets` has one entry more than there are nodes.
    graph = unsafe native_graph_make(storage.slots.handle, offsets, Int64(count), list)
    guard graph != 0 else {
      throw WorkloadError(
        message:
          "\(workload) on \(system.name): no memory for the graph of \(count) nodes; ask for "
          + "a smaller size with --where")
    }
  }

  /// A graph of predecessor lists, which bodies check in the first iteration.
  convenience init(
    _ workload: String, _ lists: PredecessorLists, on system: System
  ) throws(WorkloadError) {
    try self.init(workload, on: system, count: lists.count, alwaysChecksOrder: false) {
      lists.predecessors(of: $0).map { Int32($0) }
    }
  }

  deinit { native_graph_drop(graph) }

  package var operationsPerIteration: Int { storage.count }

  package func iterate(workers: Int, recorder: inout IterationRecorder) throws(WrongAnswer) {
    native_graph_check_order(graph, alwaysChecksOrder || storage.isFirstIteration ? 1 : 0)
    let limit = system.limit.open(workers)
    recorder.begin()
    let program = system.build(graph)
    recorder.built()
    system.run(graph, program, workers)
    recorder.ran()
    system.drop(program)
    recorder.released()
    system.limit.close(limit)
    try storage.checkIteration(of: "\(workload) on \(system.name)")
  }
}

extension NativeGraph {
  /// The graph workloads of the suite by name, on one system.
  package static func programs(
    on system: System
  ) -> [String: ReferenceDescription.Program] {
    [
      "chain": .init { parameters throws(WorkloadError) in
        try NativeGraph("chain", on: system, count: parameters["n"]) { node in
          node > 0 ? [Int32(node - 1)] : []
        }
      },
      "fan": .init { parameters throws(WorkloadError) in
        let shape = FanShape(rounds: parameters["rounds"], width: parameters["width"])
        return try NativeGraph("fan", on: system, count: shape.count) { node in
          shape.predecessors(of: node).map { Int32($0) }
        }
      },
      "wavefront": .init { parameters throws(WorkloadError) in
        let side = parameters["n"]
        return try NativeGraph("wavefront", on: system, count: side * side) { node in
          (node >= side ? [Int32(node - side)] : []) + (node % side > 0 ? [Int32(node - 1)] : [])
        }
      },
      "layered": .init { parameters throws(WorkloadError) in
        let graph = try LayeredGraph(
          layers: parameters["layers"], width: parameters["width"], degree: parameters["degree"],
          seed: parameters["seed"])
        return try NativeGraph(
          "layered", on: system, count: graph.count, alwaysChecksOrder: false
        ) { node in Array(graph.predecessors(of: node)) }
      },
      "task-bench": .init { parameters throws(WorkloadError) in
        try NativeGraph(
          "task-bench", try TaskBenchGrid(parameters).graph(for: "task-bench"), on: system)
      },
      "metg": .init { parameters throws(WorkloadError) in try NativeGrain(parameters, on: system) },
    ]
  }
}
