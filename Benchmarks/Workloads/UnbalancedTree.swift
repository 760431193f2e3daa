// SPDX-License-Identifier: Apache-2.0

internal import CKernels
internal import Glibc
internal import Harness

/// The trees of the Unbalanced Tree Search benchmark (Olivier et al., LCPC 2006): how many children
/// a node has follows from its random state alone, which follows from its parent's.
///
/// A plain value; any thread.
package struct UnbalancedTree: Hashable, Sendable {
  /// From what distribution a node draws the number of its children.
  package enum Kind: String, CaseIterable, Sendable {
    /// A geometric one whose mean depends on the depth.
    case geometric
    /// `branchesBelow` with the probability `branchProbability`, else none; the root has
    /// `branching`.
    case binomial
    /// Geometric down to the depth `shift * depth`, binomial below.
    case hybrid
    /// Always `branching`, down to the depth `depth`.
    case balanced
  }

  /// How the mean of a geometric node depends on its depth.
  package enum Shape: String, CaseIterable, Sendable {
    /// Decreases in proportion to the depth.
    case linear
    /// Decreases with a power of the depth.
    case exponential
    /// Rises and falls.
    case cyclic
    /// Stays, and ends at the depth `depth`.
    case fixed
  }

  /// The kind of tree.
  package var kind = Kind.geometric
  /// The shape of a geometric tree.
  package var shape = Shape.fixed
  /// The greatest depth, for the shapes that end by depth; the scale of the others.
  package var depth = 10
  /// Children of the root, and the mean of other geometric nodes.
  package var branching = 4.0
  /// Seed of the root's state.
  package var seed: UInt32 = 19
  /// Probability that a binomial node has children.
  package var branchProbability = 15.0 / 64
  /// Children of a binomial node that has some.
  package var branchesBelow = 4
  /// The part of `depth` down to which a hybrid tree is geometric.
  package var shift = 0.5

  /// The tree T1 of the benchmark.
  package init() {}

  /// A node: its state and its depth.
  struct Node {
    let state: ctree_state
    let depth: Int
  }

  /// A node other than the root of a binomial tree has no more children.
  static let mostChildren = 100

  /// The root; `ctree_load` has found the hash.
  var root: Node { Node(state: ctree_root(seed), depth: 0) }

  /// A child, by its number from 0.
  func child(_ number: Int, of parent: Node) -> Node {
    Node(state: ctree_child(parent.state, UInt32(number)), depth: parent.depth + 1)
  }

  /// How many children a node has.
  func childCount(of node: Node) -> Int {
    let count: Int
    switch kind {
    case .binomial where node.depth == 0: return Int(branching)
    case .binomial: count = binomialChildCount(of: node)
    case .geometric: count = geometricChildCount(of: node)
    case .hybrid:
      count =
        Double(node.depth) < shift * Double(depth)
        ? geometricChildCount(of: node) : binomialChildCount(of: node)
    case .balanced: count = node.depth < depth ? Int(branching) : 0
    }
    return min(count, Self.mostChildren)
  }

  /// The state's random number on [0, 1).
  private func uniform(_ node: Node) -> Double { Double(ctree_random(node.state)) / 0x1p31 }

  private func binomialChildCount(of node: Node) -> Int {
    uniform(node) < branchProbability ? branchesBelow : 0
  }

  /// By the inverse of the distribution whose mean is that of the depth.
  private func geometricChildCount(of node: Node) -> Int {
    let success = 1 / (1 + mean(at: node.depth))
    return Int((log(1 - uniform(node)) / log(1 - success)).rounded(.down))
  }

  private func mean(at level: Int) -> Double {
    guard level > 0 else { return branching }
    let (level, depth) = (Double(level), Double(depth))
    switch shape {
    case .linear: return branching * (1 - level / depth)
    case .exponential: return branching * pow(level, -log(branching) / log(depth))
    case .cyclic: return level > 5 * depth ? 0 : pow(branching, sin(2 * .pi * level / depth))
    case .fixed: return level < depth ? branching : 0
    }
  }

  /// Searches the whole tree on the calling thread: the serial reference.
  ///
  /// O(nodes), with a stack as long as the unvisited children of one path.
  func search() -> TallyTotals {
    var totals = TallyTotals()
    var stack = [root]
    while let node = stack.popLast() {
      let children = childCount(of: node)
      totals.count(
        checksum: ctree_word(node.state), isLeaf: children == 0, depth: node.depth)
      for number in 0..<children { stack.append(child(number, of: node)) }
    }
    return totals
  }
}
