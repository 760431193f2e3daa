// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
import Scheduling
import Synchronization

// Which handle of a queued operation starts it. Protocol: Release.md.

/// What became of an attempt to begin.
enum BeginOutcome {
  /// This handle runs the operation; the state word as of the beginning.
  case won(UInt32)
  /// Another handle runs it, or this one is out of date.
  case lost
  /// Something holds it back again, and this handle is given up.
  case parked
}

extension Operation {
  /// The one transition that starts a queued operation: arbitrates handles, cancel and late edits.
  ///
  /// Returns the state word as of the beginning, or nil when `beginSlowly` must decide.
  @inline(__always) final func beginFast() -> UInt32? {
    var bits = state.load(ordering: .relaxed)  // relaxed: the exchange validates it
    let plain = plainness(bits)
    var backoff = Backoff()
    let slow =
      StateBit.hold | StateBit.moved | StateBit.started | StateBit.hasExtras
      | StateBit.needsResources
    while true {
      if bits & StateBit.lock != 0 {
        backoff.wait()
        bits = state.load(ordering: .relaxed)  // relaxed: as above
        continue
      }
      if bits & slow != 0 { return nil }
      // What is plain is ready once it was handed over.
      if bits & StateBit.toBeSkipped | plain == 0, !isReady { return nil }
      let begun = StateChange.begin(bits | plain)
      // acquire and release, edge EditLock: sees every edit before it, is seen by every one after
      // it.
      let (won, seen) = state.weakCompareExchange(
        expected: bits, desired: begun, successOrdering: .acquiringAndReleasing,
        failureOrdering: .relaxed)
      if won { return begun }
      bits = seen
    }
  }

  @inline(never) final func beginSlowly(_ handle: UInt) -> BeginOutcome {
    // relaxed: an edge that comes later is found when it is registered.
    if state.load(ordering: .relaxed) & StateBit.hold != 0 { inheritCancellation() }
    let isReadyNow = isReady  // user code: before the lock
    var bits = lockState()
    // What is to be skipped has no place in the order.
    let isOutOfDate =
      bits & (StateBit.moved | StateBit.toBeSkipped) == StateBit.moved
      && coldTable?.latestHandle != handle
    // What was granted its resources has had its turn, and the slot that came with it goes with the
    // handle of that time: whichever comes first starts it. The latest one would have to ask anew.
    let isGranted = coldTable?.holdsResources ?? false
    if bits & StateBit.started != 0 || isOutOfDate && !isGranted { return lose(handle, bits) }
    let plain = plainness(bits)
    let wantsStart =
      bits & StateBit.toBeSkipped != 0 || isReadyNow
      || (plain != 0 && !hasConditions(bits))
    if bits & StateBit.hold != 0 {
      let inheritsCancellation = registerHeldEdges(&bits)
      bits = StateChange.register(bits)
      if inheritsCancellation {
        // The dependency has finished since the look above. Once more: the edges are registered
        // now.
        unlockState(bits)
        cancel()
        return beginSlowly(handle)
      }
    }
    let isBlocked = (lockedCountTable?.edgesBlocking ?? 0) > 0
    if isBlocked || !wantsStart {
      if isOutOfDate { return lose(handle, bits) }
      if !isBlocked { _ = moveCountUnderLock(force: true, tagEdges: true, bits) }
      park(handle)
      let given = resourcesGivenUp()
      // From here on every edit goes through the lock: there is no start that would register
      // edges.
      if isRecording, !isBlocked { recordHold(byResource: false) }
      unlockState(StateChange.park(bits))
      giveBack(given)
      if !isBlocked { announceReadiness() }  // it may have turned true before the parking
      return .parked
    }
    if bits & StateBit.needsResources != 0, !takeResources(handle, bits) {
      if isRecording { recordHold(byResource: true) }
      unlockState(StateChange.park(bits))
      return .parked
    }
    let begun = StateChange.begin(bits | plain)
    noteBegin(begun)
    unlockState(begun)
    return .won(begun)
  }

  /// A handle does not start the operation, nor will it; gives up the edit lock.
  private final func lose(_ handle: UInt, _ bits: UInt32) -> BeginOutcome {
    coldTable?.forgetPlace(of: handle)
    let given = bits & StateBit.started == 0 ? resourcesGivenUp() : []
    unlockState(bits)
    giveBack(given)
    return .lost
  }

  /// Gives up a handle of an operation that must wait again; under the edit lock.
  final func park(_ handle: UInt) {
    let table = coldTableMade()
    table.isOut = false
    table.wasParked = true
    table.handles -= 1
    table.forgetPlace(of: handle)
    if handle == 0 { table.headerIsBack = true }
  }

  /// A subclass says that its readiness may have turned true.
  final func announceReadiness() {
    guard isReady else { return }
    let bits = lockState()
    var handOver: UInt?
    if isSubmitted, bits & StateBit.started == 0,
      let table = lockedCountTable, table.edgesBlocking == 0, !table.isOut, table.wasParked
    {
      table.isOut = true
      noteReadyTime(bits)
      if isRecording { recordReadiness() }
      handOver = table.countNextHandle(of: self)
    }
    unlockState(bits)
    if let handOver { self.handOver(job(of: handOver)) }
  }
}
