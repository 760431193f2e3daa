// SPDX-License-Identifier: Apache-2.0

import CSystemShims
import Synchronization

// How an operation lets go of its dependencies: when it dies, is skipped, or leaves its queue.

extension Operation {
  /// Whether there is something for deinit to let go of.
  @inline(__always) final var keepsSomething: Bool {
    // relaxed, all: last reference
    let dependencies =
      dependency0.load(ordering: .relaxed) | dependency1.load(ordering: .relaxed)
      | dependency2.load(ordering: .relaxed)
    // Recorded dependencies and waiting dependents come with a cold table or an unsealed list.
    return dependencies | cold.load(ordering: .relaxed) != 0 || !isSealed
  }

  /// Deinit: an operation that dies unfinished releases what waits for it; its dependencies go
  /// iteratively.
  final func letGoOfEverything() {
    // Most have left the caches since they ran: they are fetched side by side.
    // relaxed, all: last reference
    shim_prefetch(dependency0.load(ordering: .relaxed))
    shim_prefetch(dependency1.load(ordering: .relaxed))
    shim_prefetch(dependency2.load(ordering: .relaxed))
    if !isSealed {
      // Every edge left here is stale: whoever still waits for this operation retains it.
      resolveStaleSuccessors()
    }
    let bits = state.load(ordering: .relaxed)  // relaxed: last reference
    let table = cold.load(ordering: .relaxed)  // relaxed: as above
    ThreadRecord.withCurrent { record in
      unsafe forEachEdge(bits) { _, word in record.release(word) }
    }
    // SAFETY: made by `coldTableMade`, which retained it for the operation.
    if table != 0 { unsafe Unmanaged<ColdTable>.at(table).release() }
  }

  /// A skipped operation lets go of dependencies that have not finished; it lists them for as long
  /// as others keep them.
  ///
  /// Keeping them would be a cycle that lasts for ever when they depend on this operation in turn,
  /// or when they never finish and have an edge into it, which keeps it until it is resolved.
  ///
  /// Before it finishes itself: afterwards those that wait for it may have finished as well, and
  /// would be kept. No effect once it has finished, so that any thread that finishes it may call
  /// this.
  final func letGoOfUnfinishedDependencies(_ bits: UInt32) {
    // One that keeps none lets go of all when it leaves.
    let kept = StateBit.skipped | StateBit.retainsDependencies
    guard bits & kept == kept, Self.hasDependencies(bits) else { return }
    var released: [Unmanaged<Operation>] = unsafe []
    let bits = lockState()
    guard !isSealed else { return unlockState(bits) }
    unsafe forEachEdge(bits) { edge, dependency in
      let reference = unsafe Self.reference(dependency)
      let isResolved = unsafe reference._withUnsafeGuaranteedRef(\.isSealed)
      if isResolved { return }
      let table = coldTableMade()
      if unsafe !Self.isHidden(edge) {
        table.released[unsafe edge.key] = WeakOperation(
          operation: unsafe reference.takeUnretainedValue())
      }
      table.recordIndex[dependency] = nil
      unsafe released.append(takeDependency(out: edge))
    }
    unlockState(bits)
    for index in unsafe released.indices { unsafe released[index].release() }
  }

  /// Who has finished the operation drops its dependencies, which nobody else reads.
  @inline(__always) final func dropDependencies(_ bits: UInt32) {
    for slot in 0..<Self.inlineCount(bits) {
      // relaxed: after `begin` only who finishes an operation that drops them touches the words.
      let word = unsafe dependencyWord(slot).pointee.load(ordering: .relaxed)
      guard word != 0 else { continue }
      unsafe dependencyWord(slot).pointee.store(0, ordering: .relaxed)  // relaxed: as above
      unsafe Self.reference(word).release()
    }
    if bits & StateBit.edgesInCold != 0 { dropRecordedDependencies() }
  }

  @inline(never) private final func dropRecordedDependencies() {
    // Under the lock: a dependency that was cancelled may still look whether this operation depends
    // on it.
    var dropped: [Unmanaged<Operation>] = unsafe []
    let bits = lockState()
    unsafe forEachEdge(bits) { edge, _ in unsafe dropped.append(takeDependency(out: edge)) }
    unlockState(bits)
    for index in unsafe dropped.indices { unsafe dropped[index].release() }
  }
}
