// SPDX-License-Identifier: Apache-2.0

internal import ConcurrencyPrimitives
internal import Scheduling
internal import Synchronization

extension Pool {
  /// One round over the injector and every other worker; the caller is counted as a searcher.
  func searchRound(_ worker: Worker, _ origin: inout JobOrigin) -> Drained {
    origin = JobOrigin(.injector)
    let taken = place(takeShare(for: worker), on: worker)
    guard case .nothing = taken,
      let job = stealRound(worker, batch: configuration.stealBatch, &origin)
    else { return taken }
    return .job(job)
  }

  /// Tries to steal one job: the most urgent band that anybody shows first, then whatever is really
  /// there.
  ///
  /// With `batch` above 1 further jobs of the same victim and band come along, onto the worker's
  /// own deques, for the caller to publish. The published masks say where to look first; the second
  /// pass does not trust them, so that what `look` sees is also what a round can take. By the
  /// relaxed policy there is no first pass.
  func stealRound(_ worker: Worker, batch: Int, _ origin: inout JobOrigin) -> Job? {
    // sequentially consistent, edge WorkSeen: a worker started for compensation is known before its
    // first push.
    let count = knownWorkers.value.load(ordering: .sequentiallyConsistent)
    guard count > 1 else { return nil }
    let start = worker.randomIndex(below: count)
    guard bandRules.looksOutside else {
      return firstOf(count, from: start, for: worker) { victim in
        for band in 0..<DequeBank.count {
          let job = steal(band, from: victim, for: worker, shownOnly: false, batch: batch, &origin)
          if let job { return job }
        }
        return nil
      }
    }
    var shown: UInt8 = 0
    for index in 0..<count where index != worker.index {
      // acquiring, edge BandsShown: a hint; pairs with publish().
      shown |= workers.with(index) { $0.publishedBands.load(ordering: .acquiring) }
    }
    while shown != 0 {
      let band = shown.trailingZeroBitCount
      let job = firstOf(count, from: start, for: worker) {
        steal(band, from: $0, for: worker, shownOnly: true, batch: batch, &origin)
      }
      if let job { return job }
      shown &= shown &- 1
    }
    for band in 0..<DequeBank.count {
      let job = firstOf(count, from: start, for: worker) {
        steal(band, from: $0, for: worker, shownOnly: false, batch: batch, &origin)
      }
      if let job { return job }
    }
    return nil
  }

  /// The first job that `attempt` gets from another worker, in the thief's order.
  @inline(__always) private func firstOf(
    _ count: Int, from start: Int, for worker: Worker, _ attempt: (_ victim: Int) -> Job?
  ) -> Job? {
    guard worker.victims.isEmpty else { return firstOfNearest(count, for: worker, attempt) }
    var victim = start
    for _ in 0..<count {
      if victim != worker.index, let job = attempt(victim) { return job }
      victim &+= 1
      if victim == count { victim = 0 }
    }
    return nil
  }

  /// The worker's own list, then compensation threads, which have no place.
  private func firstOfNearest(
    _ count: Int, for worker: Worker, _ attempt: (_ victim: Int) -> Job?
  ) -> Job? {
    for victim in worker.victims {
      if let job = attempt(victim) { return job }
    }
    for victim in workerCount..<count where victim != worker.index {
      if let job = attempt(victim) { return job }
    }
    return nil
  }

  /// Asks one worker for a job of one band, and for more of them when the batch is larger.
  @inline(__always) private func steal(
    _ band: Int, from victim: Int, for worker: Worker, shownOnly: Bool, batch: Int,
    _ origin: inout JobOrigin
  ) -> Job? {
    let outcome = workers.with(victim) { victim -> Steal in
      // relaxed: a hint, see stealRound.
      if shownOnly, victim.publishedBands.load(ordering: .relaxed) & 1 << UInt8(band) == 0 {
        return .empty
      }
      return victim.deques.existing(band)?.steal() ?? .empty
    }
    switch outcome {
    case .stolen(let word):
      worker.count(worker.steals)
      SchedulerEvents.steals(from: victim)
      origin = .steal(from: victim)
      if batch > 1 { stealMore(band, from: victim, for: worker, atMost: batch - 1) }
      return unsafe Job(unsafeWord: word)
    case .lostRace:
      worker.count(worker.failedSteals)
      SchedulerEvents.failsToSteal(from: victim)
    case .empty: break
    }
    return nil
  }

  /// Takes the next jobs of a victim one by one: a batch in one step could take what the owner pops
  /// without looking.
  ///
  /// With the one that the caller has they are half of what the victim held, rounded up, so that
  /// two workers do not pass the same jobs to and fro.
  @inline(never) private func stealMore(
    _ band: Int, from victim: Int, for worker: Worker, atMost limit: Int
  ) {
    var jobs = JobChain()
    workers.with(victim) { victim in
      guard let deque = victim.deques.existing(band) else { return }
      let most = min(limit, deque.countForThief / 2)
      while jobs.count < most, case .stolen(let word) = deque.steal(),
        let job = unsafe Job(unsafeWord: word)
      {
        jobs.append(job)
        worker.count(worker.steals)
        SchedulerEvents.steals(from: victim.index)
      }
    }
    if !jobs.isEmpty { worker.push(jobs) }
  }

  /// True when a job is visible in the injector or on any worker's deques but `excluded`'s; every
  /// band counts.
  ///
  /// Part of edge WorkSeen: every load is sequentially consistent, after the caller's announcement.
  func look(excluding excluded: Worker?) -> Bool {
    if !injector.isEmpty { return true }
    // sequentially consistent, edge WorkSeen: see stealRound.
    for index in 0..<knownWorkers.value.load(ordering: .sequentiallyConsistent)
    where index != excluded?.index {
      if !workers.with(index, { $0.looksEmpty }) { return true }
    }
    return false
  }
}
