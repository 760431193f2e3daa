// SPDX-License-Identifier: Apache-2.0

internal import ConcurrencyPrimitives
internal import Scheduling
internal import Synchronization

/// A compensation thread ("spare") is a worker like the others, with its own deques, that runs
/// while a regular one is blocked. The blocked worker's jobs stay where thieves find them. When it
/// runs again there is one thread too many: the next spare that is between two jobs gives its jobs
/// away, leaves the search like a searcher that found something (so the parking protocol does not
/// notice) and waits for the next blocker. Model: `parking.pml` with BLOCK.
extension Pool {
  /// The calling worker is about to block.
  func willBlock() {
    let limit = configuration.compensationLimit
    let before = changeCompensation { $0.blocking(limit: limit) }
    if before.blocking(limit: limit).active > before.active { runSpare() }
  }

  /// Has a spare run that the counts have as active.
  ///
  /// Where the system refuses its thread the pool goes on with the threads it has. Only while a job
  /// waits that none of these could run is the thread asked for again, and in the end the process
  /// stops.
  private func runSpare() {
    var shortage = ThreadShortage()
    while case .refused(let refusal) = activateSpare() {
      if retireUnstarted() { return }
      shortage.wait(
        after: refusal,
        "WorkStealingScheduler with \(workerCount) workers, of which all are blocked")
    }
  }

  /// Takes back that a spare is active which the system refuses; false when a job waits that no
  /// other thread could run, and then the spare is counted again.
  private func retireUnstarted() -> Bool {
    let counts = changeCompensation { $0.retiring }.retiring
    guard counts.replacingLast(workers: workerCount) != counts else { return true }
    // Edge ShortageSeen: the announcement is made, now look at everything.
    _ = change { $0.becomingShort }
    guard look(excluding: nil) else { return true }
    return !(change { $0.endingShortage }.isShort && countLast())
  }

  /// The caller has ended a shortage: has a spare run if every thread is blocked still.
  func replaceLastBlocked() { if countLast() { runSpare() } }

  /// Counts a spare as active if every thread is blocked and the limit allows it.
  private func countLast() -> Bool {
    let limit = configuration.compensationLimit
    let before = changeCompensation { $0.replacingLast(workers: workerCount, limit: limit) }
    return before.replacingLast(workers: workerCount, limit: limit) != before
  }

  /// Has one more spare run than the limit says if every thread is blocked; false when it cannot.
  func compensatePastLimit() -> Bool {
    // sequentially consistent: after the step that counted the caller as blocked, so that of
    // several that block at a time the last one sees all.
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

  /// Whether every thread but the caller's is blocked; a hint.
  var isOnlyOneRunning: Bool {
    // relaxed: a look, which decides only who runs what.
    let counts = Compensation(word: compensation.value.load(ordering: .relaxed))
    return workerCount + counts.active == counts.blocked + 1
  }

  private func changeCompensation(_ next: (Compensation) -> Compensation) -> Compensation {
    // relaxed: the exchange decides.
    var counts = Compensation(word: compensation.value.load(ordering: .relaxed))
    while true {
      // sequentially consistent, though no edge rests on it: the numbers decide who runs, and the
      // idle counts and the lock of the threads order what is done.
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
    /// As many spares exist as the pool has room for, or no job will ever run.
    case full
  }

  /// Lets a retired spare run again, or starts a new one.
  ///
  /// The spare is counted before it can run, and somebody is present who does not sleep, the caller
  /// or a blocked worker: none takes the pool for idle meanwhile.
  private func activateSpare(isPastLimit: Bool = false) -> Activation {
    threads.withLock { threads in
      if threads.isOver { return .full }
      if let index = threads.idleSpares.popLast() {
        _ = change { $0.arriving }
        command(.run, to: index)
      } else if threads.spares < configuration.compensationLimit || isPastLimit {
        return startSpare(&threads)
      } else {
        // The counts leave room for one more, so some spare is on its way from work to retirement:
        // it turns round.
        _ = change { $0.arriving }
        threads.pendingActivations += 1
      }
      return .done
    }
  }

  /// Starts the thread of a new spare; under the lock.
  private func startSpare(_ threads: inout Threads) -> Activation {
    guard let number = threads.numbers.take(below: workers.capacity - workerCount) else {
      return .full
    }
    let index = workerCount + number
    while workers.count <= index { workers.append(makeWorker(workers.count)) }
    // relaxed: changed under the lock.
    let known = knownWorkers.value.load(ordering: .relaxed)
    // sequentially consistent, edge WorkSeen: everybody who looks after the spare's first
    // publication knows it.
    knownWorkers.value.store(max(known, index + 1), ordering: .sequentiallyConsistent)
    _ = change { $0.arriving }
    do throws(SystemThreadError) { threads.handles[index] = try startThread(index) } catch {
      // Without a thread the record stays empty.
      let before = change { $0.failing }
      handTokens(before.sleepers - before.failing.sleepers)
      threads.numbers.giveBack(number)
      return .refused(error)
    }
    threads.spares += 1
    threads.sparesStarted += 1
    return .done
  }

  /// Forgets a retired spare that ends for good, and returns the thread that it must join; under
  /// the lock.
  private func forgetSpare(_ index: Int, _ threads: inout Threads) -> SystemThread? {
    threads.spares -= 1
    threads.numbers.giveBack(index - workerCount)
    // sequentially consistent, edge WorkSeen: the spares that thieves and looks miss from now on
    // hold nothing until they are started anew.
    knownWorkers.value.store(
      workerCount + threads.numbers.bound, ordering: .sequentiallyConsistent)
    defer { threads.lastEnded = threads.handles.removeValue(forKey: index) }
    return threads.lastEnded
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
  ///
  /// A spare with a number above those that are kept ends at once.
  func waitAsSpare(_ worker: Worker) -> Bool {
    let (decided, ended) = threads.withLock { threads -> (SpareOrder, SystemThread?) in
      if threads.pendingActivations > 0 {
        threads.pendingActivations -= 1
        return (.run, nil)
      }
      if threads.isOver { return (.exit, nil) }
      if worker.index >= workerCount + sparesKept {
        return (.exit, forgetSpare(worker.index, &threads))
      }
      threads.idleSpares.append(worker.index)
      return (.wait, nil)
    }
    ended?.join()
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
  /// A job that still runs may start another one meanwhile. Several callers share the work, and
  /// none returns before all of it is done.
  func join() {
    while true {
      // acquire: pairs with the release below; read before the look, so that no join is slept
      // through.
      let seen = joined.word.value.load(ordering: .acquiring)
      let (thread, isOver) = threads.withLock { threads -> (SystemThread?, Bool) in
        let thread = threads.handles.popFirst()?.value ?? threads.lastEnded.take()
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
