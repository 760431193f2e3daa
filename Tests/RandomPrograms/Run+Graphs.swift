// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
internal import Operations
import Synchronization

/// What is seen of the nodes of a graph.
final class GraphFacts: Sendable {
  // Sequentially consistent throughout, as in `Facts`.
  final class Node: Sendable {
    /// The run in which it last began, and ended; 0 for neither.
    let begun = Atomic<Int>(0)
    let ended = Atomic<Int>(0)
    /// Seen by the nodes that follow without further synchronisation.
    nonisolated(unsafe) var written = 0
  }
  let nodes: [Node]
  /// The number of the run that is under way or was the last.
  let round: Atomic<Int>
  /// A step runs it.
  let isBusy = Atomic<Bool>(false)
  /// The latest run that a step or a node knows.
  let latest = Locked<(run: GraphRun, round: Int)?>(nil)

  init(_ plan: GraphPlan, round: Int) {
    nodes = plan.nodes.map { _ in Node() }
    self.round = Atomic(round)
  }
}

extension Run {
  /// The graph of a plan, whose nodes call `body` with their numbers.
  static func makeGraph(
    _ plan: GraphPlan, _ body: @escaping @Sendable (Int) -> Void
  ) -> OperationGraph {
    do {
      return try OperationGraph { builder in
        var made: [OperationGraph.Node] = []
        for (number, earlier) in plan.nodes.enumerated() {
          made.append(builder.add(after: earlier.map { made[$0] }) { body(number) })
        }
      }
    } catch { fatalError("a graph without a circle was refused: \(error)") }
  }

  /// A node runs: once per run, after those that it follows.
  func node(_ number: Int, of plan: GraphPlan, _ facts: GraphFacts, _ first: () -> Void) {
    let round = facts.round.load(ordering: .sequentiallyConsistent)
    let node = facts.nodes[number]
    if node.begun.exchange(round, ordering: .sequentiallyConsistent) == round {
      fault("node \(number) of \(plan.nodes) ran twice in one run")
    }
    var sum = 0
    for earlier in plan.nodes[number] {
      if facts.nodes[earlier].ended.load(ordering: .sequentiallyConsistent) != round {
        fault("node \(number) of \(plan.nodes) began before node \(earlier) had ended")
      }
      sum += unsafe facts.nodes[earlier].written
    }
    if number == 0 { first() }
    unsafe node.written += sum + 1
    node.ended.store(round, ordering: .sequentiallyConsistent)
  }

  // MARK: Steps

  /// What the first node of a graph does that steps run.
  func firstNode(of number: Int) {
    let facts = graphFacts[number]
    if let run = GraphRun.current, run.graph === graphs[number].object {
      let round = facts.round.load(ordering: .sequentiallyConsistent)
      facts.latest.withLock { $0 = (run, round) }
    } else {
      fault("a node of graph \(number) does not find its run")
    }
    performInside(program.graphs[number].inNode)
  }

  func performOnGraph(_ step: Step, _ actor: Actor?) {
    switch step {
    case .run(let number): run(number, actor, waits: false)
    case .runAndWait(let number):
      let isOnWorker = OperationQueue.current != nil && !DriverThreads.isCurrent
      switch certainty.runWaits {
      case .always: run(number, actor, waits: true)
      case .onWorkers: run(number, actor, waits: isOnWorker)
      case .never: run(number, actor, waits: false)
      }
    case .cancelRun(let number): graphFacts[number].latest.withLock { $0?.run }?.cancel()
    case .pauseForRun(let number):
      _ = graphFacts[number].latest.withLock { $0?.run }?.wait(timeout: .microseconds(30))
    default: break
    }
  }

  private func run(_ number: Int, _ actor: Actor?, waits: Bool) {
    let facts = graphFacts[number]
    guard let graph = actor == nil ? graphs[number].object : actor?.graphs[number] else { return }
    if facts.isBusy.exchange(true, ordering: .sequentiallyConsistent) {
      // Inside it is certain that it runs.
      if GraphRun.current?.graph === graph, (try? graph.tryRun(on: scheduler)) != nil {
        fault("graph \(number) runs twice at a time")
      }
      return
    }
    let round = facts.round.wrappingAdd(1, ordering: .sequentiallyConsistent).newValue
    if waits {
      graph.runAndWait(on: scheduler)
      end(
        of: number, round,
        wasCancelled: facts.latest.withLock { $0?.round == round ? $0 : nil }?.run.isCancelled
          ?? false)
    } else if let run = try? graph.tryRun(on: scheduler) {
      facts.latest.withLock { $0 = (run, round) }
      run.onFinish { self.end(of: number, round, wasCancelled: $0.isCancelled) }
    } else {
      fault("graph \(number) does not run although nobody runs it")
    }
  }

  /// A run is over: unless it was cancelled, every node has run.
  private func end(of number: Int, _ round: Int, wasCancelled: Bool) {
    let facts = graphFacts[number]
    for (node, seen) in facts.nodes.enumerated() {
      let begun = seen.begun.load(ordering: .sequentiallyConsistent)
      let ended = seen.ended.load(ordering: .sequentiallyConsistent)
      if ended != round, begun == round || !wasCancelled {
        fault("a run of graph \(number) is over, but node \(node) has not ended")
      }
    }
    facts.isBusy.store(false, ordering: .sequentiallyConsistent)
  }
}
