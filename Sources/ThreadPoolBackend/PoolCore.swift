// SPDX-License-Identifier: Apache-2.0

internal import CSystemShims
internal import ConcurrencyPrimitives
internal import Scheduling

/// What the threads of a pool share; lives as long as the scheduler object or the last thread,
/// whichever goes later.
final class PoolCore: Sendable {
  let workerCount: Int
  private let stackSize: Int
  private let spinNanoseconds: UInt64
  /// Where the threads run; nil when they are not pinned.
  private let placement: WorkerPlacement?
  private let state: Locked<PoolState>
  private let tokens = WakeTokens()
  private let ended = WakeTokens()

  init(workers: Int, configuration: ThreadPoolConfiguration) {
    workerCount = workers
    stackSize = configuration.stackSize
    spinNanoseconds = configuration.spinBudgetNanoseconds
    placement = WorkerPlacement(
      pinning: configuration.pinning, topology: configuration.topology)
    state = Locked(
      PoolState(workers: workers, usesOneBand: configuration.priorityPolicy == .none))
  }

  var identity: SchedulerIdentity { SchedulerIdentity(object: self) }
  var counters: SchedulerCounters { state.withLock { $0.counters } }

  /// Starts the first threads.
  ///
  /// Called once, before anything else.
  func start() {
    for index in 0..<workerCount {
      do throws(SystemThreadError) { try startThread(index) } catch {
        fatalError("ThreadPoolScheduler with \(workerCount) workers: \(error)")
      }
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
        "ThreadPoolScheduler: jobs were submitted after shutDown() had ended the threads; "
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
    context.origin = JobOrigin(.sharedQueue)
    // SAFETY: the queue gave the job away, once.
    if let successor = unsafe found.job.run(in: &context) { context.ready.prepend(successor) }
    submit(context.takeReady(), areAwaited: found.isAwaited)
    context.prepareToIdle()
    submit(context.takeReady())
    return true
  }

  /// Takes jobs out of the queue, for a worker.
  func withdraw(where accepts: (Job) -> Bool) -> JobChain {
    guard workerIndex != nil else { return JobChain() }
    return state.withLock { $0.queue.removeAll(where: accepts) }
  }

  func willBlock() {
    guard workerIndex != nil else { return }
    carryOut(state.withLock { $0.block() })
  }

  /// Has a thread run although the limit is reached, if all are blocked; false when the system
  /// refuses it.
  func compensatePastLimit() -> Bool {
    guard workerIndex != nil else { return true }
    return carryOut(state.withLock { $0.compensatePastLimit() }, isAskedAgain: true)
  }

  func didUnblock() {
    guard workerIndex != nil else { return }
    state.withLock { $0.unblock() }
  }

  /// Lets the queue run empty and the threads end.
  func stop() { carryOut(state.withLock { $0.stop() }) }

  /// `stop()`, then waits for the last thread.
  func shutDown() {
    if workerIndex != nil {
      fatalError(
        "ThreadPoolScheduler: shutDown() was called from one of its own jobs, which it would wait for; "
          + "call it from a thread outside the pool, or just drop the scheduler.")
    }
    let (summons, mustWait) = state.withLock { state in
      let summons = state.stop()
      if state.alive > 0 { state.joiners += 1 }
      return (summons, state.alive > 0)
    }
    carryOut(summons)
    if mustWait { ended.take() }
  }

  /// Index of the calling thread if it belongs to this pool.
  private var workerIndex: Int? {
    let membership = shim_get_pool()
    return membership.owner == owner ? Int(membership.index) : nil
  }

  private var owner: UInt { UInt(bitPattern: ObjectIdentifier(self)) }

  /// Returns false when the system has refused a thread.
  @discardableResult private func carryOut(
    _ summons: PoolState.Summons, isAskedAgain: Bool = false
  ) -> Bool {
    SchedulerEvents.wakes(summons.wake)
    tokens.add(summons.wake)
    var hasAll = true
    for _ in 0..<summons.start where !startAnnouncedThread(isAskedAgain) { hasAll = false }
    return hasAll
  }

  /// Starts a thread in the place of a blocked one; false when the system refuses it.
  ///
  /// Then the pool goes on with the threads it has. Where none of these could run a job the thread
  /// is asked for again, by the caller of `compensatePastLimit()` or here, and here in the end the
  /// process stops.
  private func startAnnouncedThread(_ isAskedAgain: Bool) -> Bool {
    let index = state.withLock { $0.takeIndex() }
    var shortage = ThreadShortage()
    while true {
      let refusal: SystemThreadError
      do throws(SystemThreadError) {
        try startThread(index)
        return true
      } catch {
        refusal = error
      }
      let summons = state.withLock {
        isAskedAgain || $0.canDoWithoutStart ? $0.startFailed(index: index) : nil
      }
      if let summons {
        carryOut(summons)
        return false
      }
      shortage.wait(
        after: refusal, "ThreadPoolScheduler with \(workerCount) workers, of which all are blocked")
    }
  }

  /// Starts a thread that the state already counts; it detaches itself, `ended` tells of its end.
  private func startThread(_ index: Int) throws(SystemThreadError) {
    let name = "pool-\(index)"
    try SystemThread.start(name: name, stackSize: stackSize) {
      if let placement = self.placement {
        ThreadAffinity.restrict(
          name, to: placement.processors(of: index, workers: self.workerCount))
      }
      self.runWorker(index)
    }.detach()
  }

  /// The life of a worker thread.
  private func runWorker(_ index: Int) {
    shim_set_pool(shim_pool_membership(owner: owner, index: UInt(index)))
    var context = WorkerContext(worker: index, scheduler: identity)
    context.origin = JobOrigin(.sharedQueue)
    SchedulerEvents.begins(worker: index)
    var (step, summons) = state.withLock { $0.arrive() }
    while true {
      carryOut(summons)
      switch step {
      case .run(let job, let bands):
        context.localBands = bands
        // The successor goes through the queue: something older or more urgent may wait there.
        // SAFETY: the queue gave the job away, once.
        if let successor = unsafe job.job.run(in: &context) { context.ready.prepend(successor) }
        (step, summons) = state.withLock {
          $0.finish(context.takeReady(), areAwaited: job.isAwaited)
        }
      case .idle:
        context.prepareToIdle()
        (step, summons) = state.withLock { $0.settle(context.takeReady()) }
      case .sleep:
        SchedulerEvents.parks()
        tokens.take(spinNanoseconds: spinNanoseconds)
        SchedulerEvents.unparks()
        (step, summons) = state.withLock { $0.arrive() }
      case .exit:
        shim_set_pool(shim_pool_membership(owner: 0, index: 0))
        SchedulerEvents.ends()
        ended.add(state.withLock { $0.end(index: index) })
        return
      }
    }
  }
}
