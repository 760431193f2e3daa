// SPDX-License-Identifier: Apache-2.0

/// The edges of a recording, in an order in which every operation follows what it waits for.
struct TraceGraph {
  /// All operations, predecessors before successors; shorter than the recording where edges make a
  /// cycle.
  let order: [UInt32]
  /// Where the predecessors of an operation lie in `predecessors`: from its own place up to that of
  /// the next.
  let starts: [Int]
  /// Predecessors, by successor.
  let predecessors: [UInt32]
  /// Edges that name an operation that is not there, or lead from an operation to itself.
  let invalidEdges: Int

  /// Operations that wait for themselves by way of others, or behind such.
  var cyclicOperations: Int { starts.count - 1 - order.count }

  /// Reads the edges of a recording.
  ///
  /// O(operations + edges).
  init(_ trace: Trace) {
    let count = trace.operations.count
    let bySuccessor = Self.lists(trace.edges, count: count) { ($0.successor, $0.predecessor) }
    let byPredecessor = Self.lists(trace.edges, count: count) { ($0.predecessor, $0.successor) }
    starts = bySuccessor.starts
    predecessors = bySuccessor.items
    invalidEdges = trace.edges.count - predecessors.count

    var missing = [Int32](repeating: 0, count: count)
    var order: [UInt32] = []
    order.reserveCapacity(count)
    for index in 0..<count {
      missing[index] = Int32(starts[index + 1] - starts[index])
      if missing[index] == 0 { order.append(UInt32(index)) }
    }
    var head = 0
    while head < order.count {
      let operation = Int(order[head])
      head += 1
      for place in byPredecessor.starts[operation]..<byPredecessor.starts[operation + 1] {
        let successor = Int(byPredecessor.items[place])
        missing[successor] -= 1
        if missing[successor] == 0 { order.append(UInt32(successor)) }
      }
    }
    self.order = order
  }

  /// The places in `predecessors` of one operation.
  func places(of operation: Int) -> Range<Int> { starts[operation]..<starts[operation + 1] }

  private static func lists(
    _ edges: [TraceEdge], count: Int, ends: (TraceEdge) -> (list: UInt32, item: UInt32)
  ) -> (starts: [Int], items: [UInt32]) {
    func isValid(_ edge: TraceEdge) -> Bool {
      Int(edge.predecessor) < count && Int(edge.successor) < count
        && edge.predecessor != edge.successor
    }
    var starts = [Int](repeating: 0, count: count + 1)
    for edge in edges where isValid(edge) { starts[Int(ends(edge).list) + 1] += 1 }
    for index in 0..<count { starts[index + 1] += starts[index] }
    var next = starts
    var items = [UInt32](repeating: 0, count: starts[count])
    for edge in edges where isValid(edge) {
      let (list, item) = ends(edge)
      items[next[Int(list)]] = item
      next[Int(list)] += 1
    }
    return (starts, items)
  }
}
