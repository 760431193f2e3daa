// SPDX-License-Identifier: Apache-2.0

import Synchronization

// What the cold table adds to readiness, start and end of an operation: conditions, cancellation of
// dependents.

extension Operation {
  /// The operation has finished: its conditions are not needed any more.
  final func dropConditions() {
    // They go after the lock.
    _ = withColdTable { exchange(&$0.conditions, with: []) }
  }

  // MARK: Cancellation of dependents

  /// Whether the operations that depend on this one are cancelled if it finishes cancelled; false
  /// by default (contract 53).
  ///
  /// They are cancelled when this operation finishes, before they could start; a dependent that is
  /// added to a queue or started later, then. It goes on from them only if they have the property
  /// as well. Set it before this operation finishes.
  public final var cancelDependentsOnCancel: Bool {
    // acquire, edge EditLock.
    get { state.load(ordering: .acquiring) & StateBit.cancelsDependents != 0 }
    set {
      let bits = lockState()
      unlockState(StateChange.cancelDependents(bits, newValue))
    }
  }

  /// Cancels what is on the sealed list, before it is walked: until then every entry keeps its
  /// dependent.
  final func cancelDependents(_ head: UInt, _ bits: UInt32) {
    let wanted = StateBit.cancelsDependents | StateBit.cancelled
    guard bits & wanted == wanted else { return }
    var entry = head
    while entry != SuccessorWord.empty {
      let isRecord = entry & SuccessorWord.recordTag != 0
      var dependent = entry
      if isRecord {
        let record = unsafe Self.record(entry)
        let isEdge = unsafe record.pointee.kind == .edge && !record.pointee.isHidden
        dependent = unsafe isEdge ? record.pointee.owner : 0
        // relaxed: acquired by the seal.
        entry = unsafe record.pointee.link.load(ordering: .relaxed)
      } else {
        entry = unsafe Self.edgeLink(entry).pointee.load(ordering: .relaxed)  // relaxed: as above
      }
      guard dependent != 0 else { continue }
      guard let operation = Self.takeRetained(Self.retain(dependent & ~15)) else { continue }
      // Else the edge on the list is left over from a dependency that was removed.
      if operation.underLock({ operation.lists(self, $0) }) { operation.cancel() }
    }
  }

  /// Whether an operation that depends on this one must be cancelled.
  ///
  /// A canceller that has not seen the seal may hold the edit lock still; as the finisher does, the
  /// caller waits for the mark. It may hold the edit lock of its own operation: nobody waits for
  /// another edit lock under that of an operation that has begun.
  final var passesCancellationOn: Bool {
    // sequentially consistent, both, edge Completion: the seal first, as the finisher's exchange of
    // it comes before his look at the state.
    guard successors.load(ordering: .sequentiallyConsistent) == SuccessorWord.sealed else {
      return false
    }
    var bits = state.load(ordering: .sequentiallyConsistent)
    if bits & StateBit.lock != 0 { bits = underLock { $0 } }
    let wanted = StateBit.cancelsDependents | StateBit.cancelled
    return bits & wanted == wanted
  }

  /// Whether every dependency has finished; under the edit lock, before the start.
  final func dependenciesHaveFinished(_ bits: UInt32) -> Bool {
    var haveFinished = true
    unsafe forEachEdge(bits) { edge, dependency in
      guard unsafe haveFinished && !Self.isHidden(edge) else { return }
      haveFinished = unsafe Self.reference(dependency)._withUnsafeGuaranteedRef(\.isSealed)
    }
    return haveFinished
  }

  /// Whether a dependency has finished that wants the operation cancelled, which still counts its
  /// dependencies; under the edit lock, before the start.
  final func inheritsCancellation(_ bits: UInt32) -> Bool {
    guard bits & StateBit.toBeSkipped == 0 else { return false }
    var inherits = false
    unsafe forEachEdge(bits) { edge, dependency in
      let mayPassOn = unsafe !inherits && !Self.isHidden(edge)
      if mayPassOn { inherits = Self.passesCancellationOn(dependency) }
    }
    return inherits
  }

  /// As the property of the operation at `dependency`.
  static func passesCancellationOn(_ dependency: UInt) -> Bool {
    unsafe reference(dependency)._withUnsafeGuaranteedRef(\.passesCancellationOn)
  }

  /// Cancels the operation if it has not started and a dependency has finished that wants it so.
  final func inheritCancellation() {
    let inherits = underLock { $0 & StateBit.started == 0 && inheritsCancellation($0) }
    if inherits { cancel() }
  }
}
