// SPDX-License-Identifier: Apache-2.0

import Scheduling
import Synchronization

// Cancelling one operation: the mark, and what follows from it.

extension Operation {
  /// Implements `cancel()`.
  final func cancelNow() {
    // A first look without the lock: finished or cancelled needs nothing.
    if isSealed { return }
    let cancelled = markCancelled()
    // Another thread that has marked it may be on its way to its members still.
    if let composite {
      ThreadRecord.withCurrent { $0.cancelMembers(of: composite, after: cancelled) }
    } else if let cancelled {
      ThreadRecord.withCurrent { $0.follow(cancelled) }
    }
  }

  /// Sets the mark; returns what follows from it for the operation itself, or nil if nothing does
  /// or another was first.
  ///
  /// Calls no user code.
  final func markCancelled() -> Cancelled? {
    if isMarkedCancelled { return nil }
    var handOver: UInt?
    var skip = false
    var bits = lockState()
    // Not sealed here: the finisher finds the mark, or the lock, and waits.
    guard !isSealedForEditor, bits & StateBit.cancelled == 0 else {
      unlockState(bits)
      return nil
    }
    bits = StateChange.cancel(bits)
    noteCancelled(bits)
    if isRecording { EventRings.note(.cancelRequested, word) }
    if isSubmitted, bits & StateBit.started == 0 {
      // Who limits the queue afterwards looks for the mark, and gets this lock later.
      let limitsStarts = unsafe queueReference._withUnsafeGuaranteedRef(\.limitsStarts)
      if let table = lockedCountOfCancelled(&bits) {
        // All edges but the one on a barrier are ignored from now on.
        ignoreOrdinaryEdges(table, bits)
        handOver = handleIfFree(table)
        skip = limitsStarts && handOver == nil && table.isOut
      } else {
        // Once a barrier is due it needs no slot any more; before that it keeps its place.
        skip = limitsStarts
      }
    }
    unlockState(bits)
    // Only asynchronous classes are told. Before `main()` has begun it is left to the runner: edge
    // MainBegun.
    let told = StateBit.asynchronous | StateBit.mainRan
    let hasBegun = bits & (told | StateBit.skipped) == told
    let hasExtras = bits & StateBit.hasExtras != 0
    guard handOver != nil || skip || hasBegun || hasExtras else { return nil }
    return Cancelled(
      operation: self, handle: handOver, mayWaitForSlot: skip, hasBegun: hasBegun,
      hasExtras: hasExtras)
  }

  /// Marks a member of a queue without a limit from whose mark nothing follows: of a class of this
  /// room that is not told, has no extras, and has neither begun nor is held back; false for any
  /// other, and while somebody edits it.
  ///
  /// Under the enumerator's pin, which keeps it.
  final func markInPlace() -> Bool {
    let bits = state.load(ordering: .relaxed)  // relaxed: the exchange validates it
    let others =
      StateBit.lock | StateBit.asynchronous | StateBit.hasExtras | StateBit.needsResources
      | StateBit.barrier | StateBit.edgesInCold | StateBit.dependencyCountMask | StateBit.started
      | StateBit.toBeSkipped
    guard bits & (others | StateBit.builtIn) == StateBit.builtIn else { return false }
    // sequentially consistent, edges EditLock and Completion: one edit in the order of edits.
    let isMarked = state.compareExchange(
      expected: bits, desired: StateChange.cancel(bits), ordering: .sequentiallyConsistent
    ).exchanged
    if isMarked, isRecording { EventRings.note(.cancelRequested, word) }
    return isMarked
  }

  /// The table of a cancelled member that something holds back; under the edit lock.
  ///
  /// What a barrier waits for before it is due is no edge that could be ignored. Once it is due, a
  /// condition or a resource may have parked it: then it is counted under the lock.
  private final func lockedCountOfCancelled(_ bits: inout UInt32) -> ColdTable? {
    bits & StateBit.barrier != 0
      ? lockedCountTable : moveCountUnderLock(force: false, tagEdges: false, &bits)
  }

  // MARK: Facts

  /// `cancel()` was called; not the property, which a subclass may override with a flag of its own.
  final var isMarkedCancelled: Bool {
    // relaxed: locks order what is read for it.
    state.load(ordering: .relaxed) & StateBit.cancelled != 0
  }

  /// Neither cancelled nor finished.
  final var canBeMarked: Bool { !isMarkedCancelled && !isSealed }
}

/// An operation that is marked as cancelled, and what follows from that.
struct Cancelled {
  let operation: Operation
  /// Nothing holds it back any more: this handle goes to the queue.
  var handle: UInt?
  /// Its handle is out already, and may wait for a slot that it does not need.
  let mayWaitForSlot: Bool
  /// Its body had begun and is told.
  let hasBegun: Bool
  /// Somebody observes it.
  let hasExtras: Bool

  /// Lets the operation be skipped.
  func handOver() {
    if let handle {
      guard operation.needsResources else { return operation.handOver(operation.job(of: handle)) }
      ThreadRecord.current.handingOverLast { owe(handle) }
    } else if mayWaitForSlot {
      operation.skipWithoutSlot()
    }
  }

  /// Makes the thread owe the handle, in one step with those that the operation's resources free:
  /// they may run here, and wait for it.
  func owe(_ handle: UInt) {
    ThreadRecord.current.owed.append(StoredChain(JobChain(operation.job(of: handle))))
    if operation.needsResources { ResourceArbiter.withdraw(operation) }
  }

  /// Tells its body, then who observes it.
  func tell() {
    if hasBegun { operation.cancelledWhileExecuting() }
    if hasExtras { operation.deliverTransitions() }
  }
}
