// SPDX-License-Identifier: Apache-2.0

#if OneTBB
  public import Scheduling

  /// Jobs on oneTBB's threads: a back end for a library of another language, written against
  /// `Scheduling` alone.
  ///
  /// The jobs wait in one of oneTBB's concurrent queues per band. oneTBB gets an anonymous task per
  /// job, each of which runs the best job of the moment it starts.
  ///
  /// - Order: the most urgent band first, first in, first out within a band, as seen by each task
  ///   when it starts, the immediate successor of a job included, which runs in place when it is
  ///   the best job, 64 times in a row at most. Exact for one worker and one submitter; jobs that
  ///   come from several threads at the same time may change places.
  /// - Fairness: none between bands: a flood of urgent jobs starves the others.
  /// - Concurrency: an arena of `workerCount` slots, none reserved for threads outside oneTBB. Its
  ///   threads search for some time before they sleep, so an idle pool uses the processor for a
  ///   moment.
  /// - Compensation: while workers are between `willBlock()` and `didUnblock()` and jobs wait, as
  ///   many threads of the pool's own run them, 256 at most; past that where all are blocked and
  ///   one has called `compensatePastLimit()`. Jobs that block beside idle workers take these from
  ///   other schedulers of this class: oneTBB counts the blocked threads, but no idle one, as what
  ///   their scheduler wants, and starts no more for all than they want together. So a job should
  ///   not wait for one of another scheduler of this class.
  /// - Counted: `helped` and `compensations`; oneTBB does not tell when its threads sleep, wake and
  ///   steal.
  public final class OneTBBScheduler: Scheduler {
    private let core: OneTBBCore

    /// A scheduler; oneTBB starts its threads when the first jobs come.
    ///
    /// - Parameter workers: how many jobs may run at the same time, 1 or more.
    public init(workers: Int) {
      guard (1...1024).contains(workers) else {
        fatalError("OneTBBScheduler: workers is \(workers); expected 1 to 1024.")
      }
      core = OneTBBCore(workers: workers)
    }

    deinit { core.release() }

    /// Identity of what the tasks share; they may outlive this object.
    public var identity: SchedulerIdentity { core.identity }

    /// How many jobs run at the same time.
    public var workerCount: Int { core.workerCount }

    /// Strict.
    public var priorityPolicy: PriorityPolicy { .strict }

    /// Queues the jobs and hands oneTBB a task for each.
    ///
    /// Any thread; O(jobs).
    public func submit(_ jobs: consuming JobChain) { core.submit(jobs) }

    /// Runs the best queued job on the calling worker, with a context of its own.
    public func help() -> Bool { core.help() }

    /// Lets a spare thread take the place of the calling worker while jobs wait.
    public func willBlock() { core.willBlock() }

    /// Has a thread past the limit run jobs whenever all are blocked; false when the system refuses
    /// it.
    ///
    /// Where one is refused otherwise, as a worker blocks or a job comes from outside, the process
    /// stops, as it does when oneTBB gets none.
    public func compensatePastLimit() -> Bool { core.compensatePastLimit() }

    /// Takes the calling worker's place back.
    public func didUnblock() { core.didUnblock() }

    /// Waits until every queued job has run; may be repeated.
    ///
    /// Fails fatally when called from a job of this scheduler. The threads are oneTBB's and stay.
    public func shutDown() { core.shutDown() }

    /// What was counted so far.
    public var counters: SchedulerCounters { core.counters }
  }
#endif
