// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
import Scheduling
import Synchronization

// A barrier is an operation that waits for everything older and that everything younger waits for: younger operations
// get a hidden edge on it, and it becomes ready when the count says that only the barrier and its youngers are left.
// Nothing in a hot path knows about barriers but a flag in the word that every submission and flush changes anyway.
// Protocol: Queue.md, "Barriers"; model: Tests/Models/queue.pml.

/// A barrier that has not finished.
struct PendingBarrier: Sendable {
  let operation: Operation
  /// The barrier and the operations added after it, up to the next barrier.
  var segment: Int
  var isReleased = false
}

extension OperationQueue {
  /// Implements `addBarrierBlock(_:)`.
  func addBarrier(_ barrier: @escaping @Sendable () -> Void) {
    let operation = BlockOperation.barrier(barrier)
    unsafe _ = Unmanaged.passRetained(operation)
    let ready = control.withLock { control in
      // In one step with the count: see `enrol`.
      order?.add([operation.word])
      let old = addMembers(1, flags: MemberCount.barrier)
      // relaxed: published by the release of `membership` and by the mutex.
      operation.pending.store(1, ordering: .relaxed)
      let slot = registry.addHidden(operation.word, ticket: MemberCount.ticket(old))
      if cancelsNewcomers { _ = operation.setBits(StateBit.cancelled) }
      // release, edge Submitted: from here on the operation is a member.
      operation.membership.store(slot, ordering: .releasing)
      control.barriers.append(PendingBarrier(operation: operation, segment: 1))
      creditFlag.set(true)
      return dueBarrier(&control)
    }
    if let ready { return release(ready) }
    // From here on a worker sees the flag or its credit is found: a barrier does not wait for what a worker runs besides.
    AsymmetricBarrier.heavy()
    ThreadRecord.collectCredits(of: self)
  }

  /// The barrier that may run now; marks it.
  ///
  /// Under `control`.
  private func dueBarrier(_ control: inout QueueControl) -> Operation? {
    guard let first = control.barriers.first, !first.isReleased else { return nil }
    let younger = control.barriers.reduce(0) { $0 + $1.segment }
    // acquire, edge Counted: what older operations wrote before they were subtracted.
    let word = count.word.load(ordering: .acquiring)
    guard MemberCount.outstanding(word) == younger else { return nil }
    control.barriers[0].isReleased = true
    return first.operation
  }

  private func release(_ barrier: Operation) {
    // acquire and release, edge Resolved: the one implicit edge.
    barrier.pending.wrappingSubtract(1, ordering: .acquiringAndReleasing)
    barrier.handOver(barrier.job)
  }

  /// Looks whether the first barrier may run; after every subtraction while one is pending.
  func evaluateBarriers() {
    let due = control.withLock { dueBarrier(&$0) }
    if let due { release(due) }
  }

  /// A barrier has run: its segment joins what the next barrier waits for.
  func barrierEnds(_ barrier: Operation) {
    control.withLock { control in
      control.barriers.removeAll { $0.operation === barrier }
      guard control.barriers.isEmpty else { return }
      // acquire and release, edge Counted: the flag belongs to the count's word.
      count.word.bitwiseAnd(~MemberCount.barrier, ordering: .acquiringAndReleasing)
      setCreditFlag(control)
    }
  }
}
