// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
import Scheduling
import Synchronization

// An operation with several handles is run by one of them, or by the thread that finishes it before
// its start, while others lie in the ready list or among the deferred flushes. A drain would drop
// such a handle in its turn, but under limit 0 or suspension there is no drain, and the handle
// keeps the member counted. So such handles are taken out when they may be half of the list: each
// removal then costs O(1) amortised, and a list of nothing else is emptied at once.

extension OperationQueue {
  /// An operation has finished while other handles to it are out; the caller looks for them
  /// afterwards.
  func noteStaleHandles(_ count: Int) {
    // acquire and release, edge StaleNoted: whoever resets the number sees that the operation has
    // begun; sequentially consistent: whoever looks afterwards sees the policy of a look under way,
    // or that one sees this.
    staleHandles.wrappingAdd(UInt64(count), ordering: .sequentiallyConsistent)
  }

  /// Notes what is stale among jobs that are in the list from here on; under the list's lock.
  ///
  /// Whoever looked at the list before for the sake of such an operation did not find the handle.
  func noteStale(_ jobs: JobChain) {
    // relaxed: who looked before has given up the list's lock since, and had acquired the note of
    // the operation that had become a straggler, edge StaleNoted.
    guard stragglers.load(ordering: .relaxed) > 0 else { return }
    var next = jobs.first
    while let job = next {
      if Operation.isStale(job) { noteStaleHandles(1) }
      next = job.next
    }
  }

  /// Takes the handles of operations that have begun out of the ready list if they may be half of
  /// it.
  func removeStaleHandlesIfMany() {
    while true {
      // acquire, edges StaleNoted and PolicyChanged; sequentially consistent: see
      // `noteStaleHandles`.
      let noted = staleHandles.load(ordering: .sequentiallyConsistent)
      guard noted > 0 else { return }
      let word = policy.load(ordering: .sequentiallyConsistent)
      // An open queue's list goes to the scheduler anyway.
      guard !PolicyWord.isOpen(word) else { return }
      var listed = PolicyWord.ready(word)
      if PolicyWord.isSuspended(word) { listed += UInt64(readyList.deferredCount) }
      guard listed > 0, 2 * noted >= listed, removeStaleHandles() else { return }
    }
  }

  /// True when there may be more to take out.
  ///
  /// Where the queue is open, or somebody releasing, that one looks himself when he has done so.
  private func removeStaleHandles() -> Bool {
    // Every counted job is claimed first, so that a drain that claims meanwhile still finds one.
    // Whoever opens the queue meanwhile leaves the list to this thread: nothing may overtake what
    // it holds.
    var claimed = 0
    var isReleaser = false
    changePolicy { word in
      isReleaser = !PolicyWord.isOpen(word) && !PolicyWord.isReleasing(word)
      guard isReleaser else { return }
      claimed = Int(PolicyWord.ready(word))
      word = PolicyWord.marked(word - UInt64(claimed) * PolicyWord.oneReady, isReleasing: true)
    }
    guard isReleaser else { return false }
    // Before the look at the list: an operation noted from here on is looked at once more.
    // acquire and release, edge StaleNoted.
    _ = staleHandles.exchange(0, ordering: .acquiringAndReleasing)
    var stale = readyList.remove(atMost: claimed, where: Operation.isStale)
    let left = UInt64(claimed - stale.ready.count)
    // What is in the list and not counted yet cannot be taken out. Whoever counts it looks then:
    // the exchange below comes before his, which shows him this note, or finds it counted.
    if stale.left > 0 { noteStaleHandles(stale.left) }
    let burst = self.burst
    var hasNewcomers = false
    changePolicyAndStart { word in
      hasNewcomers = PolicyWord.ready(word) > 0
      word += left * PolicyWord.oneReady
      // From here on nobody is releasing, or this thread as one who opens the queue.
      return PolicyWord.startMore(&word, isReleasing: false, burst: burst)
    }
    ThreadRecord.withCurrent { record in
      var context = WorkerContext(worker: -1, scheduler: identity)
      unsafe withUnsafeMutablePointer(to: &context) { context in
        while let job = stale.ready.popFirst() ?? stale.deferred.popFirst() {
          unsafe Operation.drop(job, self, record, context)
        }
      }
      record.flushCredit()
    }
    // sequentially consistent, edge StaleNoted: whoever noted more found somebody releasing, and
    // relies on this.
    return hasNewcomers
      || staleHandles.load(ordering: .sequentiallyConsistent) != UInt64(stale.left)
  }
}

extension Operation {
  /// The address of the operation that a handle stands for; 0 for a closure without façade.
  ///
  /// The caller holds the handle.
  static func word(behind job: Job) -> UInt {
    let address = unsafe UInt(bitPattern: job.header)
    let run = unsafe unsafeBitCast(job.header.pointee.run, to: UInt.self)
    // SAFETY: the header belongs to one of three kinds of objects, which the handle keeps.
    if run == HandleCarrier.runWord {
      return unsafe UnsafeMutablePointer<HandleCarrier>(bitPattern: address).unsafelyUnwrapped
        .pointee.operation
    }
    guard run == ClosureNode.runWord else { return address - UInt(OperationLayout.header) }
    let node = unsafe UnsafeMutablePointer<ClosureNode>(
      bitPattern: address - UInt(ClosureNode.headerOffset)
    ).unsafelyUnwrapped
    // acquire, edge NodeState: the façade was stored before the flag.
    let flags = unsafe node.pointee.state.load(ordering: .acquiring)
    return flags & ClosureNode.promoted == 0 ? 0 : unsafe node.pointee.facade
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
    let run = unsafe unsafeBitCast(job.header.pointee.run, to: UInt.self)
    let isHandle =
      run == HandleCarrier.runWord || run == ClosureNode.runWord
      || isOperation(at: unsafe UInt(bitPattern: job.header) - UInt(OperationLayout.header))
    return isHandle && isStale(job)
  }

  /// Gives back a handle that was found stale.
  static func drop(
    _ job: Job, _ queue: OperationQueue, _ record: ThreadRecord,
    _ context: UnsafeMutablePointer<WorkerContext>
  ) {
    let word = word(behind: job)
    HandleCarrier.freeIfCarrier(job)
    // SAFETY: the handle count keeps the operation until the call gives the handle up.
    unsafe reference(word)._withUnsafeGuaranteedRef {
      unsafe $0.dropHandle(queue, record, context)
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
  func leaveHandle(in scheduler: any Scheduler) {
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
  ///
  /// Returns false when there is none.
  @discardableResult func takeBackHandles(from scheduler: any Scheduler) -> Bool {
    guard let awaiting = scheduler.awaiting else { return false }
    var looked = 0
    var stale = awaiting.withdraw { job in
      looked += 1
      return Operation.isStaleHandle(job)
    }
    let others = looked - stale.count
    allowances.removeAll { $0.scheduler == scheduler.identity }
    // One of the first size needs no entry.
    if others > Self.fewHandles {
      keep(HandleAllowance(scheduler: scheduler.identity, left: others))
    }
    let hasFound = !stale.isEmpty
    var context = WorkerContext(worker: -1, scheduler: scheduler.identity)
    unsafe withUnsafeMutablePointer(to: &context) { context in
      while let job = stale.popFirst() {
        let word = Operation.word(behind: job)
        HandleCarrier.freeIfCarrier(job)
        // SAFETY: the handle keeps the operation, and that its queue, until the call gives it up.
        unsafe Operation.reference(word)._withUnsafeGuaranteedRef { operation in
          unsafe operation.queueReference._withUnsafeGuaranteedRef {
            unsafe operation.dropKept($0, self, context)
          }
        }
      }
    }
    flushCredit()
    return hasFound
  }
}
