// SPDX-License-Identifier: Apache-2.0

import Scheduling
import Synchronization

extension Operation {
  /// The operations this one waits for, in the order added, finished ones included (contract 25).
  ///
  /// A copy. Empty once the operation has started if `retainsFinishedDependencies` is false.
  public final var dependencies: [Operation] {
    let bits = lockState()
    var list: [Operation] = []
    if bits & StateBit.started == 0 || bits & StateBit.retainsDependencies != 0 {
      list = listedDependencies(bits)
    }
    unlockState(bits)
    return list
  }

  /// Makes this operation wait until `dependency` has finished (contract 19–24).
  ///
  /// Works across queues and schedulers and while this operation waits in a queue. Adding it twice has the effect of
  /// adding it once; adding to an operation that has started has no effect. O(1) amortised. An operation cannot
  /// depend on itself: that stops the process; `tryAddDependency(_:)` throws.
  public final func addDependency(_ dependency: Operation) {
    do { try tryAddDependency(dependency) } catch { error.fault() }
  }

  /// As `addDependency(_:)`, but throws `dependencyCycle` when `dependency` is this operation.
  public final func tryAddDependency(_ dependency: Operation) throws(OperationError) {
    guard dependency !== self else { throw .dependencyCycle(path: [self, self]) }
    var job: Job?
    var bits = lockState()
    if bits & StateBit.started == 0, !lists(dependency, bits) {
      let effective = bits & StateBit.cancelled == 0
      if effective, isSubmitted, bits & StateBit.registered != 0 {
        job = addLateEdge(to: dependency, &bits)
      } else {
        _ = unsafe appendDependency(dependency, &bits, hidden: false)
        if effective { bits |= StateBit.hold }
      }
    }
    unlockState(bits)
    if let job { handOver(job) }
  }

  /// Lifts the constraint at once; does nothing for what is no dependency (contract 26, 27).
  ///
  /// No effect once the operation has started. O(dependencies).
  public final func removeDependency(_ dependency: Operation) {
    var job: Job?
    var removed: Unmanaged<Operation>?
    let bits = lockState()
    if bits & StateBit.started == 0, let edge = unsafe edge(to: dependency, bits) {
      if isSubmitted, bits & StateBit.registered != 0 {
        job = unsafe withdrawEdge(edge, bits)
      }
      unsafe removed = takeDependency(out: edge)
    }
    unlockState(bits)
    if let job { handOver(job) }
    unsafe removed?.release()
  }

  /// Whether a queue has taken the operation and not let go of it.
  final var isSubmitted: Bool {
    // acquire, edge Submitted: pairs with the release store of the slot.
    membership.load(ordering: .acquiring) > Membership.left
  }
}
