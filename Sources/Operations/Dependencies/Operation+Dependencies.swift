// SPDX-License-Identifier: Apache-2.0

import Synchronization

extension Operation {
  /// Implements `dependencies`.
  final var storedDependencies: [Operation] { underLock(shownDependencies) }

  /// What `dependencies` shows; under the edit lock.
  ///
  /// Of an operation that keeps none the runner drops them without the lock, once it has begun.
  final func shownDependencies(_ bits: UInt32) -> [Operation] {
    let (started, retains) = (StateBit.started, StateBit.retainsDependencies)
    return bits & (started | retains) == started ? [] : currentDependencies(bits)
  }

  /// As `addDependency(_:)`, but throws `dependencyCycle` when `dependency` is this operation and,
  /// in strict mode, `alreadyExecuting` or `alreadyFinished` when it has started.
  public final func tryAddDependency(_ dependency: Operation) throws(OperationError) {
    if !addInlineEdge(to: dependency) { try addEdge(to: dependency, injection: nil) }
  }

  /// Implements `addDependency(_:)` where `addInlineEdge` has not.
  @inline(never) final func addUnusualEdge(to dependency: Operation) {
    do { try addEdge(to: dependency, injection: nil) } catch { error.fault("addDependency(_:)") }
  }

  /// Adds the edge if it is new and, with it, what passes the dependency's result in.
  final func addEdge(
    to dependency: Operation, injection: Injection?
  ) throws(OperationError) {
    guard dependency !== self else { throw .dependencyCycle(path: [self, self]) }
    let table = injection == nil ? nil : coldTableMade()
    var handOver: UInt?
    var inheritsCancellation = false
    var bits = lockState()
    let isStarted = bits & StateBit.started != 0
    if isStarted, Self.faultsOnLateDependencyEdits {
      unlockState(bits)
      throw lateEditError
    }
    // A barrier, which only reports show, takes none: what it waits for is no edge.
    let isNew = !isStarted && bits & StateBit.barrier == 0
    if isNew, let table, let injection {
      if table.injections == nil { table.injections = [] }
      table.injections?.append(injection)
      bits = StateChange.needColdStart(bits)
    }
    if isNew, !lists(dependency, bits) {
      let listed = observedDependencies(bits)
      defer { noteDependencies(from: listed, with: dependency, isAdded: true, bits) }
      let effective = bits & StateBit.toBeSkipped == 0
      if effective, isSubmitted, bits & StateBit.registered != 0 {
        handOver = addLateEdge(to: dependency, &bits)
        inheritsCancellation = dependency.passesCancellationOn
      } else {
        // What an operation depends on that will be skipped is listed only.
        unsafe _ = appendDependency(dependency, &bits, hidden: false)
        if effective { bits = StateChange.recall(bits) }
      }
    }
    unlockState(bits)
    if inheritsCancellation { cancel() }
    if let handOver { self.handOver(job(of: handOver)) }
    if bits & StateBit.hasExtras != 0 { dependencyAdded(dependency) }
  }

  /// Implements `removeDependency(_:)`.
  final func withdrawDependency(_ dependency: Operation) {
    // acquire: as `isExecuting`.
    if Self.faultsOnLateDependencyEdits, state.load(ordering: .acquiring) & StateBit.started != 0 {
      lateEditError.fault("removeDependency(_:)")
    }
    var handOver: UInt?
    var removed: Unmanaged<Operation>?
    var withdrawn: [Injection]?
    var bits = lockState()
    if bits & StateBit.started == 0, let edge = unsafe edge(to: dependency, bits) {
      let listed = observedDependencies(bits)
      if isSubmitted, bits & StateBit.registered != 0 {
        handOver = unsafe withdrawEdge(edge, &bits)
      }
      unsafe removed = takeDependency(out: edge)
      coldTable?.recordIndex[dependency.word] = nil
      if bits & StateBit.registered == 0 { unsafe forget(edge) }
      if bits & StateBit.coldStart != 0, let table = coldTable {
        // Kept until the lock is given up: what they capture dies with them.
        withdrawn = table.injections
        table.injections?.removeAll { $0.source == ObjectIdentifier(dependency) }
      }
      noteDependencies(from: listed, with: dependency, isAdded: false, bits)
    }
    unlockState(bits)
    withExtendedLifetime(withdrawn) {}
    if let handOver { self.handOver(job(of: handOver)) }
    unsafe removed?.release()
    deliverTransitions(bits)
  }

  /// Strict mode: adding or removing a dependency of an operation that has started stops the
  /// process (contract 29).
  ///
  /// False by default: such an edit has no effect. For the whole process; any thread.
  public static var faultsOnLateDependencyEdits: Bool {
    get { lateEditsAreFaults.load(ordering: .relaxed) }  // relaxed: a setting that orders nothing
    set { lateEditsAreFaults.store(newValue, ordering: .relaxed) }  // relaxed: as above
  }

  /// Why what has started cannot be edited.
  final var lateEditError: OperationError {
    isSealed ? .alreadyFinished(self) : .alreadyExecuting(self)
  }

  /// Whether a queue has taken the operation; stays true after it has left.
  final var isSubmitted: Bool {
    // acquire, edge Submitted: pairs with the release store of the slot.
    membership.load(ordering: .acquiring) > Membership.reserved
  }
}

/// An edit of the dependencies of a started operation stops the process instead of having no
/// effect.
private let lateEditsAreFaults = Atomic<Bool>(false)
