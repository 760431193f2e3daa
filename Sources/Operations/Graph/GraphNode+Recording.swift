// SPDX-License-Identifier: Apache-2.0

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
      // All nodes before the first edge: where a node is of the last run still, so would the edge
      // be.
      for index in 0..<count {
        let node = unsafe nodes + index
        moment.note(
          .nodeAdded, UInt(bitPattern: node), info: unsafe UInt16(node.pointee.band.rawValue))
      }
      for index in 0..<count {
        let node = unsafe nodes + index
        for place in 0..<Int(unsafe node.pointee.successorCount) {
          let successor = unsafe UInt(bitPattern: node + node.pointee.distance(place))
          moment.note(.edge, successor, argument: UInt64(UInt(bitPattern: node)))
        }
      }
    }
  }

  /// How many nodes away a successor lies.
  private borrowing func distance(_ place: Int) -> Int {
    guard successorCount > Self.inlineSuccessors else {
      return Int(Int32(truncatingIfNeeded: successors >> UInt(32 * place)))
    }
    // SAFETY: the list has an entry for each successor and lives as long as the node.
    return unsafe Int(UnsafeMutablePointer<Int32>.at(successors)[place])
  }
}
