// SPDX-License-Identifier: Apache-2.0

/// Where new members stand among the others: their tickets, and the barrier that they come after.
struct SubmissionPlace {
  /// The ticket of the first one; the others have the following ones.
  let ticket: UInt64
  /// The newest pending barrier, which counts them in its segment.
  let barrier: Operation?
}

extension OperationQueue {
  /// Counts new members of a queue that keeps no strict order, and finds the barrier they come
  /// after.
  @inline(__always) func takePlace(_ members: Int) -> SubmissionPlace {
    takePlace(members, countedAt: addMembers(members))
  }

  /// As `takePlace(_:)` for members that are counted already; `old` is the count's word before.
  @inline(__always) func takePlace(_ members: Int, countedAt old: UInt64) -> SubmissionPlace {
    SubmissionPlace(
      ticket: count.ticket(old),
      barrier: old & MemberCount.barrier != 0 ? joinSegment(members) : nil)
  }

  /// Counts new members.
  func takePlace(_ operations: [Operation]) -> SubmissionPlace {
    guard let order else { return takePlace(operations.count) }
    return takePlace(operations.map(\.memberWord), in: order)
  }

  /// Counts one new member.
  @inline(__always) func takePlace(_ operation: Operation) -> SubmissionPlace {
    guard let order else { return takePlace(1) }
    return takePlace([operation.memberWord], in: order)
  }

  /// Counts a closure by its cell.
  @inline(__always) func takePlace(cell: UInt) -> SubmissionPlace {
    guard let order else { return takePlace(1) }
    return takePlace([cell], in: order)
  }

  /// Count, segment and place in line in one step: otherwise a barrier and an operation could each
  /// be older than the other by one of them, and wait for each other.
  private func takePlace(_ members: [UInt], in order: StrictOrder) -> SubmissionPlace {
    control.withLock { control in
      order.add(members)
      return SubmissionPlace(
        ticket: count.ticket(addMembers(members.count)),
        barrier: control.barriers.join(members.count))
    }
  }

  /// Counts new members that come after a pending barrier; returns that barrier, or nil when none
  /// is pending.
  private func joinSegment(_ members: Int) -> Operation? {
    control.withLock { $0.barriers.join(members) }
  }
}
