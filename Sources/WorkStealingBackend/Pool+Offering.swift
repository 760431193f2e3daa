// SPDX-License-Identifier: Apache-2.0

internal import ConcurrencyPrimitives
internal import Scheduling
internal import Synchronization

/// Jobs that their worker means to run itself, unless a thief is faster. The page Deque covers the pop and the steal that
/// decide; a job is offered, and taken back, by the thread that runs the worker.
extension Pool {
  /// Pushes one job on the caller's own deque and wakes a worker if need be.
  @inline(__always) func offer(_ job: Job, on worker: Worker) {
    worker.push(asListed(job))
    worker.publish()
    notify()
  }

  /// Pops `job` if it is still on the caller's deque.
  @inline(__always) func takeBack(_ job: Job, on worker: Worker) -> Bool {
    let job = asListed(job)
    guard let word = worker.deques.owned(Int(job.band.rawValue)).pop() else { return false }
    return word == job.word || dig(for: job, below: word, on: worker)
  }

  /// The job as the deques have it.
  @inline(__always) private func asListed(_ job: Job) -> Job {
    bandRules.usesOneBand ? job.moved(to: bandRules.applied(to: job.band)) : job
  }

  /// Pops what lies above `job` and puts it back where it was; the job itself stays out if it was found.
  ///
  /// Thieves find all of it again when this returns. An offered job that a thief has taken lies below nothing.
  @inline(never) private func dig(for job: Job, below word: UInt, on worker: Worker) -> Bool {
    let band = Int(job.band.rawValue)
    var above = JobChain()
    var isFound = false
    var next = Job(word: word)
    while let candidate = next {
      isFound = candidate == job
      if isFound { break }
      above.append(candidate)
      next = worker.deques.owned(band).pop().flatMap { Job(word: $0) }
    }
    if !above.isEmpty {
      worker.putBack(above, in: band)
      worker.publish()
      notify()
    }
    return isFound
  }

  /// Steals one job of `band` from one worker, for a job that waits for what runs there.
  func help(
    _ worker: Worker, with victim: Int, in band: PriorityBand, use: (Job) -> StolenJobUse
  ) -> Bool {
    // sequentially consistent, edge WorkSeen: as in stealRound.
    guard victim != worker.index, victim >= 0,
      victim < knownWorkers.value.load(ordering: .sequentiallyConsistent)
    else { return false }
    let outcome = workers.with(victim) { victim in
      victim.deques.existing(Int(bandRules.applied(to: band).rawValue))?.steal() ?? .empty
    }
    guard case .stolen(let word) = outcome, let job = Job(word: word) else {
      if case .lostRace = outcome { worker.count(worker.lostRaces) }
      return false
    }
    worker.count(worker.steals)
    switch use(job) {
    case .run: break
    case .keep:
      publish(JobChain(job), on: worker)
      return false
    case .takenOver: return false
    }
    var context = WorkerContext(worker: worker.index, scheduler: schedulerIdentity)
    run(job, worker, &context, bound: 0)
    settle(worker, &context)
    worker.count(worker.helped)
    return true
  }
}
