// SPDX-License-Identifier: Apache-2.0

internal import ConcurrencyPrimitives
internal import Scheduling
internal import Synchronization

/// Jobs that their worker means to run itself, unless a thief is faster. The page Deque covers the
/// pop and the steal that decide; a job is offered, and taken back, by the thread that runs the
/// worker.
extension Pool {
  /// Pushes one job on the caller's own deque and wakes a worker if need be; true.
  ///
  /// On top of another one without the fence of a publication: see Parking.md, "Offered jobs".
  @inline(__always) func offer(_ job: Job, on worker: Worker) -> Bool {
    // Where all bands are one the other deques are never made.
    let isOnTop = worker.deques.existing(Int(job.band.rawValue))?.pushOnTop(job.word) ?? false
    if isOnTop {
      if isAlone { return true }
      // relaxed: a hint.
      let counts = IdleCounts(word: idleCounts.value.load(ordering: .relaxed))
      if !counts.needsWake { return true }
    }
    return publishOffer(job, on: worker, isPushed: isOnTop)
  }

  /// The rest of `offer`, in its last step, so that the usual case has no call to make.
  @inline(never) private func publishOffer(_ job: Job, on worker: Worker, isPushed: Bool) -> Bool {
    if !isPushed { worker.push(JobChain(asListed(job))) }
    publish(on: worker)
    return true
  }

  /// Pops `job` if it is still on the caller's deque; one that a thief has taken lies below
  /// nothing.
  @inline(__always) func takeBack(_ job: Job, on worker: Worker) -> Bool {
    guard let deque = worker.deques.existing(Int(job.band.rawValue)) else {
      return takeBackAsListed(job, on: worker)
    }
    let word: UInt?
    if isAlone {
      word = deque.pop(alone: true)
      if word == job.word { return true }
    } else {
      word = deque.pop()
      // sequentially consistent, edge WorkSeen: after the pop's store of `bottom`, which shows what
      // is left.
      let counts = IdleCounts(word: idleCounts.value.load(ordering: .sequentiallyConsistent))
      if word == job.word, !counts.needsWake { return true }
    }
    guard let word else { return false }
    return takeBack(job, popped: word, on: worker)
  }

  /// `takeBack` for a band that has no deque of its own.
  @inline(never) private func takeBackAsListed(_ job: Job, on worker: Worker) -> Bool {
    let job = asListed(job)
    guard let word = worker.deques.existing(Int(job.band.rawValue))?.pop() else { return false }
    return takeBack(job, popped: word, on: worker)
  }

  /// The rest of `takeBack`, in its last step: another job was on top, or somebody may sleep.
  @inline(never) private func takeBack(_ job: Job, popped word: UInt, on worker: Worker) -> Bool {
    let band = Int(job.band.rawValue)
    guard word == job.word else { return dig(band, from: word, on: worker) { $0 == job } != nil }
    if !worker.deques.owned(band).isEmptyForOwner { publish(on: worker) }
    return true
  }

  /// Pops the newest of the caller's own jobs that `accepts`, of the most urgent band that has one.
  ///
  /// O(own jobs above it), and O(own jobs) when there is none; thieves do not see the jobs above
  /// meanwhile.
  func popOwn(_ worker: Worker, ifAccepted accepts: (Job) -> Bool) -> Job? {
    var bands = worker.ownBandsValue
    while bands != 0 {
      let band = bands.trailingZeroBitCount
      if let word = worker.deques.owned(band).pop(),
        let job = dig(band, from: word, on: worker, for: accepts)
      {
        return job
      }
      bands &= bands &- 1
    }
    return nil
  }

  /// Pops the caller's own jobs, and puts those back that `accepts` does not; looks elsewhere where
  /// it takes none; O(own jobs), and O(jobs seen elsewhere).
  func withdraw(_ worker: Worker, where accepts: (Job) -> Bool) -> JobChain {
    var taken = JobChain()
    var bands = worker.ownBandsValue
    while bands != 0 {
      let band = bands.trailingZeroBitCount
      var kept = JobChain()
      while let job = worker.deques.owned(band).pop().flatMap({ unsafe Job(unsafeWord: $0) }) {
        if accepts(job) { taken.append(job) } else { kept.append(job) }
      }
      if !kept.isEmpty {
        worker.putBack(kept, in: band)
        publish(on: worker)
      }
      bands &= bands &- 1
    }
    return taken.isEmpty ? withdrawElsewhere(worker, where: accepts) : taken
  }

  /// Takes injected jobs, or, where every other thread is blocked, jobs of those; what else they
  /// have becomes the caller's.
  private func withdrawElsewhere(_ worker: Worker, where accepts: (Job) -> Bool) -> JobChain {
    var taken = injector.take(ofNext: Self.lookahead, where: accepts)
    guard taken.isEmpty, isOnlyOneRunning else { return taken }
    var kept = JobChain()
    var origin = JobOrigin(.unknown)
    while let job = stealRound(worker, batch: 1, &origin) {
      if accepts(job) { taken.append(job) } else { kept.append(job) }
    }
    if !kept.isEmpty { publish(kept, on: worker) }
    return taken
  }

  /// The job as the deques have it.
  @inline(__always) private func asListed(_ job: Job) -> Job {
    bandRules.usesOneBand ? job.moved(to: bandRules.applied(to: job.band)) : job
  }

  /// Pops jobs of a band, the first of which is `word`, up to one that `accepts`, and puts the
  /// others back where they were.
  ///
  /// Thieves find all of them again when this returns.
  @inline(never) private func dig(
    _ band: Int, from word: UInt, on worker: Worker, for accepts: (Job) -> Bool
  ) -> Job? {
    var above = JobChain()
    var next = unsafe Job(unsafeWord: word)
    while let candidate = next, !accepts(candidate) {
      above.append(candidate)
      next = worker.deques.owned(band).pop().flatMap { unsafe Job(unsafeWord: $0) }
    }
    if !above.isEmpty {
      worker.putBack(above, in: band)
      publish(on: worker)
    }
    return next
  }

  /// Steals one job of `band` from one worker, for a job that waits for what runs there.
  func help(
    _ worker: Worker, with victim: Int, in band: PriorityBand, wants: (Job) -> Bool,
    use: (Job) -> StolenJobUse
  ) -> Bool {
    // sequentially consistent, edge WorkSeen: as in stealRound.
    guard victim != worker.index, victim >= 0,
      victim < knownWorkers.value.load(ordering: .sequentiallyConsistent)
    else { return false }
    let outcome = workers.with(victim) { victim in
      victim.deques.existing(Int(bandRules.applied(to: band).rawValue))?
        .steal { unsafe Job(unsafeWord: $0).map(wants) ?? false } ?? .empty
    }
    guard case .stolen(let word) = outcome, let job = unsafe Job(unsafeWord: word) else {
      if case .lostRace = outcome {
        worker.count(worker.failedSteals)
        SchedulerEvents.failsToSteal(from: victim)
      }
      return false
    }
    worker.count(worker.steals)
    SchedulerEvents.steals(from: victim)
    switch use(job) {
    case .run: break
    case .keep:
      publish(JobChain(job), on: worker)
      return false
    case .takenOver: return false
    }
    var context = WorkerContext(worker: worker.index, scheduler: schedulerIdentity)
    context.origin = .steal(from: victim)
    run(job, worker, &context, bound: 0)
    settle(worker, &context)
    worker.count(worker.helped)
    return true
  }
}
