// SPDX-License-Identifier: Apache-2.0

import CSystemShims
import ConcurrencyPrimitives
import Scheduling
import Synchronization

/// One node of a graph in its arena: job, closure, edges and counter in one cache line.
///
/// Everything but the link and `pending` is written once, before the first run. Page: Graph.md.
@safe struct GraphNode: ~Copyable {
  /// Successors whose distances fit in the node.
  static let inlineSuccessors = 2

  let header = unsafe JobHeader(run: graphNodeRun)
  /// The graph keeps the closure.
  let body: shim_closure
  let control: UnsafeMutablePointer<GraphControl>
  /// Predecessors that have not finished in this run; full again before the node has run.
  let pending: Atomic<UInt32>
  let predecessorCount: UInt32
  let successorCount: UInt32
  let band: PriorityBand
  /// Two 32-bit distances in nodes, the first successor's in the lower half, or the address of the
  /// list.
  let successors: UInt

  /// The node as a job.
  @inline(__always) static func job(_ node: UnsafeMutablePointer<GraphNode>) -> Job {
    // SAFETY: the header is the first field (tested).
    unsafe Job(
      header: UnsafeMutableRawPointer(node).assumingMemoryBound(to: JobHeader.self),
      band: node.pointee.band)
  }

  /// Whether a job that the caller keeps from running is a node of the graph whose control lies at
  /// `control`.
  static func isNode(_ job: Job, of control: UInt) -> Bool {
    guard unsafe job.runs(graphNodeRun) else { return false }
    // SAFETY: the run function says what the header belongs to.
    return unsafe UInt(
      bitPattern: UnsafeMutableRawPointer(job.header)
        .assumingMemoryBound(to: GraphNode.self).pointee.control) == control
  }

  /// Runs the node unless the run is cancelled, releases its successors and returns the one to run
  /// next.
  ///
  /// Not inlined: in a closure it would be called through memory.
  @inline(never)
  static func run(
    _ node: UnsafeMutablePointer<GraphNode>, _ record: ThreadRecord,
    _ context: UnsafeMutablePointer<WorkerContext>
  ) -> UInt {
    let control = unsafe node.pointee.control
    // relaxed: a hint that may come late; nothing is read on the strength of it.
    let cancelled = unsafe control.pointee.state.load(ordering: .relaxed) & GraphControl.cancelled
    // One test for both.
    if cancelled | UInt64(recordingWord) != 0 {
      return unsafe runUnusually(node, isCancelled: cancelled != 0, record, context)
    }
    unsafe runBody(node, record)
    return unsafe release(node, isRecorded: false, context)
  }

  @inline(__always)
  static func runBody(_ node: UnsafeMutablePointer<GraphNode>, _ record: ThreadRecord) {
    // It may run for long, and it is of no queue.
    record.settleCredit(unlessOf: 0)
    let outer = unsafe record.enterNode(UInt(bitPattern: node.pointee.control))
    unsafe shim_call_closure(node.pointee.body)
    record.leaveNode(outer)
  }

  /// The node has run or was skipped: releases its successors and returns the one to run next.
  @inline(__always)
  static func release(
    _ node: UnsafeMutablePointer<GraphNode>, isRecorded: Bool,
    _ context: UnsafeMutablePointer<WorkerContext>
  ) -> UInt {
    let predecessors = unsafe node.pointee.predecessorCount
    // relaxed, edge Rearmed: the end of the run is released after it, and the next run acquires
    // that.
    if predecessors > 1 { unsafe node.pointee.pending.store(predecessors, ordering: .relaxed) }
    let count = unsafe Int(node.pointee.successorCount)
    guard count > 0 else {
      unsafe GraphControl.countSink(node.pointee.control)
      return 0
    }
    let word = unsafe node.pointee.successors
    // Who has released them, for a recording; the node may be gone by then.
    let releaser = isRecorded ? UInt(bitPattern: node) : 0
    var kept: Job?
    if count <= inlineSuccessors {
      if count == 2 {
        unsafe resolve(
          node + Int(Int32(truncatingIfNeeded: word >> 32)), by: releaser, context, &kept)
      }
      unsafe resolve(
        node + Int(Int32(truncatingIfNeeded: word)), by: releaser, context, &kept)
    } else {
      // SAFETY: the list has that many entries and lives as long as the node.
      let list = unsafe UnsafeMutablePointer<Int32>.at(word)
      var index = count
      while index > 0 {
        index &-= 1
        unsafe resolve(node + Int(list[index]), by: releaser, context, &kept)
      }
    }
    // From here on the node may be gone, unless a successor has become ready here, which has not
    // run.
    guard let kept else { return 0 }
    if unsafe context.pointee.localBands & (kept.band.mask &- 1) == 0 { return kept.word }
    // Something more urgent is queued with this worker.
    unsafe context.pointee.ready.prepend(kept)
    return 0
  }

  /// One predecessor of `node` has finished: the recorded `releaser`, or 0 where nothing is
  /// recorded.
  ///
  /// Successors come last first; the most urgent is kept, among equals the first, and the others go
  /// to the ready list.
  @inline(__always)
  private static func resolve(
    _ node: UnsafeMutablePointer<GraphNode>, by releaser: UInt,
    _ context: UnsafeMutablePointer<WorkerContext>, _ kept: inout Job?
  ) {
    // acquire, edge Resolved: the last predecessor sees what the others wrote, and nobody else
    // counts any more.
    if unsafe node.pointee.pending.load(ordering: .acquiring) != 1 {
      // acquire and release, edge Resolved: all subtractions form one release sequence.
      let left = unsafe node.pointee.pending.wrappingSubtract(1, ordering: .acquiringAndReleasing)
        .newValue
      guard left == 0 else { return }
    }
    if releaser != 0 { EventRings.noteReady(UInt(bitPattern: node), by: releaser) }
    let ready = unsafe job(node)
    guard let earlier = kept else {
      kept = ready
      return
    }
    if ready.band <= earlier.band {
      unsafe context.pointee.ready.prepend(earlier)
      kept = ready
    } else {
      unsafe context.pointee.ready.prepend(ready)
    }
  }
}

/// The run function of every node.
private func graphNodeRun(
  _ header: UnsafeMutableRawPointer, _ context: UnsafeMutableRawPointer
) -> UInt {
  let node = unsafe header.assumingMemoryBound(to: GraphNode.self)
  let context = unsafe context.assumingMemoryBound(to: WorkerContext.self)
  return unsafe ThreadRecord.currentReference._withUnsafeGuaranteedRef { record in
    unsafe GraphNode.run(node, record, context)
  }
}
