// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
import Scheduling
import Synchronization

/// The policy of a queue in one word: emptiness, limit and suspension are decided in the exchange that changes `running`.
///
///     63   34 33        18 17     2      1        0
///     [ ready | running   | limit | suspended | fast ]
///
/// `fast` means unlimited, not suspended and nothing in the ready list: operations bypass the list.
enum PolicyWord {
  static let fast: UInt64 = 1
  static let suspended: UInt64 = 2
  static let limitShift: UInt64 = 2
  static let runningShift: UInt64 = 18
  static let readyShift: UInt64 = 34
  static let field: UInt64 = 0xFFFF
  static let unlimited: UInt64 = 0xFFFF
  static let oneRunning: UInt64 = 1 << runningShift
  static let oneReady: UInt64 = 1 << readyShift
  /// The word of a new queue.
  static let open = unlimited << limitShift | fast
  /// Largest limit that counts as one; above it a queue is unlimited.
  static let largestLimit = Int(unlimited) - 1

  static func ready(_ word: UInt64) -> UInt64 { word >> readyShift }
  static func running(_ word: UInt64) -> UInt64 { (word >> runningShift) & field }
  static func limit(_ word: UInt64) -> UInt64 { (word >> limitShift) & field }
  static func isUnlimited(_ word: UInt64) -> Bool { limit(word) == unlimited }
  static func withLimit(_ word: UInt64, _ limit: UInt64) -> UInt64 {
    (word & ~(field << limitShift)) | limit << limitShift
  }

  /// Adds the drains that may start now, at most `burst`; returns how many.
  static func startMore(_ word: inout UInt64, burst: UInt64) -> Int {
    guard word & suspended == 0, running(word) < limit(word) else { return 0 }
    let more = min(limit(word) - running(word), ready(word), burst)
    word += more * oneRunning
    return Int(more)
  }
}

/// Ready jobs of a queue that cannot start at once: strict priority order, first in first out within a level.
struct ReadyList: ~Copyable {
  struct Jobs: Sendable {
    var ready = BandedFIFO()
    /// Cancelled operations that a resumption will flush.
    var deferred = JobChain()
  }
  private let jobs = Locked(Jobs())

  /// Adds jobs behind the others of their levels.
  borrowing func append(_ chain: JobChain) { jobs.withLock { $0.ready.append(chain) } }
  /// Takes the best job.
  borrowing func popFirst() -> Job? { jobs.withLock { $0.ready.popFirst() } }
  /// Keeps a flush for the resumption if `isSuspended` still holds under the list's lock.
  borrowing func deferFlush(_ job: Job, while isSuspended: () -> Bool) -> Bool {
    jobs.withLock { jobs in
      guard isSuspended() else { return false }
      jobs.deferred.append(job)
      return true
    }
  }
  /// Takes the flushes that waited for the resumption.
  borrowing func takeDeferred() -> JobChain { jobs.withLock { $0.deferred.take() } }
}

extension OperationQueue {
  // MARK: Releasing

  /// Nothing stands between a ready operation and the scheduler.
  @inline(__always) var isFast: Bool {
    // acquire, edge PolicyChanged: pairs with the exchanges that change the policy.
    policy.load(ordering: .acquiring) & PolicyWord.fast != 0
  }

  /// A finite limit applies, so that starts need a slot.
  var limitsStarts: Bool {
    let word = policy.load(ordering: .acquiring)  // acquire, edge PolicyChanged
    return !PolicyWord.isUnlimited(word)
  }

  var isSuspendedNow: Bool {
    policy.load(ordering: .acquiring) & PolicyWord.suspended != 0  // acquire, edge PolicyChanged
  }

  /// Takes over a ready job: to the scheduler in fast mode, else to the ready list.
  ///
  /// The caller keeps the queue: the job may run, and its members may all leave, before this returns.
  func accept(_ job: Job) {
    if isFast { scheduler.submit(JobChain(job)) } else { enqueue(JobChain(job)) }
  }

  /// As `accept(_:)`, for the job of `operation`: a cancelled one need not wait for a slot (contract 49).
  func accept(_ job: Job, of operation: Operation) {
    guard !isFast, operation.flushesWithoutSlot else { return accept(job) }
    if mayFlushNow(deferring: job) { scheduler.submit(JobChain(job)) }
  }

  /// Takes over ready jobs in order.
  func accept(_ jobs: consuming JobChain) {
    guard !jobs.isEmpty else { return }
    if isFast { scheduler.submit(jobs) } else { enqueue(jobs) }
  }

  /// Puts ready jobs into the list and starts as many drains as they and the policy allow.
  func enqueue(_ jobs: consuming JobChain) {
    let added = UInt64(jobs.count)
    // Once the jobs are counted, others may run them and every other member, and let go of the queue.
    let kept = unsafe Unmanaged.passRetained(self)
    defer { unsafe kept.release() }
    readyList.append(jobs)
    var drains = 0
    changePolicy { word in
      word = (word & ~PolicyWord.fast) + added * PolicyWord.oneReady
      drains = PolicyWord.startMore(&word, burst: added)
    }
    submitDrains(drains)
  }

  /// A cancelled operation may be flushed now; false when the queue keeps the job until it is resumed (contract 50).
  func mayFlushNow(deferring job: Job) -> Bool {
    guard isSuspendedNow else { return true }
    return !readyList.deferFlush(job) { isSuspendedNow }
  }

  /// One exchange of the policy word; `change` may run several times.
  func changePolicy(_ change: (inout UInt64) -> Void) {
    var old = policy.load(ordering: .relaxed)  // relaxed: the exchange validates it
    while true {
      var new = old
      change(&new)
      // acquire and release, edge PolicyChanged: a start claimed after this exchange sees it and what precedes it.
      // sequentially consistent where the start gate has no asymmetric barrier to rely on.
      let (won, seen) = policy.weakCompareExchange(
        expected: old, desired: new, successOrdering: .sequentiallyConsistent,
        failureOrdering: .relaxed)
      if won { return }
      old = seen
    }
  }

  // MARK: Slots

  /// Gives back one slot.
  func releaseSlot() {
    var drains = 0
    changePolicy { word in
      word -= PolicyWord.oneRunning
      drains = PolicyWord.startMore(&word, burst: 1)
    }
    submitDrains(drains)
  }

  /// An operation keeps a slot after its worker has left it.
  func addDetached() {
    changePolicy { word in
      guard PolicyWord.running(word) < PolicyWord.field else { Fault.tooManyDetached(self) }
      word += PolicyWord.oneRunning
    }
  }

  // MARK: The start gate of fast mode

  /// Sets this thread's entry and looks at the policy once more; false when the operation must take the list.
  @inline(__always) func enterFast(_ record: ThreadRecord) -> Bool {
    let level = record.depth
    guard level < ThreadRecord.depthLimit else { Fault.nestingTooDeep(self) }
    let entry = unsafe record.entries + level
    let word: UInt64
    if isAsymmetric {
      // relaxed, edge StartGate: the policy changer's heavy barrier orders store and load.
      unsafe entry.pointee.store(self.word, ordering: .relaxed)
      AsymmetricBarrier.light()
      word = policy.load(ordering: .acquiring)  // acquire, edge PolicyChanged
    } else {
      // sequentially consistent, edge StartGate: store and load must not be reordered.
      unsafe entry.pointee.store(self.word, ordering: .sequentiallyConsistent)
      word = policy.load(ordering: .sequentiallyConsistent)
    }
    record.depth = level + 1
    if word & PolicyWord.fast != 0 { return true }
    leaveFast(record)
    return false
  }

  /// Clears this thread's entry; gives the slot back if a limit has counted it meanwhile.
  @inline(__always) func leaveFast(_ record: ThreadRecord) {
    let level = record.depth - 1
    record.depth = level
    let entry = unsafe record.entries + level
    let word: UInt64
    if isAsymmetric {
      // relaxed, edge StartGate: as in `enterFast`.
      unsafe entry.pointee.store(0, ordering: .relaxed)
      AsymmetricBarrier.light()
      word = policy.load(ordering: .acquiring)  // acquire, edge PolicyChanged
    } else {
      // sequentially consistent, edge StartGate.
      unsafe entry.pointee.store(0, ordering: .sequentiallyConsistent)
      word = policy.load(ordering: .sequentiallyConsistent)
    }
    if word & PolicyWord.fast == 0 { uncount(record, level) }
  }

  @inline(never) private func uncount(_ record: ThreadRecord, _ level: Int) {
    let wasCounted = control.withLock { _ in
      // relaxed: under `control`, as every access for this queue.
      guard unsafe record.counted[level].load(ordering: .relaxed) == self.word else { return false }
      unsafe record.counted[level].store(0, ordering: .relaxed)  // relaxed: as above
      return true
    }
    if wasCounted { releaseSlot() }
  }
}
