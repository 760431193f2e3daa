// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
import Scheduling
import Synchronization

/// What changes of a queue's policy hold in common; under `OperationQueue.control`.
struct QueueControl: Sendable {
  /// The limit as set; −1 means that the scheduler decides.
  var limit = OperationQueue.defaultMaxConcurrentOperationCount
  /// Barriers that have not finished, oldest first.
  var barriers = PendingBarriers()
  /// Tasks that wait for the queue to become empty.
  var waitingTasks = 0
}

extension OperationQueue {
  // MARK: Limit

  /// `maxConcurrentOperationCount` as it was set.
  package var storedLimit: Int { control.withLock { $0.limit } }

  /// Implements the setter of `maxConcurrentOperationCount`.
  func setLimit(_ newValue: Int) {
    guard !role.isFixed else { return }
    guard Self.isLegal(limit: newValue) else {
      OperationError.invalidLimit(newValue).fault(
        "setting maxConcurrentOperationCount of \(diagnosis)")
    }
    applyLimit { control in
      if hasExtras { note(.limit, from: control.limit, to: newValue) }
      control.limit = newValue
      if isRecording { recordLimit(newValue) }
    }
    // The claims of drains may have left little else in the list.
    if newValue == 0 { noteStaleHandles(0) }
  }

  /// Brings the limit into the policy as it is after `change`, and carries out what follows.
  func applyLimit(after change: (inout QueueControl) -> Void) {
    let (starts, hasClosed) = control.withLock { control in
      change(&control)
      return apply(limit: control.limit)
    }
    // Before anything runs here, which may wait for one of them.
    carryOut(starts, with: hasClosed ? skipsOfCancelledMembers() : JobChain())
    tellObservers()
  }

  /// The limit in the policy word when none is set.
  ///
  /// A queue that keeps strict order, or is away from home, is never fast: every start goes through
  /// its list.
  var highestLimit: Int? { order == nil && !isAway ? nil : Int(PolicyWord.largestLimit) }

  /// Members that were cancelled while they needed no slot need none now.
  ///
  /// After the change of the limit: who marks a member and finds no limit has its lock, or that of
  /// its stripe, before this look. All are looked at, also those that are on their way into the
  /// list and were found uncancelled by whoever carries them. O(members).
  private func skipsOfCancelledMembers() -> JobChain {
    var skips = JobChain()
    for member in registry.membersAndClosures() {
      let skip: Job? =
        switch member {
        case .operation(let operation): operation.skipOutsideTheList()
        case .closure(let handle): handle.isCancelled ? handle.facade?.skipOutsideTheList() : nil
        }
      if let skip { skips.append(skip) }
    }
    return skips
  }

  /// Brings the limit as it is set into the policy, under `control`.
  ///
  /// Returns what may start, and whether there is a limit now where there was none: then members
  /// may have to give up what needed no slot.
  private func apply(limit set: Int) -> (starts: Starts, hasClosed: Bool) {
    // A queue cannot hold more, so such a limit limits nothing.
    let limit = set >= 0 && set < MemberCount.limit ? set : highestLimit
    // relaxed: limits change only under `control`.
    let wasUnlimited = PolicyWord.isUnlimited(policy.load(ordering: .relaxed))
    let isUnlimited = limit == nil
    var counted: UInt64 = 0
    if wasUnlimited, !isUnlimited {
      // Limit 0 starts nothing while the operations that run in fast mode are counted.
      _ = changePolicyAndClaim { $0 = PolicyWord.withLimit($0, 0) }
      AsymmetricBarrier.heavy()
      counted = countFastStarts()
    } else if !wasUnlimited, isUnlimited {
      counted = forgetFastStarts()
    }
    let starts = changePolicyAndClaim(atMost: burst) { word in
      if wasUnlimited, !isUnlimited { word += counted * PolicyWord.oneRunning }
      if !wasUnlimited, isUnlimited { word -= counted * PolicyWord.oneRunning }
      word = PolicyWord.withLimit(word, limit)
    }
    return (starts, wasUnlimited && !isUnlimited)
  }

  /// Drains to start at once under a limit; while there is room each of them starts one more before
  /// it runs anything.
  var burst: UInt64 { UInt64(scheduler.workerCount) + 64 }

  /// Counts the operations of this queue that run in fast mode.
  private func countFastStarts() -> UInt64 {
    var found: UInt64 = 0
    ThreadRecord.forEach { record in
      // sequentially consistent, edge StartGate: as the entries.
      for level in 0..<record.levelsInUse.load(ordering: .sequentiallyConsistent) {
        // sequentially consistent, edge StartGate: after the heavy barrier, or in the order of such
        // operations.
        let entry = unsafe record.entries[level].load(ordering: .sequentiallyConsistent)
        guard entry == word else { continue }
        unsafe record.counted[level].store(word, ordering: .relaxed)  // relaxed: under `control`
        found += 1
      }
    }
    return found
  }

  /// Forgets what `countFastStarts` counted and what is still running.
  private func forgetFastStarts() -> UInt64 {
    var found: UInt64 = 0
    ThreadRecord.forEach { record in
      // relaxed: it never shrinks, and `countFastStarts` has seen the levels that it counted.
      for level in 0..<record.levelsInUse.load(ordering: .relaxed) {
        // relaxed: a value that names this queue changes under `control` only, whatever the entry
        // says by now.
        guard unsafe record.counted[level].load(ordering: .relaxed) == word else { continue }
        unsafe record.counted[level].store(0, ordering: .relaxed)  // relaxed: as above
        found += 1
      }
    }
    return found
  }

  // MARK: Suspension

  /// Implements the setter of `isSuspended`.
  func setSuspended(_ newValue: Bool) {
    guard !role.isFixed else { return }
    let starts = control.withLock { _ in
      if hasExtras { note(.suspended, from: isSuspendedNow, to: newValue) }
      if isRecording { recordSuspension(newValue) }
      let starts = changePolicyAndClaim(atMost: burst) { word in
        word = newValue ? word | PolicyWord.suspended : word & ~PolicyWord.suspended
      }
      if newValue { AsymmetricBarrier.heavy() }
      return starts
    }
    // The claims of drains may have left little else in the list.
    if newValue { noteStaleHandles(0) } else { carryOut(starts, with: readyList.takeDeferred()) }
    tellObservers()
  }
}

extension Scheduler {
  /// Submits a chain if it has jobs.
  func submitUnlessEmpty(_ jobs: consuming JobChain) {
    if !jobs.isEmpty { submit(jobs) }
  }
}
