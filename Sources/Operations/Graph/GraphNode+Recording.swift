// SPDX-License-Identifier: Apache-2.0

import CSystemShims
import ConcurrencyPrimitives
import Scheduling

// What a recording gets of the nodes of a graph: each run makes operations of its own of them.
// Page: Recording.md of Scheduling.

extension GraphNode {
  /// As `run` for a run that is cancelled, or while a recording is under way.
  @inline(never) static func runUnusually(
    _ node: UnsafeMutablePointer<GraphNode>, isCancelled: Bool, _ record: ThreadRecord,
    _ context: UnsafeMutablePointer<WorkerContext>
  ) -> UInt {
    let address = UInt(bitPattern: node)
    if isRecording {
      unsafe EventRings.noteStart(
        address, worker: context.pointee.worker, origin: context.pointee.origin)
    }
    if !isCancelled { unsafe runBody(node, record) }
    guard isRecording else { return unsafe release(node, isRecorded: false, context) }
    let details = FinishDetails(
      isCancelled: isCancelled, hasFailed: false, isSkipped: isCancelled)
    EventRings.noteRelease(address, info: details.info)
    return unsafe release(node, isRecorded: true, context)
  }

  /// A run of `count` nodes begins.
  static func recordRun(_ nodes: UnsafeMutablePointer<GraphNode>, count: Int) {
    EventRings.noteTogether { moment in
      // All nodes before the first edge: where a node is of the last run still, so would the edge be.
      for index in 0..<count {
        let node = unsafe nodes + index
        moment.note(
          .nodeAdded, UInt(bitPattern: node), info: unsafe UInt16(node.pointee.band.rawValue))
      }
      for index in 0..<count {
        let node = unsafe nodes + index
        unsafe forEachSuccessor(of: node) { successor in
          moment.note(
            .edge, UInt(bitPattern: successor), argument: UInt64(UInt(bitPattern: node)))
        }
      }
    }
  }

  /// Calls `body` with each successor.
  private static func forEachSuccessor(
    of node: UnsafeMutablePointer<GraphNode>, _ body: (UnsafeMutablePointer<GraphNode>) -> Void
  ) {
    let count = unsafe Int(node.pointee.successorCount)
    let word = unsafe node.pointee.successors
    guard count > inlineSuccessors else {
      for place in 0..<count {
        unsafe body(node + Int(Int32(truncatingIfNeeded: word >> UInt(32 * place))))
      }
      return
    }
    // SAFETY: the list has that many entries and lives as long as the node.
    let list = unsafe UnsafePointer<Int32>(bitPattern: word).unsafelyUnwrapped
    for index in 0..<count { unsafe body(node + Int(list[index])) }
  }
}
