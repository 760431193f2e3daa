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

  /// Cancels the operation if a dependency has finished that wants it so.
  final func inheritCancellation() {
    // acquire, edge EditLock.
    let bits = state.load(ordering: .acquiring)
    guard Self.hasDependencies(bits), bits & StateBit.toBeSkipped == 0 else { return }
    if storedDependencies.contains(where: \.passesCancellationOn) { cancel() }
  }
}
