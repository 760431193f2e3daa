// SPDX-License-Identifier: Apache-2.0

/// Who waits for whom, by number; every edge leads from a waiting node to one that it waits for.
///
/// A plain value for searches without recursion: graphs may have millions of nodes in one chain.
package struct WaitGraph {
  private var firstEdge: [Int] = [0]
  private var targets: [Int] = []

  /// No nodes.
  package init() {}

  /// Nodes so far.
  package var count: Int { firstEdge.count - 1 }

  /// Adds the next node with its edges, whose targets may be added later.
  package mutating func addNode(waitingFor blockers: [Int]) {
    targets += blockers
    firstEdge.append(targets.count)
  }

  /// What a node waits for.
  package func blockers(of node: Int) -> ArraySlice<Int> {
    targets[firstEdge[node]..<firstEdge[node + 1]]
  }

  /// Groups of nodes that wait for each other, every group after all groups that it waits for;
  /// O(nodes + edges).
  ///
  /// Most groups have one node. Source: Tarjan, SIAM J. Comput. 1(2), 1972, doi:10.1137/0201010,
  /// with a stack of its own.
  package func groups() -> [[Int]] {
    var search = GroupSearch(count: count)
    for node in 0..<count where search.order[node] == nil { search.run(from: node, in: self) }
    return search.groups
  }

  /// A cycle inside a group, beginning and ending with the same node; nil for a node that does not
  /// wait for itself.
  ///
  /// O(nodes + edges of the group).
  package func cycle(in group: [Int]) -> [Int]? {
    guard let first = group.first else { return nil }
    let members = Set(group)
    guard group.count > 1 || blockers(of: first).contains(first) else { return nil }
    // Every member has a blocker in the group, so a walk from blocker to blocker comes back to
    // where it has been.
    var place: [Int: Int] = [:]
    var path: [Int] = []
    var node = first
    while place[node] == nil {
      place[node] = path.count
      path.append(node)
      node = blockers(of: node).first { members.contains($0) } ?? first
    }
    return Array(path[(place[node] ?? 0)...]) + [node]
  }
}

/// The state of the search for groups.
private struct GroupSearch {
  /// When a node was found; later than all others once its group is closed.
  var order: [Int?]
  /// The earliest node on the stack that is known to be reachable.
  private var lowest: [Int]
  private var stack: [Int] = []
  private var found = 0
  private(set) var groups: [[Int]] = []
  /// Nodes whose blockers are being visited, with the next blocker to look at.
  private var visits: [(node: Int, next: Int)] = []

  init(count: Int) {
    order = Array(repeating: nil, count: count)
    lowest = Array(repeating: 0, count: count)
  }

  mutating func run(from start: Int, in graph: WaitGraph) {
    enter(start, graph)
    while let visit = visits.last {
      let node = visit.node
      let blockers = graph.blockers(of: node)
      guard visit.next < blockers.endIndex else {
        visits.removeLast()
        if let parent = visits.last?.node { lowest[parent] = min(lowest[parent], lowest[node]) }
        if lowest[node] == order[node] { closeGroup(of: node) }
        continue
      }
      visits[visits.count - 1].next += 1
      let blocker = blockers[visit.next]
      if let seen = order[blocker] {
        lowest[node] = min(lowest[node], seen)
      } else {
        enter(blocker, graph)
      }
    }
  }

  private mutating func enter(_ node: Int, _ graph: WaitGraph) {
    order[node] = found
    lowest[node] = found
    found += 1
    stack.append(node)
    visits.append((node, graph.blockers(of: node).startIndex))
  }

  private mutating func closeGroup(of node: Int) {
    var group: [Int] = []
    while let member = stack.popLast() {
      order[member] = .max
      group.append(member)
      if member == node { break }
    }
    groups.append(group)
  }
}
