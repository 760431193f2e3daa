// SPDX-License-Identifier: Apache-2.0

import Scheduling
import Synchronization

// An operation usually has one handle with the scheduler or in a ready list: its own header. A
// skip of a cancelled one, a change of its level and a hand-over while the header is still queued
// need another: an extra job. The cold table counts them under the edit lock. The membership keeps
// operation and queue for them; when the operation ends and leaves, they keep both themselves until
// the last one is back, so that whoever holds a handle may read the queue. Protocol: Release.md,
// "Handles".

/// A job that stands for an operation; heap memory, freed by its own run.
struct ExtraJob: ~Copyable {
  let header: JobHeader
  /// The operation, kept alive by the handle count.
  let operation: UInt
  /// Only finishes an operation without running it, and without a slot.
  let isSkip: Bool
  /// The level in which it was handed over; its holder's.
  var band = PriorityBand.normal

  /// How many handles of one operation may be out before a change of level makes do with one that
  /// is.
  ///
  /// So many that only a program that changes one operation's level again and again meets it.
  static let limit = 16

  static func make(_ operation: Operation, isSkip: Bool) -> UnsafeMutablePointer<ExtraJob> {
    let extraJob = UnsafeMutablePointer<ExtraJob>.allocate(capacity: 1)
    unsafe extraJob.initialize(
      to: ExtraJob(
        header: JobHeader(run: extraJobRun), operation: operation.word, isSkip: isSkip))
    return unsafe extraJob
  }

  /// The job of an extra job that the caller holds.
  static func job(_ extraJob: UInt, band: PriorityBand) -> Job {
    // SAFETY: the address is that of a live extra job, whose first field is the header.
    unsafe UnsafeMutablePointer<ExtraJob>.at(extraJob).pointee.band = band
    return unsafe Job(header: .at(extraJob), band: band)
  }

  /// Whether a job of a scheduler is one of these; whoever asks holds it.
  static func isOne(_ job: Job) -> Bool { unsafe job.runs(extraJobRun) }

  /// Frees an extra job that will not run.
  static func freeIfExtraJob(_ job: Job) {
    guard isOne(job) else { return }
    let extraJob = unsafe UnsafeMutableRawPointer(job.header).assumingMemoryBound(
      to: ExtraJob.self)
    unsafe extraJob.deinitialize(count: 1)
    unsafe extraJob.deallocate()
  }
}

private func extraJobRun(
  _ header: UnsafeMutableRawPointer, _ context: UnsafeMutableRawPointer
) -> UInt {
  let address = UInt(bitPattern: header)
  let extraJob = unsafe header.assumingMemoryBound(to: ExtraJob.self)
  let operation = unsafe Operation.reference(extraJob.pointee.operation)
  let (isSkip, band) = unsafe (extraJob.pointee.isSkip, extraJob.pointee.band)
  // SAFETY: the handle count keeps operation and queue.
  return unsafe operation._withUnsafeGuaranteedRef { operation in
    unsafe operation.queueReference._withUnsafeGuaranteedRef { queue in
      ThreadRecord.withCurrent { record in
        let context = unsafe context.assumingMemoryBound(to: WorkerContext.self)
        // Where it comes back to: a place that was noted stays in its level.
        let job = ExtraJob.job(address, band: band)
        if isSkip, !queue.maySkipNow(deferring: job) { return 0 }
        let successor =
          unsafe isSkip
          ? operation.runPastGate(address, .skip, queue, record, context)
          : operation.runHandle(address, job, queue, record, context)
        guard let successor else { return 0 }
        unsafe extraJob.deinitialize(count: 1)
        unsafe extraJob.deallocate()
        return successor
      }
    }
  }
}

extension ColdTable {
  /// An operation that was parked is handed over again, with its header if that is back, else with
  /// an extra job.
  ///
  /// Under the edit lock.
  func countNextHandle(of operation: Operation) -> UInt {
    handles += 1
    if headerIsBack {
      headerIsBack = false
      latestHandle = Handle.header
    } else {
      latestHandle = unsafe UInt(bitPattern: ExtraJob.make(operation, isSkip: false))
    }
    return latestHandle
  }

  /// Too many handles are out: the one that stands in `band`, to start the operation in its place
  /// there.
  ///
  /// Under the edit lock.
  fileprivate func handleToReturnTo(_ band: PriorityBand) -> UInt? {
    let handle = places[Int(band.rawValue)]
    return handles > ExtraJob.limit && handle != Handle.header ? handle : nil
  }

  /// A handle that has come to a worker does not start the operation: it is no place to return to.
  ///
  /// Under the edit lock, in the step that finds so: afterwards a change of level could name it the
  /// latest.
  func forgetPlace(of handle: UInt) {
    guard handle != Handle.header else { return }
    for band in places.indices where places[band] == handle { places[band] = Handle.header }
  }
}

extension Operation {
  /// The job of a handle that the caller holds.
  final func job(of handle: UInt) -> Job {
    handle == Handle.header ? job : ExtraJob.job(handle, band: band)
  }

  /// Whether the operation behind a handle that the caller holds needs no slot.
  static func needsNoSlot(_ job: Job) -> Bool {
    // SAFETY: whoever holds the job holds a handle, which keeps the operation.
    unsafe reference(word(behind: job))._withUnsafeGuaranteedRef { $0.needsNoSlot }
  }

  /// Gives the job of a handle to the queue, from any thread.
  final func handOver(_ job: Job) {
    // Kept: once the job is out, operation and queue may be gone.
    let queue = unsafe queueReference.retain()
    unsafe queue._withUnsafeGuaranteedRef { $0.acceptHandles(JobChain(job)) }
    unsafe queue.release()
  }

  /// A handle came back without running the operation, or its run is over.
  ///
  /// Where nothing else keeps them, operation and queue may be gone when it returns.
  final func dropHandle() {
    let isLast = withColdTable { table in
      table.handles -= 1
      return table.handles == 0 && table.hasLeft
    }
    if isLast ?? false { giveUpHandles() }
  }

  /// The operation has ended and left its queue; the handle that ran it is done, others may be out.
  @inline(never) final func passReferencesToHandles(of queue: OperationQueue) {
    // Theirs from here on: what the membership kept so far.
    unsafe _ = Unmanaged.passRetained(queue)
    let others = withColdTableMade { table in
      table.hasLeft = true
      return table.handles - 1
    }
    if others > 0 { queue.noteStaleHandles(others) }
    dropHandle()
  }

  /// The last handle of an operation that has left its queue is back.
  private final func giveUpHandles() {
    let queue = unsafe queueReference
    // relaxed: written before the hand-over that brought the handle here.
    RegistryChunk.remove(slot: membership.load(ordering: .relaxed))
    returnClosureNode(ThreadRecord.current)
    unsafe Unmanaged.passUnretained(self).release()
    unsafe queue.release()
  }

  /// Another handle has begun the operation, so this one has nothing to wait for.
  final var isStartedElsewhere: Bool {
    state.load(ordering: .acquiring) & StateBit.started != 0  // acquire, edge EditLock
  }

  /// Where the operation stands in its level when a handle comes back from the scheduler: as it was
  /// added, or behind what came back before it if its level was changed (contract 86, 88).
  final func ticket(in queue: OperationQueue) -> UInt64 {
    // acquire, edge EditLock.
    if state.load(ordering: .acquiring) & StateBit.moved != 0 { return queue.count.nextTicket }
    // relaxed: written before the hand-over that brought the handle here.
    return RegistryChunk.ticket(ofSlot: membership.load(ordering: .relaxed))
  }

  /// An operation to be skipped that is already handed over gets an extra job when its queue would
  /// make it wait for a slot.
  final func skipWithoutSlot() {
    guard let job = skipOutsideTheList() else { return }
    // The extra job keeps the operation, and that its queue.
    let queue = unsafe queueReference.takeUnretainedValue()
    queue.scheduler.submit(JobChain(job))
  }

  /// The job of that extra job, for the caller to submit; nil if there is none, or it waits for the
  /// end of a suspension.
  final func skipOutsideTheList() -> Job? {
    // That of a user's class may call user code, so it is asked without the lock.
    guard isBuiltIn || needsNoSlot else { return nil }
    let bits = lockState()
    // What a barrier holds back, or a barrier that is not due, must not finish before its time.
    guard bits & StateBit.toBeSkipped != 0, bits & StateBit.started == 0, isSubmitted, isHandedOver,
      unsafe queueReference._withUnsafeGuaranteedRef(\.limitsStarts), !coldTableMade().hasSkipJob
    else {
      unlockState(bits)
      return nil
    }
    let queue = unsafe queueReference.takeUnretainedValue()
    let table = coldTableMade()
    table.hasSkipJob = true
    table.handles += 1
    unlockState(StateChange.addHandle(bits))
    let extraJob = unsafe ExtraJob.make(self, isSkip: true)
    let job = ExtraJob.job(UInt(bitPattern: extraJob), band: band)
    return queue.maySkipNow(deferring: job) ? job : nil
  }

  /// Sets the level; a queued, unstarted operation joins the tail of the new one (contract 88).
  final func changeBand(to band: PriorityBand) {
    let shifted = UInt32(band.rawValue) << StateBit.bandShift
    var bits = lockState()
    guard bits & StateBit.bandMask != shifted else { return unlockState(bits) }
    let old = bits
    bits = StateChange.setLevel(bits, shifted)
    notePriority(from: old, to: bits)
    if isRecording { EventRings.note(.priority, word, info: UInt16(band.rawValue)) }
    var extraJob = extraJobAfterMove(&bits)
    unlockState(bits)
    if extraJob == nil, bits & StateBit.started == 0, isSubmitted {
      // Whoever made it ready meanwhile has read the level before or after: sequentially
      // consistent, edge LevelChanged.
      bits = lockState()
      if bits & StateBit.bandMask == shifted { extraJob = extraJobAfterMove(&bits) }
      unlockState(bits)
    }
    if let extraJob { handOver(ExtraJob.job(extraJob, band: band)) }
    deliverTransitions(bits)
  }

  /// Makes the handle that stands at the tail of the new level, if the old one is in a list; under
  /// the edit lock.
  ///
  /// None when too many are out already and one of them stands in that level: then that one is the
  /// latest.
  private final func extraJobAfterMove(_ bits: inout UInt32) -> UInt? {
    guard bits & (StateBit.started | StateBit.barrier) == 0, isSubmitted, isHandedOver,
      // Levels do not count where the order is strict.
      unsafe queueReference._withUnsafeGuaranteedRef({ $0.order == nil })
    else { return nil }
    let table = coldTableMade()
    let band = PriorityBand(lowBitsOf: UInt(bits >> StateBit.bandShift))
    bits = StateChange.move(bits)
    if let handle = table.handleToReturnTo(band) {
      table.latestHandle = handle
      return nil
    }
    table.handles += 1
    let extraJob = unsafe UInt(bitPattern: ExtraJob.make(self, isSkip: false))
    table.latestHandle = extraJob
    table.places[Int(band.rawValue)] = extraJob
    return extraJob
  }

  /// With the scheduler or in the ready list; under the edit lock.
  final var isHandedOver: Bool {
    // acquire, edge Resolved; sequentially consistent, edge LevelChanged: after the exchange that
    // took the lock.
    let count = pending.load(ordering: .sequentiallyConsistent)
    if count & PendingBit.lockedCount != 0 { return coldTable?.isOut ?? false }
    return count == 0
  }
}
