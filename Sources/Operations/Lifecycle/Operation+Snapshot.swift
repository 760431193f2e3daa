// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
import Synchronization

/// What an operation that executes still needs in order to finish.
package enum LeftToDo {
  /// Its body, or a call of `finish()`.
  case finish
  /// These operations, of which it is made; those that it will start, before it executes.
  case members([Operation])
  /// Closures that run on other workers.
  case closures
  /// The time of its next attempt.
  case attempt

  package var members: [Operation] { if case .members(let members) = self { members } else { [] } }
}

/// What holds an operation back, as of one instant.
package struct OperationSnapshot {
  /// Where the operation is in its life.
  package enum Stage {
    /// In no queue and not started.
    case outside
    /// In a queue and not started.
    case waiting
    /// Begun, and its body runs or its worker is on its way there.
    case executing
    /// Begun, the body has returned, not finished.
    case detached(elapsed: Duration)
    /// Finished, and still in its queue: the completion block runs, or will, or has.
    case leaving
    /// Finished.
    case finished
  }

  package var stage = Stage.finished
  package var isCancelled = false
  /// In no queue, but with an operation that will start it.
  package var isReserved = false
  /// Of a class that has `finish()`: others say with their own `isFinished` that they have ended.
  package var hasFinish = false
  /// Started by hand.
  package var isManual = false
  /// What it still needs, but for members that have finished.
  package var leftToDo = LeftToDo.finish
  /// With the scheduler or in the ready list.
  package var isHandedOver = false
  /// A barrier that is not due.
  package var waitsForOlder = false
  /// Unfinished dependencies that hold it back.
  package var dependencies: [Operation] = []
  /// Resources that it stands in line for.
  package var resources: [OperationResource] = []
  /// The barrier it stands behind.
  package var barrier: Operation?
  /// The queue in which it waits.
  package var queue: OperationQueue?
  /// What names it in `BlockedWait.waiter`.
  package var words: [UInt] = []
}

extension Operation {
  /// A barrier of its queue.
  package final var isBarrier: Bool {
    state.load(ordering: .relaxed) & StateBit.barrier != 0  // relaxed: never changes.
  }

  /// Has begun and has not finished.
  package final var isUnderWay: Bool {
    // acquire: as `isExecuting`.
    state.load(ordering: .acquiring) & StateBit.started != 0 && !isSealed
  }

  /// Dependencies that hold the operation back: none once it has started or will be skipped.
  final var unfinishedDependencies: [Operation] {
    let list = underLock { bits in
      bits & StateBit.ignoresDependencies == 0 ? currentDependencies(bits) : []
    }
    return list.filter { !$0.isSealed }
  }

  /// Stands behind a barrier that has not finished.
  final var isBehindBarrier: Bool {
    // acquire, edge EditLock.
    guard state.load(ordering: .acquiring) & StateBit.edgesInCold != 0 else { return false }
    return underLock { bits in
      let barrier = hiddenDependency(bits)
      return unsafe barrier != 0
        && !Self.reference(barrier)._withUnsafeGuaranteedRef(\.isSealed)
    }
  }

  /// What it still needs in order to finish, once it executes; with no lock held.
  final var leftToDo: LeftToDo {
    guard let composite else { return endsItself ? .closures : .finish }
    let left = composite.membersLeft
    guard case .members(let members) = left else { return left }
    return .members(members.filter { !$0.isSealed })
  }

  /// Looks at everything at once, for diagnosis.
  package final func snapshot() -> OperationSnapshot {
    var facts = OperationSnapshot()
    var barrierWord: UInt = 0
    var queue: Unmanaged<OperationQueue>?
    let bits = lockState()
    facts.words = [word]
    if let node = coldTable?.closureNode, node != 0 { facts.words.append(node) }
    facts.isCancelled = bits & StateBit.cancelled != 0
    facts.hasFinish = bits & StateBit.asynchronous != 0
    // acquire, edge Submitted.
    let member = membership.load(ordering: .acquiring)
    facts.isManual = member == Membership.manual
    facts.isReserved = member == Membership.reserved
    if isSealed {
      facts.stage = .finished
    } else if bits & StateBit.started != 0 {
      facts.stage = .executing
    } else {
      facts.stage = isSubmitted ? .waiting : .outside
      unsafe queue = isSubmitted ? retainQueue() : nil
      facts.isHandedOver = isHandedOver
      facts.waitsForOlder =
        bits & StateBit.barrier != 0 && !facts.isHandedOver && lockedCountTable == nil
      if bits & StateBit.toBeSkipped == 0 { facts.dependencies = currentDependencies(bits) }
      if let table = coldTable, table.waitsForResources {
        facts.resources = table.needs.map(\.resource)
      }
      barrierWord = hiddenDependency(bits)
      // Before the lock goes.
      if barrierWord != 0 { _ = Self.retain(barrierWord) }
    }
    unlockState(bits)
    facts.queue = unsafe queue?.takeRetainedValue()
    facts.barrier = Operation.takeRetained(barrierWord)
    if facts.barrier?.isSealed ?? false { facts.barrier = nil }
    facts.dependencies.removeAll { $0.isSealed }
    guard case .executing = facts.stage else { return facts }
    facts.leftToDo = leftToDo
    if let since = bodyReturned {
      let now = MonotonicTime.nanoseconds()
      facts.stage = .detached(elapsed: .nanoseconds(Int64(clamping: now &- min(since, now))))
    }
    return facts
  }
}

extension Operation {
  /// Whether `test` accepts one of these operations or of those that they cannot finish without:
  /// dependencies, a barrier, members; what has finished is left out.
  ///
  /// O(operations and edges), without recursion.
  static func findInWay(
    of operations: [Operation], _ test: (Operation, OperationSnapshot) -> Bool
  ) -> Bool {
    var seen: Set<ObjectIdentifier> = []
    var left = operations
    while let operation = left.popLast() {
      guard !operation.isSealed, seen.insert(ObjectIdentifier(operation)).inserted else { continue }
      let facts = operation.snapshot()
      if test(operation, facts) { return true }
      left += facts.dependencies
      if let barrier = facts.barrier { left.append(barrier) }
      left += facts.leftToDo.members
    }
    return false
  }
}
