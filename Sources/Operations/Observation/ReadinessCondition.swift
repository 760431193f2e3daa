// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
import Synchronization

/// Something besides dependencies that must hold before an operation may start (contract 42).
///
/// Safer than overriding `isReady`: the operation's own rule stays in force, and whoever changes
/// the condition need not know the operations. Override `isSatisfied` and call `signal()` after a
/// change that may have made it true, or use `ReadinessGate` or `ReadinessPredicate`; what only so
/// many operations may use at a time is an `OperationResource`. A cancelled operation does not wait
/// for conditions. A condition may serve any number of operations; any thread.
open class ReadinessCondition: @unchecked Sendable {
  private struct Attached: Sendable {
    var operations: [WeakOperation] = []
    /// Compact when there are this many.
    var bound = 16
  }
  private let attached = Locked(Attached())

  /// A condition for no operation yet.
  public init() {}

  /// Whether operations may start now; true by default.
  ///
  /// Called with no lock held, from any thread, and looked at once more when the operation starts.
  open var isSatisfied: Bool { true }

  /// Makes the operations that wait for the condition look again.
  ///
  /// O(operations that have it and have not finished).
  public final func signal() {
    for entry in attached.withLock({ $0.operations }) {
      guard let operation = entry.operation, !operation.isSealed else { continue }
      operation.didChangeValue(forKey: "isReady")
    }
  }

  final func attach(_ operation: Operation) {
    // After the lock the last reference to one of them may go, and its deinit may signal this
    // condition.
    _ = attached.withLock { attached -> [Operation] in
      attached.operations.append(WeakOperation(operation: operation))
      guard attached.operations.count >= attached.bound else { return [] }
      let all = attached.operations.compactMap(\.operation)
      attached.operations = all.filter { !$0.isSealed }.map { WeakOperation(operation: $0) }
      attached.bound = max(16, 2 * attached.operations.count)
      return all
    }
  }
}

/// Opens and closes; operations start while it is open.
public final class ReadinessGate: ReadinessCondition, @unchecked Sendable {
  private let isOpenNow: Atomic<Bool>

  /// A gate, closed unless `isOpen` is true.
  public init(isOpen: Bool = false) {
    isOpenNow = Atomic(isOpen)
    super.init()
  }

  /// Whether it is open.
  // acquire: pairs with the release in `open` and `close`.
  public override var isSatisfied: Bool { isOpenNow.load(ordering: .acquiring) }

  /// Lets operations start.
  public func open() {
    // release: what was prepared before is visible to them.
    isOpenNow.store(true, ordering: .releasing)
    signal()
  }

  /// Keeps back operations that have not started.
  public func close() {
    isOpenNow.store(false, ordering: .releasing)  // release: as above
    signal()
  }
}

/// A condition that a closure computes; call `signal()` when its value may have become true.
public final class ReadinessPredicate: ReadinessCondition, @unchecked Sendable {
  private let predicate: @Sendable () -> Bool

  /// A condition that holds when `predicate` returns true.
  ///
  /// The closure is called with no lock held, from any thread, and should be quick.
  public init(_ predicate: @escaping @Sendable () -> Bool) {
    self.predicate = predicate
    super.init()
  }

  /// What the closure says now.
  public override var isSatisfied: Bool { predicate() }
}

extension Operation {
  /// Makes the operation wait for `condition` as well as for its dependencies (contract 42).
  ///
  /// Before it has started; without effect afterwards. The operation keeps the condition, not the
  /// other way round.
  public final func addReadinessCondition(_ condition: ReadinessCondition) {
    condition.attach(self)
    let table = coldTableMade()
    let bits = lockState()
    let isInTime = bits & StateBit.started == 0
    if isInTime { table.conditions.append(condition) }
    unlockState(isInTime ? StateChange.giveExtras(bits) : bits)
    noteAnnouncement(.isReady)
  }

  /// The conditions in the order added.
  public final var readinessConditions: [ReadinessCondition] {
    withColdTable { $0.conditions } ?? []
  }
}
