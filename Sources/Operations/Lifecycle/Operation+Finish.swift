// SPDX-License-Identifier: Apache-2.0

import Scheduling
import Synchronization

// Every finish takes the same steps: let go of what never ran, seal, tell, release, end (slot,
// resources, completion block), leave. Here they are, with the worker that has run the operation;
// `Operation+FinishAnywhere.swift` takes them on other threads. Protocol: Release.md.

extension Operation {
  /// Finishes the operation on the worker that has begun it; returns the immediate successor's
  /// word.
  @inline(__always) final func finishOnWorker(
    _ bits: UInt32, _ gate: StartGate, _ queue: OperationQueue, _ record: ThreadRecord,
    _ context: UnsafeMutablePointer<WorkerContext>
  ) -> UInt {
    if bits & (StateBit.barrier | StateBit.skipped | StateBit.coldStart) != 0 { letGo(bits) }
    let owedBefore = record.owedCount
    guard let head = seal() else {
      detach(gate, queue, record)
      return 0
    }
    // sequentially consistent, edge Completion: as in `tell`.
    let word = state.load(ordering: .sequentiallyConsistent)
    var successor: Job?
    // One test for both.
    if word & Self.carefulRelease | recordingWord != 0 {
      successor = unsafe releaseUnusually(word, head, gate, queue, record, context)
    } else {
      successor = unsafe releaseDependents(head, isRecorded: false, record, context)
      if gate == .fast { queue.leaveGate(record) }
    }
    return unsafe leaveOnWorker(successor, owing: owedBefore, bits, gate, queue, record, context)
  }

  /// As `finishOnWorker` from the seal to the end while a recording is under way, or step by step;
  /// returns the immediate successor.
  @inline(never) private final func releaseUnusually(
    _ word: UInt32, _ head: UInt, _ gate: StartGate, _ queue: OperationQueue,
    _ record: ThreadRecord, _ context: UnsafeMutablePointer<WorkerContext>
  ) -> Job? {
    guard word & Self.carefulRelease != 0 else {
      let successor = unsafe releaseRecorded(head, record, context)
      if gate == .fast { queue.leaveGate(record) }
      return successor
    }
    if isRecording { recordFinish() }
    let bits = unsafe tell(head, queue, context.pointee.worker)
    unsafe releaseAll(head, bits, queue, record, context)
    giveUpSlot(gate, queue, record)
    unsafe end(bits, queue, record, context.pointee.worker)
    return nil
  }

  /// What makes a worker take the steps one by one.
  private static var carefulRelease: UInt32 {
    StateBit.hasCompletion | StateBit.hasExtras | StateBit.needsResources | StateBit.lock
  }

  /// `start()` has returned, and the operation was finished inside of it: what is left.
  ///
  /// The operation is a member until it leaves here, which keeps it and its queue.
  @inline(never) final func endAfterStart(
    _ gate: StartGate, _ queue: OperationQueue, _ record: ThreadRecord,
    _ context: UnsafeMutablePointer<WorkerContext>
  ) {
    let owedBefore = record.owedCount
    // acquire, edge EditLock: `tell` has waited for the last editor that did not see the seal.
    let bits = state.load(ordering: .acquiring)
    giveUpSlot(gate, queue, record)
    unsafe end(bits, queue, record, context.pointee.worker)
    _ = unsafe leaveOnWorker(nil, owing: owedBefore, bits, gate, queue, record, context)
  }

  // MARK: The steps, on any thread

  /// Before the seal: lets go of what a barrier holds back, and of what the operation did not come
  /// to use.
  final func letGo(_ bits: UInt32) {
    if bits & StateBit.barrier != 0 {
      // SAFETY: nobody else finishes a barrier, which is a member until it leaves.
      unsafe queueReference._withUnsafeGuaranteedRef { $0.barrierEnds(self) }
    }
    let kinds = StateBit.coldStart | StateBit.asynchronous
    if bits & kinds == StateBit.coldStart { skipBody() }
    letGoOfUnfinishedDependencies(bits)
  }

  /// After the seal: tells who observes the operation that it has finished, and cancels its
  /// dependents where that is asked for, before they are released; returns the state.
  final func tell(_ head: UInt, _ queue: OperationQueue?, _ worker: Int) -> UInt32 {
    // sequentially consistent, edge Completion: after the seal; an editor that still holds the lock
    // is waited for.
    let word = state.load(ordering: .sequentiallyConsistent)
    guard word & (StateBit.hasExtras | StateBit.lock) != 0 else { return word }
    let bits = noteFinish()
    if bits & StateBit.hasExtras != 0 {
      trace(.ended, queue, worker)
      deliverTransitions()
      cancelDependents(head, bits)
    }
    return bits
  }

  /// Releases dependents, then probes, then waiters.
  final func releaseAll(
    _ head: UInt, _ bits: UInt32, _ queue: OperationQueue?, _ record: ThreadRecord,
    _ context: UnsafeMutablePointer<WorkerContext>
  ) {
    var released = Released()
    if let kept = unsafe walkSuccessors(head, context, &released) {
      unsafe context.pointee.ready.prepend(kept)
    }
    unsafe queue?.submitUnlessEmpty(context.pointee.takeReady())
    if !released.others.isEmpty { record.handOverOrOwe(released.others) }
    if bits & StateBit.hasExtras != 0 { tellProbes() }
    if released.waiters != 0 { Self.wakeWaiters(released.waiters) }
    if bits & StateBit.hasExtras != 0 { dropConditions() }
  }

  /// After the slot: from the resources to the completion block, one after the other (contract 61,
  /// 127).
  final func end(
    _ bits: UInt32, _ queue: OperationQueue?, _ record: ThreadRecord, _ worker: Int
  ) {
    // A level of the operation, if this thread is on one, has no slot from here on.
    let stage = record.stage
    if record.currentOperation == word { record.stage = .ended }
    if bits & StateBit.needsResources != 0 { giveBackResources() }
    if bits & StateBit.hasCompletion != 0 { runCompletionBlock(queue?.word ?? 0, record) }
    if bits & StateBit.hasExtras != 0 { trace(.completed, queue, worker) }
    record.stage = stage
  }

  final func giveUpSlot(
    _ gate: StartGate, _ queue: OperationQueue, _ record: ThreadRecord
  ) {
    switch gate {
    case .fast: queue.leaveGate(record)
    case .slot:
      queue.releaseSlot()
      record.slotIsGone = true
    case .skip: break
    case .elsewhere: takeOver(queue)
    }
  }

  private final func runCompletionBlock(_ queue: UInt, _ record: ThreadRecord) {
    let bits = lockState()
    let block = lookAtColdTable { $0.completionBlock.take() } ?? nil
    let hasExtras = bits & StateBit.hasExtras != 0
    if hasExtras { noteCompletionBlock(from: block, to: nil, bits) }
    unlockState(StateChange.setCompletion(bits, false))
    record.runCompletion(of: self, queue) {
      if hasExtras { deliverTransitions(bits) }
      // `finish()` inside a body may end up here, and its niceness is not the block's.
      if let block { record.atOwnNiceness { block() } }
    }
  }

  // MARK: Leaving

  /// Lets go of the operation, then hands over what this thread has come to owe since it owed
  /// `owedBefore`; returns the word of what runs next.
  @inline(__always) private final func leaveOnWorker(
    _ successor: Job?, owing owedBefore: Int, _ bits: UInt32, _ gate: StartGate,
    _ queue: OperationQueue, _ record: ThreadRecord,
    _ context: UnsafeMutablePointer<WorkerContext>
  ) -> UInt {
    if record.owedCount > owedBefore {
      unsafe leaveBeforeOwed(successor, owing: owedBefore, bits, gate, queue, record, context)
      return 0
    }
    // Nothing runs here any more: captures that die with the operation must not see its queue.
    record.currentOperation = 0
    record.currentQueue = 0
    unsafe leaveQueue(bits, queue, record, context)
    return successor?.word ?? 0
  }

  /// Leaves, and only then hands over what is owed, which runs on this thread before the call
  /// returns: nobody may have to wait for it who waits for this operation, its slot, its queue or
  /// its other dependents.
  @inline(never) private final func leaveBeforeOwed(
    _ successor: Job?, owing owedBefore: Int, _ bits: UInt32, _ gate: StartGate,
    _ queue: OperationQueue, _ record: ThreadRecord,
    _ context: UnsafeMutablePointer<WorkerContext>
  ) {
    let kept = unsafe Unmanaged.passRetained(queue)
    let keptSelf = unsafe Unmanaged.passRetained(self)
    record.currentOperation = 0
    record.currentQueue = 0
    if let successor { unsafe context.pointee.ready.prepend(successor) }
    unsafe queue.submitUnlessEmpty(context.pointee.takeReady())
    unsafe leaveQueue(bits, queue, record, context)
    if gate == .slot, !record.slotIsGone { giveUpSlot(gate, queue, record) }
    record.handOverOwed(since: owedBefore, by: self, queue)
    unsafe keptSelf.release()
    unsafe kept.release()
  }

  /// The queue lets go: registry, count, references; to other handles that are out it leaves the
  /// references.
  @inline(__always)
  final func leaveQueue(
    _ bits: UInt32, _ queue: OperationQueue, _ record: ThreadRecord,
    _ context: UnsafeMutablePointer<WorkerContext>
  ) {
    if bits & StateBit.retainsDependencies == 0 { dropDependencies(bits) }
    // relaxed: written before the hand-over that brought the handle here.
    let slot = membership.load(ordering: .relaxed)
    let isAlone = bits & StateBit.severalHandles == 0
    if isAlone { RegistryChunk.remove(slot: slot) } else { RegistryChunk.bury(slot: slot) }
    if bits & StateBit.barrier != 0 {
      // relaxed: the credit below releases it.
      queue.barrierMembers.wrappingSubtract(1, ordering: .relaxed)
    }
    // After the removal: see Observation.md.
    if queue.hasExtras { unsafe noteLeft(queue, record, context.pointee.worker) }
    // Before the credit, which a waiter may take at once: when the wait returns the operation is
    // gone.
    if isAlone {
      if hasColdTable { returnClosureNode(record) }
      unsafe Unmanaged.passUnretained(self).release()
    } else {
      passReferencesToHandles(of: queue)
    }
    unsafe record.credit(queue, context)
  }
}
