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
      return unsafe UnsafeMutablePointer<ExtraJob>.at(address).pointee.operation
    }
    guard ClosureNode.isOne(job) else { return address - UInt(OperationLayout.header) }
    let node = unsafe ClosureNode.cell(of: job)
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

extension ThreadRecord {
  /// Handles that are left with a scheduler before the first look.
  private static let fewHandles = 64
  /// Schedulers for which a thread counts at a time; with one more it begins anew.
  private static let allowanceLimit = 8

  /// A wait has run an operation of which a handle is with its scheduler still, and keeps it.
  ///
  /// From time to time those that the worker reaches are taken back: as soon as it has left as many
  /// with this scheduler as it found others there the last time, so that a look costs O(1) for each
  /// job added and each operation run so.
  func noteHandleLeft(in scheduler: any Scheduler) {
    let identity = scheduler.identity
    let left = (allowances[identity] ?? Self.fewHandles) - 1
    if allowances.count == Self.allowanceLimit, allowances[identity] == nil { allowances = [:] }
    allowances[identity] = left > 0 ? left : takeBackHandles(from: scheduler)
  }

  /// Takes back the handles of operations that have begun, as far as the worker reaches them;
  /// returns how many may be left before the next look.
  private func takeBackHandles(from scheduler: any Scheduler) -> Int? {
    guard let awaiting = scheduler.awaiting else { return nil }
    var looked = 0
    let stale = awaiting.withdraw { job in
      looked += 1
      return Operation.isStaleHandle(job)
    }
    let others = looked - stale.count
    Operation.dropHandles(stale)
    // One of the first size needs no entry.
    return others > Self.fewHandles ? others : nil
  }
}
