// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
import Scheduling
import Synchronization

extension OperationQueue {
  // MARK: Releasing

  /// Nothing stands between a ready operation and the scheduler, and nothing is ahead of it in the
  /// list.
  @inline(__always) var isFast: Bool {
    // acquire, edge PolicyChanged: pairs with the exchanges that change the policy.
    PolicyWord.isFast(policy.load(ordering: .acquiring))
  }

  /// A finite limit applies, so that starts need a slot.
  var limitsStarts: Bool {
    let word = policy.load(ordering: .acquiring)  // acquire, edge PolicyChanged
    return !PolicyWord.isUnlimited(word)
  }

  var isSuspendedNow: Bool {
    PolicyWord.isSuspended(policy.load(ordering: .acquiring))  // acquire, edge PolicyChanged
  }

  /// Takes over a ready job: to the scheduler in fast mode, else to the ready list.
  func accept(_ job: Job) {
    if isFast { home.scheduler.submit(JobChain(job)) } else { enqueue(JobChain(job)) }
  }

  /// Takes over operations' handles that are ready, in order, and drains with their slots.
  ///
  /// The caller keeps the queue.
  ///
  /// A cancelled operation that needs no slot goes to the scheduler whatever the limit says
  /// (contract 49). All of it is one step: none of them starts before all are in, nor does what the
  /// skips make ready (contract 85, 87).
  func acceptHandles(_ jobs: consuming JobChain) {
    if isFast { return home.scheduler.submitUnlessEmpty(jobs) }
    var ready = JobChain()
    var skips = JobChain()
    while let job = jobs.popFirst() {
      if Drain.queue(of: job) != nil {
        skips.append(job)
        continue
      }
      guard Operation.needsNoSlot(job) else {
        ready.append(job)
        continue
      }
      order?.passOver(Operation.ticket(behind: job))
      if maySkipNow(deferring: job) { skips.append(job) }
    }
    enqueue(ready, with: skips)
  }

  /// Puts ready jobs into the list and starts as many drains as they and the policy allow, together
  /// with `skips`.
  func enqueue(_ jobs: consuming JobChain, with skips: consuming JobChain = JobChain()) {
    // The jobs may be all that keeps the queue: once they are counted they may run and leave.
    let kept = unsafe Unmanaged.passRetained(self)
    defer { unsafe kept.release() }
    var starts = Starts()
    var stale = JobChain()
    if let order {
      order.accept(jobs) { due in stale = readyList.append(due) { starts = countReady($0) } }
    } else if !jobs.isEmpty {
      stale = readyList.append(jobs) { starts = countReady($0) }
    }
    carryOut(starts, with: skips)
    Operation.dropHandles(stale)
  }

  /// Takes back a job that was with the scheduler when the queue ceased to be open: it keeps its
  /// place (contract 86).
  ///
  /// A queue that keeps strict order is never open, so that nothing comes back to it.
  func takeBack(_ job: Job, ticket: UInt64) {
    let kept = unsafe Unmanaged.passRetained(self)
    defer { unsafe kept.release() }
    var starts = Starts()
    let isKept = readyList.putBack(job, ticket: ticket) { starts = countReady($0) }
    carryOut(starts)
    if !isKept { Operation.dropHandles(JobChain(job)) }
  }

  /// Counts jobs that were added to the list; returns what they and the policy let start.
  private func countReady(_ added: Int) -> Starts {
    let added = UInt64(added)
    return changePolicyAndClaim(atMost: min(added, burst)) { $0 += added * PolicyWord.oneReady }
  }

  /// A cancelled operation may be skipped now; false when the queue keeps the job until it is
  /// resumed (contract 50).
  func maySkipNow(deferring job: Job) -> Bool {
    guard isSuspendedNow else { return true }
    // Once it is in the list the job may be taken out, and it may be all that keeps the queue.
    let kept = unsafe Unmanaged.passRetained(self)
    defer { unsafe kept.release() }
    return !readyList.deferSkip(job) { isSuspendedNow }
  }

  /// One exchange of the policy word; `change` may run several times.
  func changePolicy(_ change: (inout UInt64) -> Void) {
    var old = policy.load(ordering: .relaxed)  // relaxed: the exchange validates it
    while true {
      var new = old
      change(&new)
      // acquire and release, edge PolicyChanged: a start claimed after this exchange sees it and
      // what precedes it. sequentially consistent where the start gate has no asymmetric barrier to
      // rely on.
      let (won, seen) = policy.weakCompareExchange(
        expected: old, desired: new, successOrdering: .sequentiallyConsistent,
        failureOrdering: .relaxed)
      if won { return }
      old = seen
    }
  }

  /// As `changePolicy`; claims in the same exchange what may start after it, which the caller
  /// carries out.
  @inline(__always) func changePolicyAndClaim(
    atMost burst: UInt64 = 1, _ change: (inout UInt64) -> Void
  ) -> Starts {
    var starts = Starts()
    changePolicy { starts = PolicyWord.startMore(&$0, burst: burst, after: change) }
    return starts
  }

  /// Submits what an exchange of the policy word has claimed, together with `skips`.
  func carryOut(_ starts: Starts, with skips: consuming JobChain = JobChain()) {
    for _ in 0..<starts.drains { skips.append(Drain.make(self)) }
    if starts.released > 0 {
      releaseList(starts.released, with: skips)
    } else {
      scheduler.submitUnlessEmpty(skips)
    }
  }

  /// Hands over what was claimed of the list, with `others`, and then what has come into it
  /// meanwhile, until it is empty and the queue fast, or the queue is closed: nothing that becomes
  /// ready later may reach the scheduler earlier (contract 86).
  private func releaseList(_ count: Int, with others: consuming JobChain) {
    // What goes to a scheduler without threads runs before `submit` returns, and must find the
    // queue fast.
    let comesLast = scheduler.waitsByHelping
    var claimed = count
    while claimed > 0 {
      let jobs = readyList.popFirst(claimed)
      guard jobs.count == claimed else { missingJob() }
      others.append(jobs)
      if !comesLast { scheduler.submit(others.take()) }
      claimed = claimMoreOrEnd()
    }
    scheduler.submitUnlessEmpty(others)
  }

  /// Claims the whole list again; 0 when there is nothing in it or the queue is open no longer: the
  /// caller is releasing no more.
  private func claimMoreOrEnd() -> Int {
    var claimed: UInt64 = 0
    changePolicy { word in
      claimed = PolicyWord.isOpen(word) ? PolicyWord.ready(word) : 0
      word = PolicyWord.withReleaser(
        word - claimed * PolicyWord.oneReady, isReleasing: claimed > 0)
    }
    return Int(claimed)
  }

  /// The list has fewer jobs than were counted.
  func missingJob() -> Never {
    Fault.internalError("queue \(storedName) counted a ready operation that its list lacks")
  }

  // MARK: Slots

  /// Takes a slot for an operation that is not in the ready list; false when there is none, or the
  /// queue is suspended.
  ///
  /// An open queue counts it as well: a limit that comes afterwards finds it counted.
  func claimSlot() -> Bool {
    var isClaimed = false
    changePolicy { word in
      isClaimed = !PolicyWord.isSuspended(word) && PolicyWord.hasRoom(word)
      if isClaimed { word += PolicyWord.oneRunning }
    }
    return isClaimed
  }

  /// Gives back one slot.
  func releaseSlot() { carryOut(changePolicyAndClaim { $0 -= PolicyWord.oneRunning }) }

  /// An operation keeps a slot after its worker has left it.
  func addDetached() {
    changePolicy { word in
      guard PolicyWord.running(word) < PolicyWord.largestRunning else {
        Fault.tooManyExecuting(self)
      }
      word += PolicyWord.oneRunning
    }
  }

  // MARK: The start gate of fast mode

  /// Sets this thread's entry and looks at the policy once more; false when the operation must take
  /// the list.
  @inline(__always) func enterGate(_ record: ThreadRecord) -> Bool {
    let level = record.depth
    // relaxed: only this thread changes it.
    if level >= record.levelsInUse.load(ordering: .relaxed) { record.useMoreLevels(for: self) }
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
    if PolicyWord.isOpen(word) { return true }
    leaveGate(record)
    return false
  }

  /// Clears this thread's entry; gives the slot back if a limit has counted it meanwhile.
  @inline(__always) func leaveGate(_ record: ThreadRecord) {
    let level = record.depth - 1
    record.depth = level
    let entry = unsafe record.entries + level
    let policyWord: UInt64
    if isAsymmetric {
      // release, edge StartGate: a limit that does not count the operation any more has what it
      // wrote.
      unsafe entry.pointee.store(0, ordering: .releasing)
      AsymmetricBarrier.light()
      policyWord = policy.load(ordering: .acquiring)  // acquire, edge PolicyChanged
    } else {
      // sequentially consistent, edge StartGate.
      unsafe entry.pointee.store(0, ordering: .sequentiallyConsistent)
      policyWord = policy.load(ordering: .sequentiallyConsistent)
    }
    if !PolicyWord.isOpen(policyWord) { uncount(record, level) }
  }

  @inline(never) private func uncount(_ record: ThreadRecord, _ level: Int) {
    let wasCounted = control.withLock { _ in
      // relaxed: a value that names this queue changes under its `control` only.
      guard unsafe record.counted[level].load(ordering: .relaxed) == word else { return false }
      unsafe record.counted[level].store(0, ordering: .relaxed)  // relaxed: as above
      return true
    }
    if wasCounted { releaseSlot() }
  }
}

/// The policy of a queue in one word: emptiness, limit and suspension are decided in the exchange
/// that changes `running`.
///
///     63   38 37       18 17     2      1              0
///     [ ready | running   | limit | suspended | openXorReleasing ]
///
/// The queue is *open* while it is unlimited and not suspended: then what is with the scheduler
/// starts. Somebody may be *releasing* the list: he holds jobs that were in it. Open and nobody
/// releasing is *fast*: what becomes ready goes to the scheduler as it is. The lowest
/// bit is set when the queue is open or somebody releasing, but not both.
enum PolicyWord {
  static let openXorReleasing: UInt64 = 1
  static let suspended: UInt64 = 2
  static let limitShift: UInt64 = 2
  static let runningShift: UInt64 = 18
  static let readyShift: UInt64 = 38
  /// The limit's code; 0 without a limit.
  static let limitField: UInt64 = 0xFFFF << limitShift
  static let oneRunning: UInt64 = 1 << runningShift
  static let oneReady: UInt64 = 1 << readyShift
  /// The word of a new queue.
  static let new = openXorReleasing

  static func ready(_ word: UInt64) -> UInt64 { word >> readyShift }
  static func running(_ word: UInt64) -> UInt64 { (word >> runningShift) & largestRunning }
  /// Most operations that may execute at a time, detached ones included.
  static let largestRunning: UInt64 = 0xF_FFFF
  @inline(__always) static func isSuspended(_ word: UInt64) -> Bool { word & suspended != 0 }
  /// Unlimited and not suspended.
  @inline(__always) static func isOpen(_ word: UInt64) -> Bool {
    word & (limitField | suspended) == 0
  }
  /// Open, and nobody holds jobs of the list.
  @inline(__always) static func isFast(_ word: UInt64) -> Bool {
    word & (limitField | suspended | openXorReleasing) == openXorReleasing
  }
  /// Somebody holds jobs of the list and will look at the word again when he has handed them over.
  static func isReleasing(_ word: UInt64) -> Bool { isOpen(word) == (word & openXorReleasing == 0) }
  /// The word with the bit that says so.
  static func withReleaser(_ word: UInt64, isReleasing: Bool) -> UInt64 {
    isOpen(word) == isReleasing ? word & ~openXorReleasing : word | openXorReleasing
  }
  /// One more may start; without a limit as long as the field can count it.
  static func hasRoom(_ word: UInt64) -> Bool { running(word) < min(limit(word), largestLimit) }
  /// The slot that is held is within the limit.
  static func isWithinLimit(_ word: UInt64) -> Bool { running(word) <= limit(word) }

  // MARK: Limit

  /// Up to here a limit is kept exactly, above in steps.
  static let largestExactLimit: UInt64 = 1 << 15
  /// Above `largestExactLimit` a limit is rounded down to a multiple of this.
  static let limitStep: UInt64 = 32
  /// Largest limit that is kept; a multiple of `limitStep`, so far below `largestRunning` that
  /// there is room for what workers count while they leave an operation.
  static let largestLimit: UInt64 = largestRunning + 1 - 1 << 16

  static func isUnlimited(_ word: UInt64) -> Bool { word & limitField == 0 }

  /// The limit; without one more than can ever run.
  static func limit(_ word: UInt64) -> UInt64 {
    let code = (word & limitField) >> limitShift
    guard code > 0 else { return .max }
    guard code > largestExactLimit + 1 else { return code - 1 }
    return largestExactLimit + (code - 1 - largestExactLimit) * limitStep
  }

  /// `word` with another limit, nil for none.
  static func withLimit(_ word: UInt64, _ limit: Int?) -> UInt64 {
    var code: UInt64 = 0
    if let limit {
      let kept = min(UInt64(limit), largestLimit)
      let steps = (max(kept, largestExactLimit) - largestExactLimit) / limitStep
      code = 1 + min(kept, largestExactLimit) + steps
    }
    return (word & ~limitField) | code << limitShift
  }

  // MARK: Starting

  /// Lets start what the policy allows after `change`: at most `burst` drains under a limit,
  /// everything without one.
  ///
  /// Whoever was releasing the list before is afterwards, also where `change` opens or closes the
  /// queue. Where nobody was, whoever opens the queue, or puts something into the list of a fast
  /// one, claims the list and is its releaser until it has reached the scheduler; others add to it
  /// meanwhile.
  @inline(__always) static func startMore(
    _ word: inout UInt64, burst: UInt64, after change: (inout UInt64) -> Void
  ) -> Starts {
    let isReleasing = isReleasing(word)
    change(&word)
    if isOpen(word) {
      let claimed = isReleasing ? 0 : ready(word)
      word = withReleaser(word - claimed * oneReady, isReleasing: isReleasing || claimed > 0)
      return Starts(released: Int(claimed))
    }
    word = withReleaser(word, isReleasing: isReleasing)
    guard !isSuspended(word), hasRoom(word) else { return Starts() }
    let more = min(limit(word) - running(word), ready(word), burst)
    word += more * oneRunning
    return Starts(drains: Int(more))
  }
}

/// What an exchange of the policy word lets start; its author carries it out.
struct Starts {
  /// Drains whose slots are counted.
  var drains = 0
  /// Jobs that are claimed and go from the ready list to the scheduler as they are.
  var released = 0
}

/// What the policy of a queue lets start, as of one instant.
package struct AdmissionState: Sendable {
  /// Nothing starts until the queue is resumed.
  package let isSuspended: Bool
  /// Operations that hold a slot.
  package let running: Int
  /// Most that may hold one; nil without a limit.
  package let limit: Int?

  /// One more may start, but for suspension.
  package var hasRoom: Bool { limit.map { running < $0 } ?? true }
}

extension OperationQueue {
  /// Any thread.
  package final var admission: AdmissionState {
    let word = policy.load(ordering: .acquiring)  // acquire, edge PolicyChanged
    return AdmissionState(
      isSuspended: PolicyWord.isSuspended(word), running: Int(PolicyWord.running(word)),
      limit: PolicyWord.isUnlimited(word) ? nil : Int(PolicyWord.limit(word)))
  }
}
