// SPDX-License-Identifier: Apache-2.0

import Scheduling
import Synchronization

// Cancelling or editing an operation that waits for dependencies moves its accounting from
// `pending` to the cold table, under the edit lock. Protocol, edges and argument: Release.md;
// model: Tests/Models/release.pml.

extension Operation {
  /// Moves the accounting to the cold table if edges are outstanding, or always when `force` is
  /// set.
  ///
  /// Under the edit lock. Returns the table when the operation is counted under the lock
  /// afterwards.
  final func moveCountUnderLock(
    force: Bool, tagEdges: Bool, _ bits: inout UInt32
  ) -> ColdTable? {
    var count = pending.load(ordering: .relaxed)  // relaxed: the exchange validates it
    if count & PendingBit.lockedCount != 0 { return coldTable }
    if count == 0, !force { return nil }
    let table = coldTableMade()
    while true {
      if count == 0, !force { return nil }
      // acquire and release, edge Resolved: both sides are read-modify-writes of one word. A
      // finisher that came first is acquired here, so the scan below sees its list sealed; one that
      // comes later sees the bit `lockedCount`.
      let (won, seen) = pending.weakCompareExchange(
        expected: count, desired: count | PendingBit.lockedCount,
        successOrdering: .acquiringAndReleasing, failureOrdering: .relaxed)
      if won { break }
      count = seen
    }
    table.edgesOutstanding = Int(count)
    table.isOut = count == 0
    if count > 0 {
      // The group reference: held for the edges that will come through the lock.
      unsafe _ = Unmanaged.passRetained(self)
      unsafe forEachEdge(bits) { edge, dependency in
        let isHidden = unsafe Self.isHidden(edge)
        guard tagEdges || isHidden else { return }
        let finished = unsafe Self.reference(dependency)._withUnsafeGuaranteedRef(\.isSealed)
        if finished { takeAsResolved(dependency, &bits) } else { unsafe tag(edge, table) }
      }
    }
    return table
  }

  /// An edge is taken for resolved, since its dependency has finished.
  ///
  /// That one may have yet to cancel the operation: whoever begins it looks.
  private final func takeAsResolved(_ dependency: UInt, _ bits: inout UInt32) {
    if Self.passesCancellationOn(dependency) { bits = StateChange.recall(bits) }
  }

  static func isHidden(_ edge: EdgeLocation) -> Bool {
    switch unsafe edge {
    case .slot: false
    case .record(let record): unsafe record.pointee.isHidden
    }
  }

  private final func tag(_ edge: EdgeLocation, _ table: ColdTable) {
    table.edgesBlocking += 1
    switch unsafe edge {
    case .slot(let slot): table.blockingSlots |= 1 << UInt8(slot)
    case .record(let record): unsafe record.pointee.isBlocking = true
    }
  }

  /// Clears the tag; true when it was set.
  private final func untag(_ edge: EdgeLocation, _ table: ColdTable) -> Bool {
    switch unsafe edge {
    case .slot(let slot):
      guard table.blockingSlots & 1 << UInt8(slot) != 0 else { return false }
      table.blockingSlots &= ~(1 << UInt8(slot))
    case .record(let record):
      guard unsafe record.pointee.isBlocking else { return false }
      unsafe record.pointee.isBlocking = false
    }
    table.edgesBlocking -= 1
    return true
  }

  /// Marks the operation as handed over if nothing holds it back; returns the handle that the
  /// caller must hand over.
  ///
  /// The handle is settled here, under the lock: afterwards a change of level may make another one.
  final func handleIfFree(_ table: ColdTable, by releaser: UInt = 0) -> UInt? {
    guard table.edgesBlocking == 0, !table.isOut else { return nil }
    table.isOut = true
    // relaxed: never cleared, and a time that is missed is only a time.
    noteReadyTime(state.load(ordering: .relaxed))
    if isRecording { EventRings.noteReady(word, by: releaser) }
    return table.wasParked ? table.countNextHandle(of: self) : Handle.header
  }

  /// A finisher's edge comes through the lock; calls `handOver` with the handle when that set the
  /// operation free.
  ///
  /// Releases the group reference with the last edge.
  final func resolveUnderLock(
    _ edge: EdgeLocation, by releaser: UInt, handOver: (Operation, UInt) -> Void
  ) {
    let bits = lockState()
    guard let table = coldTable else {
      Fault.internalError("an edge of \(diagnosticName) came through the lock without a cold table")
    }
    table.edgesOutstanding -= 1
    let isLast = table.edgesOutstanding == 0
    let handle = unsafe untag(edge, table) ? handleIfFree(table, by: releaser) : nil
    unlockState(bits)
    if let handle { handOver(self, handle) }
    if isLast { unsafe Unmanaged.passUnretained(self).release() }
  }

  /// `addDependency` on a registered, unstarted operation; returns the handle that the caller must
  /// hand over.
  final func addLateEdge(to dependency: Operation, _ bits: inout UInt32) -> UInt? {
    guard let table = moveCountUnderLock(force: true, tagEdges: true, &bits) else { return nil }
    let edge = unsafe appendDependency(dependency, &bits, hidden: false)
    if isRecordingAll { EventRings.note(.edge, word, argument: UInt64(dependency.word)) }
    return unsafe registerLate(edge, on: dependency.word, table, &bits)
  }

  /// Registers an edge under the locked count; true when the caller must hand the operation over.
  private final func registerLate(
    _ edge: EdgeLocation, on dependency: UInt, _ table: ColdTable, _ bits: inout UInt32
  ) -> UInt? {
    if table.edgesOutstanding == 0 { unsafe _ = Unmanaged.passRetained(self) }
    table.edgesOutstanding += 1
    unsafe tag(edge, table)
    // relaxed: under the locked count the count only tells finishers that it is not theirs to
    // decide.
    pending.wrappingAdd(1, ordering: .relaxed)
    if unsafe !push(edge, on: dependency) {
      // The dependency has finished meanwhile: undo all of it.
      pending.wrappingSubtract(1, ordering: .relaxed)  // relaxed: as above
      unsafe _ = untag(edge, table)
      table.edgesOutstanding -= 1
      if table.edgesOutstanding == 0 { unsafe Unmanaged.passUnretained(self).release() }
      takeAsResolved(dependency, &bits)
    }
    if table.isOut {
      if table.edgesBlocking > 0 { bits = StateChange.recall(bits) }
      return nil
    }
    return handleIfFree(table)
  }

  /// `removeDependency` on a registered, unstarted operation; returns the handle that the caller
  /// must hand over.
  final func withdrawEdge(_ edge: EdgeLocation, _ bits: inout UInt32) -> UInt? {
    // acquire, edge Resolved: as in `moveCountUnderLock`.
    guard pending.load(ordering: .acquiring) != 0,
      // What will be skipped was added without its ordinary edges: nobody would resolve them.
      let table = moveCountUnderLock(
        force: false, tagEdges: bits & StateBit.toBeSkipped == 0, &bits)
    else { return nil }
    unsafe _ = untag(edge, table)
    return handleIfFree(table)
  }

  /// Registers every edge of an operation that was handed over before it had any; for `begin`,
  /// under the lock.
  ///
  /// Of one whose edges are registered it does nothing.
  final func registerHeldEdges(_ bits: inout UInt32) {
    guard bits & StateBit.registered == 0 else { return }
    bits = StateChange.register(bits)
    guard bits & StateBit.toBeSkipped == 0,
      let table = moveCountUnderLock(force: true, tagEdges: false, &bits)
    else { return }
    unsafe forEachEdge(bits) { edge, dependency in
      _ = unsafe registerLate(edge, on: dependency, table, &bits)
    }
  }

  // MARK: What is to be skipped

  /// The table of an operation that is counted under the lock; under the edit lock.
  final var lockedCountTable: ColdTable? {
    // relaxed: locked
    pending.load(ordering: .relaxed) & PendingBit.lockedCount != 0 ? coldTable : nil
  }

  /// Nothing but a barrier holds the operation back from now on; under the edit lock.
  ///
  /// If it stood in line for resources the caller withdraws it after the lock.
  final func ignoreOrdinaryEdges(_ table: ColdTable, _ bits: UInt32) {
    unsafe forEachEdge(bits) { edge, _ in
      if unsafe !Self.isHidden(edge) { unsafe _ = untag(edge, table) }
    }
    guard table.waitsForResources else { return }
    table.waitsForResources = false
    table.edgesBlocking -= 1
  }
}
