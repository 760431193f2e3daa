// SPDX-License-Identifier: Apache-2.0

package import Harness

/// A graph as the predecessors of each node, which have lower numbers, in one array.
///
/// Immutable; any thread.
package final class PredecessorLists: Sendable {
  /// Where the predecessors of each node begin in `all`, and an end.
  private let starts: [Int32]
  private let all: [Int32]

  /// Nodes, 1 or more.
  package var count: Int { starts.count - 1 }
  /// Edges.
  package var edgeCount: Int { all.count }

  /// Takes the predecessors of node 0, 1 and so on from `predecessors`.
  ///
  /// O(nodes + edges).
  package init(
    for name: String, count: Int, predecessors: (Int, (Int) -> Void) -> Void
  ) throws(WorkloadError) {
    guard count < Int(Int32.max) else { throw .noMemory(name, count) }
    var starts: [Int32] = [0]
    var all: [Int32] = []
    starts.reserveCapacity(count + 1)
    for node in 0..<count {
      predecessors(node) { predecessor in
        precondition(predecessor < node, "\(name): \(predecessor) before \(node)")
        all.append(Int32(predecessor))
      }
      guard all.count < Int(Int32.max) else { throw .noMemory(name, all.count) }
      starts.append(Int32(all.count))
    }
    self.starts = starts
    self.all = all
  }

  /// Calls `body` with each predecessor of a node; a slice of the list would cost references in the
  /// measured part.
  @inline(__always) package func forEachPredecessor(of node: Int, _ body: (Int) -> Void) {
    for place in Int(starts[node])..<Int(starts[node + 1]) { body(Int(all[place])) }
  }

  /// The predecessors of a node, in the order in which they were given.
  package func predecessors(of node: Int) -> [Int] {
    var list: [Int] = []
    forEachPredecessor(of: node) { list.append($0) }
    return list
  }
}
