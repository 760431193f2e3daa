// SPDX-License-Identifier: Apache-2.0

import Synchronization

// Who is in a queue, and how many.

extension OperationQueue {
  /// The operations that were added and have not left, in submission order (contract 117).
  ///
  /// A copy. O(members). Closures added with `addOperation(_:)` appear as the façade of their
  /// handle.
  public var operations: [Operation] { registry.members() }

  /// Holds neither operations nor barriers.
  package var isEmpty: Bool {
    ThreadRecord.withCurrent { $0.flushCredit() }
    // relaxed: a snapshot
    return operationCount == 0 && barrierMembers.load(ordering: .relaxed) == 0
  }

  /// How many operations the queue holds, barriers not included.
  ///
  /// Equal to `operations.count` while no other thread adds or finishes. O(threads that run
  /// operations).
  public var operationCount: Int {
    // relaxed, all: a snapshot
    var members =
      MemberCount.members(count.word.load(ordering: .relaxed))
      - stragglers.load(ordering: .relaxed) - barrierMembers.load(ordering: .relaxed)
    ThreadRecord.forEach { record in
      members -= record.heldCredits(of: word)
    }
    return max(0, members)
  }

  /// Implements `cancelAllOperations()`.
  func cancelMembers() {
    ThreadRecord.current.cancelAll(of: self) { registry.operationsAfterCancellingClosures() }
  }
}
