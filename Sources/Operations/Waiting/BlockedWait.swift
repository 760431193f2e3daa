// SPDX-License-Identifier: Apache-2.0

import Scheduling

/// A worker that blocks inside an operation; in the record of its thread.
package struct BlockedWait: Sendable {
  /// What is waited for.
  package enum Target: Sendable {
    case operation(Operation)
    case queue(OperationQueue)
    case run(GraphRun)
    /// The half of a fork, as the address of its `ForkFrame`.
    case half(frame: UInt)

    /// For messages.
    var name: String {
      switch self {
      case .operation(let operation): operation.diagnosticName
      case .queue(let queue): "queue \"\(queue.storedName)\""
      case .run(let run): run.graph.diagnosis
      case .half: "the half of a fork that another worker has taken"
      }
    }

    /// Whether it is over; of a half by the thread that waits.
    var isOver: Bool {
      switch self {
      case .operation(let operation): operation.isSealed
      case .queue(let queue): queue.isEmptyForGood
      case .run(let run): run.isFinished
      case .half(let frame): ForkFrame.hasEnd(frameAt: frame)
      }
    }

    package var operation: Operation? {
      if case .operation(let operation) = self { operation } else { nil }
    }

    /// The operations that it waits for; none where these are not known.
    var operationsInWay: [Operation] {
      switch self {
      case .operation(let operation): [operation]
      case .queue(let queue): queue.membersForDiagnosis()
      case .run, .half: []
      }
    }

    /// The schedulers that have what it cannot end without.
    ///
    /// O(operations and edges in the way).
    var schedulersInWay: [any Scheduler] {
      var found: [any Scheduler] = []
      _ = Operation.findInWay(of: operationsInWay) { operation, _ in
        if let scheduler = operation.queueIfMember?.scheduler,
          !found.contains(where: { $0 === scheduler })
        {
          found.append(scheduler)
        }
        return false
      }
      return found
    }
  }

  /// The address of the thread's record.
  let thread: UInt
  /// What waits, one on top of the other: operations' addresses and closures' cells.
  package let waiters: [UInt]
  /// The threads of the schedulers that have something on its stack.
  package let schedulers: [SchedulerIdentity]
  /// nil for what is none of ours.
  package let target: Target?
  /// It has a deadline.
  package let isTimed: Bool
  /// For the half of a fork: the thread record of whoever runs it, 0 before anybody does.
  var taker: UInt = 0

  package var isForHalf: Bool {
    if case .half = target { true } else { false }
  }

  /// Every worker that blocks inside an operation now.
  package static func all() -> [BlockedWait] {
    var waits: [BlockedWait] = []
    ThreadRecord.forEach { record in
      record.blocked.withLock { blocked in
        guard var wait = blocked else { return }
        // Without the lock the waiting thread does not return.
        if case .half(let frame) = wait.target { wait.taker = ForkFrame.taker(ofFrameAt: frame) }
        waits.append(wait)
      }
    }
    return waits
  }

  /// Whether it lasts as long as the scheduler has no thread, and `threads` wait, which have `held`
  /// on their stacks.
  fileprivate func isStuck(
    at scheduler: SchedulerIdentity, held: Set<UInt>, threads: Set<UInt>
  ) -> Bool {
    if isForHalf { return taker == 0 ? schedulers.contains(scheduler) : threads.contains(taker) }
    return Operation.findInWay(of: target?.operationsInWay ?? []) { operation, facts in
      facts.waitsForThread(of: scheduler, held: held, needsNoSlot: operation.needsNoSlot)
        || facts.words.contains(where: held.contains)
    }
  }
}

extension ThreadRecord {
  /// Whether nothing but another thread could end what the threads of a scheduler that are blocked
  /// wait for: they cannot go on before something has begun that is with it, or before another wait
  /// like that is over.
  ///
  /// A look at a moment; a thread that is about to block, or to go on, makes it wrong. O(operations
  /// and edges in the way, for each wait and each that it leads to).
  static func isStuck(_ scheduler: SchedulerIdentity) -> Bool {
    let waits = BlockedWait.all()
    var stuck = waits.filter { !$0.isTimed }
    var before = -1
    while before != stuck.count {
      before = stuck.count
      let held = Set(stuck.flatMap(\.waiters))
      let threads = Set(stuck.map(\.thread))
      stuck = stuck.filter { $0.isStuck(at: scheduler, held: held, threads: threads) }
    }
    let count = waits.count { $0.schedulers.contains(scheduler) }
    return count > 0 && stuck.count { $0.schedulers.contains(scheduler) } == count
  }
}

extension OperationSnapshot {
  /// With the scheduler, or in its queue's list, and nothing else keeps it from beginning but slots
  /// that waits hold.
  fileprivate func waitsForThread(
    of scheduler: SchedulerIdentity, held: Set<UInt>, needsNoSlot: @autoclosure () -> Bool
  ) -> Bool {
    guard case .waiting = stage, isHandedOver, let queue,
      queue.threadsIdentity == scheduler
    else {
      return false
    }
    // What a user must open first is the user's; the member at the head of the order is seen by
    // itself.
    let admission = queue.admission
    guard !admission.isSuspended else { return false }
    if needsNoSlot() { return true }
    guard admission.limit != 0,
      words.last.map({ queue.heldByOrder?.behind.contains($0) ?? false }) == false
    else { return false }
    // A slot that somebody else holds may become free.
    return admission.hasRoom
      || !queue.membersForDiagnosis().contains {
        // Whoever lies on the stack of one of these waits holds its slot as long.
        $0.isUnderWay && !$0.snapshot().words.contains(where: held.contains)
      }
  }
}
