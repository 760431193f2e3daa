// SPDX-License-Identifier: Apache-2.0

internal import ConcurrencyPrimitives
internal import Scheduling
internal import Synchronization

/// A compensation thread ("spare") is a worker like the others, with its own deques, that runs while a regular one is
/// blocked. The blocked worker's jobs stay where thieves find them. When it runs again there is one thread too many:
/// the next spare that is between two jobs gives its jobs away, leaves the search like a searcher that found something
/// (so the parking protocol does not notice) and waits for the next blocker. Model: `parking.pml` with BLOCK.
extension Pool {
  /// The calling worker is about to block.
  func willBlock() {
    let before = changeCompensation { $0.blocking(limit: configuration.compensationLimit) }
    guard before.blocking(limit: configuration.compensationLimit).active > before.active else {
      return
    }
    if !activateSpare() { _ = changeCompensation { $0.retiring } }
  }

  /// The calling worker runs again.
  func didUnblock() { _ = changeCompensation { $0.unblocking } }

  /// True when more compensation threads run than workers are blocked; a hint.
  var hasSurplus: Bool {
    // relaxed: the exchange in retireAsSearcher decides.
    Compensation(word: compensation.value.load(ordering: .relaxed)).hasSurplus
  }

  private func changeCompensation(_ next: (Compensation) -> Compensation) -> Compensation {
    // relaxed: the exchange decides.
    var counts = Compensation(word: compensation.value.load(ordering: .relaxed))
    while true {
      // sequentially consistent, edge BlockSeen: in the total order between a blocker's publications and the look of
      // a spare that retires while the pool stops.
      let (done, original) = compensation.value.weakCompareExchange(
        expected: counts.word, desired: next(counts).word, ordering: .sequentiallyConsistent)
      if done { return counts }
      counts = Compensation(word: original)
    }
  }

  /// Lets a retired spare run again, or starts a new one; false when neither is possible.
  private func activateSpare() -> Bool {
    threads.withLock { threads in
      if let index = threads.idleSpares.popLast() {
        command(.run, to: index)
      } else if threads.sparesStarted < configuration.compensationLimit {
        let index = workerCount + threads.sparesStarted
        // sequentially consistent, edge WorkSeen: everybody who looks after the spare's first publication knows it.
        knownWorkers.value.store(index + 1, ordering: .sequentiallyConsistent)
        // Without a thread the record stays empty and the blocked worker uncompensated, which help() bears.
        guard let thread = try? startThread(index) else { return false }
        threads.sparesStarted += 1
        threads.handles.append(thread)
      } else {
        // The counts leave room for one more, so some spare is on its way from work to retirement: it turns round.
        threads.pendingActivations += 1
      }
      threads.participants += 1
      return true
    }
  }

  private func command(_ order: SpareOrder, to index: Int) {
    workers.with(index) { spare in
      // releasing, edge SpareOrdered: pairs with the exchange in waitAsSpare().
      spare.order.store(order, ordering: .releasing)
      spare.parker.unpark()
    }
  }

  /// Moves a spare's own jobs to the injector, where the others find them.
  func giveAway(_ worker: Worker) {
    var jobs = JobChain()
    while let job = worker.pop(alone: false) { jobs.append(job) }
    guard !jobs.isEmpty else { return }
    worker.publish()
    injector.push(jobs)
    notify()
  }

  /// Retires a spare that is counted as a searcher and holds no jobs; false when it must go on.
  func retireAsSearcher(_ worker: Worker) -> Bool {
    guard hasSurplus else { return false }
    let before = changeCompensation { $0.hasSurplus ? $0.retiring : $0 }
    guard before.hasSurplus else { return false }
    // While the pool stops, a searcher leaves by giving up only, because it may be the last that can run a job.
    let counts = change { $0.isStopping ? $0 : $0.endingSearch }
    guard !counts.isStopping else {
      _ = changeCompensation { $0.returning }
      return false
    }
    // Edge SearchHandedOver, as in endSearch().
    if counts.searching == 1, look(excluding: nil) { notify() }
    return true
  }

  /// Gives up a worker's place because the pool stops; false when it searches again.
  ///
  /// A job that still runs may block and need another thread. Edge BlockSeen: either the blocker finds this worker gone
  /// and has another thread run, or the look, which comes after the step, sees what the blocker published before.
  func leave(_ worker: Worker) -> Bool {
    let isSpare = worker.index >= workerCount
    _ = changeCompensation { isSpare ? $0.retiring : $0.leaving }
    guard look(excluding: worker) else { return true }
    _ = changeCompensation { isSpare ? $0.returning : $0.unblocking }
    _ = change { $0.startingSearch }
    return false
  }

  /// The end of a regular worker; a spare waits for another blocker, and returns true when there is one.
  func waitAsSpareOrEnd(_ worker: Worker) -> Bool {
    guard worker.index < workerCount else { return waitAsSpare(worker) }
    threads.withLock { threads in
      threads.participants -= 1
      if threads.participants == 0 { dismissSpares(&threads) }
    }
    return false
  }

  /// Waits, retired, for the next order: true to run again, false to end.
  func waitAsSpare(_ worker: Worker) -> Bool {
    let decided: SpareOrder = threads.withLock { threads in
      threads.participants -= 1
      if threads.pendingActivations > 0 {
        threads.pendingActivations -= 1
        return .run
      }
      if threads.participants == 0 {
        dismissSpares(&threads)
        return .exit
      }
      threads.idleSpares.append(worker.index)
      return .wait
    }
    guard decided == .wait else { return decided == .run }
    while true {
      worker.parker.park()
      // acquiring, edge SpareOrdered: pairs with the store in command().
      switch worker.order.exchange(.wait, ordering: .acquiring) {
      case .wait: continue
      case .run: return true
      case .exit: return false
      }
    }
  }

  /// Ends the retired spares: the last thread that was not retired is leaving, so no job runs that could block.
  private func dismissSpares(_ threads: inout Threads) {
    for index in threads.idleSpares { command(.exit, to: index) }
    threads.idleSpares.removeAll()
  }

  /// Waits for the end of every thread.
  ///
  /// A job that still runs may start another one meanwhile. Several callers share the work, and none returns before all
  /// of it is done.
  func join() {
    while true {
      // acquire: pairs with the release below; read before the look, so that no join is slept through.
      let seen = joined.word.value.load(ordering: .acquiring)
      let (thread, isOver) = threads.withLock { threads -> (SystemThread?, Bool) in
        let thread = threads.handles.popLast()
        if thread != nil { threads.beingJoined += 1 }
        return (thread, threads.beingJoined == 0)
      }
      if isOver { return }
      guard let thread else {
        _ = joined.wait(while: seen)
        continue
      }
      thread.join()
      threads.withLock { $0.beingJoined -= 1 }
      // release: pairs with the acquire above.
      joined.word.value.wrappingAdd(1, ordering: .releasing)
      joined.wake(.max)
    }
  }
}
