// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
import Scheduling
import Synchronization

// A barrier is an operation that waits for everything older and that everything younger waits for:
// younger operations get a hidden edge on it, and it becomes ready when the count says that only
// the barrier and its youngers are left. Nothing in a hot path knows about barriers but a flag in
// the word that every submission and skip changes anyway. Protocol: Queue.md, "Barriers"; model:
// Tests/Models/queue.pml.

/// The barriers that have not finished, oldest first, with what was added after them; every step is
/// O(1) amortised.
///
/// The first one is handed over before the others and ends before them.
struct PendingBarriers: Sendable {
  private struct Entry: Sendable {
    let operation: Operation
    /// The barrier and the operations added after it, up to the next barrier.
    var segment: Int
    var isHandedOver = false
  }
  /// Those before `head` have ended; nil then.
  private var entries: [Entry?] = []
  private var head = 0
  /// Number of the first entry.
  private var base = 0
  /// Numbers of entries by barrier.
  private var numbers: [UInt: Int] = [:]
  /// The sum of all segments: the barriers and what must wait for one of them.
  private(set) var held = 0

  var count: Int { entries.count - head }
  var isEmpty: Bool { count == 0 }

  mutating func append(_ barrier: Operation) {
    numbers[barrier.word] = base + entries.count
    entries.append(Entry(operation: barrier, segment: 1))
    held += 1
  }

  /// Counts new members to the segment of the newest barrier; returns that barrier, or nil when
  /// there is none.
  mutating func join(_ members: Int) -> Operation? {
    guard !isEmpty, let newest = entries[entries.count - 1]?.operation else { return nil }
    entries[entries.count - 1]?.segment += members
    held += members
    return newest
  }

  /// A member behind `barrier` leaves before it has passed, if that has not ended: it was finished
  /// before its start.
  ///
  /// Before it is subtracted: then the first barrier is not due too early, and whoever subtracts
  /// looks whether it is.
  mutating func shrinkSegment(of barrier: UInt) {
    guard let number = numbers[barrier] else { return }
    entries[number - base]?.segment -= 1
    held -= 1
  }

  /// The first barrier, once, if nothing but what the barriers hold is left of the queue.
  mutating func takeFirst(if isDue: (_ held: Int) -> Bool) -> Operation? {
    guard !isEmpty, let first = entries[head], !first.isHandedOver, isDue(held) else { return nil }
    entries[head]?.isHandedOver = true
    return first.operation
  }

  /// The first barrier has run: its segment joins what the next one waits for.
  ///
  /// `barrier` is that one, and its caller keeps it: nothing is let go of under the lock.
  mutating func removeFirst(_ barrier: Operation) {
    guard !isEmpty, let first = entries[head], first.operation === barrier else {
      Fault.internalError(
        "\(barrier.diagnosticName) has run, and is not the first barrier of its queue")
    }
    held -= first.segment
    numbers[barrier.word] = nil
    entries[head] = nil
    head += 1
    if 2 * head >= entries.count {
      entries.removeFirst(head)
      base += head
      head = 0
    }
  }
}

extension OperationQueue {
  /// Implements `addBarrierBlock(_:)`.
  func addBarrier(_ barrier: @escaping @Sendable () -> Void) {
    let operation = BlockOperation.barrier(barrier)
    unsafe _ = Unmanaged.passRetained(operation)
    let ready = control.withLock { control in
      // Every change of the flag is under `control`: it is set while barriers are pending.
      let flag = control.barriers.isEmpty ? MemberCount.barrier : 0
      let old = addMembers(1, raising: flag)
      // release, edge Counted: as for departures.
      barrierMembers.wrappingAdd(1, ordering: .releasing)
      // relaxed: published by the release of `membership` and by the mutex.
      operation.pending.store(1, ordering: .relaxed)
      let slot = registry.add(
        operation.word | RegistryChunk.hiddenTag, ticket: count.ticket(old),
        stripe: Registry.ownedStripes)
      if givesExtras { operation.takeExtras() }
      if cancelsNewcomers { _ = operation.changeState(StateChange.cancel) }
      if isRecording { operation.recordSubmission(to: self, behind: nil) }
      // release, edge Submitted: from here on the operation is a member.
      operation.membership.store(slot, ordering: .releasing)
      control.barriers.append(operation)
      creditFlag.set(true)
      return dueBarrier(&control)
    }
    if let ready { return handOver(ready) }
    // From here on a worker sees the flag or its credit is found: a barrier does not wait for what
    // a worker runs besides.
    AsymmetricBarrier.heavy()
    ThreadRecord.collectCredits(of: self)
  }

  /// The barrier that may run now; marks it.
  ///
  /// Under `control`.
  private func dueBarrier(_ control: inout QueueControl) -> Operation? {
    control.barriers.takeFirst { held in
      // acquire, edge Counted: what older operations wrote before they were subtracted.
      MemberCount.members(count.word.load(ordering: .acquiring)) == held
    }
  }

  private func handOver(_ barrier: Operation) {
    if isRecording { EventRings.noteReady(barrier.word) }
    // acquire and release, edge Resolved: the one implicit edge.
    barrier.pending.wrappingSubtract(1, ordering: .acquiringAndReleasing)
    barrier.handOver(barrier.job)
  }

  /// Looks whether the first barrier may run; after every subtraction while one is pending.
  func evaluateBarriers() {
    let due = control.withLock { dueBarrier(&$0) }
    if let due { handOver(due) }
  }

  /// A barrier has run: the first one.
  func barrierEnds(_ barrier: Operation) {
    control.withLock { control in
      control.barriers.removeFirst(barrier)
      guard control.barriers.isEmpty else { return }
      // acquire and release, edge Counted: the flag belongs to the count's word.
      count.word.bitwiseAnd(~MemberCount.barrier, ordering: .acquiringAndReleasing)
      setCreditFlag(control)
    }
  }
}
