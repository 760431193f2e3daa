// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
import Scheduling

/// A job that holds one slot of a queue and runs what the ready list has, best first.
///
/// It keeps the queue alive and goes back to the scheduler after a budget, so that other queues get
/// their turn.
struct Drain: ~Copyable {
  /// Operations that one run of a drain starts at most.
  static let operationBudget = 32
  /// Time after which a drain goes back to the scheduler, ns.
  static let timeBudget: UInt64 = 100_000

  let header: JobHeader
  /// Retained.
  let queue: UInt
  /// The scheduler that it was made for, or nil for the queue's home; see `QueuePlace.swift`.
  let elsewhere: (any Scheduler)?
  /// What it runs before it looks into the list.
  var first: Job?

  /// - Parameter first: what the drain runs first, in a slot that the caller leaves to it.
  static func make(_ queue: OperationQueue, first: Job? = nil) -> Job {
    let drain = UnsafeMutablePointer<Drain>.allocate(capacity: 1)
    unsafe _ = Unmanaged.passRetained(queue)
    unsafe drain.initialize(
      to: Drain(
        header: JobHeader(run: drainRun), queue: queue.word, elsewhere: queue.elsewhere,
        first: first))
    return unsafe job(drain)
  }

  /// The queue of a drain's job that the caller holds; nil for other jobs.
  static func queue(of job: Job) -> UInt? {
    unsafe job.runs(drainRun) ? drain(job).pointee.queue : nil
  }

  /// Whether a job of a scheduler is a drain of this queue that has nothing but its slot.
  fileprivate static func isIdle(_ job: Job, of queue: OperationQueue) -> Bool {
    unsafe self.queue(of: job) == queue.word && drain(job).pointee.first == nil
  }

  /// Frees a drain that was taken out of a scheduler, whose slot is the caller's now.
  fileprivate static func free(_ job: Job) {
    let drain = unsafe drain(job)
    let queue = unsafe OperationQueue.reference(drain.pointee.queue)
    unsafe drain.deinitialize(count: 1)
    unsafe drain.deallocate()
    unsafe queue.release()
  }

  fileprivate static func job(_ drain: UnsafeMutablePointer<Drain>) -> Job {
    // SAFETY: the header is the first field of a live drain.
    unsafe Job(
      header: UnsafeMutableRawPointer(drain).assumingMemoryBound(to: JobHeader.self), band: .normal)
  }

  /// The drain behind its job, which the caller holds.
  private static func drain(_ job: Job) -> UnsafeMutablePointer<Drain> {
    // SAFETY: the run function says what the header belongs to; whoever has the job keeps the
    // drain.
    unsafe UnsafeMutableRawPointer(job.header).assumingMemoryBound(to: Drain.self)
  }
}

private func drainRun(_ header: UnsafeMutableRawPointer, _ context: UnsafeMutableRawPointer) -> UInt
{
  let drain = unsafe header.assumingMemoryBound(to: Drain.self)
  let context = unsafe context.assumingMemoryBound(to: WorkerContext.self)
  let queue = unsafe OperationQueue.reference(drain.pointee.queue)
  let first = unsafe drain.pointee.first.take()
  // SAFETY: the drain retains the queue.
  let goesOn = unsafe queue._withUnsafeGuaranteedRef { queue in
    ThreadRecord.withCurrent { record in
      unsafe queue.runDrain(first, on: drain.pointee.elsewhere, record, context)
    }
  }
  let job = unsafe Drain.job(drain)
  if goesOn { unsafe context.pointee.ready.append(job) } else { Drain.free(job) }
  return 0
}

extension OperationQueue {
  /// Runs ready operations in one slot; true when the budget is used up and the slot is still held.
  fileprivate func runDrain(
    _ first: Job?, on elsewhere: (any Scheduler)?, _ record: ThreadRecord,
    _ context: UnsafeMutablePointer<WorkerContext>
  ) -> Bool {
    let deadline = MonotonicTime.nanoseconds() + Drain.timeBudget
    // Drains nest on the inline scheduler: each has its own slot.
    let outer = record.slotIsGone
    record.slotIsGone = false
    defer { record.slotIsGone = outer }
    var next = first
    for _ in 0..<Drain.operationBudget {
      guard let job = next.take() ?? claim() else { return false }
      guard isAt(elsewhere) else {
        // The queue has moved, job and slot follow. Made first, they follow a later move as well.
        let drain = Drain.make(self, first: job)
        scheduler.submit(JobChain(drain))
        return false
      }
      unsafe run(job, on: elsewhere, record, context)
      if record.slotIsGone { return false }
      if MonotonicTime.nanoseconds() > deadline { break }
    }
    return true
  }

  /// Runs a job of the list in a slot, and hands over what it makes ready.
  private func run(
    _ job: Job, on elsewhere: (any Scheduler)?, _ record: ThreadRecord,
    _ context: UnsafeMutablePointer<WorkerContext>
  ) {
    record.claim = word
    let origin = unsafe context.pointee.origin
    unsafe context.pointee.origin = JobOrigin(.readyList)
    let successor = unsafe job.run(in: &context.pointee)
    unsafe context.pointee.origin = origin
    record.claim = 0
    if let successor { unsafe context.pointee.ready.prepend(successor) }
    if unsafe !context.pointee.ready.isEmpty {
      unsafe (elsewhere ?? home.scheduler).submit(context.pointee.takeReady())
    }
  }

  // MARK: A waiting thread in place of a drain

  /// Runs a ready operation on a thread that waits for it; false when that is not in the list, or
  /// may not start now.
  ///
  /// A queue that keeps strict order starts nothing but the first one. The slot is a free one, or
  /// that of a drain which the thread reaches in the scheduler and which would not get there.
  /// O(ready operations and jobs of the scheduler).
  func runFromList(_ operation: Operation, _ record: ThreadRecord) -> Bool {
    guard takeSlot(), let more = claimCount() else { return false }
    carryOut(more)
    guard
      let job = readyList.popFirst(
        onlyFirst: order != nil, where: { Operation.word(behind: $0) == operation.word })
    else {
      // A drain was faster; what it counted on is still there.
      carryOut(changePolicyAndClaim { $0 += PolicyWord.oneReady - PolicyWord.oneRunning })
      return false
    }
    let outer = record.slotIsGone
    record.slotIsGone = false
    unsafe Operation.withContext(of: self) { unsafe run(job, on: elsewhere, record, $0) }
    record.settleCredit()
    if !record.slotIsGone { releaseSlot() }
    record.slotIsGone = outer
    return true
  }

  /// Takes a slot, a free one or a drain's that has begun nothing.
  private func takeSlot() -> Bool { claimSlot() || !isSuspendedNow && takeIdleSlot(of: scheduler) }

  /// Takes the slot of a drain that waits in a scheduler, as far as this thread reaches its jobs,
  /// and has begun nothing.
  func takeIdleSlot(of scheduler: any Scheduler) -> Bool {
    let found = scheduler.awaiting?.withdrawOne { Drain.isIdle($0, of: self) }
    guard let drain = found else { return false }
    Drain.free(drain)
    return true
  }

  /// Claims the best ready job for the slot that the caller holds, or gives the slot up.
  ///
  /// The claim is the start as far as suspension and limit are concerned (contract 112, 115). While
  /// there is room and work for another drain it starts one first: what runs next may block, and
  /// others must not wait for it (contract 114).
  private func claim() -> Job? {
    guard let more = claimCount() else { return nil }
    guard let job = readyList.popFirst() else { missingJob() }
    carryOut(more)
    return job
  }

  /// As `claim()` without taking the job out: what it lets start besides, or nil when the slot is
  /// given up.
  private func claimCount() -> Starts? {
    var isClaimed = false
    let more = changePolicyAndClaim { word in
      // The list of an open queue is its releaser's, who may hold what comes before it.
      isClaimed =
        !PolicyWord.isSuspended(word) && !PolicyWord.isUnlimited(word)
        && PolicyWord.isWithinLimit(word) && PolicyWord.ready(word) > 0
      word -= isClaimed ? PolicyWord.oneReady : PolicyWord.oneRunning
    }
    // What keeps the caller from a claim keeps every other start from one.
    return isClaimed ? more : nil
  }
}
