// SPDX-License-Identifier: Apache-2.0

import CSystemShims
import ConcurrencyPrimitives
import Scheduling
import Synchronization

/// The second half of a fork while it is offered to other workers: a job in the stack of the thread
/// that joins it.
///
/// Whoever takes it runs it once, or sends it home; its last access is the step to `done` or
/// `returned`, after which the owner may return. Page: ForkJoin.md; model:
/// `Tests/Models/forkjoin.pml`.
@safe @usableFromInline struct ForkFrame: ~Copyable {
  /// Bytes that a frame needs; tested.
  @inlinable static var size: Int { 112 }

  /// What has become of a frame; from `returned` on it is the owner's alone.
  enum State: UInt32, AtomicRepresentable {
    case open
    /// The owner sleeps.
    case parked
    /// The taker has not run it: the owner must.
    case returned
    /// It has run.
    case done
  }

  let header: JobHeader
  /// The owner keeps the closure until it has joined.
  let body: shim_closure
  let state = Atomic(State.open)
  /// The thread record of whoever runs it, or 0.
  let taker = Atomic<UInt>(0)
  /// An address of the taker's stack: what it does for this frame lies below.
  let ceiling = Atomic<UInt>(0)
  /// The owner's thread record, which is never freed.
  let owner: Unmanaged<ThreadRecord>
  /// What runs on the owner's thread, and therefore in this half.
  let surroundings: ThreadRecord.Level

  @inline(__always) init(_ body: shim_closure, of record: ThreadRecord) {
    unsafe header = JobHeader(run: forkFrameRun)
    self.body = body
    unsafe owner = Unmanaged.passUnretained(record)
    surroundings = record.level
  }

  static func job(_ frame: UnsafeMutablePointer<ForkFrame>, in band: PriorityBand) -> Job {
    // SAFETY: the header is the first field (tested), 8-byte aligned like every word.
    unsafe Job(
      header: UnsafeMutableRawPointer(frame).assumingMemoryBound(to: JobHeader.self), band: band)
  }

  /// The frame that is a job, which the caller holds; nil when it is something else.
  private static func frame(of job: Job) -> UnsafeMutablePointer<ForkFrame>? {
    guard unsafe job.runs(forkFrameRun) else { return nil }
    // SAFETY: the run function says what the header belongs to; its owner waits for whoever holds
    // the job.
    return unsafe UnsafeMutableRawPointer(job.header).assumingMemoryBound(to: ForkFrame.self)
  }

  /// The end of a frame, once it has one.
  private static func end(_ frame: UnsafeMutablePointer<ForkFrame>) -> State? {
    // acquire, edge Joined: pairs with the exchange in `giveBack`.
    let state = unsafe frame.pointee.state.load(ordering: .acquiring)
    return state == .done || state == .returned ? state : nil
  }

  /// Runs a frame that was not taken back.
  static func runTaken(
    _ frame: UnsafeMutablePointer<ForkFrame>, _ worker: Int, _ record: ThreadRecord
  ) {
    // relaxed: a hint for whoever waits for what runs here.
    record.worker.store(worker, ordering: .relaxed)
    var here: UInt8 = 0
    unsafe withUnsafeMutablePointer(to: &here) { here in
      // relaxed: the next store releases it.
      unsafe frame.pointee.ceiling.store(UInt(bitPattern: here), ordering: .relaxed)
    }
    // release, edge TakerKnown: pairs with the load in `wait`.
    unsafe frame.pointee.taker.store(record.address, ordering: .releasing)
    let surroundings = unsafe frame.pointee.surroundings.onAnotherThread
    // It may run for long.
    record.settleCredit(unlessOf: surroundings.queue)
    let isRecorded = isRecording
    if isRecorded { unsafe recordStart(of: frame, worker) }
    let outer = record.enterLevel(surroundings)
    unsafe shim_call_closure(frame.pointee.body)
    record.leaveLevel(outer)
    if isRecorded { EventRings.note(.finish, UInt(bitPattern: frame)) }
    unsafe giveBack(frame, .done)
  }

  /// Tells the recording of a half that is an operation of its own from here on.
  @inline(never) private static func recordStart(
    of frame: UnsafeMutablePointer<ForkFrame>, _ worker: Int
  ) {
    let address = UInt(bitPattern: frame)
    let operation = unsafe UInt64(frame.pointee.surroundings.operation)
    EventRings.note(.halfTaken, address, argument: operation)
    EventRings.noteStart(address, worker: worker, origin: JobOrigin(.unknown))
  }

  /// The last access of whoever has taken the frame: it has run, or goes home.
  private static func giveBack(_ frame: UnsafeMutablePointer<ForkFrame>, _ end: State) {
    let owner = unsafe frame.pointee.owner
    // release, edge Joined: the owner sees what this half wrote. From here on the frame may be
    // gone.
    let before = unsafe frame.pointee.state.exchange(end, ordering: .releasing)
    guard before == .parked else { return }
    // SAFETY: thread records live for ever.
    unsafe owner._withUnsafeGuaranteedRef { $0.parker.unpark() }
  }

  /// Waits for a frame that somebody else has taken; false when the caller must run it after all.
  ///
  /// Runs frames that the taker has offered since, which must end before this one does; then spins
  /// for about as long as a wake-up takes; then has the scheduler replace the worker and sleeps.
  @inline(never)
  static func wait(
    for frame: UnsafeMutablePointer<ForkFrame>, in band: PriorityBand, _ record: ThreadRecord,
    _ scheduler: any ForkJoinScheduler
  ) -> Bool {
    record.settleCredit()
    var backoff = Backoff()
    var rounds = 0
    while true {
      if let end = unsafe end(frame) { return end == .done }
      if unsafe help(frame, in: band, scheduler) {
        record.settleCredit()
        backoff = Backoff()
        rounds = 0
        continue
      }
      guard rounds < roundsBeforeSleep else { return unsafe sleep(frame, record) }
      rounds += 1
      backoff.wait()
    }
  }

  private static let roundsBeforeSleep = 64

  /// How far below its ceiling the taker's frames are looked for; deeper ones are left to other
  /// thieves.
  private static let reach: UInt = 1 << 20

  /// Runs a frame that the taker of `frame` has offered since it took that.
  ///
  /// It lies below the ceiling in the taker's stack, so all that is on it must end before `frame`
  /// does. A candidate that turns out to be something else becomes this worker's own; a frame goes
  /// home instead: the worker may sleep next, and who waits for that frame could not find it here.
  private static func help(
    _ frame: UnsafeMutablePointer<ForkFrame>, in band: PriorityBand,
    _ scheduler: any ForkJoinScheduler
  ) -> Bool {
    // acquire, edge TakerKnown: its ceiling is known.
    let taker = unsafe frame.pointee.taker.load(ordering: .acquiring)
    guard taker != 0 else { return false }
    // relaxed: see above.
    let ceiling = unsafe frame.pointee.ceiling.load(ordering: .relaxed)
    // SAFETY: thread records live for ever.
    let worker = unsafe Unmanaged<ThreadRecord>.at(taker)._withUnsafeGuaranteedRef { record in
      record.worker.load(ordering: .relaxed)  // relaxed: a hint.
    }
    return scheduler.help(worker: worker, in: band) { job in
      job.word < ceiling && job.word > ceiling &- reach
    } use: { job in
      guard let stolen = unsafe Self.frame(of: job) else { return .keep }
      // Not done when the other was stolen: so the taker was in it when it forked that.
      let owner = unsafe UInt(bitPattern: stolen.pointee.owner.toOpaque())
      if owner == taker, unsafe end(frame) == nil { return .run }
      unsafe giveBack(stolen, .returned)
      return .takenOver
    }
  }

  private static func sleep(
    _ frame: UnsafeMutablePointer<ForkFrame>, _ record: ThreadRecord
  ) -> Bool {
    // acquire, edge Joined: it fails when the frame has an end; else the taker's exchange sees the
    // sleeper and wakes it.
    let (isAnnounced, state) = unsafe frame.pointee.state.compareExchange(
      expected: .open, desired: .parked, ordering: .acquiring)
    guard isAnnounced else { return state == .done }
    let schedulers = record.schedulers
    let half = BlockedWait.Target.half(frame: UInt(bitPattern: frame))
    _ = record.block(on: half, at: schedulers, until: nil) { identities in
      unsafe takeBack(
        frame, from: schedulers.filter { identities.contains($0.identityOfThreads) })
    } sleep: { deadline in
      while unsafe end(frame) == nil, record.parker.park(until: deadline) {}
      return unsafe end(frame) != nil
    }
    return unsafe end(frame) == .done
  }

  /// Whether the frame at an address has an end; by its owner.
  static func hasEnd(frameAt address: UInt) -> Bool {
    // SAFETY: the owner has not returned.
    unsafe end(.at(address)) != nil
  }

  /// Takes a frame back that a worker has which does not come to it, for the owner to run: no
  /// thread is left that would.
  ///
  /// By the owner, which has announced its sleep. False when nobody has it in a queue, or it is not
  /// within reach.
  private static func takeBack(
    _ frame: UnsafeMutablePointer<ForkFrame>, from schedulers: [any Scheduler]
  ) -> Bool {
    let header = UnsafeMutableRawPointer(frame)
    for scheduler in schedulers {
      let job = scheduler.awaiting?.withdrawOne {
        unsafe UnsafeMutableRawPointer($0.header) == header
      }
      guard job != nil else { continue }
      // relaxed: nobody else has the frame any more.
      unsafe frame.pointee.state.store(.returned, ordering: .relaxed)
      return true
    }
    return false
  }

  /// The thread record of whoever runs the frame at an address, or 0; the frame's owner must be
  /// kept from returning.
  static func taker(ofFrameAt address: UInt) -> UInt {
    // SAFETY: the caller has the address from the owner, which has not returned.
    let frame = unsafe UnsafeMutablePointer<ForkFrame>.at(address)
    // acquire, edge TakerKnown.
    return unsafe frame.pointee.taker.load(ordering: .acquiring)
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
