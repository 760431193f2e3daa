// SPDX-License-Identifier: Apache-2.0

internal import ConcurrencyPrimitives
internal import Scheduling
internal import Synchronization

extension Pool {
  /// The life of a worker's thread.
  func runWorker(_ worker: Worker) {
    var context = WorkerContext(worker: worker.index, scheduler: schedulerIdentity)
    while let job = nextJob(worker, &context) {
      run(job, worker, &context, bound: configuration.chainBound)
    }
  }

  var schedulerIdentity: SchedulerIdentity { SchedulerIdentity(object: identity) }

  /// Runs a job and up to `bound` immediate successors in place, publishing what becomes ready after each.
  ///
  /// A successor goes through the deque instead when the bound is reached or something more urgent waits here.
  func run(_ job: Job, _ worker: Worker, _ context: inout WorkerContext, bound: Int) {
    var current = job
    var left = bound
    while true {
      context.localBands = worker.ownBandsValue | injector.bands
      let successor = current.run(in: &context)
      spendJob(worker)
      guard let successor else {
        if !context.ready.isEmpty { publish(context.takeReady(), on: worker) }
        return
      }
      let urgent = worker.ownBandsValue | injector.bands | context.ready.bands
      if left > 0, urgent & (successor.band.mask &- 1) == 0 {
        if !context.ready.isEmpty { publish(context.takeReady(), on: worker) }
        left -= 1
        current = successor
        continue
      }
      if left == 0 && bound > 0 { pollInjectorNext(worker) }
      context.ready.prepend(successor)
      publish(context.takeReady(), on: worker)
      return
    }
  }

  /// The next job of this worker, after however long a sleep; nil when its thread must end.
  func nextJob(_ worker: Worker, _ context: inout WorkerContext) -> Job? {
    while true {
      if worker.index >= workerCount && hasSurplus {
        settle(worker, &context)
        giveAway(worker)
      } else {
        if let job = pick(worker) { return job }
        switch drainInjector(worker) {
        case .job(let job): return job
        case .pushed: continue
        case .nothing: break
        }
        settle(worker, &context)
        if worker.ownBandsValue != 0 { continue }
      }
      switch idle(worker) {
      case .job(let job): return job
      case .lookAgain: continue
      case .end: return nil
      }
    }
  }

  /// Makes results visible that the job layer held back, and publishes what that made ready.
  func settle(_ worker: Worker, _ context: inout WorkerContext) {
    context.prepareToIdle()
    if !context.ready.isEmpty { publish(context.takeReady(), on: worker) }
  }

  /// A job of the worker's own, or an injected one when it is time or more urgent; no waiting.
  func pick(_ worker: Worker) -> Job? {
    let own = worker.ownBandsValue
    let injected = injector.bands
    // A mask's lowest bit is its most urgent band; a worker without jobs finds any band more urgent.
    let isMoreUrgent = injected.trailingZeroBitCount < own.trailingZeroBitCount
    // relaxed: the owner's alone.
    if isMoreUrgent || worker.jobsUntilInjector.load(ordering: .relaxed) <= 0 {
      worker.jobsUntilInjector.store(configuration.injectorInterval, ordering: .relaxed)
      if case .job(let job) = drainInjector(worker) { return job }
    }
    // relaxed: the owner's alone.
    let picks = worker.picksUntilAgeing.load(ordering: .relaxed)
    guard picks > 0 else {
      worker.picksUntilAgeing.store(configuration.ageingInterval &- 1, ordering: .relaxed)
      return worker.popForAgeing() ?? worker.pop()
    }
    worker.picksUntilAgeing.store(picks &- 1, ordering: .relaxed)
    return worker.pop()
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

  /// What became of the injector's jobs.
  enum Drained {
    /// There were none.
    case nothing
    /// One to run now; the others are on the worker's deques.
    case job(Job)
    /// All are on the worker's deques, because it holds something more urgent.
    case pushed
  }

  /// Moves every injected job to the worker's own deques, keeps the oldest to run, and publishes the rest.
  func drainInjector(_ worker: Worker) -> Drained {
    guard let newest = injector.takeAll() else { return .nothing }
    guard newest.next != nil || mustQueue(newest, worker) else { return .job(newest) }
    let drained = moveChain(newest, to: worker)
    // Both steps at once, edge WorkSeen: without the sequentially consistent store the wake could be missed.
    worker.publish()
    notify()
    return drained
  }

  /// Pushes a taken chain, newest first, so that the worker pops the oldest first; the caller publishes.
  func moveChain(_ newest: Job, to worker: Worker) -> Drained {
    var job = newest
    var pushed = 0
    while let older = job.next {
      worker.push(job)
      job = older
      pushed += 1
      // A long chain is offered to others while it is still being moved.
      if pushed == Self.earlyOffer {
        worker.publish()
        notify()
      }
    }
    guard mustQueue(job, worker) else { return .job(job) }
    worker.push(job)
    return .pushed
  }

  private static var earlyOffer: Int { 64 }

  /// True when the worker holds something more urgent than `job`.
  private func mustQueue(_ job: Job, _ worker: Worker) -> Bool {
    worker.ownBandsValue & (job.band.mask &- 1) != 0
  }
}
