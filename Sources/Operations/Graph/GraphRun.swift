// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
public import Scheduling
import Synchronization

/// One run of an `OperationGraph`: to be waited for, asked or cancelled, from any thread.
///
/// A run goes on when nobody keeps this object, and keeps its graph and its scheduler until it is
/// over.
public final class GraphRun: Sendable {
  /// What happens at the end.
  private struct Ending: Sendable {
    var handlers: [@Sendable (GraphRun) -> Void] = []
    var waiters: [Parker] = []
  }

  /// What runs.
  public let graph: OperationGraph
  /// Where it runs.
  public let scheduler: any Scheduler
  /// The scheduler as forks in the nodes see it.
  let forker: any ForkJoinScheduler
  /// The operation whose work the run is, if it is one's.
  let owner: Owner?
  private let number: UInt64
  /// The thread that started it.
  private let starter: ObjectIdentifier
  private let wasCancelled = Atomic(false)
  private let isOver = Atomic(false)
  private let ending = Locked(Ending())

  init(
    of graph: OperationGraph, number: UInt64, on scheduler: any Scheduler, for owner: Owner?
  ) {
    self.graph = graph
    self.owner = owner
    self.number = number
    self.scheduler = scheduler
    forker = scheduler.forker
    starter = ThreadRecord.withCurrent { ObjectIdentifier($0) }
  }

  /// The run whose node runs on the calling thread; nil elsewhere.
  public static var current: GraphRun? {
    ThreadRecord.withCurrent { GraphControl.run(at: $0.currentGraph) }
  }

  // MARK: Facts

  /// True once every node has finished or was skipped; never false again.
  ///
  /// Whatever the nodes wrote is visible to a thread that has read true, and the graph may be run
  /// again.
  public var isFinished: Bool {
    isOver.load(ordering: .acquiring)  // acquire, edge RunOver: pairs with `announceEnd`.
  }

  /// True once `cancel()` was called before the last node had finished.
  public var isCancelled: Bool {
    // acquire, edge CancelKnown: pairs with the release in `noteCancelled`.
    wasCancelled.load(ordering: .acquiring)
  }

  /// Skips the nodes that have not started; those that run go on, and the run still finishes.
  ///
  /// Too late once the last node has finished.
  public func cancel() { if graph.arena.cancel(number) { noteCancelled() } }

  /// Whoever has cancelled the run, and the end of a run that somebody has cancelled: the later one
  /// may come first.
  func noteCancelled() {
    wasCancelled.store(true, ordering: .releasing)  // release, edge CancelKnown
  }

  // MARK: The end

  /// The graph may be run again: tells everybody who waits.
  func announceEnd(onWorker isOnWorker: Bool) {
    let (handlers, waiters) = ending.withLock { ending in
      isOver.store(true, ordering: .releasing)  // release, edge RunOver
      defer { (ending.handlers, ending.waiters) = ([], []) }
      return (ending.handlers, ending.waiters)
    }
    for waiter in waiters { waiter.unpark() }
    guard !handlers.isEmpty else { return }
    guard isOnWorker else { return handlers.forEach { $0(self) } }
    // On a worker of the scheduler: what they wait for is compensated.
    let record = ThreadRecord.current
    let word = unsafe UInt(bitPattern: Unmanaged.passUnretained(self).toOpaque())
    let outer = record.enterLevel(ThreadRecord.Level(graph: word | ThreadRecord.Level.endedRunTag))
    handlers.forEach { $0(self) }
    record.leaveLevel(outer)
  }

  /// Calls `handler` once when the run is over, or now if it is.
  ///
  /// On the thread of the last node, after waiters were woken and with no lock held; it may run the
  /// graph again. Any number of handlers, in the order added.
  public func onFinish(_ handler: @escaping @Sendable (GraphRun) -> Void) {
    if !changeEnding({ $0.handlers.append(handler) }) { handler(self) }
  }

  /// Changes what happens at the end; false when the run is over.
  private func changeEnding(_ change: (inout Ending) -> Void) -> Bool {
    ending.withLock { ending in
      if !isFinished { change(&ending) }
      return !isFinished
    }
  }

  /// Returns when the run is over; at once if it is.
  ///
  /// Suspends the caller and blocks no thread. Cancelling the caller's task does not end the wait:
  /// cancel the run.
  public func finished() async {
    await withCheckedContinuation { continuation in onFinish { _ in continuation.resume() } }
  }

  // MARK: Waiting

  /// Blocks until the run is over.
  ///
  /// Inside an operation or another graph's node the worker is treated as in
  /// `Operation.waitUntilFinished()`: it runs those nodes itself that its scheduler lets it find,
  /// on the work-stealing and the inline one those that its thread holds (and as the only worker
  /// those among the next 1024 jobs), elsewhere those of `OperationGraph.runAndWait(on:)`; then the
  /// scheduler compensates for it. From a node of the same run it stops the process, and on the
  /// inline scheduler where the nodes cannot run before it returns.
  @available(*, noasync, message: "blocks the thread; await finished()")
  public func wait() { _ = wait(until: nil) }

  /// As `wait()`, at most for `timeout`; false when the time was up first.
  @available(*, noasync, message: "blocks the thread; await finished()")
  public func wait(timeout: Duration) -> Bool {
    wait(until: MonotonicTime.deadline(after: timeout))
  }

  private func wait(until deadline: UInt64?) -> Bool {
    if isFinished { return true }
    let record = ThreadRecord.current
    if deadline == nil, record.levels.contains(where: { $0.graph == graph.word }) {
      Fault.waitForOwnRun(graph)
    }
    // A timed wait does not begin what may take longer, unless nobody else would.
    let mayRun = deadline == nil || scheduler.waitsByHelping
    let awaiting = mayRun ? scheduler.awaiting : nil
    return record.wait(for: .run(self), until: deadline) {
      awaiting?.helpAwaited { GraphNode.isNode($0, of: graph.word) } ?? false
    } beforeSleep: { _ in
      if deadline == nil, scheduler.waitsByHelping, starter == ObjectIdentifier(record) {
        // The nodes run on this thread, which is about to sleep.
        Fault.waitInlineForRun(graph)
      }
    } sleep: {
      sleep(record.parker, until: $0)
    }
  }

  private func sleep(_ parker: Parker, until deadline: UInt64?) -> Bool {
    guard changeEnding({ $0.waiters.append(parker) }) else { return true }
    while !isFinished, parker.park(until: deadline) {}
    return !changeEnding { $0.waiters.removeAll { $0 === parker } }
  }
}
