// SPDX-License-Identifier: Apache-2.0

internal import ConcurrencyPrimitives
internal import Scheduling
internal import Synchronization

extension Pool {
  /// How an idle phase ended.
  enum Idle {
    /// With a job.
    case job(Job)
    /// With jobs on the worker's own deques, or with a new life for a compensation thread.
    case lookAgain
    /// The thread must end.
    case end
  }

  /// Searches, sleeps and searches until there is a job; the worker holds none of its own.
  ///
  /// The steps follow the model `parking.pml`, whose labels are in brackets.
  func idle(_ worker: Worker, _ origin: inout JobOrigin) -> Idle {
    let before = change { $0.entering(limit: searchLimit) }
    var mustPark = before.searching >= searchLimit
    while true {
      if mustPark, !takeToken(worker) { return .end }  // [park]
      mustPark = false
      if worker.index >= workerCount, retireAsSearcher() {
        return waitAsSpare(worker) ? .lookAgain : .end
      }
      SchedulerEvents.beginsSearch()
      switch searchForAWhile(worker, &origin) {  // [search]
      case .job(let job):
        SchedulerEvents.endsSearch()
        endSearch(worker)
        return .job(job)
      case .pushed:
        SchedulerEvents.endsSearch()
        endSearch(worker)
        return .lookAgain
      case .nothing: break
      }
      switch giveUp(worker) {  // [give up]
      case .searchAgain: break
      case .park: mustPark = true
      case .leave: return .end
      }
    }
  }

  /// Changes the idle counts in one step and returns what they were.
  func change(_ next: (IdleCounts) -> IdleCounts) -> IdleCounts {
    // relaxed: the exchange decides.
    var counts = IdleCounts(word: idleCounts.value.load(ordering: .relaxed))
    while true {
      // sequentially consistent, edges WorkSeen and WakerCounts: an announcement in the total order
      // before the look that follows it.
      let (done, original) = idleCounts.value.weakCompareExchange(
        expected: counts.word, desired: next(counts).word, ordering: .sequentiallyConsistent)
      if done { return counts }
      counts = IdleCounts(word: original)
    }
  }

  /// At least one round, then more until the spin budget is spent.
  private func searchForAWhile(_ worker: Worker, _ origin: inout JobOrigin) -> Drained {
    var deadline: UInt64?
    while true {
      let found = searchRound(worker, &origin)
      guard case .nothing = found else { return found }
      guard spinBudget > 0 else { return .nothing }
      let now = MonotonicTime.nanoseconds()
      let end = deadline ?? now &+ spinBudget
      guard now < end else { return .nothing }
      deadline = end
      for _ in 0..<8 { spinPause() }
    }
  }

  /// Leaves the search with something in hand; the last searcher hands the search over if more is
  /// visible.
  func endSearch(_ worker: Worker) {
    worker.publish()
    // sequentially consistent, edge SearchHandedOver: a producer that saw this searcher and woke
    // nobody published before this step, so the look sees its jobs.
    let before = IdleCounts(
      word: idleCounts.value.wrappingSubtract(
        IdleCounts.oneSearcher, ordering: .sequentiallyConsistent
      ).oldValue)
    if before.searching == 1, look(excluding: nil) { notify() }
  }

  /// What a searcher that found nothing does next.
  private enum GaveUp {
    case searchAgain
    case park
    case leave
  }

  private func giveUp(_ worker: Worker) -> GaveUp {
    let before = change { $0.givingUp }
    if before.isLastOne { return endUnlessSeen(worker) ? .leave : .searchAgain }
    // Edge WorkSeen: the announcement is made, now look at everything once more. Only the last
    // searcher must: the others leave somebody behind who will.
    let isSeen = before.searching == 1 && look(excluding: worker)
    if isSeen {
      let was = change { $0.sleepers > 0 ? $0.wakingOne : $0 }
      // Without a sleeper's place to take back, a waker has taken it and a token is on its way.
      if was.sleepers > 0 { return .searchAgain }
    }
    return .park
  }

  /// The last look of a stopping pool: ends it when no job is visible, else returns false.
  ///
  /// The caller is the only searcher and everybody else sleeps, so no job runs. Whoever begins to
  /// search meanwhile, because he had announced his sleep and then saw a job, takes the closing bit
  /// back, and the look counts no more.
  private func endUnlessSeen(_ worker: Worker) -> Bool {
    // Edge LastLook: after the step that set the closing bit, so it sees what every sleeper and
    // submitter published.
    guard !look(excluding: worker) else { return false }
    let before = change { $0.isClosing && $0.isLastOne ? $0.ending : $0 }
    guard before.isClosing, before.isLastOne else { return false }
    dismissSpares()
    handTokens(before.sleepers)
    return true
  }

  /// Sleeps until there is a token and takes it; the waker has counted this worker as a searcher,
  /// or the pool is over and this returns false.
  private func takeToken(_ worker: Worker) -> Bool {
    worker.count(worker.parks)
    SchedulerEvents.parks()
    defer { SchedulerEvents.unparks() }
    // relaxed: the exchange decides.
    var count = tokens.word.value.load(ordering: .relaxed)
    while true {
      if count == 0 {
        _ = tokens.wait(while: 0)
        count = tokens.word.value.load(ordering: .relaxed)  // relaxed: as above.
        continue
      }
      // acquiring, edge TokenHanded: pairs with the addition in handTokens().
      let (done, original) = tokens.word.value.weakCompareExchange(
        expected: count, desired: count - 1,
        successOrdering: .acquiring, failureOrdering: .relaxed)
      // relaxed: edge TokenHanded has ordered it; the last tokens are handed out after the step
      // that ends the pool.
      if done { return !IdleCounts(word: idleCounts.value.load(ordering: .relaxed)).isOver }
      count = original
    }
  }

  /// Has the pool end once no job runs: the last worker to find nothing sends everybody home.
  ///
  /// Any thread, once. Until then they sleep and are woken as ever, because a job that runs may
  /// submit others and wait for them.
  func stop() {
    let before = change { $0.stopping }
    if before.isAsleep { handTokens(1) }
  }
}
