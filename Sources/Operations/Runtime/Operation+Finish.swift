// SPDX-License-Identifier: Apache-2.0

import CSystemShims
import ConcurrencyPrimitives
import Scheduling
import Synchronization

extension Operation {
  // MARK: The finished event

  /// Seals the successor list: this is the moment the operation is finished.
  ///
  /// Returns the list for the one caller that finished it, nil for every later one.
  @inline(__always) final func seal() -> UInt? {
    // sequentially consistent, edge Finished: publishes the body's writes to whoever acquires the
    // seal; edge EdgePushed: makes the registrars' links and counts readable; edge Completion: see
    // `completionBlock`.
    let head = successors.exchange(SuccessorWord.sealed, ordering: .sequentiallyConsistent)
    return head == SuccessorWord.sealed ? nil : head
  }

  /// Releases what waited for the operation: the list that `seal` returned.
  ///
  /// Jobs made ready for the context's scheduler go to `context.ready`, oldest first; the oldest is
  /// returned instead when nothing more urgent is at hand. `last` is what must be handed over last;
  /// see `Released.handOver(last:)`.
  @inline(__always)
  final func release(
    _ head: UInt, _ context: UnsafeMutablePointer<WorkerContext>
  ) -> (successor: Job?, last: Job?) {
    guard head != SuccessorWord.empty else { return (nil, nil) }
    var (successor, last): (Job?, Job?)
    if Self.isOnly(head) {
      (successor, last) = unsafe releaseOnly(head, context)
    } else {
      (successor, last) = unsafe releaseSuccessors(head, context)
    }
    if let kept = successor, unsafe context.pointee.localBands & (kept.band.mask - 1) != 0 {
      // Something more urgent is queued with this worker.
      unsafe context.pointee.ready.prepend(kept)
      successor = nil
    }
    return (successor, last)
  }

  /// The list is one inline edge.
  @inline(__always) private static func isOnly(_ head: UInt) -> Bool {
    // The link is read before the dependent can run, finish and die.
    // relaxed: acquired
    unsafe head & SuccessorWord.recordTag == 0
      && edgeLink(head).pointee.load(ordering: .relaxed) == SuccessorWord.empty
  }

  /// As `releaseSuccessors` for one inline edge.
  @inline(__always) private final func releaseOnly(
    _ entry: UInt, _ context: UnsafeMutablePointer<WorkerContext>
  ) -> (successor: Job?, last: Job?) {
    var others = JobChain()
    let ready = unsafe Self.reference(entry)._withUnsafeGuaranteedRef { dependent in
      unsafe dependent.resolve(.slot(Int((entry >> 1) & 7)), context, &others)
    }
    return others.isEmpty ? (ready, nil) : (ready, unsafe Self.handOver(others, from: context))
  }

  /// Returns what must be handed over last.
  @inline(never) private static func handOver(
    _ others: JobChain, from context: UnsafeMutablePointer<WorkerContext>
  ) -> Job? {
    var released = Released()
    released.others = others
    unsafe released.handOver(from: context)
    return released.others.first
  }

  @inline(never) private final func releaseSuccessors(
    _ head: UInt, _ context: UnsafeMutablePointer<WorkerContext>
  ) -> (successor: Job?, last: Job?) {
    var released = Released()
    let kept = unsafe walkSuccessors(head, context, &released)
    if !released.others.isEmpty { unsafe released.handOver(from: context) }
    if released.waiters != 0 { WaiterList.wake(released.waiters) }
    return (kept, released.others.first)
  }

  /// Walks a sealed list, newest entry first; returns the last job made ready, the oldest
  /// registration.
  final func walkSuccessors(
    _ head: UInt, _ context: UnsafeMutablePointer<WorkerContext>, _ released: inout Released
  ) -> Job? {
    var entry = head
    var kept: Job?
    while entry != SuccessorWord.empty {
      var ready: Job?
      if entry & SuccessorWord.recordTag == 0 {
        // The link is read before the dependent can run, finish and die.
        // relaxed: acquired
        let link = unsafe Self.edgeLink(entry).pointee.load(ordering: .relaxed)
        shim_prefetch(link & ~15)
        let slot = Int((entry >> 1) & 7)
        unsafe Self.reference(entry)._withUnsafeGuaranteedRef { dependent in
          ready = unsafe dependent.resolve(.slot(slot), context, &released.others)
        }
        entry = link
      } else {
        let record = unsafe Self.record(entry)
        let link = unsafe record.pointee.link.load(ordering: .relaxed)  // relaxed: acquired
        if unsafe record.pointee.kind == .edge {
          let owner = unsafe record.pointee.owner
          unsafe Self.reference(owner)._withUnsafeGuaranteedRef { dependent in
            ready = unsafe dependent.resolve(.record(record), context, &released.others)
          }
        } else {
          // relaxed: this thread's list
          unsafe record.pointee.link.store(released.waiters, ordering: .relaxed)
          released.waiters = entry
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
    return kept
  }

  /// One edge of this operation is resolved; returns the job when that made it ready for the
  /// context's scheduler.
  @inline(__always)
  private final func resolve(
    _ edge: EdgeLocation, _ context: UnsafeMutablePointer<WorkerContext>,
    _ others: inout JobChain
  ) -> Job? {
    // acquire and release, edge Resolved: all subtractions of the word form one release sequence,
    // so whoever gets zero sees what every dependency wrote; sequentially consistent, edge
    // LevelChanged: before the look at the band.
    let old = pending.wrappingSubtract(1, ordering: .sequentiallyConsistent).oldValue
    if old == 1 {
      // relaxed: only a hint. What waits for this operation will be touched when it has run.
      shim_prefetch(successors.load(ordering: .relaxed) & ~15)
      return unsafe accept(job, context, &others)
    }
    if old & PendingBit.detour == 0 { return nil }
    var handed: Job?
    unsafe resolveInDetour(edge) { operation, handle in
      handed = unsafe operation.accept(operation.job(of: handle), context, &others)
    }
    return handed
  }

  /// Gives a ready job to its queue; returns it when the context's scheduler may run it as it is.
  @inline(__always)
  private final func accept(
    _ job: Job, _ context: UnsafeMutablePointer<WorkerContext>, _ others: inout JobChain
  ) -> Job? {
    // SAFETY: nobody else can start the operation before this hand-over, so it is still a member.
    let isDirect = unsafe queueReference._withUnsafeGuaranteedRef { queue in
      unsafe queue.isFast && queue.homeIdentity == context.pointee.scheduler
    }
    if isDirect { return job }
    others.prepend(job)
    return nil
  }

  /// For deinit: what is still on the list waits for nothing any more.
  final func resolveStaleSuccessors() {
    var context = WorkerContext(worker: -1, scheduler: OperationQueue.noScheduler)
    unsafe withUnsafeMutablePointer(to: &context) { context in
      if let head = seal() { _ = unsafe release(head, context) }
    }
  }

  // MARK: Finishing on a worker

  /// Everything from the finished event to letting go of the operation; returns the immediate
  /// successor's word.
  final func finishOnWorker(
    _ bits: UInt32, _ gate: StartGate, _ queue: OperationQueue, _ record: ThreadRecord,
    _ context: UnsafeMutablePointer<WorkerContext>
  ) -> UInt {
    if bits & (StateBit.barrier | StateBit.flushed) != 0 {
      if bits & StateBit.barrier != 0 { queue.barrierEnds(self) }
      letGoOfUnfinishedDependencies(bits)
    }
    guard let head = seal() else {
      // `finish()` on another thread was first and does all the rest.
      if bits & StateBit.unpinned != 0 {
        detach(bits, gate, queue, record)
      } else if gate == .fast {
        queue.leaveFast(record)
      }
      return 0
    }
    // sequentially consistent, edge Completion: after the seal; an editor that still holds the lock
    // is waited for.
    let word = state.load(ordering: .sequentiallyConsistent)
    var (successor, last): (Job?, Job?)
    if word & (Self.carefulRelease) != 0 {
      successor = nil
      last = unsafe releaseWithCare(head, gate, queue, record, context)
    } else {
      (successor, last) = unsafe release(head, context)
      if gate == .fast { queue.leaveFast(record) }
    }
    if let last {
      unsafe leave(before: last, successor, bits, gate, queue, record, context)
      return 0
    }
    // Nothing runs here any more: captures that die with the operation must not see its queue.
    record.currentOperation = 0
    record.currentQueue = 0
    let kept = unsafe leave(bits, queue, record, context)
    if let kept = unsafe kept { unsafe Self.lookForStaleHandles(kept) }
    return successor?.word ?? 0
  }

  /// What makes `finishOnWorker` take the long way.
  private static var carefulRelease: UInt32 {
    StateBit.hasCompletion | StateBit.attended | StateBit.needsResources | StateBit.lock
  }

  /// Leaves, and only then hands over the jobs from `last` on, which run on this thread before the
  /// call returns: nobody may have to wait for them who waits for this operation, its slot, its
  /// queue or its other dependents.
  @inline(never) private final func leave(
    before last: Job, _ successor: Job?, _ bits: UInt32, _ gate: StartGate,
    _ queue: OperationQueue, _ record: ThreadRecord,
    _ context: UnsafeMutablePointer<WorkerContext>
  ) {
    let kept = unsafe Unmanaged.passRetained(queue)
    let keptSelf = unsafe Unmanaged.passRetained(self)
    record.currentOperation = 0
    record.currentQueue = 0
    if let successor { unsafe context.pointee.ready.prepend(successor) }
    unsafe queue.scheduler.submitUnlessEmpty(context.pointee.takeReady())
    var stranded: Unmanaged<OperationQueue>?
    // Who observes the queue may wait for them.
    let jobs = record.owing(Released.chain(from: last)) {
      unsafe stranded = leave(bits, queue, record, context)
    }
    if gate == .slot, !record.slotIsGone { giveUpSlot(gate, queue, record) }
    if let stranded = unsafe stranded { unsafe Self.lookForStaleHandles(stranded) }
    handOverLast(jobs, queue, record)
    unsafe keptSelf.release()
    unsafe kept.release()
  }

  /// From the finished event to the completion block, with observers, one after the other (contract
  /// 127).
  ///
  /// Returns what must be handed over last.
  @inline(never) private final func releaseWithCare(
    _ head: UInt, _ gate: StartGate, _ queue: OperationQueue, _ record: ThreadRecord,
    _ context: UnsafeMutablePointer<WorkerContext>
  ) -> Job? {
    let bits = noteFinish()
    if bits & StateBit.attended != 0 {
      unsafe traceEnd(queue, context.pointee.worker)
      deliverTransitions()
      cancelDependents(head, bits)
    }
    var released = Released()
    if let kept = unsafe walkSuccessors(head, context, &released) {
      unsafe context.pointee.ready.prepend(kept)
    }
    unsafe queue.scheduler.submitUnlessEmpty(context.pointee.takeReady())
    unsafe released.handOver(from: context)
    released.tellProbes(record)
    WaiterList.wake(released.waiters)
    if bits & StateBit.attended != 0 { dropConditions() }
    return unsafe endCarefully(bits, gate, queue, record, context, owing: released.others).first
  }

  /// From the slot to the completion block, which may wait for `jobs`; returns those to hand over
  /// last.
  private final func endCarefully(
    _ bits: UInt32, _ gate: StartGate, _ queue: OperationQueue, _ record: ThreadRecord,
    _ context: UnsafeMutablePointer<WorkerContext>, owing jobs: JobChain = JobChain()
  ) -> JobChain {
    giveUpSlot(gate, queue, record)
    record.stage = .ended
    defer { record.stage = .body }
    return unsafe complete(bits, queue, record, context.pointee.worker, owing: jobs)
  }

  /// `start()` has returned, and the operation was finished inside of it: what the finish has left
  /// to do.
  ///
  /// The operation is a member until it leaves here, which keeps it and its queue.
  final func endAfterStart(
    _ gate: StartGate, _ queue: OperationQueue, _ record: ThreadRecord,
    _ context: UnsafeMutablePointer<WorkerContext>
  ) {
    // acquire, edge Completion: after the seal; waits for an editor that did not see it.
    let bits = setBits(StateBit.sealedByFinish)
    let last = unsafe endCarefully(bits, gate, queue, record, context)
    if let last = last.first {
      return unsafe leave(before: last, nil, bits, gate, queue, record, context)
    }
    // As in `finishOnWorker`.
    record.currentOperation = 0
    record.currentQueue = 0
    let kept = unsafe leave(bits, queue, record, context)
    if let kept = unsafe kept { unsafe Self.lookForStaleHandles(kept) }
  }

  /// From the resources to the completion block; otherwise as `endCarefully`.
  final func complete(
    _ bits: UInt32, _ queue: OperationQueue?, _ record: ThreadRecord, _ worker: Int,
    owing jobs: JobChain
  ) -> JobChain {
    var last = jobs
    if bits & StateBit.needsResources != 0 { last.append(giveBackResources()) }
    return record.owing(last) {
      if bits & StateBit.hasCompletion != 0 { runCompletionBlock(queue?.word ?? 0, record) }
      if bits & StateBit.attended != 0 { traceCompletion(queue, worker) }
    }
  }

  /// The slot is free before the completion block runs (contract 61, 127).
  final func giveUpSlot(
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

  final func runCompletionBlock(_ queue: UInt, _ record: ThreadRecord) {
    let bits = lockState()
    let block = coldTable?.completionBlock
    coldTable?.completionBlock = nil
    noteCompletionBlock(from: block, to: nil, bits)
    unlockState(bits & ~StateBit.hasCompletion)
    let outer = record.enterCompletion(of: self, queue)
    deliverTransitions(bits)
    // `finish()` inside a body may end up here, and its level is not the block's.
    if let block { record.atOwnNiceness(block) }
    record.leave(outer)
  }

  /// Handles were left behind; gives up the reference to the queue.
  @inline(never) static func lookForStaleHandles(_ kept: Unmanaged<OperationQueue>) {
    unsafe kept._withUnsafeGuaranteedRef { $0.removeStaleHandlesIfMany() }
    unsafe kept.release()
  }

  /// The queue lets go: registry, count, references.
  ///
  /// Returns the queue, retained, for `lookForStaleHandles` when a handle is still out.
  @inline(__always)
  final func leave(
    _ bits: UInt32, _ queue: OperationQueue, _ record: ThreadRecord,
    _ context: UnsafeMutablePointer<WorkerContext>
  ) -> Unmanaged<OperationQueue>? {
    if bits & StateBit.retainsDependencies == 0 { dropDependencies(bits) }
    if bits & (StateBit.severalHandles | StateBit.barrier) != 0 {
      if bits & StateBit.barrier != 0 { queue.removeBarrier() }
      if let kept = unsafe queueIfStraggler(queue) { return unsafe kept }
    }
    unsafe leaveNow(queue, record, context)
    return nil
  }

  /// The last handle is back: out of the registry, out of the count, the runtime reference goes.
  @inline(__always) final func leaveNow(
    _ queue: OperationQueue, _ record: ThreadRecord,
    _ context: UnsafeMutablePointer<WorkerContext>
  ) {
    // relaxed: written before the hand-over that brought the handle here.
    let slot = membership.load(ordering: .relaxed)
    RegistryChunk.remove(slot: slot)
    // After the removal: see Observation.md.
    if queue.hasExtras { unsafe noteLeft(queue, record, context.pointee.worker) }
    if hasColdTable { returnClosureNode(record) }
    // Before the credit, which a waiter may take at once: when the wait returns the operation is
    // gone.
    unsafe Unmanaged.passUnretained(self).release()
    unsafe record.credit(queue, context)
  }
}
