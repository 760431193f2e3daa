// SPDX-License-Identifier: Apache-2.0

import CSystemShims
import ConcurrencyPrimitives
import Scheduling
import Synchronization

// From the handle that reaches a worker to the finish: which handle starts the operation, and how.
// Protocol: Release.md.

/// The run function of every class operation.
func operationRun(_ header: UnsafeMutableRawPointer, _ context: UnsafeMutableRawPointer) -> UInt {
  let operation = unsafe Operation.reference(
    UInt(bitPattern: header) - UInt(OperationLayout.header))
  // SAFETY: a handle to the operation keeps it and its queue alive; the context is the back end's.
  return unsafe operation._withUnsafeGuaranteedRef { operation in
    unsafe operation.queueReference._withUnsafeGuaranteedRef { queue in
      unsafe ThreadRecord.currentReference._withUnsafeGuaranteedRef { record in
        unsafe operation.runHeader(
          queue, record, context.assumingMemoryBound(to: WorkerContext.self))
      }
    }
  }
}

/// How an operation got past the policy of its queue.
enum StartGate {
  /// Nothing limits the queue; an entry of the thread record is set.
  case fast
  /// A drain claimed a slot.
  case slot
  /// Cancelled, or finished before it started: needs no slot.
  case skip
  /// Another thread has begun the operation that this one finishes, and has the slot.
  case elsewhere
}

extension Operation {
  /// The queue that holds the operation, unretained; valid while a handle or an edge lock keeps it
  /// a member.
  final var queueReference: Unmanaged<OperationQueue> {
    // acquire, edge Submitted.
    let slot = membership.load(ordering: .acquiring)
    return unsafe OperationQueue.reference(RegistryChunk.queueWord(ofSlot: slot))
  }

  /// The operation's header has reached a worker; returns the word of the immediate successor or 0.
  ///
  /// Not inlined: in a closure it would be called through memory.
  @inline(never) fileprivate final func runHeader(
    _ queue: OperationQueue, _ record: ThreadRecord,
    _ context: UnsafeMutablePointer<WorkerContext>
  ) -> UInt { unsafe runHandle(0, job, queue, record, context) ?? 0 }

  /// A handle (0 = the operation's own header, else an extra job) has reached a worker.
  ///
  /// Returns the word of the immediate successor or 0; nil when the job went back to the queue's
  /// lists and must live on.
  @inline(__always) final func runHandle(
    _ handle: UInt, _ job: Job, _ queue: OperationQueue, _ record: ThreadRecord,
    _ context: UnsafeMutablePointer<WorkerContext>
  ) -> UInt? {
    let gate: StartGate
    if record.claim == queue.word {
      record.claim = 0
      gate = .slot
    } else if queue.enterGate(record) {
      gate = .fast
    } else if isStartedElsewhere {
      dropHandle()
      return 0
    } else if needsNoSlot {
      guard queue.maySkipNow(deferring: job) else { return nil }
      gate = .skip
    } else {
      queue.takeBack(job, ticket: ticket(in: queue))
      return nil
    }
    return unsafe runPastGate(handle, gate, queue, record, context)
  }

  /// A handle that the queue's policy lets through.
  @inline(__always) final func runPastGate(
    _ handle: UInt, _ gate: StartGate, _ queue: OperationQueue, _ record: ThreadRecord,
    _ context: UnsafeMutablePointer<WorkerContext>
  ) -> UInt {
    record.settleCredit(unlessOf: queue.word)
    if let bits = beginFast() {
      return unsafe perform(bits, gate, queue, record, context)
    }
    return unsafe runUnlessHeldBack(handle, gate, queue, record, context)
  }

  /// As `runPastGate` where the begin needs a closer look.
  @inline(never) private final func runUnlessHeldBack(
    _ handle: UInt, _ gate: StartGate, _ queue: OperationQueue, _ record: ThreadRecord,
    _ context: UnsafeMutablePointer<WorkerContext>
  ) -> UInt {
    // Parking gives up the handle that keeps both.
    let keptSelf = unsafe Unmanaged.passRetained(self)
    let keptQueue = unsafe Unmanaged.passRetained(queue)
    shim_keep_order()
    defer {
      unsafe keptSelf.release()
      unsafe keptQueue.release()
    }
    let owedBefore = record.owedCount
    let outcome = beginSlowly(handle)
    if case .won(let bits) = outcome {
      return unsafe perform(bits, gate, queue, record, context)
    }
    if gate == .fast { queue.leaveGate(record) }
    if case .lost = outcome { dropHandle() }
    if record.owedCount > owedBefore, gate == .slot, !record.slotIsGone {
      giveUpSlot(gate, queue, record)
    }
    record.handOverOwed(since: owedBefore, by: self, queue)
    return 0
  }

  /// Cancelled and of a class whose `start()` is the built-in one, or finished before it started
  /// (contract 49, 66).
  ///
  /// Asked once the slot is stored, and through the edit lock: a canceller that held the lock
  /// before that took the operation for one in no queue, has set its bit by now, and leaves the
  /// skip to the caller. May call user code.
  package final var needsNoSlot: Bool {
    let bits = underLock { $0 }
    if bits & StateBit.finishRequested != 0 { return true }
    guard bits & StateBit.cancelled != 0 else { return false }
    return !overridesStart || isSkippedWithoutSlot
  }

  /// Built-in readiness: every dependency has finished, or they do not count any more (contract 29,
  /// 37).
  final func computeReady() -> Bool {
    // acquire, edge EditLock.
    let bits = state.load(ordering: .acquiring)
    guard bits & StateBit.hasExtras != 0 else { return computeBuiltInReady(bits) }
    // The dependencies first, then the conditions, which may be user code.
    guard valueBeingTold(.isReady) ?? computeBuiltInReady(bits) else { return false }
    let conditions = readinessConditions
    // acquire, edge EditLock: after a look under the lock, so that the bit is seen of a
    // cancellation that has noted its event.
    return state.load(ordering: .acquiring) & StateBit.ignoresDependencies != 0
      || conditions.allSatisfy(\.isSatisfied)
  }

  /// As `computeReady` without what the cold table adds.
  final func computeBuiltInReady(_ bits: UInt32) -> Bool {
    if bits & StateBit.ignoresDependencies != 0 { return true }
    if !Self.hasDependencies(bits) { return true }
    if bits & (StateBit.registered | StateBit.hold) == StateBit.registered,
      pending.load(ordering: .acquiring) == 0  // acquire, edge Resolved
    {
      return true
    }
    return underLock { bits in
      bits & StateBit.ignoresDependencies != 0 || dependenciesHaveFinished(bits)
    }
  }

  // MARK: Perform

  /// Runs the begun operation on this worker and finishes it; returns the word of the immediate
  /// successor.
  @inline(__always) final func perform(
    _ bits: UInt32, _ gate: StartGate, _ queue: OperationQueue, _ record: ThreadRecord,
    _ context: UnsafeMutablePointer<WorkerContext>
  ) -> UInt {
    // One test for both.
    guard bits & Self.startKinds ^ StateBit.plain | recordingWord == 0 else {
      return unsafe performUnusually(bits, gate, queue, record, context)
    }
    return unsafe performPlain(bits, gate, queue, record, context)
  }

  /// What says whether an operation may run without `start()`.
  private static var startKinds: UInt32 {
    StateBit.plain | StateBit.asynchronous | StateBit.coldStart | StateBit.hasExtras
      | StateBit.finishRequested
  }

  /// As `perform` while a recording is under way, or by way of `start()`.
  @inline(never) private final func performUnusually(
    _ bits: UInt32, _ gate: StartGate, _ queue: OperationQueue, _ record: ThreadRecord,
    _ context: UnsafeMutablePointer<WorkerContext>
  ) -> UInt {
    if isRecording {
      unsafe EventRings.noteStart(
        word, worker: context.pointee.worker, origin: context.pointee.origin)
    }
    return bits & Self.startKinds == StateBit.plain
      ? unsafe performPlain(bits, gate, queue, record, context)
      : unsafe performStart(bits, gate, queue, record, context)
  }

  /// As `perform` without `start()`.
  @inline(__always) private final func performPlain(
    _ bits: UInt32, _ gate: StartGate, _ queue: OperationQueue, _ record: ThreadRecord,
    _ context: UnsafeMutablePointer<WorkerContext>
  ) -> UInt {
    let outer = record.push(word, queue)
    if bits & StateBit.skipped != 0 {
      skipBody()
    } else if bits & StateBit.builtIn != 0 {
      runBody()
    } else {
      main()
    }
    let successor = unsafe finishOnWorker(bits, gate, queue, record, context)
    record.pop(outer)
    return successor
  }

  /// As `perform` by way of `start()`: for classes that override it or may outlive it, and for
  /// operations with somebody to tell.
  ///
  /// Holds no reference meanwhile; see `takeOver`.
  private final func performStart(
    _ bits: UInt32, _ gate: StartGate, _ queue: OperationQueue, _ record: ThreadRecord,
    _ context: UnsafeMutablePointer<WorkerContext>
  ) -> UInt {
    let outer = record.push(word, queue)
    var successor: UInt = 0
    switch unsafe runStart(bits, queue, context.pointee.worker, record) {
    case .ended: successor = unsafe finishOnWorker(bits, gate, queue, record, context)
    case .finishedInside: unsafe endAfterStart(gate, queue, record, context)
    case .goesOn: detach(gate, queue, record)
    }
    record.pop(outer)
    return successor
  }
}

/// What became of an attempt to begin.
enum BeginOutcome {
  /// This handle runs the operation; the state word as of the beginning.
  case won(UInt32)
  /// Another handle runs it, or this one is out of date.
  case lost
  /// Something holds it back again, and this handle is given up.
  case parked
}

extension Operation {
  /// The one transition that starts a queued operation: arbitrates handles, cancel and late edits.
  ///
  /// Returns the state word as of the beginning, or nil when `beginSlowly` must decide.
  @inline(__always) final func beginFast() -> UInt32? {
    var bits = state.load(ordering: .relaxed)  // relaxed: the exchange validates it
    let plain = plainness(bits)
    var backoff = Backoff()
    let slow =
      StateBit.hold | StateBit.moved | StateBit.started | StateBit.hasExtras
      | StateBit.needsResources
    while true {
      if bits & StateBit.lock != 0 {
        backoff.wait()
        bits = state.load(ordering: .relaxed)  // relaxed: as above
        continue
      }
      if bits & slow != 0 { return nil }
      // What is plain is ready once it was handed over.
      if bits & StateBit.toBeSkipped | plain == 0, !isReady { return nil }
      let begun = StateChange.begin(bits | plain)
      // acquire and release, edge EditLock: sees every edit before it, is seen by every one after
      // it.
      let (won, seen) = state.weakCompareExchange(
        expected: bits, desired: begun, successOrdering: .acquiringAndReleasing,
        failureOrdering: .relaxed)
      if won { return begun }
      bits = seen
    }
  }

  @inline(never) final func beginSlowly(_ handle: UInt, mayInherit: Bool = true) -> BeginOutcome {
    let isReadyNow = isReady  // user code: before the lock
    // What needs no slot has no place in the order. Asked before the lock as well; what ceases to
    // need one later is left to the latest handle.
    // relaxed: a move that comes later leaves it to the handle that it makes.
    let hasNoPlace = state.load(ordering: .relaxed) & StateBit.moved != 0 && needsNoSlot
    var bits = lockState()
    let isOutOfDate =
      bits & StateBit.moved != 0 && !hasNoPlace && coldTable?.latestHandle != handle
    // What was granted its resources has had its turn, and the slot that came with it goes with the
    // handle of that time: whichever comes first starts it. The latest one would have to ask anew.
    let isGranted = coldTable?.holdsResources ?? false
    if bits & StateBit.started != 0 || isOutOfDate && !isGranted { return lose(handle, bits) }
    let plain = plainness(bits)
    let wantsStart =
      bits & StateBit.toBeSkipped != 0 || isReadyNow
      || (plain != 0 && coldTable?.conditions.isEmpty ?? true)
    if bits & StateBit.hold != 0 {
      registerHeldEdges(&bits)
      bits = StateChange.register(bits)
      // Once, since an override may make no mark.
      if mayInherit, inheritsCancellation(bits) {
        // Whoever comes before the mark looks again, too.
        unlockState(StateChange.recall(bits))
        cancel()
        return beginSlowly(handle, mayInherit: false)
      }
    }
    let isBlocked = (lockedCountTable?.edgesBlocking ?? 0) > 0
    if isBlocked || !wantsStart {
      if isOutOfDate { return lose(handle, bits) }
      if !isBlocked { _ = moveCountUnderLock(force: true, tagEdges: true, &bits) }
      park(handle)
      let given = resourcesGivenUp()
      // From here on every edit goes through the lock: there is no start that would register
      // edges.
      if isRecording, !isBlocked { recordHold(byResource: false) }
      unlockState(StateChange.park(bits))
      giveBack(given)
      if !isBlocked { announceReadiness() }  // it may have turned true before the parking
      return .parked
    }
    if bits & StateBit.needsResources != 0, !takeResources(handle, &bits) {
      if isRecording { recordHold(byResource: true) }
      unlockState(StateChange.park(bits))
      return .parked
    }
    let begun = StateChange.begin(bits | plain)
    noteBegin(begun)
    unlockState(begun)
    return .won(begun)
  }

  /// A handle does not start the operation, nor will it; gives up the edit lock.
  private final func lose(_ handle: UInt, _ bits: UInt32) -> BeginOutcome {
    coldTable?.forgetPlace(of: handle)
    let given = bits & StateBit.started == 0 ? resourcesGivenUp() : []
    unlockState(bits)
    giveBack(given)
    return .lost
  }

  /// Gives up a handle of an operation that must wait again; under the edit lock.
  final func park(_ handle: UInt) {
    let table = coldTableMade()
    table.isOut = false
    table.wasParked = true
    table.handles -= 1
    table.forgetPlace(of: handle)
    if handle == 0 { table.headerIsBack = true }
  }

  /// A subclass says that its readiness may have turned true.
  final func announceReadiness() {
    guard isReady else { return }
    let handle = underLock { bits in
      let isWaiting = isSubmitted && bits & StateBit.started == 0
      guard isWaiting, let table = lockedCountTable, table.wasParked else { return nil as UInt? }
      return handleIfFree(table)
    }
    if let handle { handOver(job(of: handle)) }
  }
}
