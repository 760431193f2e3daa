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
    ThreadRecord.withCurrent { $0.settleCredit() }
    return membersLeft(countingBarriers: true) == 0
  }

  /// How many operations the queue holds, barriers not included.
  ///
  /// Equal to `operations.count` while no other thread adds or finishes, and never fewer than stay
  /// in the queue meanwhile. O(threads that run operations).
  public var operationCount: Int { membersLeft(countingBarriers: false) }

  /// Members that have not left; a snapshot, but never fewer than stay meanwhile.
  ///
  /// A member that leaves is a departure, then a credit, then subtracted, and a barrier is none any
  /// more before that. Looked for in the opposite order, each that the count has is found once. As
  /// many departures are left out as there were additions since the count was read, for they may
  /// be theirs.
  private func membersLeft(countingBarriers: Bool) -> Int {
    // acquire, all, edge Counted: in this order.
    let old = count.word.load(ordering: .acquiring)
    var gone = 0
    ThreadRecord.forEach { gone += $0.heldCredits(of: word) }
    gone += departures.load(ordering: .acquiring)
    if !countingBarriers { gone += barrierMembers.load(ordering: .acquiring) }
    let new = count.word.load(ordering: .relaxed)  // relaxed: after those
    let added = MemberCount.ticketsTaken(from: old, to: new)
    return max(0, MemberCount.members(old) - max(0, gone - added))
  }

  /// Members in submission order, barriers included, closures through their façades; also those
  /// that have finished and have not left, because their completion blocks run.
  package func membersForDiagnosis() -> [Operation] {
    registry.membersAndClosures().compactMap(\.operation)
  }

  /// Every queue of the process that holds something, dropped ones included.
  package static func allWithMembers() -> [OperationQueue] {
    // acquire, edge Counted.
    LiveQueues.all().filter { MemberCount.members($0.count.word.load(ordering: .acquiring)) > 0 }
  }
}
