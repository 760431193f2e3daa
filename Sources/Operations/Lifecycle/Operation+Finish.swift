// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
import Scheduling
import Synchronization

// From the finished event to letting go of the operation, on a worker of its queue.

extension Operation {
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
    let mark = record.owedCount
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
    var successor: Job?
    if word & (Self.carefulRelease) != 0 {
      unsafe finishWithCare(head, gate, queue, record, context)
    } else {
      successor = unsafe release(head, record, context)
      if gate == .fast { queue.leaveFast(record) }
    }
    return unsafe leave(successor, owing: mark, bits, gate, queue, record, context)
  }

  /// Lets go of the operation, then hands over what this thread owes since `mark`; returns the word
  /// of what runs next.
  @inline(__always) private final func leave(
    _ successor: Job?, owing mark: Int, _ bits: UInt32, _ gate: StartGate,
    _ queue: OperationQueue, _ record: ThreadRecord,
    _ context: UnsafeMutablePointer<WorkerContext>
  ) -> UInt {
    if record.owedCount > mark {
      unsafe leaveAndHandOver(successor, owing: mark, bits, gate, queue, record, context)
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

  /// Leaves, and only then hands over what is owed, which runs on this thread before the call
  /// returns: nobody may have to wait for it who waits for this operation, its slot, its queue or
  /// its other dependents.
  @inline(never) private final func leaveAndHandOver(
    _ successor: Job?, owing mark: Int, _ bits: UInt32, _ gate: StartGate,
    _ queue: OperationQueue, _ record: ThreadRecord,
    _ context: UnsafeMutablePointer<WorkerContext>
  ) {
    let kept = unsafe Unmanaged.passRetained(queue)
    let keptSelf = unsafe Unmanaged.passRetained(self)
    record.currentOperation = 0
    record.currentQueue = 0
    if let successor { unsafe context.pointee.ready.prepend(successor) }
    unsafe queue.scheduler.submitUnlessEmpty(context.pointee.takeReady())
    let stranded = unsafe leave(bits, queue, record, context)
    if gate == .slot, !record.slotIsGone { giveUpSlot(gate, queue, record) }
    if let stranded = unsafe stranded { unsafe Self.lookForStaleHandles(stranded) }
    record.handOverOwed(since: mark, by: self, queue)
    unsafe keptSelf.release()
    unsafe kept.release()
  }

  /// From the finished event to the completion block, with observers, one after the other (contract
  /// 127).
  @inline(never) private final func finishWithCare(
    _ head: UInt, _ gate: StartGate, _ queue: OperationQueue, _ record: ThreadRecord,
    _ context: UnsafeMutablePointer<WorkerContext>
  ) {
    let bits = unsafe tellFinish(head, queue, context.pointee.worker)
    unsafe releaseWithCare(head, bits, queue, record, context)
    unsafe endCarefully(bits, gate, queue, record, context)
  }

  /// Tells who observes the operation that it has finished, and cancels its dependents where that
  /// is asked for, before they are released; waits for an editor, and returns the state.
  final func tellFinish(_ head: UInt, _ queue: OperationQueue?, _ worker: Int) -> UInt32 {
    let bits = noteFinish()
    if bits & StateBit.attended != 0 {
      traceEnd(queue, worker)
      deliverTransitions()
      cancelDependents(head, bits)
    }
    return bits
  }

  /// Releases dependents, then probes, then waiters, on any thread.
  final func releaseWithCare(
    _ head: UInt, _ bits: UInt32, _ queue: OperationQueue?, _ record: ThreadRecord,
    _ context: UnsafeMutablePointer<WorkerContext>
  ) {
    var released = Released()
    if let kept = unsafe walkSuccessors(head, context, &released) {
      unsafe context.pointee.ready.prepend(kept)
    }
    if let queue { unsafe queue.scheduler.submitUnlessEmpty(context.pointee.takeReady()) }
    record.handOverOrOwe(released.others)
    if bits & StateBit.attended != 0 { WaiterList.tellProbes(released.waiters) }
    WaiterList.wake(released.waiters)
    if bits & StateBit.attended != 0 { dropConditions() }
  }

  /// From the slot to the completion block.
  private final func endCarefully(
    _ bits: UInt32, _ gate: StartGate, _ queue: OperationQueue, _ record: ThreadRecord,
    _ context: UnsafeMutablePointer<WorkerContext>
  ) {
    giveUpSlot(gate, queue, record)
    record.stage = .ended
    unsafe complete(bits, queue, record, context.pointee.worker)
    record.stage = .body
  }

  /// `start()` has returned, and the operation was finished inside of it: what the finish has left
  /// to do.
  ///
  /// The operation is a member until it leaves here, which keeps it and its queue.
  @inline(never) final func endAfterStart(
    _ gate: StartGate, _ queue: OperationQueue, _ record: ThreadRecord,
    _ context: UnsafeMutablePointer<WorkerContext>
  ) {
    let mark = record.owedCount
    // acquire, edge Completion: after the seal; waits for an editor that did not see it.
    let bits = setBits(StateBit.sealedByFinish)
    unsafe endCarefully(bits, gate, queue, record, context)
    _ = unsafe leave(nil, owing: mark, bits, gate, queue, record, context)
  }

  /// From the resources to the completion block, on any thread.
  final func complete(
    _ bits: UInt32, _ queue: OperationQueue?, _ record: ThreadRecord, _ worker: Int
  ) {
    if bits & StateBit.needsResources != 0 { giveBackResources() }
    if bits & StateBit.hasCompletion != 0 { runCompletionBlock(queue?.word ?? 0, record) }
    if bits & StateBit.attended != 0 { traceCompletion(queue, worker) }
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
