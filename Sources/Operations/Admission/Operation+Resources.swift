// SPDX-License-Identifier: Apache-2.0

import Scheduling

// An operation takes its resources in the step that begins it. If there is too little it is parked,
// which gives up worker and slot, with one more edge that holds it back; the arbiter resolves that
// edge when it has taken them and a slot for the operation, or when there is no slot. Whoever is
// held back again by something else gives them up. So nobody has resources but who executes, or has
// a slot and waits for a worker.

extension Operation {
  /// Takes the resources for a start, or parks the handle; under the edit lock.
  final func takeResources(_ handle: UInt, _ bits: inout UInt32) -> Bool {
    let table = coldTableMade()
    if table.holdsResources || bits & StateBit.toBeSkipped != 0 { return true }
    if ResourceArbiter.take(table.needs, for: self, waits: true) {
      table.holdsResources = true
      return true
    }
    _ = moveCountUnderLock(force: true, tagEdges: true, &bits)
    table.waitsForResources = true
    table.edgesBlocking += 1
    park(handle)
    return false
  }

  /// The arbiter has taken resources and a slot for the operation, or neither because there is no
  /// slot; not under any lock.
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
      isKept = decision.slot != nil && table.edgesBlocking == 0
      table.holdsResources = isKept
      handle = handleIfFree(table)
    }
    unlockState(bits)
    let job = handle.map { self.job(of: $0) }
    // Given up here it could start the next one of that queue on this thread, in the middle.
    return (isKept, decision.slot.map { Drain.make($0, first: job) } ?? job)
  }

  /// What the operation holds, which it does not any more; for the caller to give back after the
  /// edit lock.
  final func resourcesGivenUp() -> [ResourceNeed] {
    guard let table = coldTable, table.holdsResources else { return [] }
    table.holdsResources = false
    return table.needs
  }

  /// The operation has finished.
  final func giveBackResources() { giveBack(underLock { _ in resourcesGivenUp() }) }

  /// Gives back what `resourcesGivenUp` has returned.
  final func giveBack(_ needs: [ResourceNeed]) {
    if !needs.isEmpty { ResourceArbiter.giveBack(needs, of: self) }
  }
}
