// SPDX-License-Identifier: Apache-2.0

import CSystemShims
import Scheduling
import Synchronization

/// How many operations a queue holds, with the submission ticket and two flags in one word.
///
///     63          32 31         2    1         0
///     [ next ticket | members    | barrier | waiters ]
///
/// A submission takes its ticket and raises the count in one step, so tickets are the submission
/// order. The word has the low half of it; `halves` tells how often that has come past a multiple
/// of 2^31, so that a member may wait while any number of others come and go.
struct MemberCount: ~Copyable {
  let word = Atomic<UInt64>(0)
  /// Raised by whoever takes the ticket that comes past, a moment after that.
  private let halves = Atomic<UInt64>(0)

  static let waiters: UInt64 = 1
  static let barrier: UInt64 = 2
  static let one: UInt64 = 4
  static let ticketShift: UInt64 = 32
  /// Largest number of operations in one queue at a time.
  static let limit = (1 << 26) - 1

  static func members(_ word: UInt64) -> Int { Int((word & 0xFFFF_FFFF) >> 2) }

  /// How many tickets were taken between two looks at the word.
  static func ticketsTaken(from old: UInt64, to new: UInt64) -> Int {
    Int(UInt32(new >> ticketShift) &- UInt32(old >> ticketShift))
  }

  /// The ticket in a word that was read a moment ago.
  @inline(__always) borrowing func ticket(_ word: UInt64) -> UInt64 {
    // relaxed: the top bit of the low half says whether the number belongs to the word, or to one
    // just before or after.
    Self.ticket(word, halves: halves.load(ordering: .relaxed))
  }

  /// As `ticket(_:)` with the number of halves that was read beside the word.
  @inline(__always) static func ticket(_ word: UInt64, halves: UInt64) -> UInt64 {
    let low = word >> ticketShift
    if (halves ^ low >> 31) & 1 == 0 { return (halves >> 1) << 32 | low }
    return ticketBesideBoundary(low, halves)
  }

  /// The number is not raised yet, or was raised since the word was read: fewer than 2^30 tickets
  /// are taken in between.
  @inline(never) private static func ticketBesideBoundary(_ low: UInt64, _ halves: UInt64) -> UInt64
  {
    let isRaisedTooLate = low & (1 << 30) == 0
    let number = isRaisedTooLate ? halves &+ 1 : halves &- 1
    return (number >> 1) << 32 | low
  }

  /// The exchange of the word from `old` to `new` has taken tickets.
  @inline(__always) borrowing func noteTickets(from old: UInt64, to new: UInt64) {
    // relaxed: see `ticket(_:)`. One exchange takes far fewer than 2^31.
    if (old ^ new) >> 63 != 0 { halves.wrappingAdd(1, ordering: .relaxed) }
  }

  /// The ticket of the next member.
  var nextTicket: UInt64 { ticket(word.load(ordering: .relaxed)) }  // relaxed: a snapshot
}

extension OperationQueue {
  /// Adds `n` members and raises `flag`, which is not set, in the same step; returns the word
  /// before.
  ///
  /// The queue keeps itself alive while it has members.
  @inline(__always) func addMembers(_ n: Int, raising flag: UInt64 = 0) -> UInt64 {
    let share = UInt64(n) << MemberCount.ticketShift &+ UInt64(n) * MemberCount.one | flag
    // acquire and release, edge Counted: orders submissions with skips, barriers and waiters of the
    // same word.
    let (old, new) = count.word.wrappingAdd(share, ordering: .acquiringAndReleasing)
    count.noteTickets(from: old, to: new)
    let before = MemberCount.members(old)
    // The new members leave after this at the earliest, so nobody releases it before.
    if before == 0 { unsafe _ = Unmanaged.passRetained(self) }
    if before + n > MemberCount.limit {
      // relaxed: for the message, which shows the members.
      count.word.wrappingSubtract(share, ordering: .relaxed)
      Fault.queueOverflow(self, count: before + n)
    }
    return old
  }

  /// As `addMembers`, unless the queue is empty: then it adds none and returns nil.
  ///
  /// For an inner queue, whose owner is finished by its becoming empty.
  func joinMembers(_ n: Int) -> UInt64? {
    var old = count.word.load(ordering: .relaxed)  // relaxed: the exchange validates it
    while true {
      let members = MemberCount.members(old)
      if members == 0 { return nil }
      guard members + n <= MemberCount.limit else {
        Fault.queueOverflow(self, count: members + n)
      }
      let new = (old &+ UInt64(n) << MemberCount.ticketShift) &+ UInt64(n) * MemberCount.one
      // acquire and release, edge Counted: as in `addMembers`.
      let (won, seen) = count.word.weakCompareExchange(
        expected: old, desired: new, successOrdering: .acquiringAndReleasing,
        failureOrdering: .relaxed)
      if won {
        count.noteTickets(from: old, to: new)
        return old
      }
      old = seen
    }
  }

  /// Subtracts `n` members that have left; the last one wakes whoever waits for the queue.
  func subtract(_ n: Int) {
    let share = UInt64(n) * MemberCount.one
    var old = count.word.load(ordering: .relaxed)  // relaxed: the exchange validates it
    while true {
      let isWatched = old & (MemberCount.waiters | MemberCount.barrier) != 0
      // With a watcher there is more to do after the subtraction, when the queue might already be
      // gone.
      let keeps = isWatched ? unsafe Unmanaged.passRetained(self) : nil
      shim_keep_order()
      defer { unsafe keeps?.release() }
      // acquire and release, edge Counted: the skip to zero publishes every result to the waiter.
      let (won, seen) = count.word.weakCompareExchange(
        expected: old, desired: old - share, successOrdering: .acquiringAndReleasing,
        failureOrdering: .relaxed)
      guard won else {
        old = seen
        continue
      }
      let isEmpty = MemberCount.members(old - share) == 0
      if old & MemberCount.barrier != 0 { evaluateBarriers() }
      if isEmpty {
        if old & MemberCount.waiters != 0 {
          idleGate.open()
          // A job of its own: what follows may empty the queue around this one, and so on without
          // end.
          if let whenEmpty = role.whenEmpty {
            let job = ClosureJob.make(band: .normal) { [owner = role.owner] in
              ThreadRecord.current.asPart(of: owner, whenEmpty)
            }
            scheduler.submit(JobChain(job))
          }
        }
        unsafe Unmanaged.passUnretained(self).release()
      }
      return
    }
  }
}

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
