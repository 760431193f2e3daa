// SPDX-License-Identifier: Apache-2.0

internal import ConcurrencyPrimitives
public import Scheduling
internal import Synchronization

/// A scheduler whose workers keep jobs on deques of their own and steal from each other when they
/// run out.
///
/// Jobs that become ready on a worker stay there, newest first; jobs from outside arrive through a
/// shared injector, oldest first. A worker starts the most urgent band that it holds; between
/// workers the order is approximate. Every `ageingInterval`th pick takes the oldest job of the
/// least urgent band, so a job that is behind d others on its worker starts after at most
/// `ageingInterval` × d picks. Idle workers sleep and use no processor time.
///
/// That is the order by the default settings; `WorkStealingConfiguration` changes it. Without
/// ageing there is no bound.
///
/// A worker that blocks between `willBlock()` and `didUnblock()` is replaced by a compensation
/// thread, up to `compensationLimit` at a time; past that only when the last thread waits for other
/// operations. Several pools may exist in a process.
///
/// Bound for others (contract 138): while at most `compensationLimit` operations are blocked in
/// announced waits, none delays another queue's. Beyond that, and where an operation blocks without
/// announcing it, the other workers steal what it holds up, and a job that has d others before it
/// waits for at most ⌈`ageingInterval` × d / workers that are left⌉ times the longest of them.
public final class WorkStealingScheduler: AwaitingScheduler, ForkJoinScheduler {
  let pool: Pool

  /// A pool with `workers` threads, at least 1.
  ///
  /// Stops the process when the configuration is illegal (its `validate()` throws instead), or the
  /// system refuses a thread or a processor to pin it to.
  public init(workers: Int, configuration: WorkStealingConfiguration = .init()) {
    pool = Pool(workers: workers, configuration: configuration)
    pool.start()
  }

  /// Stands for the threads, which outlive this object by the jobs they still have.
  public var identity: SchedulerIdentity { pool.schedulerIdentity }

  /// Regular workers.
  public var workerCount: Int { pool.workerCount }

  /// What the configuration says.
  public var priorityPolicy: PriorityPolicy { pool.configuration.priorityPolicy }

  /// Takes over every job: on the deques of the calling worker, or through the injector from any
  /// other thread.
  ///
  /// At most one system call. From outside it is a fault after `shutDown()`.
  public func submit(_ jobs: consuming JobChain) {
    guard !jobs.isEmpty else { return }
    pool.submit(jobs)
  }

  /// As `submit`: a worker holds what it submits, and finds it there.
  public func submitAwaited(_ jobs: consuming JobChain) { submit(jobs) }

  /// Runs one queued job on the calling worker, 64 levels deep at most.
  public func help() -> Bool { pool.withOwnWorker { pool.help($0) } ?? false }

  /// Runs the newest job on the calling worker's deques that `accepts`, 64 levels deep at most.
  ///
  /// O(jobs above it). Jobs that the worker submits are its own until a thief takes them. The only
  /// worker of a pool takes such jobs from outside as well, once it has none of its own, if they
  /// are among the next 1024.
  public func helpAwaited(ifAccepted accepts: (Job) -> Bool) -> Bool {
    pool.withOwnWorker { pool.helpAwaited($0, ifAccepted: accepts) } ?? false
  }

  /// Takes jobs off the calling worker's own deques; thieves do not see the others meanwhile.
  ///
  /// Where these have none it takes them from those that came from outside, the next 1024 of them,
  /// and where every other thread is blocked from the deques of those.
  public func withdraw(where accepts: (Job) -> Bool) -> JobChain {
    var taken = JobChain()
    _ = pool.withOwnWorker { taken = pool.withdraw($0, where: accepts) }
    return taken
  }

  /// Pushes the job on the calling worker's deque.
  public func offer(_ job: Job) -> Bool {
    @inline(__always) func offer(_ worker: Worker) -> Bool { pool.offer(job, on: worker) }
    return pool.withOwnWorker(offer) ?? false
  }

  /// Pops the job from the calling worker's deque if it is there.
  public func takeBack(_ job: Job) -> Bool {
    @inline(__always) func takeBack(_ worker: Worker) -> Bool { pool.takeBack(job, on: worker) }
    return pool.withOwnWorker(takeBack) ?? false
  }

  /// Steals from one worker.
  public func help(
    worker: Int, in band: PriorityBand, wants: (Job) -> Bool, use: (Job) -> StolenJobUse
  ) -> Bool {
    pool.withOwnWorker { pool.help($0, with: worker, in: band, wants: wants, use: use) } ?? false
  }

  /// Has a compensation thread run in place of the calling worker.
  public func willBlock() { _ = pool.withOwnWorker { _ in pool.willBlock() } }

  /// Has a compensation thread run past the limit if every thread is blocked.
  public func compensatePastLimit() -> Bool {
    pool.withOwnWorker { _ in pool.compensatePastLimit() } ?? true
  }

  /// Takes `willBlock()` back; a compensation thread retires between two jobs.
  public func didUnblock() { _ = pool.withOwnWorker { _ in pool.didUnblock() } }

  /// Lets queued jobs finish, and waits for the end of every thread.
  ///
  /// No thread ends while a job runs: what it submits finds the workers that it always had. Calling
  /// it again does nothing.
  public func shutDown() {
    let isInside = pool.withOwnWorker { _ in true } ?? false
    guard !isInside else {
      fatalError(
        "shutDown() of a work-stealing pool from one of its own jobs; expected a thread outside the pool, "
          + "because it waits for the job. Drop the scheduler instead.")
    }
    pool.stopOnce()
    pool.join()
  }

  /// Sums over all workers.
  public var counters: SchedulerCounters { pool.counters }

  deinit { pool.stopOnce() }
}

extension Pool {
  /// Stops the pool unless that has been done.
  func stopOnce() {
    let isFirst = threads.withLock { threads in
      defer { threads.isStopRequested = true }
      return !threads.isStopRequested
    }
    if isFirst { stop() }
  }

  /// Sums over all workers; exact when the pool is idle.
  var counters: SchedulerCounters {
    var (parks, steals, failedSteals, helped) = (0, 0, 0, 0)
    // relaxed, all: statistics; the caller's knowledge that the pool is idle orders them.
    for index in 0..<workers.count {
      workers.with(index) { worker in
        parks += worker.parks.load(ordering: .relaxed)
        steals += worker.steals.load(ordering: .relaxed)
        failedSteals += worker.failedSteals.load(ordering: .relaxed)
        helped += worker.helped.load(ordering: .relaxed)
      }
    }
    var sum = SchedulerCounters()
    (sum.parks, sum.steals, sum.failedSteals, sum.helped) = (parks, steals, failedSteals, helped)
    sum.wakeUps = wakeUps.value.load(ordering: .relaxed)
    sum.compensations = threads.withLock { $0.sparesStarted }
    return sum
  }
}
