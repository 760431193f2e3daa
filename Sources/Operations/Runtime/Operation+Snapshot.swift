// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
import Scheduling
import Synchronization

/// What an operation that executes still needs in order to finish.
enum Remainder {
  /// Its body, or a call of `finish()`.
  case finish
  /// These operations, of which it is made; those that it will start, before it executes.
  case members([Operation])
  /// Closures that run on other workers.
  case closures
  /// The time of its next attempt.
  case attempt
}

/// What holds an operation back, as of one instant.
struct OperationSnapshot {
  /// Where the operation is in its life.
  enum Stage {
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

  var stage = Stage.finished
  var isCancelled = false
  var isBarrier = false
  /// In no queue, but with an operation that will start it.
  var isReserved = false
  /// Of a class that has `finish()`: others say with their own `isFinished` that they have ended.
  var hasFinish = false
  /// Started by hand.
  var isManual = false
  /// What it still needs, but for members that have finished.
  var remainder = Remainder.finish
  /// With the scheduler or in the ready list.
  var isHandedOver = false
  /// Unfinished dependencies that hold it back.
  var dependencies: [Operation] = []
  /// Resources that it stands in line for.
  var resources: [OperationResource] = []
  /// The barrier it stands behind.
  var barrier: Operation?
  /// The queue in which it waits.
  var queue: OperationQueue?
  /// What names it in `BlockedWait.waiter`.
  var words: [UInt] = []
}

extension Operation {
  /// A barrier of its queue.
  final var isBarrier: Bool {
    state.load(ordering: .relaxed) & StateBit.barrier != 0  // relaxed: never changes.
  }

  /// Dependencies that hold the operation back: none once it has started or will be flushed.
  final var unfinishedDependencies: [Operation] {
    let bits = lockState()
    let list = bits & StateBit.ignoresDependencies == 0 ? listedDependencies(bits) : []
    unlockState(bits)
    return list.filter { !$0.isSealed }
  }

  /// Stands behind a barrier that has not finished.
  final var isBehindBarrier: Bool {
    // acquire, edge EditLock.
    guard state.load(ordering: .acquiring) & StateBit.edgesInCold != 0 else { return false }
    var isBehind = false
    let bits = lockState()
    unsafe forEachEdge(bits) { edge, dependency in
      guard unsafe Self.isHidden(edge) else { return }
      let isOver = unsafe Self.reference(dependency)._withUnsafeGuaranteedRef(\.isSealed)
      isBehind = isBehind || !isOver
    }
    unlockState(bits)
    return isBehind
  }

  /// Operations that it is made of and that have not finished.
  final var unfinishedMembers: [Operation] {
    guard case .members(let members) = remainder else { return [] }
    return members.filter { !$0.isSealed }
  }

  /// Looks at everything at once, for diagnosis.
  final func snapshot() -> OperationSnapshot {
    var facts = OperationSnapshot()
    var barrierWord: UInt = 0
    var queue: Unmanaged<OperationQueue>?
    let bits = lockState()
    facts.words = [word]
    if let node = coldTable?.closureNode, node != 0 { facts.words.append(node) }
    facts.isCancelled = bits & StateBit.cancelled != 0
    facts.isBarrier = bits & StateBit.barrier != 0
    facts.hasFinish = bits & StateBit.asynchronous != 0
    // acquire, edge Submitted.
    facts.isManual = membership.load(ordering: .acquiring) == Membership.manual
    if isSealed {
      facts.stage = .finished
    } else if bits & StateBit.started != 0 {
      facts.stage = .executing
    } else {
      facts.stage = isSubmitted ? .waiting : .outside
      unsafe queue = isSubmitted ? retainQueue() : nil
      // acquire, edge Submitted.
      facts.isReserved = membership.load(ordering: .acquiring) == Membership.reserved
      facts.isHandedOver = isHandedOver
      if bits & StateBit.toBeFlushed == 0 { facts.dependencies = listedDependencies(bits) }
      if let table = coldTable, table.waitsForResources {
        facts.resources = table.needs.map(\.resource)
      }
      unsafe forEachEdge(bits) { edge, dependency in
        guard unsafe Self.isHidden(edge) else { return }
        // Retained before the lock goes.
        barrierWord = Self.retain(dependency)
      }
    }
    unlockState(bits)
    facts.queue = unsafe queue?.takeRetainedValue()
    facts.barrier = Operation.takeRetained(barrierWord)
    if facts.barrier?.isSealed ?? false { facts.barrier = nil }
    facts.dependencies.removeAll { $0.isSealed }
    guard case .executing = facts.stage else { return facts }
    facts.remainder = remainder
    if case .members = facts.remainder { facts.remainder = .members(unfinishedMembers) }
    if let since = bodyReturned {
      let now = MonotonicTime.nanoseconds()
      facts.stage = .detached(elapsed: .nanoseconds(Int64(clamping: now &- min(since, now))))
    }
    return facts
  }
}

/// A worker that blocks inside an operation; in the record of its thread.
struct BlockedWait: Sendable {
  /// What waits, one on top of the other: operations' addresses and closures' cells.
  let waiters: [UInt]
  /// The schedulers that have something on its stack.
  let schedulers: [SchedulerIdentity]
  /// The operation waited for, or nil when it is a queue, or nothing of ours.
  let operation: Operation?
  /// The name of the queue waited for, or nil when it is an operation, or nothing of ours.
  let queueName: String?
  /// It has a deadline.
  let isTimed: Bool
}

extension ThreadRecord {
  /// Runs `body`, which blocks, and lets reports see what for; nil is nothing of ours.
  func whileBlocked<Result, Failure: Error>(
    on awaited: Awaited?, at schedulers: [SchedulerIdentity], isTimed: Bool,
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let wait = BlockedWait(
      waiters: levels.map(\.operation), schedulers: schedulers, operation: awaited?.operation,
      queueName: awaited?.operation == nil ? awaited?.name() : nil, isTimed: isTimed)
    let outer = blocked.withLock { blocked -> BlockedWait? in
      defer { blocked = wait }
      return blocked
    }
    defer {
      // What is let go of is released after the lock.
      let inner = blocked.withLock { blocked -> BlockedWait? in
        defer { blocked = outer }
        return blocked
      }
      withExtendedLifetime(inner) {}
    }
    return try body()
  }

  /// Whether nothing but another thread could end what the threads of a scheduler that are blocked wait for: operations that
  /// are ready and have not begun, or that are below such a wait on the stack of a thread.
  ///
  /// A look at a moment; a thread that is about to block, or to go on, makes it wrong.
  static func isStuck(_ scheduler: SchedulerIdentity) -> Bool {
    let waits = blockedWaits()
    var stuck = waits.filter { !$0.isTimed && $0.operation != nil }
    var before = -1
    while before != stuck.count {
      before = stuck.count
      let held = Set(stuck.flatMap(\.waiters))
      stuck = stuck.filter { wait in
        guard let operation = wait.operation, !operation.isSealed else { return false }
        return operation.waitsForThread(of: scheduler) || held.contains(operation.word)
      }
    }
    let count = waits.count { $0.schedulers.contains(scheduler) }
    return count > 0 && stuck.count { $0.schedulers.contains(scheduler) } == count
  }

  /// Every worker that blocks inside an operation now.
  static func blockedWaits() -> [BlockedWait] {
    var waits: [BlockedWait] = []
    forEach { record in
      if let wait = record.blocked.withLock({ $0 }) { waits.append(wait) }
    }
    return waits
  }
}

extension Operation {
  /// Ready, not begun, and with the scheduler.
  fileprivate final func waitsForThread(of scheduler: SchedulerIdentity) -> Bool {
    guard let queue = queueIfUnstarted(), queue.identity == scheduler else { return false }
    let bits = lockState()
    let isWaiting = bits & StateBit.started == 0 && isHandedOver
    unlockState(bits)
    return isWaiting && queue.isFast
  }
}
