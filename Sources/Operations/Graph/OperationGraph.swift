// SPDX-License-Identifier: Apache-2.0

public import Scheduling

/// Work with dependencies that is built once and run many times.
///
/// Every node runs once per run, when all its predecessors have finished, and sees what they wrote.
/// Building allocates; a run allocates one small object, whatever the number of nodes. Any thread
/// may run a graph, one run at a time. Page: Graph.md.
///
/// ```swift
/// let graph = try OperationGraph { builder in
///   let left = builder.add { load(0) }
///   let right = builder.add { load(1) }
///   builder.add(after: [left, right]) { merge() }
/// }
/// graph.runAndWait(on: scheduler)
/// ```
@safe public final class OperationGraph: Sendable {
  /// Name for diagnostics.
  public let name: String?
  /// Nodes.
  public let count: Int
  /// Edges, those given twice counted twice.
  public let edgeCount: Int

  let arena: GraphArena
  /// Keeps the closures whose words the nodes have.
  private let bodies: [Body]

  /// Builds a graph from what `build` adds to its builder.
  ///
  /// Throws `graphCycle` with the nodes that wait for each other, or `nodeOfAnotherGraph`. O(nodes
  /// + edges).
  public init(
    name: String? = nil, _ build: (inout Builder) throws(OperationError) -> Void
  ) throws(OperationError) {
    self.name = name
    var builder = Builder(graphName: name ?? "")
    try build(&builder)
    let edges = try builder.checkedEdges()
    count = builder.bodies.count
    edgeCount = builder.edgeCount
    bodies = builder.bodies
    arena = GraphArena(bodies: bodies, bands: builder.bands, edges: edges)
  }

  /// Whether a run is under way; who reads false sees what the last run wrote.
  public var isRunning: Bool {
    arena.state & GraphControl.running != 0
  }

  // MARK: Running

  /// Starts a run on `scheduler` and returns it.
  ///
  /// Any thread, nodes of other graphs included. On `InlineScheduler` the run is over when this
  /// returns, unless a job of that scheduler calls. While another run is under way it stops the
  /// process; `tryRun(on:)` throws instead.
  @discardableResult
  public func run(on scheduler: any Scheduler) -> GraphRun {
    do { return try tryRun(on: scheduler) } catch { error.fault("run(on:)") }
  }

  /// As `run(on:)`, but throws `graphIsRunning` while another run is under way.
  public func tryRun(on scheduler: any Scheduler) throws(OperationError) -> GraphRun {
    try tryRun(on: scheduler) { _ in }
  }

  /// As `tryRun(on:)`, perhaps as the work of an operation; calls `prepare` with the run before its
  /// first node starts.
  func tryRun(
    on scheduler: any Scheduler, for owner: Owner? = nil, isAwaited: Bool = false,
    _ prepare: (GraphRun) -> Void
  ) throws(OperationError) -> GraphRun {
    guard let number = arena.claim() else { throw .graphIsRunning(self) }
    let run = GraphRun(of: self, number: number, on: scheduler, for: owner)
    prepare(run)
    arena.open(run, isAwaited: isAwaited)
    return run
  }

  /// Starts a run and waits for its end.
  ///
  /// As `run(on:)` followed by `GraphRun.wait()`; inside an operation or another graph's node on
  /// the same scheduler the nodes go before what is queued there, so that any number of such runs
  /// ends with few threads.
  @available(*, noasync, message: "blocks the thread; await finished() on the run")
  public func runAndWait(on scheduler: any Scheduler) {
    do { try tryRun(on: scheduler, isAwaited: true) { _ in }.wait() } catch {
      error.fault("runAndWait(on:)")
    }
  }

  /// A new operation whose work is one run of the graph, on the scheduler of its queue.
  ///
  /// It holds no worker and counts as one operation against the queue's limit. Cancelling it
  /// cancels the run. In no queue it runs inline. The operation stops the process if the graph is
  /// running when it starts.
  public func operation() -> Operation { GraphOperation(of: self) }

  // MARK: For runs

  /// The address of what the nodes share, which stands for the graph in thread records.
  var word: UInt { arena.address }

  /// Type and name or address, and size.
  package var diagnosis: String {
    "graph \(name.map { "\"\($0)\"" } ?? "0x\(String(word, radix: 16))") (\(count) nodes)"
  }
}
