// SPDX-License-Identifier: Apache-2.0

import Synchronization

extension OperationGraph {
  /// Stands for a node while its graph is built.
  public struct Node: Sendable, Hashable {
    /// Position in the order in which nodes were added, from 0.
    public let index: Int
    fileprivate let builder: Int
  }

  /// A node in an error.
  public struct Label: Sendable, Hashable, CustomStringConvertible {
    /// Position in the order in which nodes were added, from 0.
    public let index: Int
    /// The name given to the node.
    public let name: String?

    /// `node 3 "link"`.
    public var description: String { name.map { "node \(index) \"\($0)\"" } ?? "node \(index)" }
  }

  /// Takes the nodes and edges of a graph.
  ///
  /// A mistake is noted and thrown by the graph's initialiser.
  public struct Builder: ~Copyable {
    private static let lastBuilder = Atomic<Int>(0)

    private let number: Int
    private let graphName: String
    private(set) var bodies: [Body] = []
    private(set) var bands: [UInt8] = []
    private var origins: [UInt32] = []
    private var targets: [UInt32] = []
    private var names: [Int: String] = [:]
    private var mistake: OperationError?

    init(graphName: String) {
      self.graphName = graphName
      // relaxed: a number that nobody else has.
      number = Self.lastBuilder.wrappingAdd(1, ordering: .relaxed).newValue
    }

    /// Nodes so far.
    public var count: Int { bodies.count }
    /// Edges so far.
    public var edgeCount: Int { origins.count }

    /// Makes room for what follows.
    public mutating func reserveCapacity(nodes: Int, edges: Int = 0) {
      bodies.reserveCapacity(nodes)
      bands.reserveCapacity(nodes)
      origins.reserveCapacity(edges)
      targets.reserveCapacity(edges)
    }

    /// Adds a node that runs `body` once per run, after its predecessors have finished.
    ///
    /// The graph keeps the closure for its life. Amortised O(predecessors).
    /// - Parameters:
    ///   - name: for diagnostics.
    ///   - priority: order among nodes that are ready, as far as the scheduler has one.
    ///   - predecessors: nodes of this graph; more may follow with `addEdge(from:to:)`.
    ///   - body: the work.
    @discardableResult
    public mutating func add(
      name: String? = nil, priority: Operation.QueuePriority = .normal,
      after predecessors: [Node] = [], _ body: @escaping @Sendable () -> Void
    ) -> Node {
      let node = Node(index: bodies.count, builder: number)
      guard node.index < Int32.max else {
        Fault.stop(
          "adding to graph \"\(graphName)\": it would have more than \(Int32.max) nodes; split it")
      }
      bodies.append(Body(call: body))
      bands.append(priority.band.rawValue)
      if let name { names[node.index] = name }
      for predecessor in predecessors { addEdge(from: predecessor, to: node) }
      return node
    }

    /// Makes `successor` wait for `predecessor`.
    ///
    /// Giving an edge twice is harmless. Amortised O(1).
    public mutating func addEdge(from predecessor: Node, to successor: Node) {
      for node in [predecessor, successor] where node.builder != number {
        if mistake == nil { mistake = .nodeOfAnotherGraph(graph: graphName, label(node.index)) }
        return
      }
      origins.append(UInt32(predecessor.index))
      targets.append(UInt32(successor.index))
    }

    private func label(_ index: Int) -> Label { Label(index: index, name: names[index]) }

    /// The edges by node, if they are all right.
    func checkedEdges() throws(OperationError) -> GraphEdges {
      if let mistake { throw mistake }
      let edges = GraphEdges(count: count, origins: origins, targets: targets)
      guard !edges.allowsAnOrder else { return edges }
      var waiting = WaitGraph()
      let backward = GraphEdges(count: count, origins: targets, targets: origins)
      for node in 0..<count {
        waiting.addNode(waitingFor: backward.successors(of: node).map(Int.init))
      }
      guard let cycle = waiting.groups().lazy.compactMap(waiting.cycle).first else { return edges }
      throw .graphCycle(graph: graphName, path: cycle.map { label($0) })
    }
  }
}

/// Successor lists, one after the other.
///
/// Compressed sparse rows: `targets[starts[n]..<starts[n + 1]]` are the successors of n, in the
/// order given.
struct GraphEdges {
  private(set) var starts: [Int]
  private(set) var targets: [UInt32]
  /// How many predecessors each node has.
  private(set) var predecessorCounts: [UInt32]

  init(count: Int, origins: [UInt32], targets unsorted: [UInt32]) {
    starts = Array(repeating: 0, count: count + 1)
    predecessorCounts = Array(repeating: 0, count: count)
    for origin in origins { starts[Int(origin) + 1] += 1 }
    for node in 0..<count { starts[node + 1] += starts[node] }
    var next = starts
    targets = Array(repeating: 0, count: unsorted.count)
    for (origin, target) in zip(origins, unsorted) {
      targets[next[Int(origin)]] = target
      next[Int(origin)] += 1
      predecessorCounts[Int(target)] += 1
    }
  }

  func successors(of node: Int) -> ArraySlice<UInt32> { targets[starts[node]..<starts[node + 1]] }

  /// Whether there is an order that respects every edge.
  ///
  /// O(nodes + edges). Source: Kahn, Commun. ACM 5(11), 1962, doi:10.1145/368996.369025.
  var allowsAnOrder: Bool {
    var left = predecessorCounts
    var free = left.indices.filter { left[$0] == 0 }
    var removed = 0
    while let node = free.popLast() {
      removed += 1
      for successor in successors(of: node) {
        left[Int(successor)] -= 1
        if left[Int(successor)] == 0 { free.append(Int(successor)) }
      }
    }
    return removed == left.count
  }
}
