// SPDX-License-Identifier: Apache-2.0

public import Scheduling
import Synchronization

// Where the operations of a queue run: at home, on the scheduler that it was made with, or
// elsewhere, while a room above has moved it. Such a queue is never fast, as one that keeps strict
// order, so what goes straight to the scheduler goes home and asks nobody; everything else asks
// `scheduler`. Page: Queue.md, "Away from home".

/// The scheduler that a queue was made with, and what is asked of it so often that the queue keeps
/// it.
struct QueueHome: Sendable {
  let scheduler: any Scheduler
  let identity: SchedulerIdentity
  /// It runs what it is given before it returns, or may (`waitsByHelping`).
  let runsInPlace: Bool
  /// The scheduler as forks see it.
  let forker: any ForkJoinScheduler

  init(_ scheduler: any Scheduler) {
    self.scheduler = scheduler
    identity = scheduler.identity
    runsInPlace = scheduler.waitsByHelping
    forker = scheduler.forker
  }
}

/// What tells a queue from others from its beginning to its end.
struct QueueRole: Sendable {
  /// Who holds back whom, in a queue that keeps strict order.
  var order: StrictOrder?
  /// Limit, suspension, name and level stay as they are: the main queue (contract 119).
  var isFixed = false
  /// For the inner queue of an operation: told, by a job of the scheduler, whenever the queue has
  /// become empty.
  var whenEmpty: (@Sendable () -> Void)?
  /// For the inner queue of an operation that cannot end before its members have: that operation.
  var owner: Owner?
}

extension OperationQueue {
  /// The scheduler that runs this queue's operations.
  ///
  /// The one it was made with, unless `underlyingQueue` of `OperationsFoundation` has moved it to a
  /// dispatch queue.
  public final var scheduler: any Scheduler { scheduler(isAway: isAway) }

  /// Gives the scheduler a chain if it has jobs; at home without counting a reference to it.
  final func submitUnlessEmpty(_ jobs: consuming JobChain) {
    guard !jobs.isEmpty else { return }
    if isAway { scheduler.submit(jobs) } else { home.scheduler.submit(jobs) }
  }

  final var identity: SchedulerIdentity { isAway ? scheduler.identity : home.identity }

  /// Whose threads run the operations: queues that are away may share a dispatch queue.
  package final var threadsIdentity: SchedulerIdentity { scheduler.identityOfThreads }

  /// The scheduler runs what it is given before it returns, or may.
  final var runsInPlace: Bool { isAway ? scheduler.waitsByHelping : home.runsInPlace }

  // acquire, edge Moved: pairs with the release in `move`.
  final var isAway: Bool { extrasIfAny?.isAway.load(ordering: .acquiring) ?? false }

  /// The scheduler at home or elsewhere, wherever the operations run.
  final func scheduler(isAway: Bool) -> any Scheduler {
    isAway ? extrasIfAny?.elsewhere.withLock { $0 } ?? home.scheduler : home.scheduler
  }

  /// The scheduler that the queue runs on while it is away; made by the first caller's `make`, from
  /// the workers at home.
  package final func schedulerElsewhere(
    _ make: (_ workers: Int) -> any Scheduler
  ) -> any Scheduler {
    extrasMade().elsewhere.withLock { elsewhere in
      let scheduler = elsewhere ?? make(home.scheduler.workerCount)
      elsewhere = scheduler
      return scheduler
    }
  }

  /// Operations run elsewhere from now on, or at home again.
  ///
  /// For a queue that holds nothing. What is added meanwhile by another thread runs at either
  /// place; a queue without a limit looks at its members as for every other one that it gets.
  package final func move(away: Bool) {
    guard away != isAway else { return }
    // release, edge Moved: who sees that the queue is away sees its scheduler.
    applyLimit { _ in extrasMade().isAway.store(away, ordering: .releasing) }
  }
}
