// SPDX-License-Identifier: Apache-2.0

/// Who waits for whom, as two flat arrays: node i waits for `parents[starts[i]..<starts[i + 1]]`.
struct DependencyLists {
  private(set) var starts: [Int] = [0]
  private(set) var parents: [Int32] = []

  /// Nodes so far.
  var count: Int { starts.count - 1 }

  /// The parents of one node.
  func parents(of node: Int) -> ArraySlice<Int32> { parents[starts[node]..<starts[node + 1]] }

  /// Adds a parent to the node being built, which `closeNode` ends.
  mutating func append(_ parent: Int32) { parents.append(parent) }

  /// Ends the node being built and starts the next.
  mutating func closeNode() { starts.append(parents.count) }

  /// Lists from (child, parent) pairs in any order; a repeated pair counts once, first appearances
  /// keep their order.
  ///
  /// O(nodes + pairs).
  init(nodes: Int, children: [Int32], parents pairs: [Int32]) {
    var offsets = Array(repeating: 0, count: nodes + 1)
    for child in children { offsets[Int(child) + 1] += 1 }
    for node in 0..<nodes { offsets[node + 1] += offsets[node] }
    var sorted = Array(repeating: Int32(0), count: pairs.count)
    var next = offsets
    for (child, parent) in zip(children, pairs) {
      sorted[next[Int(child)]] = parent
      next[Int(child)] += 1
    }
    var lastChild = Array(repeating: Int32(-1), count: nodes)
    starts.reserveCapacity(nodes + 1)
    for node in 0..<nodes {
      for parent in sorted[offsets[node]..<offsets[node + 1]]
      where lastChild[Int(parent)] != Int32(node) {
        lastChild[Int(parent)] = Int32(node)
        append(parent)
      }
      closeNode()
    }
  }

  init() {}

  /// Every node after its parents, first come first served from the lowest index; short when there
  /// is a cycle.
  ///
  /// O(nodes + edges).
  func topologicalOrder() -> [Int32] {
    var childStarts = Array(repeating: 0, count: count + 1)
    for parent in parents { childStarts[Int(parent) + 1] += 1 }
    for node in 0..<count { childStarts[node + 1] += childStarts[node] }
    var children = Array(repeating: Int32(0), count: parents.count)
    var next = childStarts
    var missing = Array(repeating: 0, count: count)
    var order: [Int32] = []
    order.reserveCapacity(count)
    for node in 0..<count {
      missing[node] = starts[node + 1] - starts[node]
      if missing[node] == 0 { order.append(Int32(node)) }
      for parent in parents(of: node) {
        children[next[Int(parent)]] = Int32(node)
        next[Int(parent)] += 1
      }
    }
    var head = 0
    while head < order.count {
      let node = Int(order[head])
      head += 1
      for child in children[childStarts[node]..<childStarts[node + 1]] {
        missing[Int(child)] -= 1
        if missing[Int(child)] == 0 { order.append(child) }
      }
    }
    return order
  }

  /// One cycle among the nodes that `order` lacks, in running order, first node not repeated at the
  /// end.
  ///
  /// Every node left out waits for another one left out, so walking to such a parent must come
  /// back. O(nodes + edges).
  func cycle(leftOutOf order: [Int32]) -> [Int] {
    var ordered = Array(repeating: false, count: count)
    for node in order { ordered[Int(node)] = true }
    guard var node = ordered.firstIndex(of: false) else { return [] }
    var step = Array(repeating: -1, count: count)
    var walk: [Int] = []
    while step[node] < 0 {
      step[node] = walk.count
      walk.append(node)
      guard let parent = parents(of: node).first(where: { !ordered[Int($0)] }) else { return [] }
      node = Int(parent)
    }
    return walk[step[node]...].reversed()
  }
}

/// `a → b → a`, shortened in the middle when long.
func cycleText(_ names: [String]) -> String {
  let shown = names.map(printable)
  guard let first = shown.first else { return "" }
  guard shown.count > 10 else { return (shown + [first]).joined(separator: " → ") }
  return (shown.prefix(5) + ["… \(shown.count - 8) more …"] + shown.suffix(3) + [first]).joined(
    separator: " → ")
}
