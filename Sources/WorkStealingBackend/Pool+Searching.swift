// SPDX-License-Identifier: Apache-2.0

internal import ConcurrencyPrimitives
internal import Scheduling
internal import Synchronization

extension Pool {
  /// One round over the injector and every other worker; the caller is counted as a searcher.
  func searchRound(_ worker: Worker) -> Drained {
    let taken = place(injector.takeShare(workers: workerCount), on: worker)
    if case .nothing = taken, let job = stealRound(worker) { return .job(job) }
    return taken
  }

  /// Tries to steal one job: the most urgent band that anybody shows first, then whatever is really there.
  ///
  /// The published masks say where to look first; the second pass does not trust them, so that what `look` sees is
  /// also what a round can take.
  func stealRound(_ worker: Worker) -> Job? {
    // sequentially consistent, edge WorkSeen: a worker started for compensation is known before its first push.
    let count = knownWorkers.value.load(ordering: .sequentiallyConsistent)
    guard count > 1 else { return nil }
    var shown: UInt8 = 0
    for index in 0..<count where index != worker.index {
      // acquiring, edge BandsShown: a hint; pairs with publish().
      shown |= workers.with(index) { $0.publishedBands.load(ordering: .acquiring) }
    }
    let start = worker.randomIndex(below: count)
    while shown != 0 {
      let band = shown.trailingZeroBitCount
      if let job = steal(band, for: worker, from: start, of: count, shownOnly: true) { return job }
      shown &= shown &- 1
    }
    for band in 0..<DequeBank.count {
      if let job = steal(band, for: worker, from: start, of: count, shownOnly: false) { return job }
    }
    return nil
  }

  /// Asks every other worker, beginning at `start`, for a job of one band.
  private func steal(
    _ band: Int, for worker: Worker, from start: Int, of count: Int, shownOnly: Bool
  ) -> Job? {
    var victim = start
    for _ in 0..<count {
      if victim != worker.index {
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
          return Job(word: word)
        case .lostRace: worker.count(worker.lostRaces)
        case .empty: break
        }
      }
      victim &+= 1
      if victim == count { victim = 0 }
    }
    return nil
  }

  /// True when a job is visible in the injector or on any worker's deques but `excluded`'s; every band counts.
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
