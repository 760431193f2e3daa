// SPDX-License-Identifier: Apache-2.0

import CSystemShims
import ConcurrencyPrimitives
import Scheduling
import Synchronization

/// The second half of a fork while it is offered to other workers: a job in the stack of the thread that joins it.
///
/// Whoever takes it runs it once; its last access is the step to `done`, after which the owner may return. Page:
/// ForkJoin.md; model: `Tests/Models/forkjoin.pml`.
@safe struct ForkFrame: ~Copyable {
  static let open: UInt32 = 0
  /// The owner sleeps.
  static let parked: UInt32 = 1
  static let done: UInt32 = 2

  let header: JobHeader
  /// The owner keeps the closure until it has joined.
  let body: shim_closure
  let state = Atomic<UInt32>(open)
  /// The worker that runs it, or -1; a hint for the owner.
  let taker = Atomic<Int>(-1)
  /// The owner's thread record, which is never freed.
  let owner: Unmanaged<ThreadRecord>
  /// What runs on the owner's thread, and therefore in this half.
  let surroundings: ThreadRecord.Surroundings

  @inline(__always) init(_ body: shim_closure, of record: ThreadRecord) {
    unsafe header = JobHeader(run: forkFrameRun)
    self.body = body
    unsafe owner = Unmanaged.passUnretained(record)
    surroundings = record.surroundings
  }

  static func job(_ frame: UnsafeMutablePointer<ForkFrame>, in band: PriorityBand) -> Job {
    // SAFETY: the header is the first field (tested), 8-byte aligned like every word.
    unsafe Job(
      header: UnsafeMutableRawPointer(frame).assumingMemoryBound(to: JobHeader.self), band: band)
  }

  /// The run function of frames, to tell them from other jobs.
  private static var runWord: UInt {
    let run: JobHeader.RunFunction = unsafe forkFrameRun
    return unsafe unsafeBitCast(run, to: UInt.self)
  }

  /// Whether a job, which the caller holds, is a frame of the operation or graph run that `surroundings` names.
  static func isFrame(_ job: Job, of surroundings: ThreadRecord.Surroundings) -> Bool {
    guard unsafe unsafeBitCast(job.header.pointee.run, to: UInt.self) == runWord else {
      return false
    }
    // SAFETY: the run function says what the header belongs to; its owner waits for whoever holds the job.
    let other = unsafe UnsafeMutableRawPointer(job.header)
      .assumingMemoryBound(to: ForkFrame.self).pointee.surroundings
    return other.operation == surroundings.operation && other.graph == surroundings.graph
  }

  static func isDone(_ frame: UnsafeMutablePointer<ForkFrame>) -> Bool {
    // acquire, edge Joined: pairs with the exchange in `runTaken`.
    unsafe frame.pointee.state.load(ordering: .acquiring) == done
  }

  /// Runs a frame that was not taken back.
  static func runTaken(
    _ frame: UnsafeMutablePointer<ForkFrame>, _ worker: Int, _ record: ThreadRecord
  ) {
    // relaxed: a hint.
    unsafe frame.pointee.taker.store(worker, ordering: .relaxed)
    let owner = unsafe frame.pointee.owner
    let surroundings = unsafe frame.pointee.surroundings
    // It may run for long.
    record.flushCredit(unlessOf: surroundings.queue)
    let outer = record.replace(surroundings)
    unsafe shim_call_closure(frame.pointee.body)
    _ = record.replace(outer)
    // release, edge Joined: the owner sees what this half wrote. From here on the frame may be gone.
    let before = unsafe frame.pointee.state.exchange(done, ordering: .releasing)
    guard before == parked else { return }
    // SAFETY: thread records live for ever.
    unsafe owner._withUnsafeGuaranteedRef { $0.parker.unpark() }
  }

  /// Waits for a frame that somebody else has taken.
  ///
  /// Runs frames of the same operation that the taker offers, which must end before this one's operation does; then
  /// spins for about as long as a wake-up takes; then has the scheduler replace the worker and sleeps.
  @inline(never)
  static func wait(
    for frame: UnsafeMutablePointer<ForkFrame>, in band: PriorityBand, _ record: ThreadRecord,
    _ scheduler: any Scheduler
  ) {
    record.flushCredit()
    let surroundings = unsafe frame.pointee.surroundings
    var backoff = Backoff()
    var rounds = 0
    while unsafe !isDone(frame) {
      // relaxed: a hint.
      let taker = unsafe frame.pointee.taker.load(ordering: .relaxed)
      let hasHelped =
        taker >= 0
        && scheduler.help(worker: taker, in: band) { job in
          unsafe isFrame(job, of: surroundings) && !isDone(frame)
        }
      if hasHelped {
        record.flushCredit()
        backoff = Backoff()
        rounds = 0
        continue
      }
      guard rounds < roundsBeforeSleep else { return unsafe sleep(frame, record, scheduler) }
      rounds += 1
      backoff.wait()
    }
  }

  private static let roundsBeforeSleep = 64

  private static func sleep(
    _ frame: UnsafeMutablePointer<ForkFrame>, _ record: ThreadRecord, _ scheduler: any Scheduler
  ) {
    // acquire, edge Joined: it fails when the frame is done; else the taker's exchange sees the sleeper and wakes it.
    let (isAnnounced, _) = unsafe frame.pointee.state.compareExchange(
      expected: open, desired: parked, ordering: .acquiring)
    guard isAnnounced else { return }
    scheduler.willBlock()
    defer { scheduler.didUnblock() }
    while unsafe !isDone(frame) { record.parker.park() }
  }
}

/// The run function of frames.
private func forkFrameRun(
  _ header: UnsafeMutableRawPointer, _ context: UnsafeMutableRawPointer
) -> UInt {
  let frame = unsafe header.assumingMemoryBound(to: ForkFrame.self)
  let worker = unsafe context.assumingMemoryBound(to: WorkerContext.self).pointee.worker
  ThreadRecord.withCurrent { record in unsafe ForkFrame.runTaken(frame, worker, record) }
  return 0
}
