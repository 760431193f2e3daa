// SPDX-License-Identifier: Apache-2.0

import Scheduling
import Synchronization

// An operation takes its resources in the step that begins it. If there is too little it is parked,
// which gives up worker and slot, with one more edge that holds it back; the arbiter resolves that
// edge when it has taken them and a slot for the operation, or when there is no slot. Whoever is
// held back again by something else gives them up, so nobody waits with resources in his hands but
// for a worker.

extension Operation {
  /// Takes the resources for a start, or parks the handle; under the edit lock.
  final func takeResources(_ handle: UInt, _ bits: UInt32) -> Bool {
    let table = coldTableMade()
    if table.holdsResources || bits & StateBit.toBeSkipped != 0 { return true }
    if ResourceArbiter.shared.take(table.needs, for: self, waits: true) {
      table.holdsResources = true
      return true
    }
    _ = moveCountUnderLock(force: true, tagEdges: true, bits)
    table.waitsForResources = true
    table.edgesBlocking += 1
    park(handle)
    return false
  }

  /// As `OperationQueue.claimSlot()`, for an operation in line; under the arbiter's lock.
  final func claimSlotInLine() -> SlotClaim {
    // Whoever makes it leave its queue withdraws it from the lines before.
    unsafe queueReference._withUnsafeGuaranteedRef { $0.claimSlot() }
  }

  /// The arbiter has taken resources for the operation, or has not because it needs a slot first;
  /// not under any lock.
  ///
  /// Returns whether the operation keeps what it was granted, and what the caller hands over when
  /// all is settled: its handle, or a drain with its slot. What is not kept the caller gives back.
  final func settleTurn(_ decision: ResourceDecision) -> (isKept: Bool, job: Job?) {
    var handle: UInt?
    var isKept = false
    let bits = lockState()
    if let table = coldTable, table.waitsForResources {
      table.waitsForResources = false
      table.edgesBlocking -= 1
      // A queue that has got a limit meanwhile, or was suspended, would keep them from others.
      let isOpen = unsafe queueReference._withUnsafeGuaranteedRef(\.needsNoSlots)
      let mayStart = decision.slot != nil || isOpen
      isKept = decision.isGranted && table.edgesBlocking == 0 && mayStart
      table.holdsResources = isKept
      handle = handleIfFree(table)
    }
    unlockState(bits)
    let job = handle.map { self.job(of: $0) }
    // Given up here it could start the next one of that queue on this thread, in the middle.
    return (isKept, decision.slot.map { Drain.make($0, first: job) } ?? job)
  }

  /// The job of a handle goes back to the ready list, to wait for a slot.
  final func takeBack(
    _ handle: UInt, _ job: Job, to queue: OperationQueue, _ record: ThreadRecord
  ) {
    guard needsResources else { return queue.takeBack(job, ticket: ticket(in: queue)) }
    // The job may be all that keeps them.
    let keptSelf = unsafe Unmanaged.passRetained(self)
    let keptQueue = unsafe Unmanaged.passRetained(queue)
    let owedBefore = record.owedCount
    giveUpUnusedResources { $0.latestHandle == handle }
    queue.takeBack(job, ticket: ticket(in: queue))
    record.handOverOwed(since: owedBefore, by: self, queue)
    unsafe keptSelf.release()
    unsafe keptQueue.release()
  }

  /// What the operation holds, which it does not any more; for the caller to give back after the
  /// edit lock.
  final func resourcesGivenUp() -> [ResourceNeed] {
    guard let table = coldTable, table.holdsResources else { return [] }
    table.holdsResources = false
    return table.needs
  }

  /// The operation has finished.
  final func giveBackResources() {
    let bits = lockState()
    let given = resourcesGivenUp()
    unlockState(bits)
    giveBack(given)
  }

  /// It cannot start without a slot from now on: gives up what it has and has not begun to use.
  ///
  /// - Parameter mayHave: asked under the edit lock. A handle that is out of date brings nothing: the
  ///   one that was handed over with the grant may have a slot.
  final func giveUpUnusedResources(
    if mayHave: (ColdTable) -> Bool = { _ in true }
  ) {
    let bits = lockState()
    let isUnused = bits & StateBit.started == 0 && coldTable.map(mayHave) ?? false
    let given = isUnused ? resourcesGivenUp() : []
    unlockState(bits)
    giveBack(given)
  }

  /// What it waits for while it stands in line: whoever has what it needs, or came before it.
  package final var resourceBlockers: [Operation] { ResourceArbiter.shared.blockers(of: self) }

  /// Gives back what `resourcesGivenUp` has returned.
  final func giveBack(_ needs: [ResourceNeed]) {
    if !needs.isEmpty { ResourceArbiter.shared.giveBack(needs, of: self) }
  }
}

extension OperationQueue {
  /// Without a limit and not suspended.
  fileprivate var needsNoSlots: Bool {
    // sequentially consistent, edge PolicyChanged: before the grant is noted under the edit lock,
    // so that `giveUpUnusedResources`, after a change that this load does not see, finds it there.
    PolicyWord.isOpen(policy.load(ordering: .sequentiallyConsistent))
  }

  /// The queue is open no longer: members that have resources and wait for a slot give them up.
  func giveUpUnusedResources() {
    guard ResourceArbiter.shared.isInUse else { return }
    for member in registry.membersAndClosures() {
      let operation: Operation? =
        switch member {
        case .operation(let operation): operation
        // One that nobody has asked for needs none.
        case .closure(let handle): handle.facadeIfMade
        }
      guard let operation, operation.needsResources else { continue }
      operation.giveUpUnusedResources()
    }
  }
}
