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
  public final var scheduler: any Scheduler { elsewhere ?? home.scheduler }

  /// The scheduler that operations run on while the queue is away; nil at home.
  final var elsewhere: (any Scheduler)? { isAway ? extrasIfAny?.elsewhere.withLock { $0 } : nil }

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

  final var isAway: Bool { place != 0 }

  /// What tells the scheduler elsewhere from those before it, as long as somebody keeps them: 0 at
  /// home.
  // acquire, edge Moved: pairs with the release in `move`.
  private final var place: UInt { extrasIfAny?.place.load(ordering: .acquiring) ?? 0 }

  /// Whether the operations run on this scheduler, or at home for nil.
  ///
  /// O(1), without a lock.
  final func isAt(_ scheduler: (any Scheduler)?) -> Bool { place == Self.place(scheduler) }

  private static func place(_ scheduler: (any Scheduler)?) -> UInt {
    scheduler.map { UInt(bitPattern: ObjectIdentifier($0)) } ?? 0
  }

  /// Operations run on `scheduler` from now on, or at home again for nil.
  ///
  /// For a queue that holds nothing. What is added meanwhile by another thread runs at either
  /// place; a queue without a limit looks at its members as for every other one that it gets.
  package final func move(to scheduler: (any Scheduler)?) {
    guard !isAt(scheduler) else { return }
    let (old, extras) = (self.scheduler, extrasMade())
    extras.elsewhere.withLock { elsewhere in
      elsewhere = scheduler
      // release, edge Moved: who sees that the queue is away sees its scheduler. Under the lock: a
      // drain that was made for this scheduler finds the queue there, or at a later one.
      extras.place.store(Self.place(scheduler), ordering: .releasing)
    }
    applyLimit { _ in }
    // A drain whose thread is blocked would keep its slot from what is added now.
    while takeIdleSlot(of: old) { releaseSlot() }
  }
}
