// SPDX-License-Identifier: Apache-2.0

package import Harness
internal import Operations
package import Scheduling

/// What the nodes of a graph do; a plain value of words, for the reason given at `Slots`.
package protocol NodeBody: Sendable {
  /// The body of a node, after those of its predecessors; any thread, once in an iteration.
  func run(_ node: Int)
}

/// How a graph is handed to the scheduler.
package enum GraphForm: String, CaseIterable, Sendable {
  /// An object of a class for each node, built, added and released in every iteration.
  case operations
  /// An `OperationGraph`, built once.
  case graph
}

/// A graph of predecessor lists, run as class operations or as an `OperationGraph`.
///
/// Every body marks its slot; in the first iteration, the warm-up, it checks that its predecessors
/// have run, which later would cost as much as the operation. As operations the graph is built,
/// added and released in every iteration. As an `OperationGraph` it is built once, which is the
/// metric `construction`, and run in every iteration.
package final class GraphProgram<Body: NodeBody>: Workload {
  private let name: String
  private let lists: PredecessorLists
  private let form: GraphForm
  private let body: Body
  /// Before an iteration, outside of its figures.
  private let prepare: () -> Void
  /// After one, outside of its figures too.
  private let check: () throws(WrongAnswer) -> Void
  let storage: SlotStorage
  private var graph: OperationGraph?
  private var constructionNanoseconds: UInt64 = 0

  /// A program.
  ///
  /// - Parameters:
  ///   - body: what the nodes do; words of memory that `check` keeps alive.
  ///   - prepare: sets up what the bodies change.
  ///   - check: throws unless they have computed what the serial reference computes.
  init(
    _ name: String, _ lists: PredecessorLists, as form: GraphForm, body: Body,
    prepare: @escaping () -> Void = {}, check: @escaping () throws(WrongAnswer) -> Void
  ) throws(WorkloadError) {
    self.name = name
    self.lists = lists
    self.form = form
    self.body = body
    self.prepare = prepare
    self.check = check
    storage = try SlotStorage(for: name, count: lists.count)
  }

  package var operationsPerIteration: Int { lists.count }

  package func iterate(
    on scheduler: any Scheduler, recorder: inout IterationRecorder
  ) throws(WrongAnswer) {
    prepare()
    switch form {
    case .operations: try runOperations(on: scheduler, recorder: &recorder)
    case .graph: try runGraph(on: scheduler, recorder: &recorder)
    }
    try storage.checkIteration(of: name)
    try check()
    recorder.value("edges", Double(lists.edgeCount))
    guard form == .graph else { return }
    recorder.value("construction", Double(constructionNanoseconds) / Double(lists.count))
  }

  /// Nanoseconds that making the graph takes, as an `OperationGraph`.
  var construction: UInt64 { constructionNanoseconds }

  private func runOperations(
    on scheduler: any Scheduler, recorder: inout IterationRecorder
  ) throws(WrongAnswer) {
    let (lists, slots, body) = (lists, storage.slots, body)
    let checking = storage.isFirstIteration
    try TimedIteration.run(
      name, on: scheduler, recorder: &recorder, edges: checking ? lists.edgeCount : nil
    ) {
      var operations: [Operation] = []
      operations.reserveCapacity(lists.count)
      for index in 0..<lists.count {
        let operation =
          checking
          ? CheckingNode(index, slots, body, lists) : NodeOperation(index, slots, body)
        lists.forEachPredecessor(of: index) { operations.makeDependent(operation, on: $0) }
        operations.append(consume operation)
      }
      return operations
    }
  }

  private func runGraph(
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
  }

  /// The graph that checks its order first, then one that does not, whose construction is timed.
  private func graphOfIteration() throws(WrongAnswer) -> OperationGraph {
    if let graph { return graph }
    let checking = storage.isFirstIteration
    let begin = MonotonicClock.nanoseconds()
    let made = try makeGraph(checking: checking)
    constructionNanoseconds = MonotonicClock.nanoseconds() - begin
    try TimedIteration.check(name, edges: made.edgeCount, expected: lists.edgeCount)
    if !checking { graph = made }
    return made
  }

  private func makeGraph(checking: Bool) throws(WrongAnswer) -> OperationGraph {
    let (lists, slots, body) = (lists, storage.slots, body)
    do throws(OperationError) {
      return try OperationGraph { builder in
        builder.reserveCapacity(nodes: lists.count, edges: lists.edgeCount)
        var nodes: [OperationGraph.Node] = []
        nodes.reserveCapacity(lists.count)
        for index in 0..<lists.count {
          let node =
            checking
            ? builder.add { NodeVisit.visit(index, slots, body, checking: lists) }
            : builder.add { NodeVisit.visit(index, slots, body) }
          lists.forEachPredecessor(of: index) { builder.connect(nodes[$0], to: node) }
          nodes.append(node)
        }
      }
    } catch { throw WrongAnswer(message: "\(name): \(error)") }
  }
}

/// What a node does in the slots and for itself.
private enum NodeVisit {
  @inline(__always) static func visit<Body: NodeBody>(_ index: Int, _ slots: Slots, _ body: Body) {
    slots.increment(index)
    body.run(index)
  }

  static func visit<Body: NodeBody>(
    _ index: Int, _ slots: Slots, _ body: Body, checking lists: PredecessorLists
  ) {
    let value = slots.increment(index)
    lists.forEachPredecessor(of: index) { slots.expect($0, at: value) }
    body.run(index)
  }
}

/// An operation of the graph: a subclass, as programs write them, without a closure.
private class NodeOperation<Body: NodeBody>: Operation, @unchecked Sendable {
  final let index: Int
  final let slots: Slots
  final let body: Body

  init(_ index: Int, _ slots: Slots, _ body: Body) {
    self.index = index
    self.slots = slots
    self.body = body
    super.init()
  }

  override func main() { NodeVisit.visit(index, slots, body) }
}

/// One that checks that its predecessors have run.
private final class CheckingNode<Body: NodeBody>: NodeOperation<Body>, @unchecked Sendable {
  private let lists: PredecessorLists

  init(_ index: Int, _ slots: Slots, _ body: Body, _ lists: PredecessorLists) {
    self.lists = lists
    super.init(index, slots, body)
  }

  override func main() { NodeVisit.visit(index, slots, body, checking: lists) }
}
