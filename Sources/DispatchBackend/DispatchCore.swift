// SPDX-License-Identifier: Apache-2.0

internal import CDispatchShims
internal import CSystemShims
internal import ConcurrencyPrimitives
internal import Dispatch
internal import Scheduling
internal import Synchronization

/// What the items of a scheduler share; every item in flight keeps it alive.
final class DispatchCore: Sendable {
  /// Jobs that one item runs before it makes room for libdispatch's other work.
  private static let jobsPerItem = 64

  let workerCount: Int
  private let state: Locked<DispatchState>
  private let ended = WakeTokens()

  init(workers: Int) {
    workerCount = workers
    state = Locked(DispatchState(workers: workers, processors: CPUCount.available))
  }

  var identity: SchedulerIdentity { SchedulerIdentity(object: self) }
  var counters: SchedulerCounters { state.withLock { $0.counters } }

  /// Where items go instead of the global queue.
  var target: DispatchQueue? {
    get { state.withLock { $0.target } }
    set {
      // What is let go of is released after the lock.
      let old = state.withLock { state -> DispatchQueue? in
        defer { state.target = newValue }
        return state.target
      }
      withExtendedLifetime(old) {}
    }
  }

  /// Takes over jobs; those that a job of this scheduler waits for come before others of their
  /// band.
  func submit(_ jobs: consuming JobChain, areAwaited: Bool = false) {
    guard !jobs.isEmpty else { return }
    let areAhead = areAwaited && workerIndex != nil
    let (summons, late) = state.withLock {
      ($0.submit(jobs.take(), areAwaited: areAhead), $0.stopped)
    }
    if late {
      fatalError(
        "DispatchScheduler: jobs were submitted after shutDown() had returned; "
          + "submit earlier, or shut down later.")
    }
    carryOut(summons)
  }

  /// Runs the job that `take` takes from the queue on the calling worker.
  func help(_ take: (inout JobQueue) -> QueuedJob?) -> Bool {
    guard let worker = workerIndex else { return false }
    let found = state.withLock { state -> QueuedJob? in
      let job = take(&state.queue)
      if job != nil { state.helped += 1 }
      return job
    }
    guard let found else { return false }
    var context = WorkerContext(worker: worker, scheduler: identity)
    // SAFETY: the queue gave the job away, once.
    if let successor = unsafe found.job.run(in: &context) { context.ready.prepend(successor) }
    submit(context.takeReady(), areAwaited: found.isAwaited)
    context.prepareToIdle()
    submit(context.takeReady())
    return true
  }

  /// Takes jobs out of the queue, for a worker, or on a thread of the target.
  ///
  /// Which threads these are only the caller knows.
  func withdraw(where accepts: (Job) -> Bool) -> JobChain {
    let isWorker = workerIndex != nil
    return state.withLock { state in
      isWorker || state.target != nil ? state.queue.removeAll(where: accepts) : JobChain()
    }
  }

  func willBlock() {
    guard workerIndex != nil else { return }
    carryOut(state.withLock { $0.block() })
  }

  /// Lets an item go past the limit whenever all are blocked and a job is queued; false when the
  /// system refuses its thread, or a queue of the user's has not given it one.
  func compensatePastLimit() -> Bool {
    guard workerIndex != nil else { return true }
    let (summons, hasThread) = state.withLock { ($0.compensatePastLimit(), $0.hasThread) }
    return carryOut(summons, isAskedAgain: true) && hasThread
  }

  func didUnblock() {
    guard workerIndex != nil else { return }
    state.withLock { $0.unblock() }
  }

  func shutDown() {
    if workerIndex != nil {
      fatalError(
        "DispatchScheduler: shutDown() was called from one of its own jobs, which it would wait for; "
          + "call it from another thread, or just drop the scheduler.")
    }
    if state.withLock({ $0.stop() }) { ended.take() }
  }

  /// Worker index of the item that runs on the calling thread, if it is one of this scheduler.
  private var workerIndex: Int? {
    let membership = shim_get_pool()
    return membership.owner == owner ? Int(membership.index) : nil
  }

  private var owner: UInt { UInt(bitPattern: ObjectIdentifier(self)) }

  /// Returns false when the system has refused a thread.
  @discardableResult private func carryOut(
    _ summons: DispatchState.Summons, isAskedAgain: Bool = false
  ) -> Bool {
    var hasAll = true
    if let queue = summons.target {
      for _ in 0..<summons.shared { queue.async { self.runItem(on: queue, isExtra: false) } }
      for _ in 0..<summons.extra { queue.async { self.runItem(on: queue, isExtra: true) } }
      ended.add(summons.ended)
      return true
    }
    for _ in 0..<summons.shared {
      unsafe shim_dispatch_async(
        retainedWord,
        { context in unsafe DispatchCore.take(context)?.runItem(on: nil, isExtra: false) })
    }
    for _ in 0..<summons.own where !startOwnThread(isAskedAgain) { hasAll = false }
    for _ in 0..<summons.extra {
      // relaxed: a count.
      guard Self.extras.add(1, ordering: .relaxed).newValue <= DispatchState.compensationLimit
      else {
        Self.extras.subtract(1, ordering: .relaxed)  // relaxed: as above
        if !startOwnThread(isAskedAgain) { hasAll = false }
        continue
      }
      unsafe shim_dispatch_async_extra(
        retainedWord,
        { context in
          unsafe DispatchCore.take(context)?.runItem(on: nil, isExtra: true)
          DispatchCore.extras.subtract(1, ordering: .relaxed)  // relaxed: as above
        })
    }
    ended.add(summons.ended)
    return hasAll
  }

  /// Extra items that libdispatch has of all schedulers: it has some 255 threads for them in the
  /// process.
  private static let extras = Atomic<Int>(0)

  /// Runs an extra item on a thread that libdispatch does not know; false when the system refuses
  /// it.
  ///
  /// Then the scheduler goes on with the items it has. Where none of these could run a job the
  /// thread is asked for again, by the caller of `compensatePastLimit()` or here, and here in the
  /// end the process stops.
  private func startOwnThread(_ isAskedAgain: Bool) -> Bool {
    var shortage: ThreadShortage?
    while true {
      let refusal: SystemThreadError
      do throws(SystemThreadError) {
        try SystemThread.start(name: "dispatch-own") { self.runItem(on: nil, isExtra: true) }
          .detach()
        if shortage != nil { state.withLock { $0.startRefused() } }
        return true
      } catch {
        refusal = error
      }
      let isFirst = shortage == nil
      let summons = state.withLock { state -> DispatchState.Summons? in
        if isFirst { state.refuseOwn() }
        return isAskedAgain || state.canDoWithoutRefused ? state.giveUpRefused() : nil
      }
      if let summons {
        carryOut(summons)
        return false
      }
      shortage = shortage ?? ThreadShortage()
      shortage?.wait(
        after: refusal, "DispatchScheduler with \(workerCount) workers, of which all are blocked")
    }
  }

  /// This object as a word that owns it.
  private var retainedWord: UInt {
    // SAFETY: the reference is given back by the item that gets the word.
    unsafe UInt(bitPattern: Unmanaged.passRetained(self).toOpaque())
  }

  /// The object behind a word from `retainedWord`, which is used up.
  private static func take(_ context: UnsafeMutableRawPointer?) -> DispatchCore? {
    // SAFETY: libdispatch passes each `retainedWord` to one item, once.
    unsafe context.map { unsafe Unmanaged<DispatchCore>.fromOpaque($0).takeRetainedValue() }
  }

  /// One item: the best job again and again, while there is one and no more items run than workers
  /// are allowed.
  ///
  /// An item of a queue that is the target no more runs nothing.
  private func runItem(on queue: DispatchQueue?, isExtra: Bool) {
    guard let (first, worker) = state.withLock({ $0.arrive(on: queue, isExtra: isExtra) }) else {
      carryOut(state.withLock { $0.summon() })
      return
    }
    shim_set_pool(shim_pool_membership(owner: owner, index: UInt(worker)))
    var context = WorkerContext(worker: worker, scheduler: identity)
    var job = first
    for left in (0..<Self.jobsPerItem).reversed() {
      // SAFETY: the queue gave the job away, once.
      if let successor = unsafe job.job.run(in: &context) { context.ready.prepend(successor) }
      guard left > 0 else { break }
      let (next, summons) = state.withLock {
        $0.advance(on: queue, ready: context.takeReady(), areAwaited: job.isAwaited)
      }
      carryOut(summons)
      guard let next else { break }
      job = next
    }
    leave(worker, isExtra, &context, wasAwaited: job.isAwaited)
  }

  /// The end of an item, which gives back what it holds.
  private func leave(
    _ worker: Int, _ isExtra: Bool, _ context: inout WorkerContext, wasAwaited: Bool
  ) {
    if !context.ready.isEmpty { submit(context.takeReady(), areAwaited: wasAwaited) }
    context.prepareToIdle()
    shim_set_pool(shim_pool_membership(owner: 0, index: 0))
    carryOut(
      state.withLock { $0.leave(worker: worker, isExtra: isExtra, ready: context.takeReady()) })
  }
}
