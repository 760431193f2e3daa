// SPDX-License-Identifier: Apache-2.0

import Synchronization

// An operation takes its resources in the step that begins it. If there is too little it is parked, which gives up
// worker and slot, with one more edge that holds it back; the arbiter resolves that edge when it has taken them for the
// operation. Whoever is held back again by something else gives them up, so nobody waits with resources in his hands
// but for a slot of a queue that starts operations.

extension Operation {
  /// Takes the resources for a start, or parks the handle; under the edit lock.
  final func takeResources(_ handle: UInt, _ bits: UInt32) -> Bool {
    let table = coldTableMade()
    let isOver = bits & (StateBit.cancelled | StateBit.finishRequested) != 0
    if table.holdsResources || isOver { return true }
    if ResourceArbiter.shared.take(table.needs, for: self, waits: true) {
      table.holdsResources = true
      return true
    }
    _ = enterDetour(force: true, tagEdges: true, bits)
    table.waitsForResources = true
    table.edgesBlocking += 1
    park(handle)
    return false
  }

  /// The arbiter has taken `needs` for the operation; not under any lock.
  ///
  /// Returns whether the operation keeps them; if not, the caller gives them back.
  final func resourcesGranted(_ needs: [ResourceNeed]) -> Bool {
    var handle: UInt?
    var isKept = false
    let bits = lockState()
    if let table = coldTable, table.waitsForResources {
      table.waitsForResources = false
      table.edgesBlocking -= 1
      // A queue that starts nothing would keep them from others: it asks again when it starts operations.
      let startsNothing = unsafe queueReference._withUnsafeGuaranteedRef(\.startsNothing)
      isKept = table.edgesBlocking == 0 && !startsNothing
      table.holdsResources = isKept
      handle = leaveIfFree(table)
    }
    unlockState(bits)
    if let handle { handOver(job(of: handle)) }
    return isKept
  }

  /// What the operation holds, which it does not any more; for the caller to give back after the edit lock.
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
    if !given.isEmpty { ResourceArbiter.shared.giveBack(given) }
  }

  /// Its queue starts nothing from now on: gives up what it has and has not begun to use.
  final func giveUpUnusedResources() {
    let bits = lockState()
    let given = bits & StateBit.started == 0 ? resourcesGivenUp() : []
    unlockState(bits)
    if !given.isEmpty { ResourceArbiter.shared.giveBack(given) }
  }
}

extension OperationQueue {
  /// Suspended, or with limit 0.
  var startsNothing: Bool {
    // sequentially consistent, edge PolicyChanged: after the grant was noted under the edit lock, or before the look
    // of `giveUpUnusedResources` under it.
    let word = policy.load(ordering: .sequentiallyConsistent)
    return word & PolicyWord.suspended != 0 || PolicyWord.limit(word) == 0
  }

  /// The queue starts nothing from now on: members that have resources and wait for a slot give them up.
  func giveUpUnusedResources() {
    guard ResourceArbiter.shared.isInUse else { return }
    for member in registry.membersAndClosures() {
      guard case .operation(let operation) = member, operation.needsResources else { continue }
      operation.giveUpUnusedResources()
    }
  }
}
