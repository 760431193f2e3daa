// SPDX-License-Identifier: Apache-2.0

internal import CKernels
internal import Glibc
package import Harness
internal import Operations
package import Scheduling

/// Unbalanced Tree Search: an operation for every node of a random tree, which adds one for each of
/// its children.
///
/// Stresses: balancing work that nobody can predict, and adding from inside operations. Does not
/// show: dependencies; nodes only add others. Subtrees differ in size by orders of magnitude, so
/// that a scheduler that does not share its work leaves workers idle.
///
/// The answer is the published one: numbers of nodes and leaves, the depth, and a checksum over the
/// states of all nodes, which a serial search finds when the workload is made.
package final class TreeSearch: Workload {
  /// What the operations need, borrowed: a reference that all of them count would be the figure.
  private struct Place: Sendable {
    let tree: UnbalancedTree
    let tally: Tally
    let queue: BorrowedQueue
  }

  private let tree: UnbalancedTree
  private let storage: TallyStorage
  /// What the serial search finds.
  let expected: TallyTotals

  init(_ tree: UnbalancedTree) throws(WorkloadError) {
    guard ctree_load() != 0 else {
      throw WorkloadError(
        message: "uts: no libcrypto, whose SHA-1 makes the tree; expected libcrypto.so.3; install "
          + "the package libssl3",
        reason: "no-libcrypto")
    }
    try Self.refuseEndless(tree)
    self.tree = tree
    storage = try TallyStorage(for: "uts")
    expected = tree.search()
  }

  package var operationsPerIteration: Int { Int(expected.operations) }

  package func iterate(
    on scheduler: any Scheduler, recorder: inout IterationRecorder
  ) throws(WrongAnswer) {
    let (tree, tally) = (tree, storage.tally)
    _ = storage.take()  // what an iteration that failed has left
    try TimedIteration.run("uts", on: scheduler, recorder: &recorder) { queue in
      let place = Place(tree: tree, tally: tally, queue: BorrowedQueue(queue))
      let root = tree.root
      queue.addOperation { Self.visit(root, place) }
    }
    try storage.check("uts", expected: expected)
    recorder.value("nodes", Double(expected.operations))
    recorder.value("x-leaves", Double(expected.leaves))
    recorder.value("x-depth", Double(expected.depth))
  }

  private static func visit(_ node: UnbalancedTree.Node, _ place: Place) {
    let children = place.tree.childCount(of: node)
    place.tally.count(
      checksum: ctree_word(node.state), isLeaf: children == 0, depth: node.depth)
    for number in 0..<children {
      let child = place.tree.child(number, of: node)
      place.queue.addOperation { visit(child, place) }
    }
  }

  /// Refuses a tree whose nodes have one child or more on average at any depth.
  private static func refuseEndless(_ tree: UnbalancedTree) throws(WorkloadError) {
    let mean = tree.branchProbability * Double(tree.branchesBelow)
    guard [.binomial, .hybrid].contains(tree.kind), mean >= 1 else { return }
    throw WorkloadError(
      message: "uts: q times m is \(mean), so that the tree has no end; expected less than 1; ask "
        + "for a smaller q or m with --where")
  }
}

extension WorkloadDescription {
  /// Unbalanced Tree Search.
  package static let treeSearch = WorkloadDescription(
    name: "uts",
    summary: "Unbalanced Tree Search: a node adds its children, subtrees differ by magnitudes",
    notShown: "dependencies: nodes only add others",
    tags: ["throughput", "fork-join", "random", "known-answer"],
    runsByDefault: false,
    axes: [
      Axis(
        name: "tree", summary: "distribution of the numbers of children", always: "geometric",
        legal: .words(UnbalancedTree.Kind.allCases.map(\.rawValue))),
      Axis(
        name: "shape", summary: "how a geometric node's mean depends on its depth",
        always: "fixed", legal: .words(UnbalancedTree.Shape.allCases.map(\.rawValue))),
      Axis(
        name: "depth", summary: "greatest depth of a geometric or balanced tree", smoke: 4,
        quick: 7, real: 10, legal: 1...10_000),
      Axis(
        name: "branching", summary: "children of the root; mean of geometric nodes", always: 4,
        legal: .decimals(0...1e6)),
      Axis(
        name: "seed", summary: "seed of the tree", always: 19,
        legal: .numbers(0...Int(Int32.max))),
      Axis(
        name: "q", summary: "probability that a binomial node has children", always: "0.234375",
        legal: .decimals(0...1)),
      Axis(
        name: "m", summary: "children of a binomial node that has some", always: 4,
        legal: .numbers(0...100)),
      Axis(
        name: "shift", summary: "part of depth down to which a hybrid tree is geometric",
        always: "0.5", legal: .decimals(0...1)),
    ],
    metrics: ["nodes"],
    iterationSeconds: seconds,
    make: { parameters throws(WorkloadError) in try TreeSearch(UnbalancedTree(parameters)) })

  /// By the expected number of nodes of the tree that is asked for most; others are a guess.
  @Sendable private static func seconds(_ parameters: Parameters) -> Double {
    let tree = UnbalancedTree(parameters)
    let nodes =
      switch tree.kind {
      case .geometric, .balanced: min(pow(tree.branching, Double(tree.depth)) * 4 / 3, 4e6)
      case .binomial, .hybrid: 4e6
      }
    return nodes * 1e-6
  }
}

extension UnbalancedTree {
  /// The tree that the axes of `uts` say.
  init(_ parameters: Parameters) {
    kind = Kind(rawValue: parameters.word("tree")) ?? .geometric
    shape = Shape(rawValue: parameters.word("shape")) ?? .linear
    depth = parameters["depth"]
    branching = parameters.decimal("branching")
    seed = UInt32(parameters["seed"])
    branchProbability = parameters.decimal("q")
    branchesBelow = parameters["m"]
    shift = parameters.decimal("shift")
  }
}
