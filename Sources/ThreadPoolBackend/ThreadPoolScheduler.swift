// SPDX-License-Identifier: Apache-2.0

public import Scheduling

/// POSIX threads on one banded queue under one lock: the plain design that every other scheduler
/// must beat.
///
/// After a job its worker puts what became ready into the queue and takes the best job in the same
/// critical section, so a job costs one lock however long the graph; nobody makes a system call
/// unless a thread sleeps.
///
/// - Order: exact for everything in the queue. The most urgent band first, first in, first out
///   within a band, the immediate successor of a job included. Jobs that a running job waits for go
///   before the others of their band, the latest first.
/// - Fairness: total order of submission within a band. No ageing: a flood of urgent jobs starves
///   the others.
/// - Compensation: a worker between `willBlock()` and `didUnblock()` is replaced, by a sleeping
///   thread or else a new one, as soon as a job waits, so that `workerCount` threads stay able to
///   run. At most 256 threads more than `workerCount` exist at a time; with that many blocked, or
///   when the system refuses a thread, jobs wait. But the last thread that is left is replaced when
///   it waits for other operations. Where every thread is blocked and the system refuses another it
///   is asked again for two seconds; then the process stops. A thread too many goes to sleep at its
///   next job boundary; those beyond `2 * workerCount` end.
/// - Bound for others (contract 138): while at most 256 operations are blocked in announced waits,
///   none delays another queue's. Beyond that, and where an operation blocks without announcing it,
///   a job waits for what was submitted before it in its band or above: for at most ⌈older jobs /
///   workers that are left⌉ times the longest of them.
/// - Counted: `parks`, `wakeUps`, `helped`, and `compensations` (threads started in the place of
///   blocked ones); nothing is stolen, since no worker holds jobs.
/// - Threads: `workerCount` from the beginning, named `pool-0`, `pool-1`, …, each with a stack of 8
///   MiB unless the configuration says otherwise.
/// - Settings: `ThreadPoolConfiguration`; without bands (`priorityPolicy` none) the order is that
///   of submission.
public final class ThreadPoolScheduler: AwaitingScheduler {
  private let core: PoolCore
  /// What the configuration says.
  public let priorityPolicy: PriorityPolicy

  /// Starts the threads.
  ///
  /// Stops the process when the configuration is illegal; its `validate()` throws instead.
  /// - Parameters:
  ///   - workers: how many jobs may run at the same time, 1 or more.
  ///   - configuration: where threads run, how they wait, and in which order they take jobs.
  public init(workers: Int, configuration: ThreadPoolConfiguration = .init()) {
    WorkerCount.check(workers, spares: PoolState.compensationLimit, of: "ThreadPoolScheduler")
    do { try configuration.validate() } catch { fatalError("\(error)") }
    priorityPolicy = configuration.priorityPolicy
    core = PoolCore(workers: workers, configuration: configuration)
    core.start()
  }

  deinit { core.stop() }

  /// Identity of what the threads share; they may outlive this object.
  public var identity: SchedulerIdentity { core.identity }

  /// How many jobs run at the same time.
  public var workerCount: Int { core.workerCount }

  /// Queues the jobs and wakes as many sleeping threads as they need.
  ///
  /// Any thread; O(1) when the chain has one band. Fails fatally after `shutDown()` has ended the
  /// threads.
  public func submit(_ jobs: consuming JobChain) { core.submit(jobs) }

  /// As `submit`; from a worker these jobs, and what they make ready, start before others of their
  /// band.
  public func submitAwaited(_ jobs: consuming JobChain) { core.submit(jobs, areAwaited: true) }

  /// Runs the best queued job on the calling worker, with a context of its own.
  public func help() -> Bool { core.help { $0.popFirst() } }

  /// Runs the first awaited job that `accepts` on the calling worker.
  ///
  /// O(awaited jobs), with the queue's lock held.
  public func helpAwaited(ifAccepted accepts: (Job) -> Bool) -> Bool {
    core.help { $0.popAwaited(ifAccepted: accepts) }
  }

  /// Takes jobs out of the queue, with its lock held.
  public func withdraw(where accepts: (Job) -> Bool) -> JobChain { core.withdraw(where: accepts) }

  /// Lets another thread take the place of the calling worker.
  public func willBlock() { core.willBlock() }

  /// Has a thread run past the limit if all are blocked; false when the system refuses it.
  public func compensatePastLimit() -> Bool { core.compensatePastLimit() }

  /// Takes the calling worker's place back.
  public func didUnblock() { core.didUnblock() }

  /// Waits until every queued job has run and the threads have ended; may be repeated.
  ///
  /// Fails fatally when called from a job of this scheduler.
  public func shutDown() { core.shutDown() }

  /// What was counted so far; takes the lock.
  public var counters: SchedulerCounters { core.counters }
}
