// SPDX-License-Identifier: Apache-2.0

import Scheduling
import Synchronization

// An operation with several handles is run by one of them, or by the thread that finishes it before
// its start, and leaves its queue when it ends. Its other handles are stale: whoever comes to one
// drops it. Under limit 0 or suspension nobody comes to those in the ready list or among the
// deferred skips, and a wait that runs an operation leaves its header with the scheduler. So that
// their number is bounded they are taken back when they may be half of what lies there.

extension OperationQueue {
  /// An operation has ended while `count` other handles to it are out.
  func noteStaleHandles(_ count: Int) {
    let stale = readyList.takeStale(noting: count) {
      // acquire, edge PolicyChanged.
      Int(PolicyWord.ready(policy.load(ordering: .acquiring)))
    } claim: { wanted in
      var claimed = 0
      changePolicy { word in
        claimed = min(wanted, Int(PolicyWord.ready(word)))
        word -= UInt64(claimed) * PolicyWord.oneReady
      }
      return claimed
    }
    Operation.dropHandles(stale)
  }
}

extension Operation {
  /// The address of the operation that a handle stands for; 0 for a closure without façade.
  ///
  /// The caller holds the handle.
  static func word(behind job: Job) -> UInt {
    let address = unsafe UInt(bitPattern: job.header)
    // SAFETY: the header belongs to one of three kinds of objects, which the handle keeps.
    if ExtraJob.isOne(job) {
      return unsafe UnsafeMutablePointer<ExtraJob>(bitPattern: address).unsafelyUnwrapped
        .pointee.operation
    }
    guard ClosureNode.isOne(job) else { return address - UInt(OperationLayout.header) }
    let node = unsafe UnsafeMutablePointer<ClosureNode>(
      bitPattern: address - UInt(ClosureNode.headerOffset)
    ).unsafelyUnwrapped
    // acquire, edge NodeState: the façade was stored before the flag.
    let flags = unsafe node.pointee.state.load(ordering: .acquiring)
    return flags & ClosureNode.promoted == 0 ? 0 : unsafe ClosureNode.facadeWord(node)
  }

  /// The operation behind a handle in the ready list has begun without it.
  static func isStale(_ job: Job) -> Bool {
    let word = word(behind: job)
    guard word != 0 else { return false }
    // SAFETY: the handle keeps the operation. acquire, edge EditLock.
    return unsafe reference(word)._withUnsafeGuaranteedRef {
      $0.state.load(ordering: .acquiring) & StateBit.started != 0
    }
  }

  /// As `isStale`, for any job of a scheduler.
  static func isStaleHandle(_ job: Job) -> Bool {
    let isHandle =
      unsafe ExtraJob.isOne(job) || ClosureNode.isOne(job) || job.runs(operationRun)
    return isHandle && isStale(job)
  }

  /// Gives back handles that were found stale, of any queues.
  static func dropHandles(_ stale: consuming JobChain) {
    while let job = stale.popFirst() {
      let word = word(behind: job)
      ExtraJob.freeIfExtraJob(job)
      // SAFETY: the handle keeps the operation until the call gives the handle up.
      unsafe reference(word)._withUnsafeGuaranteedRef { $0.dropHandle() }
    }
  }
}

/// How many handles a thread may still leave with a scheduler before it looks for them.
struct HandleAllowance: Sendable {
  let scheduler: SchedulerIdentity
  var left: Int
}

extension ThreadRecord {
  /// Handles that are left with a scheduler before the first look.
  private static let fewHandles = 64
  /// Schedulers for which a thread counts at a time; for one that it comes back to later it begins
  /// anew.
  private static let allowanceLimit = 8

  /// A wait has run an operation of which a handle is with its scheduler still, and keeps it.
  ///
  /// From time to time those that the worker reaches are taken back: as soon as it has left as many
  /// with this scheduler as it found others there the last time, so that a look costs O(1) for each
  /// job added and each operation run so.
  func noteHandleLeft(in scheduler: any Scheduler) {
    let identity = scheduler.identity
    let place = allowances.firstIndex { $0.scheduler == identity }
    var allowance =
      place.map { allowances.remove(at: $0) }
      ?? HandleAllowance(scheduler: identity, left: Self.fewHandles)
    allowance.left -= 1
    if allowance.left > 0 { keep(allowance) } else { takeBackHandles(from: scheduler) }
  }

  /// Puts an allowance, which is not in the list, first.
  private func keep(_ allowance: HandleAllowance) {
    if allowances.count == Self.allowanceLimit { allowances.removeLast() }
    allowances.insert(allowance, at: 0)
  }

  /// Takes back the handles of operations that have begun, as far as the worker reaches them.
  private func takeBackHandles(from scheduler: any Scheduler) {
    guard let awaiting = scheduler.awaiting else { return }
    var looked = 0
    let stale = awaiting.withdraw { job in
      looked += 1
      return Operation.isStaleHandle(job)
    }
    let others = looked - stale.count
    allowances.removeAll { $0.scheduler == scheduler.identity }
    // One of the first size needs no entry.
    if others > Self.fewHandles {
      keep(HandleAllowance(scheduler: scheduler.identity, left: others))
    }
    Operation.dropHandles(stale)
  }
}
