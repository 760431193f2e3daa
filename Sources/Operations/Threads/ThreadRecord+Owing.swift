// SPDX-License-Identifier: Apache-2.0

import Scheduling

// Whichever thread makes an operation startable on a scheduler without threads runs it, for as long
// as it likes, inside of the call that hands it over. So it is owed, and handed over when the call
// that has made it startable has done everything else. What that still has to do may be the user's
// code, and wait: then the wait hands it over. Page: Waiting.md.

extension ThreadRecord {
  /// Hands over handles, and drains with their slots, that other threads run, or that are queued
  /// behind a job which runs here; the others are owed.
  @inline(never) func handOverOrOwe(_ jobs: consuming JobChain) {
    let owedBefore = owedCount
    owed.append(StoredChain(jobs))
    handOverOwed(since: owedBefore) { runsInPlace(what: $0) }
  }

  /// Runs `body`, then hands over what that has come to owe.
  func handingOverLast(_ body: () -> Void) {
    let owedBefore = owedCount
    body()
    handOverOwed(since: owedBefore)
  }

  /// As `handOverOwed(since:)` for a worker of the queue, which has done all else for the
  /// operation, so that its waits from here on are waits of that queue's scheduler.
  ///
  /// The caller keeps operation and queue, and nothing that these jobs may wait for.
  func handOverOwed(since owedBefore: Int, by operation: Operation, _ queue: OperationQueue) {
    guard owedCount > owedBefore else { return }
    settleCredit()
    let outer = enterLevel(Level(operation: operation.word, queue: queue.word, stage: .ended))
    handOverOwed(since: owedBefore)
    leaveLevel(outer)
  }

  /// Hands over all that is owed but for the first `owedBefore` chains, and what `staysOwed`, by
  /// its queue.
  ///
  /// What a queue gets reaches it in one step, so that nothing starts before something more urgent
  /// is there (contract 85). What runs meanwhile may wait for what the next queues get.
  private func handOverOwed(
    since owedBefore: Int, butFor staysOwed: (OperationQueue) -> Bool = { _ in false }
  ) {
    guard owedCount > owedBefore else { return }
    groupOwed(since: owedBefore)
    // Those below it stay, and a wait finds them all the while.
    var stayed = owedBefore
    while owedCount > stayed {
      let jobs = owed.removeLast()
      // Waits have handed over the others.
      guard let first = jobs.first else { continue }
      // SAFETY: handles and drains keep the queue; kept here, since they may have run before the
      // call returns.
      let kept = unsafe OperationQueue.reference(Self.queueWord(first)).retain()
      unsafe kept._withUnsafeGuaranteedRef { queue in
        if staysOwed(queue) {
          owed.insert(jobs, at: stayed)
          stayed += 1
        } else {
          // SAFETY: it has just left the list.
          queue.acceptHandles(unsafe jobs.take())
        }
      }
      unsafe kept.release()
    }
  }

  /// Makes a chain for each queue of what is owed but for the first `owedBefore` chains; the first
  /// queue's comes last.
  private func groupOwed(since owedBefore: Int) {
    var jobs = JobChain()
    // SAFETY: they leave the list.
    for chain in owed[owedBefore...] { jobs.append(unsafe chain.take()) }
    owed.removeSubrange(owedBefore...)
    guard let first = jobs.first else { return }
    var next: Job? = first
    while let job = next, Self.queueWord(job) == Self.queueWord(first) { next = job.next }
    // Most often there is but one.
    guard next != nil else { return owed.append(StoredChain(jobs)) }
    var places: [UInt: Int] = [:]
    var groups: [StoredChain] = []
    while let job = jobs.popFirst() {
      let place = places[Self.queueWord(job)] ?? groups.count
      if place == groups.count {
        places[Self.queueWord(job)] = place
        groups.append(StoredChain(JobChain()))
      }
      groups[place].withChain { $0.append(job) }
    }
    owed += groups.reversed()
  }

  private static func queueWord(_ job: Job) -> UInt {
    if let queue = Drain.queue(of: job) { return queue }
    // SAFETY: whoever holds the job holds a handle, which keeps the operation a member.
    return unsafe Operation.reference(Operation.word(behind: job))._withUnsafeGuaranteedRef {
      unsafe UInt(bitPattern: $0.queueReference.toOpaque())
    }
  }

  /// Nothing that is under way here has anything to hand over last.
  var owesNothing: Bool { owed.allSatisfy(\.isEmpty) }

  /// Hands over what this thread owes and `awaited` cannot end without, until it is over or the
  /// time is up; returns whether it is over.
  ///
  /// No other thread would run it before the wait has ended. The rest may wait in turn for what
  /// encloses this wait, so it stays last. O(jobs owed, operations and edges in the way).
  func handOverOwed(for awaited: BlockedWait.Target, until deadline: UInt64?) -> Bool {
    guard !owesNothing else { return awaited.isOver }
    return help(until: deadline, awaited) {
      guard let job = takeOwed(for: awaited) else { return false }
      handingOverLast { owed.append(StoredChain(JobChain(job))) }
      return true
    }
  }

  /// Takes the handle of an operation, or the drain of a queue, that is in the way of the target.
  private func takeOwed(for target: BlockedWait.Target) -> Job? {
    // Whoever owes the wanted handle itself need not ask the other threads.
    lazy var waits = BlockedWait.all()
    var own = BlockedWait(
      thread: address, waiters: [], schedulers: [], target: target, isTimed: false)
    // A half of one's own: its frame is on this stack. Those of others are read in `all()`.
    if case .half(let frame) = target { own.taker = ForkFrame.taker(ofFrameAt: frame) }
    var next = [own]
    // What executes may wait in turn.
    var seen: Set<UInt> = []
    while let wait = next.popLast() {
      if wait.isForHalf {
        next += waits.filter { $0.thread == wait.taker && seen.insert($0.thread).inserted }
        continue
      }
      guard let target = wait.target else { continue }
      var found: Job?
      _ = Operation.findInWay(of: target.operationsInWay) { operation, facts in
        found =
          takeOwed { Drain.queue(of: $0) == nil && Operation.word(behind: $0) == operation.word }
          ?? facts.queue.flatMap { queue in takeOwed { Drain.queue(of: $0) == queue.word } }
        guard found == nil else { return true }
        next += waits.filter { wait in
          facts.words.contains(where: wait.waiters.contains) && wait.thread != address
            && seen.insert(wait.thread).inserted
        }
        return false
      }
      if let found { return found }
    }
    return nil
  }

  private func takeOwed(where accepts: (Job) -> Bool) -> Job? {
    for place in owed.indices {
      if let job = owed[place].withChain({ $0.popFirst(where: accepts) }) { return job }
    }
    return nil
  }
}
