// SPDX-License-Identifier: Apache-2.0

/// Where new members stand among the others: their tickets, and the barrier that they come after.
struct SubmissionPlace {
  /// The ticket of the first one; the others have the following ones.
  let ticket: UInt64
  /// The newest pending barrier, which counts them in its segment.
  let barrier: Operation?
}

extension OperationQueue {
  /// Counts new members, and finds the barrier they come after.
  @inline(__always) func takePlace(_ members: Int) -> SubmissionPlace {
    guard order == nil else { return takePlaceInOrder(members) }
    return takePlace(members, countedAt: addMembers(members))
  }

  /// As `takePlace(_:)` for members that are counted already; `old` is the count's word before.
  @inline(__always) func takePlace(_ members: Int, countedAt old: UInt64) -> SubmissionPlace {
    SubmissionPlace(
      ticket: count.ticket(old),
      barrier: old & MemberCount.barrier != 0 ? joinSegment(members) : nil)
  }

  /// Ticket and segment in one step: otherwise a barrier and an operation could each be older than
  /// the other by one of them, and wait for each other.
  private func takePlaceInOrder(_ members: Int) -> SubmissionPlace {
    control.withLock { control in
      SubmissionPlace(
        ticket: count.ticket(addMembers(members)), barrier: control.barriers.join(members))
    }
  }

  /// Counts new members that come after a pending barrier; returns that barrier, or nil when none
  /// is pending.
  private func joinSegment(_ members: Int) -> Operation? {
    control.withLock { $0.barriers.join(members) }
  }
}
