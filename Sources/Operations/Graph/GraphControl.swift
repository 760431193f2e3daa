// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
import Synchronization

/// What all nodes of a graph share, at the beginning of its arena.
///
///     bit  0         running     a run is under way
///     bit  1         cancelled   its nodes skip their bodies
///     bit  2         ending      its last node has finished; cancelling comes too late
///     bits 3 … 63    number      of the run, or of the last one
@safe struct GraphControl: ~Copyable {
  static let running: UInt64 = 1
  static let cancelled: UInt64 = 2
  static let ending: UInt64 = 4
  static let numberShift: UInt64 = 3
  /// Room for the block in the arena, B: `sinksLeft` has lines of its own.
  static let byteCount = 2 * AlignedMemory.separation

  let state = Atomic<UInt64>(0)
  /// The run under way, retained, or 0; written before the first job is submitted.
  var run: UInt = 0
  private let gap = LineGap()
  /// Nodes without successors that have not finished.
  ///
  /// Every other node comes before one of them, so the run ends with the last.
  let sinksLeft = Atomic<Int>(0)

  /// A node without successors has finished; the last one ends the run.
  @inline(__always) static func countSink(_ control: UnsafeMutablePointer<GraphControl>) {
    // acquire, edge RunEnded: as in `GraphNode.resolve`.
    if unsafe control.pointee.sinksLeft.load(ordering: .acquiring) != 1 {
      // acquire and release, edge RunEnded: the last sink sees what every node wrote.
      let left = unsafe control.pointee.sinksLeft.wrappingSubtract(
        1, ordering: .acquiringAndReleasing
      ).newValue
      guard left == 0 else { return }
    }
    unsafe end(control, onWorker: true)
  }

  /// Ends the run: from the last node's thread, or the starter's when there is no node, once per
  /// run.
  @inline(never) static func end(
    _ control: UnsafeMutablePointer<GraphControl>, onWorker isOnWorker: Bool
  ) {
    // acquire and release, edge CancelDecided: a cancellation comes before this step or too late.
    let word = unsafe control.pointee.state.bitwiseOr(ending, ordering: .acquiringAndReleasing)
      .oldValue
    // SAFETY: balances the retain of `OperationGraph.start`; the run keeps the graph.
    let run = unsafe Unmanaged<GraphRun>.at(control.pointee.run).takeRetainedValue()
    unsafe control.pointee.run = 0
    if word & cancelled != 0 { run.noteCancelled() }
    // release, edge NextRun: pairs with the exchange that starts the next run.
    unsafe control.pointee.state.bitwiseAnd(~(running | ending), ordering: .releasing)
    run.announceEnd(onWorker: isOnWorker)
  }

  /// The run whose node runs on the calling thread; nil for the handlers of one that has ended.
  static func run(at word: UInt) -> GraphRun? {
    guard word & ThreadRecord.Level.endedRunTag == 0,
      let control = unsafe UnsafeMutablePointer<GraphControl>(bitPattern: word)
    else { return nil }
    // SAFETY: the run is retained until its last node has finished, and one runs here.
    return unsafe Unmanaged.at(control.pointee.run).takeUnretainedValue()
  }
}
