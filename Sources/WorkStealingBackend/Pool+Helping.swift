// SPDX-License-Identifier: Apache-2.0

internal import ConcurrencyPrimitives
internal import Scheduling
internal import Synchronization

extension Pool {
  /// How deep jobs may help on one stack.
  static var helpLimit: Int { 64 }

  /// Runs one queued job on the worker's thread, inside the job that waits.
  ///
  /// Its own jobs first, then injected ones, then stolen ones; immediate successors go through the
  /// deque, so that the waiting job looks at its condition between any two jobs.
  func help(_ worker: Worker) -> Bool { help(worker) { jobForHelp(worker, &$0) } }

  /// Runs one of the worker's own jobs that `accepts`, inside the job that waits; where it is the
  /// only worker an injected one as well.
  func helpAwaited(_ worker: Worker, ifAccepted accepts: (Job) -> Bool) -> Bool {
    help(worker) { origin in
      origin = JobOrigin(.ownQueue)
      if let job = popOwn(worker, ifAccepted: accepts) { return job }
      origin = JobOrigin(.injector)
      return injected(worker, ifAccepted: accepts)
    }
  }

  /// How many injected jobs a job that waits looks at, at most.
  static var lookahead: Int { 1024 }

  /// Moves the injected jobs that `accepts` to the only worker's deques, all but the one that is
  /// returned.
  private func injected(_ worker: Worker, ifAccepted accepts: (Job) -> Bool) -> Job? {
    guard workerCount == 1 else { return nil }
    var jobs = injector.take(ofNext: Self.lookahead, where: accepts)
    let first = jobs.popFirst()
    if !jobs.isEmpty { publish(jobs, on: worker) }
    return first
  }

  private func help(_ worker: Worker, with take: (inout JobOrigin) -> Job?) -> Bool {
    // relaxed: the owner's alone.
    let depth = worker.helpDepth.load(ordering: .relaxed)
    var context = WorkerContext(worker: worker.index, scheduler: schedulerIdentity)
    guard depth < Self.helpLimit, let job = take(&context.origin) else { return false }
    worker.helpDepth.store(depth + 1, ordering: .relaxed)
    run(job, worker, &context, bound: 0)
    settle(worker, &context)
    worker.helpDepth.store(depth, ordering: .relaxed)
    worker.count(worker.helped)
    return true
  }

  private func jobForHelp(_ worker: Worker, _ origin: inout JobOrigin) -> Job? {
    if let job = pick(worker, &origin) { return job }
    switch drainInjector(worker) {
    case .job(let job):
      origin = JobOrigin(.injector)
      return job
    case .pushed:
      origin = JobOrigin(.ownQueue)
      return worker.pop(alone: isAlone)
    // One job, since nobody publishes what else a batch would bring.
    case .nothing: return stealRound(worker, batch: 1, &origin)
    }
  }
}
