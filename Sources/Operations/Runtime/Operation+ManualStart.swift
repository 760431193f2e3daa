// SPDX-License-Identifier: Apache-2.0

import Synchronization

extension Operation {
  /// `start()` by user code on an operation in no queue.
  final func startManually() throws(OperationError) {
    if isSealed { return }
    // acquire and release, edge Submitted: one word decides between a manual start and a queue.
    let (won, seen) = membership.compareExchange(
      expected: Membership.none, desired: Membership.manual, ordering: .acquiringAndReleasing)
    guard won else {
      if isSealed { return }
      if seen == Membership.manual { throw .alreadyExecuting(self) }
      throw .ownedByQueue(self, queueName: queueNameForDiagnostics)
    }
    inheritCancellation()
    guard let bits = try beginManually() else {
      membership.store(Membership.none, ordering: .releasing)  // release, edge Submitted
      throw .notReady(self, blockedBy: dependencies.filter { !$0.isFinished })
    }
    deliverTransitions(bits)
    let record = ThreadRecord.current
    let outer = record.currentOperation
    record.currentOperation = word
    let skipsBody = bits & (StateBit.flushed | StateBit.finishRequested) != 0
    if bits & StateBit.coldStart != 0 { passInResults(unlessSkipped: skipsBody) }
    if skipsBody {
      skipMain()
    } else if bits & StateBit.attended != 0 {
      atRequestedService(nil) { main() }
    } else {
      main()
    }
    if bits & StateBit.asynchronous == 0 || (skipsBody && finishesWhenSkipped) {
      finishFromAnywhere()
    } else {
      noteBodyReturned()
    }
    record.currentOperation = outer
  }

  /// A subclass that drives its own state has begun: in no queue through its own `start()`, which the runtime does not
  /// see (contract 18, 63).
  final func noteOwnStart() {
    // acquire and release, edge Submitted: as for `startManually`; a queue that comes first starts it itself.
    let (won, _) = membership.compareExchange(
      expected: Membership.none, desired: Membership.manual, ordering: .acquiringAndReleasing)
    guard won else { return }
    let bits = lockState()
    let begun = Self.begun(bits)
    noteBegin(begun)
    unlockState(begun)
  }

  /// Begins an operation that belongs to no queue; nil when it is not ready.
  ///
  /// Never parks: there is no handle.
  private final func beginManually() throws(OperationError) -> UInt32? {
    let isReadyNow = isReady  // user code: before the lock
    let bits = lockState()
    let isCancelled = bits & StateBit.cancelled != 0
    var isFree = isReadyNow || isCancelled
    if isFree, !isCancelled {
      unsafe forEachEdge(bits) { _, dependency in
        isFree = unsafe isFree && Self.reference(dependency)._withUnsafeGuaranteedRef(\.isSealed)
      }
    }
    guard isFree else {
      unlockState(bits)
      return nil
    }
    if bits & StateBit.needsResources != 0, !isCancelled, let table = coldTable {
      table.holdsResources = ResourceArbiter.shared.take(table.needs, for: self, waits: false)
      guard table.holdsResources else {
        unlockState(bits)
        membership.store(Membership.none, ordering: .releasing)  // release, edge Submitted
        throw .resourcesInUse(self)
      }
    }
    let begun = Self.begun(bits)
    noteBegin(begun)
    unlockState(begun)
    return begun
  }

  /// As `start()`, but throws `notReady`, `alreadyExecuting`, `ownedByQueue` or `resourcesInUse` instead of stopping the
  /// process.
  ///
  /// Returns at once when the operation is finished (contract 12, 14–16).
  public final func tryStart() throws(OperationError) { try startManually() }
}
