// SPDX-License-Identifier: Apache-2.0

import CSystemShims
import ConcurrencyPrimitives
import Scheduling
import Synchronization

// Finishing a started operation, or one that never started, on any thread.

extension Operation {
  /// Finishes the operation on the calling thread; further calls are counted and ignored (contract
  /// 69).
  final func finishFromAnywhere() {
    let bits = state.load(ordering: .acquiring)  // acquire: pairs with `begin`
    guard bits & StateBit.started != 0 else { return finishBeforeStart() }
    if isSealed || isFinishedByBeginner(bits) { noteSurplusFinish() } else { finishStarted(bits) }
  }

  /// A member that had finished before its start is finished by whoever has begun it, who first
  /// takes it out of what it stands in: the count of its barrier, the line for resources.
  private final func isFinishedByBeginner(_ bits: UInt32) -> Bool {
    bits & StateBit.finishRequested != 0 && isSubmitted
  }

  /// Takes the steps of a finish on this thread; false when another one was first.
  ///
  /// `bits` is the state word at any time since the begin.
  @discardableResult
  private final func finishStarted(_ bits: UInt32, _ gate: StartGate = .elsewhere) -> Bool {
    letGo(bits)
    guard let head = seal() else {
      noteSurplusFinish()
      return false
    }
    if isRecording { recordFinish() }
    // The winner is a member until it leaves below: only now may the queue be read, and it is kept
    // from here on.
    let queue: OperationQueue? =
      isSubmitted ? unsafe queueReference.takeUnretainedValue() : nil
    let bits = tell(head, queue, -1)
    let record = ThreadRecord.current
    if record.leavesRestToStart(of: self) {
      record.handingOverLast {
        unsafe Self.withContext(of: queue) { unsafe releaseAll(head, bits, queue, record, $0) }
        // Only what executes has resources.
        if bits & StateBit.needsResources != 0 { giveBackResources() }
      }
    } else if let queue, record.runsInPlace(what: queue) {
      // In a job, so that what becomes ready starts afterwards (decision on `inline`) and the
      // completion block may wait for it.
      queue.scheduler.submit(
        JobChain(
          ClosureJob.make(band: band) {
            let record = ThreadRecord.current
            let owedBefore = record.owedCount
            self.releaseAndEnd(head, bits, gate, queue, record)
            record.handOverOwed(since: owedBefore, by: self, queue)
          }))
    } else {
      record.handingOverLast { releaseAndEnd(head, bits, gate, queue, record) }
    }
    return true
  }

  private final func noteSurplusFinish() { withColdTableMade { $0.surplusFinishes += 1 } }

  private final func releaseAndEnd(
    _ head: UInt, _ bits: UInt32, _ gate: StartGate, _ queue: OperationQueue?,
    _ record: ThreadRecord
  ) {
    unsafe Self.withContext(of: queue) { unsafe releaseAll(head, bits, queue, record, $0) }
    endAndLeave(bits, gate, queue, record)
  }

  private final func endAndLeave(
    _ bits: UInt32, _ gate: StartGate, _ queue: OperationQueue?, _ record: ThreadRecord
  ) {
    if let queue { giveUpSlot(gate, queue, record) }
    end(bits, queue, record, -1)
    guard let queue else {
      if bits & StateBit.retainsDependencies == 0 { dropDependencies(bits) }
      return
    }
    unsafe Self.withContext(of: queue) { unsafe leaveQueue(bits, queue, record, $0) }
    record.settleCredit()
  }

  /// As `endAfterStart` for an operation that was started by hand.
  final func endAfterManualStart(_ record: ThreadRecord) {
    // acquire, edge EditLock: as there.
    let bits = state.load(ordering: .acquiring)
    record.handingOverLast { endAndLeave(bits, .skip, nil, record) }
  }

  /// Runs `body` with a context for a thread that is no worker of the queue's.
  static func withContext<Result>(
    of queue: OperationQueue?, _ body: (UnsafeMutablePointer<WorkerContext>) -> Result
  ) -> Result {
    var context = WorkerContext(
      worker: -1, scheduler: queue?.identity ?? OperationQueue.noScheduler)
    return unsafe withUnsafeMutablePointer(to: &context, body)
  }

  /// `finish()` before the operation started: a queue that holds it lets go of it here and now,
  /// whatever it waits for (contract 66).
  ///
  /// In no queue it only notes the request: a queue, or `start()`, finishes the operation without
  /// running it.
  private final func finishBeforeStart() {
    let bits = lockState()
    if bits & StateBit.started != 0 {
      unlockState(bits)
      return finishFromAnywhere()
    }
    if bits & StateBit.finishRequested != 0 {
      unlockState(bits)
      return noteSurplusFinish()
    }
    let requested = StateChange.requestFinish(bits)
    noteFinishRequested(requested)
    // In one step with the bit: what is to be skipped has no edge that blocks.
    if isSubmitted { return finishMember(requested) }
    // sequentially consistent, edge FinishedEarly: the bit, which also gives up the lock, then
    // `membership`; an adder claims that word, then looks at the bit. One of the two sees the
    // other.
    _ = state.exchange(requested, ordering: .sequentiallyConsistent)
    deliverTransitions(requested)
    guard membership.load(ordering: .sequentiallyConsistent) != Membership.none else { return }
    awaitClaim()
    let now = lockState()
    // What has begun it has skipped it.
    guard now & StateBit.started == 0, isSubmitted else { return unlockState(now) }
    finishMember(now)
  }

  /// Begins and finishes a member that has not started; takes over the edit lock with the state
  /// word `bits`.
  private final func finishMember(_ bits: UInt32) {
    let begun = beginEarly(bits)
    noteBegin(begun)
    let barrier = hiddenDependency(bits)
    let queue = unsafe retainQueue()
    unlockState(begun)
    let record = ThreadRecord.current
    record.handingOverLast {
      if begun & StateBit.needsResources != 0 { ResourceArbiter.withdraw(self) }
      unsafe queue._withUnsafeGuaranteedRef { queue in
        queue.order?.passOver(ticket(in: queue))
        if barrier != 0 { queue.control.withLock { $0.barriers.shrinkSegment(of: barrier) } }
        Warning.finishedBeforeStart(self, queue)
        let outer = record.push(word, queue)
        if begun & StateBit.coldStart != 0 { passInResults(unlessSkipped: true) }
        skipBody()
        record.pop(outer)
        if !finishStarted(begun, .skip) { detach(.skip, queue, record) }
        // What stood behind it may wait for it, and run here.
        if queue.order != nil { queue.enqueue(JobChain()) }
      }
    }
    unsafe queue.release()
  }

  /// Waits until an `add` that is under way has made the operation a member.
  ///
  /// Not from inside an `add` on this thread, which runs overrides and handlers of the user while
  /// later operations of the batch are claimed: the submission of those finds the request. So does
  /// that of another thread, under the edit lock, or else this thread finds the member there.
  private final func awaitClaim() {
    guard ThreadRecord.withCurrent({ $0.addsUnderWay == 0 }) else { return }
    var backoff = Backoff()
    // acquire, edge Submitted.
    while membership.load(ordering: .acquiring) == Membership.claimed { backoff.wait() }
  }

  /// Begins a member that has not started in the name of the thread that finishes it; under the
  /// edit lock.
  ///
  /// The thread's handle is one more, or the header where that was never handed over or had come
  /// back: then nobody hands it over any more, not even a barrier that holds the operation back.
  private final func beginEarly(_ locked: UInt32) -> UInt32 {
    var bits = locked
    let table = coldTableMade()
    // Not once its last dependency has finished in between: then the header is on its way to the
    // scheduler.
    if !isHandedOver, moveCountUnderLock(force: false, tagEdges: false, &bits) != nil {
      ignoreOrdinaryEdges(table, bits)
      table.isOut = true
      if table.wasParked { table.handles += 1 }
      return StateChange.begin(bits)
    }
    table.handles += 1
    return StateChange.addHandle(StateChange.begin(bits))
  }

  // MARK: Who has begun it, and who finishes it

  /// Whoever has begun the operation leaves it to the thread that finishes it, which gets its slot.
  ///
  /// Where nothing else keeps them, operation and queue may be gone when it returns.
  @inline(never) final func detach(
    _ gate: StartGate, _ queue: OperationQueue, _ record: ThreadRecord
  ) {
    if isRecording { EventRings.note(.returned, word) }
    noteBodyReturned()
    // The slot passes to the operation: one more is running until the worker has given up its own.
    queue.addDetached()
    if gate == .fast { queue.leaveGate(record) }
    guard changeState(StateChange.detach) & StateBit.sealedByFinish != 0 else { return }
    queue.releaseSlot()
    unpin(queue)
  }

  /// The thread that finishes the operation gives up the slot of whoever has begun it, or leaves
  /// that to `detach`, with the references that it needs until then: it has none of its own.
  final func takeOver(_ queue: OperationQueue) {
    // acquire, edge EditLock: never cleared.
    if state.load(ordering: .acquiring) & StateBit.detached == 0 {
      unsafe _ = Unmanaged.passRetained(self)
      unsafe _ = Unmanaged.passRetained(queue)
      shim_keep_order()
      guard changeState(StateChange.takeOver) & StateBit.detached != 0 else { return }
      unpin(queue)
    }
    queue.releaseSlot()
  }

  /// Releases what `takeOver` has retained.
  private final func unpin(_ queue: OperationQueue) {
    unsafe Unmanaged.passUnretained(self).release()
    unsafe Unmanaged.passUnretained(queue).release()
  }
}
