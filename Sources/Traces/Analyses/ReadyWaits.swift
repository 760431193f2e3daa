// SPDX-License-Identifier: Apache-2.0

/// From when to when each operation waited although no dependency held it, and what of that it was
/// held back by itself.
///
/// A recording may call an operation ready before or after the barrier that it waits for has
/// finished. Here the wait begins when its dependencies have finished, in both cases: a barrier is
/// a policy of the queue, no dependency of the operation.
struct ReadyWaits {
  /// Begin of the wait by operation; `.min` where it is unknown.
  let begin: [Int64]
  /// Until when barriers held it; at most `begin` where none did.
  ///
  /// Empty when no edge is of a barrier.
  let barrierEnd: [Int64]

  /// Reads a recording.
  ///
  /// O(operations + edges).
  init(_ trace: Trace) {
    var begin = trace.operations.map(\.readyTime)
    guard trace.edges.contains(where: { $0.kind == .barrier }) else {
      self.begin = begin
      barrierEnd = []
      return
    }
    var barrierEnd = [Int64](repeating: .min, count: begin.count)
    var released = trace.operations.map(\.enqueuedTime)
    for edge in trace.edges {
      let (predecessor, successor) = (Int(edge.predecessor), Int(edge.successor))
      guard predecessor < begin.count, successor < begin.count else { continue }
      let finished = trace.operations[predecessor].finishedTime
      switch edge.kind {
      case .barrier: barrierEnd[successor] = max(barrierEnd[successor], finished)
      case .dependency: released[successor] = max(released[successor], finished)
      }
    }
    for index in begin.indices
    where barrierEnd[index] != .min && begin[index] != .min && released[index] != .min {
      begin[index] = min(begin[index], released[index])
    }
    self.begin = begin
    self.barrierEnd = barrierEnd
  }

  /// Until when an operation was held back by a barrier, a resource or a condition; its begin where
  /// nothing held it.
  func heldUntil(_ index: Int, _ operation: TracedOperation) -> Int64 {
    var end = max(begin[index], barrierEnd(of: index))
    if operation.heldBy != .none { end = max(end, operation.admittedTime) }
    return end
  }

  /// Until when barriers held an operation, `.min` where none did.
  func barrierEnd(of index: Int) -> Int64 { barrierEnd.isEmpty ? .min : barrierEnd[index] }
}
