// SPDX-License-Identifier: Apache-2.0

public import Dispatch
public import Scheduling

/// Jobs on libdispatch's global concurrent queue.
///
/// The jobs wait in one banded queue under a small lock. libdispatch gets anonymous items, at most
/// `workerCount` at a time. An item runs the best job of the moment, again and again while there is
/// one, 64 in a row at most; so a burst of small jobs costs few passes through libdispatch. What a
/// program pays that calls `async` for every job is another question, which the suite's reference
/// system `dispatch-native` answers. Threads, their start, their sleep and their number are
/// libdispatch's.
///
/// - Order: exact for everything in the queue. The most urgent band first, first in, first out
///   within a band, the immediate successor of a job included. Jobs that a running job waits for go
///   before the others of their band, the latest first.
/// - Fairness: total order of submission within a band. No ageing: a flood of urgent jobs starves
///   the others. Other work of the process on the global queue gets its turn after every item.
/// - Concurrency: `workerCount` items. As many of them as there are processors go through the
///   global queue, which has that many threads and adds others only slowly; the rest get a serial
///   queue each, for which libdispatch starts a thread at once. So with more workers than
///   processors an item costs more.
/// - Compensation: an item between `willBlock()` and `didUnblock()` does not count, so that another
///   may start as soon as a job waits. At most 192 items more than `workerCount` are in flight;
///   with that many blocked, jobs wait. But the last one that is left is replaced when it waits for
///   other operations, on a thread that libdispatch does not know; so are items in place of blocked
///   ones where all schedulers of the process have 192 of those.
/// - Bound for others (contract 138): while at most 192 operations are blocked in announced waits,
///   none delays another queue's. Beyond that, and where an operation blocks without announcing it,
///   a job waits for what was submitted before it in its band or above: for at most ⌈older jobs /
///   workers that are left⌉ times the longest of them.
/// - Counted: `wakeUps` (items handed to libdispatch), `helped`, and `compensations` (items in the
///   place of blocked ones); nothing is stolen, since no item holds jobs. `parks` are
///   libdispatch's, which tells nobody.
public final class DispatchScheduler: AwaitingScheduler {
  private let core: DispatchCore

  /// A scheduler without items.
  ///
  /// - Parameter workers: how many items may be in flight at the same time, 1 or more.
  public init(workers: Int) {
    WorkerCount.check(workers, spares: DispatchState.compensationLimit, of: "DispatchScheduler")
    core = DispatchCore(workers: workers)
  }

  /// The queue that runs the items, nil, the default, for the global one.
  ///
  /// Any queue but the main one; a serial queue runs one item at a time whatever `workerCount`
  /// says. A change counts for items that are handed over later. Any thread.
  public var targetQueue: DispatchQueue? {
    get { core.target }
    set {
      // The main queue has many wrappers, but one label.
      if let newValue, newValue.label == DispatchQueue.main.label {
        fatalError(
          "DispatchScheduler: targetQueue was set to the main queue, whose thread would run every item; "
            + "make a queue of your own.")
      }
      core.target = newValue
    }
  }

  /// Identity of what the items share; they may outlive this object.
  public var identity: SchedulerIdentity { core.identity }

  /// The `targetQueue`, if there is one: a serial one has one thread for all schedulers that name
  /// it.
  public var threadsIdentity: SchedulerIdentity {
    targetQueue.map { SchedulerIdentity(object: $0) } ?? identity
  }

  /// How many items may be in flight at the same time.
  public var workerCount: Int { core.workerCount }

  /// Strict.
  public var priorityPolicy: PriorityPolicy { .strict }

  /// Queues the jobs and hands libdispatch as many items as they need.
  ///
  /// Any thread; O(1) besides the items when the chain has one band. Fails fatally after
  /// `shutDown()`.
  public func submit(_ jobs: consuming JobChain) { core.submit(jobs) }

  /// As `submit`; from an item these jobs, and what they make ready, start before others of their
  /// band.
  public func submitAwaited(_ jobs: consuming JobChain) { core.submit(jobs, areAwaited: true) }

  /// Runs the best queued job on the calling item's thread, with a context of its own.
  public func help() -> Bool { core.help { $0.popFirst() } }

  /// Runs the first awaited job that `accepts` on the calling item's thread.
  ///
  /// O(awaited jobs), with the queue's lock held.
  public func helpAwaited(ifAccepted accepts: (Job) -> Bool) -> Bool {
    core.help { $0.popAwaited(ifAccepted: accepts) }
  }

  /// Takes jobs out of the queue, with its lock held.
  public func withdraw(where accepts: (Job) -> Bool) -> JobChain { core.withdraw(where: accepts) }

  /// Lets another item take the place of the calling one.
  public func willBlock() { core.willBlock() }

  /// Lets an item go past the limit while all are blocked, on a thread of its own; false when the
  /// system refuses that, and on a `targetQueue` as long as no other item has begun there.
  public func compensatePastLimit() -> Bool { core.compensatePastLimit() }

  /// Takes the calling item's place back.
  public func didUnblock() { core.didUnblock() }

  /// Waits until every queued job has run and no item is in flight; may be repeated.
  ///
  /// Fails fatally when called from a job of this scheduler. The threads belong to libdispatch and
  /// stay.
  public func shutDown() { core.shutDown() }

  /// What was counted so far; takes the lock.
  public var counters: SchedulerCounters { core.counters }
}
