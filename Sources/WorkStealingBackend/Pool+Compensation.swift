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
    var shortage = ThreadShortage()
    while case .refused(let refusal) = activateSpare() {
      if retireUnstarted() { return }
      shortage.wait(
        after: refusal,
        "WorkStealingScheduler with \(workerCount) workers, of which all are blocked")
    }
  }

  /// Takes back that a spare is active which the system refuses; false when no other thread can run a job.
  private func retireUnstarted() -> Bool {
    func isNeeded(_ counts: Compensation) -> Bool {
      counts.blocked >= workerCount + counts.retiring.active
    }
    return !isNeeded(changeCompensation { isNeeded($0) ? $0 : $0.retiring })
  }

  /// Has one more spare run than the limit says if every thread is blocked; false when it cannot.
  func compensatePastLimit() -> Bool {
    // sequentially consistent: after the step that counted the caller as blocked, so that of several that
    // block at a time the last one sees all.
    let seen = Compensation(word: compensation.value.load(ordering: .sequentiallyConsistent))
    if seen.replacingLast(workers: workerCount) == seen { return true }
    let before = changeCompensation { $0.replacingLast(workers: workerCount) }
    guard before.replacingLast(workers: workerCount) != before else { return true }
    if case .done = activateSpare(isPastLimit: true) { return true }
    _ = changeCompensation { $0.retiring }
    return false
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
      // sequentially consistent, though no edge rests on it: the numbers decide who runs, and the idle counts and the
      // lock of the threads order what is done.
      let (done, original) = compensation.value.weakCompareExchange(
        expected: counts.word, desired: next(counts).word, ordering: .sequentiallyConsistent)
      if done { return counts }
      counts = Compensation(word: original)
    }
  }

  /// What came of the wish for one more spare.
  private enum Activation {
    case done
    case refused(SystemThreadError)
    /// As many spares exist as the pool has records for.
    case full
  }

  /// Lets a retired spare run again, or starts a new one.
  ///
  /// The spare is counted before it can run, and the caller runs a job: no worker takes the pool for idle meanwhile.
  private func activateSpare(isPastLimit: Bool = false) -> Activation {
    _ = change { $0.arriving }
    let activation = threads.withLock { threads -> Activation in
      if let index = threads.idleSpares.popLast() {
        command(.run, to: index)
      } else if threads.sparesStarted < configuration.compensationLimit || isPastLimit {
        let index = workerCount + threads.sparesStarted
        guard index < workers.capacity else { return .full }
        if index == workers.count { workers.append(makeWorker(index)) }
        // sequentially consistent, edge WorkSeen: everybody who looks after the spare's first publication knows it.
        knownWorkers.value.store(index + 1, ordering: .sequentiallyConsistent)
        do throws(SystemThreadError) { threads.handles.append(try startThread(index)) } catch {
          // Without a thread the record stays empty.
          return .refused(error)
        }
        threads.sparesStarted += 1
      } else {
        // The counts leave room for one more, so some spare is on its way from work to retirement: it turns round.
        threads.pendingActivations += 1
      }
      return .done
    }
    if case .done = activation { return activation }
    _ = change { $0.departing }
    return activation
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
  func retireAsSearcher() -> Bool {
    guard hasSurplus else { return false }
    let before = changeCompensation { $0.hasSurplus ? $0.retiring : $0 }
    guard before.hasSurplus else { return false }
    // The last searcher of a stopping pool stays: nobody else would end it.
    let counts = change { $0.retiring }
    guard !counts.isLastOne else {
      _ = changeCompensation { $0.returning }
      return false
    }
    // Edge SearchHandedOver, as in endSearch().
    if counts.searching == 1, look(excluding: nil) { notify() }
    return true
  }

  /// Waits, retired, for the next order: true to run again, false to end.
  func waitAsSpare(_ worker: Worker) -> Bool {
    let decided: SpareOrder = threads.withLock { threads in
      if threads.pendingActivations > 0 {
        threads.pendingActivations -= 1
        return .run
      }
      if threads.isOver { return .exit }
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

  /// Ends the retired spares, and those that are about to retire: no job runs that could block.
  func dismissSpares() {
    threads.withLock { threads in
      threads.isOver = true
      for index in threads.idleSpares { command(.exit, to: index) }
      threads.idleSpares.removeAll()
    }
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
