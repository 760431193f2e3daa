// SPDX-License-Identifier: Apache-2.0

internal import ConcurrencyPrimitives
internal import Scheduling
internal import Synchronization

extension Pool {
  /// The life of a worker's thread.
  func runWorker(_ worker: Worker) {
    var context = WorkerContext(worker: worker.index, scheduler: schedulerIdentity)
    SchedulerEvents.begins(worker: worker.index)
    while let job = nextJob(worker, &context) {
      run(job, worker, &context, bound: configuration.chainBound)
    }
    SchedulerEvents.ends()
  }

  var schedulerIdentity: SchedulerIdentity { SchedulerIdentity(object: identity) }

  /// Runs a job and up to `bound` immediate successors in place, publishing what becomes ready
  /// after each.
  ///
  /// A successor goes through the deque instead when the bound is reached or something more urgent
  /// waits here.
  func run(_ job: Job, _ worker: Worker, _ context: inout WorkerContext, bound: Int) {
    guard bandRules.looksOutside else {
      return runByOwnBands(job, worker, &context, bound: bound)
    }
    run(job, worker, &context, bound: bound) { own in own | injector.bands }
  }

  /// `run` for the policies other than strict, out of the way of that one.
  @inline(never) private func runByOwnBands(
    _ job: Job, _ worker: Worker, _ context: inout WorkerContext, bound: Int
  ) {
    run(job, worker, &context, bound: bound) { own in own & bandRules.obeyed }
  }

  /// `run` with the bands that go before a successor, made from those that the worker has; always
  /// inlined, so that the closure is no call.
  @inline(__always) private func run(
    _ job: Job, _ worker: Worker, _ context: inout WorkerContext, bound: Int,
    obeying bands: (UInt8) -> UInt8
  ) {
    var current = job
    var left = bound
    while true {
      context.localBands = bands(worker.ownBandsValue)
      // SAFETY: the caller's job, then successors, which this loop owns.
      let successor = unsafe current.run(in: &context)
      spendJob(worker)
      guard let successor else {
        if !context.ready.isEmpty { publish(context.takeReady(), on: worker) }
        return
      }
      let urgent = bands(worker.ownBandsValue | context.ready.bands)
      if left > 0, urgent & (successor.band.mask &- 1) == 0 {
        if !context.ready.isEmpty { publish(context.takeReady(), on: worker) }
        left -= 1
        current = successor
        context.origin = JobOrigin(.successor)
        continue
      }
      if left == 0 && bound > 0 { pollInjectorNext(worker) }
      context.ready.prepend(successor)
      publish(context.takeReady(), on: worker)
      return
    }
  }

  /// The next job of this worker, after however long a sleep; nil when its thread must end.
  @inline(__always) private func nextJob(
    _ worker: Worker, _ context: inout WorkerContext
  ) -> Job? {
    while true {
      if !mayRetire(worker), let job = pick(worker, &context.origin) { return job }
      switch nextJobElsewhere(worker, &context) {
      case .job(let job): return job
      case .lookAgain: continue
      case .end: return nil
      }
    }
  }

  /// The worker is a compensation thread, and there are too many; a hint.
  @inline(__always) private func mayRetire(_ worker: Worker) -> Bool {
    worker.index >= workerCount && hasSurplus
  }

  /// As `nextJob` for a worker that has picked none, or is to retire.
  @inline(never) private func nextJobElsewhere(
    _ worker: Worker, _ context: inout WorkerContext
  ) -> Idle {
    if mayRetire(worker) {
      settle(worker, &context)
      giveAway(worker)
    } else {
      switch drainInjector(worker) {
      case .job(let job):
        context.origin = JobOrigin(.injector)
        return .job(job)
      case .pushed: return .lookAgain
      case .nothing: break
      }
      settle(worker, &context)
      if worker.ownBandsValue != 0 { return .lookAgain }
    }
    return idle(worker, &context.origin)
  }

  /// Makes results visible that the job layer held back, and publishes what that made ready.
  func settle(_ worker: Worker, _ context: inout WorkerContext) {
    context.prepareToIdle()
    if !context.ready.isEmpty { publish(context.takeReady(), on: worker) }
  }

  /// A job of the worker's own, or an injected one when it is time or more urgent; no waiting.
  @inline(__always) func pick(_ worker: Worker, _ origin: inout JobOrigin) -> Job? {
    // relaxed, both: the owner's alone. Counted before anything else, so that no stream of urgent
    // jobs prevents ageing.
    let picks = worker.picksUntilAgeing.load(ordering: .relaxed)
    worker.picksUntilAgeing.store(
      picks > 0 ? picks &- 1 : worker.ageingPeriod &- 1, ordering: .relaxed)
    if picks == 0, let job = pickForAgeing(worker, &origin) { return job }
    let own = worker.ownBandsValue
    let injected = bandRules.looksOutside ? injector.bands : 0
    // A mask's lowest bit is its most urgent band; a worker without jobs finds any band more
    // urgent.
    let isMoreUrgent = injected.trailingZeroBitCount < own.trailingZeroBitCount
    // relaxed: the owner's alone.
    if isMoreUrgent || worker.jobsUntilInjector.load(ordering: .relaxed) <= 0 {
      worker.jobsUntilInjector.store(configuration.injectorInterval, ordering: .relaxed)
      if case .job(let job) = drainInjector(worker) {
        origin = JobOrigin(.injector)
        return job
      }
    }
    guard let job = worker.pop(alone: isAlone) else { return nil }
    origin = JobOrigin(.ownQueue)
    return job
  }

  /// The oldest job of the least urgent band; the worker's own when an injected one has the same
  /// band, for which `injectorInterval` is the bound.
  private func pickForAgeing(_ worker: Worker, _ origin: inout JobOrigin) -> Job? {
    if injector.bands.leadingZeroBitCount < worker.ownBandsValue.leadingZeroBitCount,
      let job = injector.takeForAgeing()
    {
      origin = JobOrigin(.injector)
      return job
    }
    origin = JobOrigin(.ownQueue)
    return worker.popForAgeing()
  }

  // relaxed, both: the owner's alone.
  @inline(__always) private func spendJob(_ worker: Worker) {
    let left = worker.jobsUntilInjector.load(ordering: .relaxed)
    worker.jobsUntilInjector.store(left &- 1, ordering: .relaxed)
  }

  private func pollInjectorNext(_ worker: Worker) {
    // relaxed: the owner's alone.
    worker.jobsUntilInjector.store(0, ordering: .relaxed)
  }

  /// What became of injected jobs that a worker took.
  enum Drained {
    /// There were none.
    case nothing
    /// One to run now; the others are on the worker's deques.
    case job(Job)
    /// All are on the worker's deques, because it holds something more urgent.
    case pushed
  }

  /// Takes a share of the injected jobs, keeps the oldest to run, and publishes the others on the
  /// worker's deques.
  @inline(__always) func drainInjector(_ worker: Worker) -> Drained {
    guard isAlone, worker.ownBandsValue == 0 else { return drainShare(worker) }
    return injector.takeAlone().map { .job($0) } ?? .nothing
  }

  @inline(never) private func drainShare(_ worker: Worker) -> Drained {
    let share = takeShare(for: worker)
    let isSingle = share.count == 1
    let drained = place(share, on: worker)
    if case .job = drained, isSingle { return drained }
    if case .nothing = drained { return drained }
    publish(on: worker)
    return drained
  }

  /// Takes the worker's share of the injected jobs.
  ///
  /// A single worker without jobs of its own takes one at a time: nobody else wants the lock, and a
  /// walk along many that have left the caches would wait for each, while one can be fetched as the
  /// one before it runs.
  func takeShare(for worker: Worker) -> JobChain {
    injector.takeShare(workers: workerCount, one: workerCount == 1 && worker.ownBandsValue == 0)
  }

  /// Gives a share of the injected jobs to the worker, which pops the oldest first; the caller
  /// publishes.
  func place(_ share: consuming JobChain, on worker: Worker) -> Drained {
    guard let oldest = share.first else { return .nothing }
    // A worker that holds something more urgent runs that first.
    if worker.ownBandsValue & (oldest.band.mask &- 1) != 0 {
      worker.push(share)
      return .pushed
    }
    _ = share.popFirst()
    if !share.isEmpty { worker.push(share) }
    return .job(oldest)
  }
}
