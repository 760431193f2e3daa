// SPDX-License-Identifier: Apache-2.0

import Scheduling
import Synchronization

extension Operation {
  /// A start by user code of an operation in no queue.
  ///
  /// `callsStart` when the class's own `start()`, if it has one, is still to be called.
  final func startManually(callsStart: Bool) throws(OperationError) {
    guard let bits = try beginManually() else { return }
    if isRecording { EventRings.noteStart(word, worker: -1, origin: JobOrigin(.inline)) }
    let record = ThreadRecord.current
    let outer = record.enterByHand(self)
    let isInStart = !callsStart || bits & StateBit.builtIn != 0
    switch runStart(bits, nil, -1, record, isInStart: isInStart) {
    case .ended: if !isSealed { finishFromAnywhere() }
    case .finishedInside: endAfterManualStart(record)
    case .goesOn:
      if isRecording { EventRings.note(.returned, word) }
      noteBodyReturned()
    }
    record.leaveLevel(outer)
  }

  /// A subclass that drives its own state has begun: in no queue through its own `start()`, which
  /// the runtime does not see (contract 18, 63).
  final func noteOwnStart() {
    // A queue that comes first starts it itself.
    guard claim(as: Membership.manual) else { return }
    if isRecording { EventRings.noteStart(word, worker: -1, origin: JobOrigin(.inline)) }
    let bits = lockState()
    let begun = StateChange.begin(bits)
    noteBegin(begun)
    unlockState(begun)
    // A finish came between the claim and the lock; it has found an operation in no queue and left
    // its end to the start.
    if begun & StateBit.finishRequested != 0 { finishFromAnywhere() }
  }

  /// What became of the attempt to begin an operation that belongs to no queue.
  private enum ManualStart {
    case begun
    case notReady
    case resourcesInUse
    /// A dependency has finished that wants it cancelled, and may not have done so yet.
    case inheritsCancellation
    /// Somebody else has the operation; the resources that were taken for it go back.
    case taken([ResourceNeed])
  }

  /// Claims and begins an operation that belongs to no queue; nil when it has finished already.
  ///
  /// Never parks: there is no handle.
  private final func beginManually() throws(OperationError) -> UInt32? {
    var mayInherit = true
    while true {
      // acquire, edge Submitted.
      if membership.load(ordering: .acquiring) != Membership.none {
        return try refuseStart()
      }
      // User code: before the lock, and before anybody is kept from the operation.
      let isReadyNow = isReady
      var bits = lockState()
      let attempt = attemptToClaim(&bits, isReadyNow: isReadyNow, mayInherit: mayInherit)
      unlockState(bits)
      switch attempt {
      case .begun: return bits
      case .inheritsCancellation:
        mayInherit = false
        cancel()
      case .resourcesInUse: throw .resourcesInUse(self)
      case .taken(let needs):
        ThreadRecord.current.handingOverLast { giveBack(needs) }
        return try refuseStart()
      case .notReady:
        if isSealed { return nil }
        let blockers = storedDependencies.filter { !$0.isSealed }
        // The last one has finished since.
        if blockers.isEmpty, isOfPlainClass, readinessConditions.isEmpty { continue }
        throw .notReady(self, blockedBy: blockers)
      }
    }
  }

  /// Claims and begins the operation if it may begin, in one step, so that a refusal keeps nobody
  /// else from it; under the edit lock.
  private final func attemptToClaim(
    _ bits: inout UInt32, isReadyNow: Bool, mayInherit: Bool
  ) -> ManualStart {
    // Somebody else has begun it: what it depends on may be going, and what it needs it has.
    guard bits & StateBit.started == 0 else { return .taken([]) }
    var needs: [ResourceNeed] = []
    if bits & StateBit.toBeSkipped == 0 {
      // Once, since an override may make no mark.
      if mayInherit, inheritsCancellation(bits) { return .inheritsCancellation }
      guard isReadyNow, dependenciesHaveFinished(bits) else { return .notReady }
      if bits & StateBit.needsResources != 0, let table = coldTable {
        guard ResourceArbiter.take(table.needs, for: self, waits: false) else {
          return .resourcesInUse
        }
        needs = table.needs
      }
    }
    guard claim(as: Membership.manual) else { return .taken(needs) }
    if !needs.isEmpty { coldTable?.holdsResources = true }
    bits = StateChange.begin(bits)
    noteBegin(bits)
    return .begun
  }

  private final func refuseStart() throws(OperationError) -> UInt32? {
    if let refusal = refusal({ .ownedByQueue(self, queueName: $0) }) { throw refusal }
    return nil
  }

  /// Why the operation, which somebody else has claimed, can be neither started nor added; nil when
  /// it has finished.
  ///
  /// `owned` makes the error for one that waits to be started, from the name of its queue.
  final func refusal(_ owned: (String) -> OperationError) -> OperationError? {
    let bits = lockState()
    let isStarted = bits & StateBit.started != 0
    // acquire, edge Submitted.
    let member = membership.load(ordering: .acquiring)
    // Under the lock an unstarted member keeps its queue.
    let queue = unsafe isStarted || member <= Membership.reserved ? nil : retainQueue()
    unlockState(bits)
    let kept = unsafe queue?.takeRetainedValue()
    if isSealed { return nil }
    if isStarted || member == Membership.manual { return .alreadyExecuting(self) }
    if let kept { return owned(kept.nameInErrors) }
    if let owner = labelOfOwner { return owned("(members of \(owner))") }
    let isReserved = member == Membership.reserved
    return owned(isReserved ? "(members of another operation)" : "(an add that is under way)")
  }

  /// As `start()`, but throws `notReady`, `alreadyExecuting`, `ownedByQueue` or `resourcesInUse`
  /// instead of stopping the process.
  ///
  /// Calls `start()` where a class overrides it. Returns at once when the operation is finished
  /// (contract 12, 14–16).
  public final func tryStart() throws(OperationError) { try startManually(callsStart: true) }

  /// Cancels the operation and, if it is in no queue, finishes it at once (contract 45).
  ///
  /// By way of `start()` where a class overrides it, which must look for the cancellation first
  /// (contract 55).
  public final func cancelAndFinish() {
    cancel()
    // A queue finishes it itself; a started one is finished by its body.
    do { try startManually(callsStart: true) } catch {}
  }
}
