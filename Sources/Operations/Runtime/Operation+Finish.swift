// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
import Scheduling
import Synchronization

extension Operation {
  // MARK: The finished event

  /// Seals the successor list: this is the moment the operation is finished. Then releases what waited for it.
  ///
  /// Jobs made ready for the context's scheduler go to `context.ready`, oldest first; the oldest is returned instead
  /// when nothing more urgent is at hand. Returns nil for `isFirst` when somebody finished the operation before.
  final func seal(
    _ context: UnsafeMutablePointer<WorkerContext>
  ) -> (successor: Job?, isFirst: Bool) {
    // acquire and release, edge Finished: publishes the body's writes to whoever acquires the seal; edge EdgePushed:
    // makes the registrars' links and counts readable.
    let head = successors.exchange(SuccessorWord.sealed, ordering: .acquiringAndReleasing)
    if head == SuccessorWord.empty { return (nil, true) }
    if head == SuccessorWord.sealed { return (nil, false) }
    var successor = unsafe releaseSuccessors(head, context)
    if let kept = successor, unsafe context.pointee.localBands & (kept.band.mask - 1) != 0 {
      // Something more urgent is queued with this worker.
      unsafe context.pointee.ready.prepend(kept)
      successor = nil
    }
    return (successor, true)
  }

  /// Walks a sealed list, newest entry first; returns the last job made ready, the oldest registration.
  private final func releaseSuccessors(
    _ head: UInt, _ context: UnsafeMutablePointer<WorkerContext>
  ) -> Job? {
    var entry = head
    var kept: Job?
    var waiters: UInt = 0
    while entry != SuccessorWord.empty {
      var ready: Job?
      if entry & SuccessorWord.recordTag == 0 {
        // The link is read before the dependent can run, finish and die.
        let link = unsafe Self.edgeLink(entry).pointee.load(ordering: .relaxed)  // relaxed: acquired
        let slot = Int((entry >> 1) & 7)
        unsafe Self.reference(entry)._withUnsafeGuaranteedRef { dependent in
          ready = unsafe dependent.resolve(.slot(slot), context)
        }
        entry = link
      } else {
        let record = unsafe Self.record(entry)
        let link = unsafe record.pointee.link.load(ordering: .relaxed)  // relaxed: acquired
        if unsafe record.pointee.kind == .edge {
          let owner = unsafe record.pointee.owner
          unsafe Self.reference(owner)._withUnsafeGuaranteedRef { dependent in
            ready = unsafe dependent.resolve(.record(record), context)
          }
        } else {
          unsafe record.pointee.link.store(waiters, ordering: .relaxed)  // relaxed: this thread's list
          waiters = entry
        }
        entry = link
      }
      guard let ready else { continue }
      if let earlier = kept, ready.band <= earlier.band {
        unsafe context.pointee.ready.prepend(earlier)
        kept = ready
      } else if kept == nil {
        kept = ready
      } else {
        unsafe context.pointee.ready.prepend(ready)
      }
    }
    if waiters != 0 { WaiterList.wake(waiters) }
    return kept
  }

  /// One edge of this operation is resolved; returns the job when that made it ready for the context's scheduler.
  @inline(__always)
  private final func resolve(
    _ edge: EdgeLocation, _ context: UnsafeMutablePointer<WorkerContext>
  ) -> Job? {
    // acquire and release, edge Resolved: all subtractions of the word form one release sequence, so whoever gets
    // zero sees what every dependency wrote.
    let old = pending.wrappingSubtract(1, ordering: .acquiringAndReleasing).oldValue
    if old == 1 { return unsafe accept(job, context) }
    if old & PendingBit.detour == 0 { return nil }
    var handed: Job?
    unsafe resolveInDetour(edge) { job in handed = unsafe accept(job, context) }
    return handed
  }

  /// Gives a ready job to its queue; returns it when the context's scheduler may run it as it is.
  @inline(__always)
  private final func accept(
    _ job: Job, _ context: UnsafeMutablePointer<WorkerContext>
  ) -> Job? {
    // SAFETY: nobody else can start the operation before this hand-over, so it is still a member.
    let isLocal = unsafe queueReference._withUnsafeGuaranteedRef { queue in
      unsafe queue.isFast && queue.identity == context.pointee.scheduler
    }
    if isLocal { return job }
    handOver(job)
    return nil
  }

  /// For deinit: what is still on the list waits for nothing any more.
  final func resolveStaleSuccessors() {
    var context = WorkerContext(worker: -1, scheduler: OperationQueue.noScheduler)
    unsafe withUnsafeMutablePointer(to: &context) { context in
      _ = unsafe seal(context)
    }
  }

  // MARK: Finishing on a worker

  /// Everything from the finished event to letting go of the operation; returns the immediate successor's word.
  final func finishOnWorker(
    _ bits: UInt32, _ gate: StartGate, _ queue: OperationQueue, _ record: ThreadRecord,
    _ context: UnsafeMutablePointer<WorkerContext>
  ) -> UInt {
    if bits & StateBit.barrier != 0 { queue.barrierEnds(self) }
    let sealed = unsafe seal(context)
    guard sealed.isFirst else {
      // `finish()` came first on another thread, which lets go of the operation; this one has its slot to give back.
      if gate == .fast { queue.leaveFast(record) }
      return 0
    }
    var successor = sealed.successor
    // acquire, edge EditLock: a block set before the seal is seen.
    if state.load(ordering: .acquiring) & StateBit.hasCompletion != 0 {
      if let kept = successor { unsafe context.pointee.ready.prepend(kept) }
      successor = nil
      if unsafe !context.pointee.ready.isEmpty {
        unsafe queue.scheduler.submit(context.pointee.takeReady())
      }
      giveUpSlot(gate, queue, record)
      runCompletionBlock(queue.word, record)
      unsafe leave(bits, queue, record, context)
    } else {
      if gate == .fast { queue.leaveFast(record) }
      unsafe leave(bits, queue, record, context)
    }
    return successor?.word ?? 0
  }

  /// The slot is free before the completion block runs (contract 61, 127).
  private final func giveUpSlot(
    _ gate: StartGate, _ queue: OperationQueue, _ record: ThreadRecord
  ) {
    switch gate {
    case .fast: queue.leaveFast(record)
    case .slot:
      queue.releaseSlot()
      record.slotIsGone = true
    case .flush: break
    }
  }

  private final func runCompletionBlock(_ queue: UInt, _ record: ThreadRecord) {
    let bits = lockState()
    let block = coldTable?.completionBlock
    coldTable?.completionBlock = nil
    unlockState(bits & ~StateBit.hasCompletion)
    let outer = (record.currentQueue, record.completingQueue)
    record.currentQueue = 0
    record.completingQueue = queue
    block?()
    (record.currentQueue, record.completingQueue) = outer
  }

  /// The queue lets go: registry, count, references.
  @inline(__always)
  private final func leave(
    _ bits: UInt32, _ queue: OperationQueue, _ record: ThreadRecord,
    _ context: UnsafeMutablePointer<WorkerContext>
  ) {
    if bits & StateBit.retainsDependencies == 0 { dropDependencies(bits) }
    if bits & StateBit.severalHandles != 0, !isLastHandleAfterFinish(queue) { return }
    unsafe leaveNow(queue, record, context)
  }

  /// The last handle is back: out of the registry, out of the count, the runtime reference goes.
  final func leaveNow(
    _ queue: OperationQueue, _ record: ThreadRecord,
    _ context: UnsafeMutablePointer<WorkerContext>
  ) {
    // relaxed: written before the hand-over that brought the handle here.
    let slot = membership.load(ordering: .relaxed)
    RegistryChunk.remove(slot: slot)
    if hasColdTable { returnClosureNode(record) }
    unsafe record.credit(queue, context)
    unsafe Unmanaged.passUnretained(self).release()
  }

  // MARK: Finishing from anywhere

  /// Finishes a started operation on the calling thread; further calls are counted and ignored (contract 69).
  final func finishStarted() {
    let bits = state.load(ordering: .acquiring)  // acquire: pairs with `begin`
    guard bits & StateBit.started != 0 else { return finishBeforeStart() }
    // The caller may hold the last reference but the runtime's.
    let keptSelf = unsafe Unmanaged.passRetained(self)
    defer { unsafe keptSelf.release() }
    // Whoever seals first lets go of the operation, so only then is it certain to be a member still. Until that is
    // known the context claims no scheduler, and what becomes ready is submitted one by one.
    var context = WorkerContext(worker: -1, scheduler: OperationQueue.noScheduler)
    unsafe withUnsafeMutablePointer(to: &context) { context in
      guard unsafe seal(context).isFirst else {
        withColdTableMade { $0.surplusFinishes += 1 }
        return
      }
      let queue: OperationQueue? =
        isSubmitted ? unsafe queueReference.takeUnretainedValue() : nil
      unsafe endFromAnywhere(bits, queue, context)
    }
  }

  private final func endFromAnywhere(
    _ bits: UInt32, _ queue: OperationQueue?, _ context: UnsafeMutablePointer<WorkerContext>
  ) {
    let before = setBits(StateBit.sealedByFinish)
    if before & StateBit.detached != 0 { queue?.releaseSlot() }
    let record = ThreadRecord.current
    if before & StateBit.hasCompletion != 0 {
      runCompletionBlock(queue?.word ?? 0, record)
    }
    if let queue {
      unsafe leave(before, queue, record, context)
      record.flushCredit()
    } else if bits & StateBit.retainsDependencies == 0 {
      dropDependencies(bits)
    }
  }

  /// `finish()` before the operation started: it will finish without running when it is started (contract 66).
  private final func finishBeforeStart() {
    let before = setBits(StateBit.finishRequested)
    if before & StateBit.started != 0 { finishStarted() }
  }

  /// The worker leaves an operation whose `start()` returned unfinished; it keeps its slot until it finishes.
  final func detach(_ gate: StartGate, _ queue: OperationQueue, _ record: ThreadRecord) {
    // The slot passes to the operation: one more is running until the worker has given up its own.
    queue.addDetached()
    let before = setBits(StateBit.detached)
    if before & StateBit.sealedByFinish != 0 { queue.releaseSlot() }
    if gate == .fast { queue.leaveFast(record) }
  }

  // MARK: Manual start

  /// `start()` by user code on an operation in no queue.
  final func startManually() throws(OperationError) {
    if isSealed { return }
    // acquire, edge Submitted.
    guard membership.load(ordering: .acquiring) == Membership.none else {
      throw .ownedByQueue(self, queueName: queueNameForDiagnostics)
    }
    guard isReady else { throw .notReady(self, blockedBy: dependencies.filter { !$0.isFinished }) }
    let bits: UInt32
    switch begin(0) {
    case .won(let begun): bits = begun
    case .lost: throw .alreadyExecuting(self)
    case .parked: throw .notReady(self, blockedBy: dependencies.filter { !$0.isFinished })
    }
    let record = ThreadRecord.current
    let outer = record.currentOperation
    record.currentOperation = word
    let skipsBody = bits & (StateBit.flushed | StateBit.finishRequested) != 0
    if !skipsBody { main() }
    if bits & StateBit.asynchronous == 0 || skipsBody { finishStarted() }
    record.currentOperation = outer
  }

  /// As `start()`, but throws `notReady`, `alreadyExecuting` or `ownedByQueue` instead of stopping the process.
  ///
  /// Returns at once when the operation is finished (contract 12, 14–16).
  public final func tryStart() throws(OperationError) { try startManually() }
}
