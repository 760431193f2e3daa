// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
import Scheduling
import Synchronization

/// What a wait would block: the policy that applies, and whose statistics.
struct WaitPlace {
  /// The queue of the innermost operation or completion block; nil in a graph's node.
  let queue: OperationQueue?
  let scheduler: any Scheduler

  var policy: BlockingPolicy { queue?.blockingPolicy ?? .automatic }
}

extension ThreadRecord {
  /// The innermost level that belongs to a queue or a graph, else the main queue on the main
  /// thread; nil on a thread that runs nothing of ours.
  var waitPlace: WaitPlace? {
    for level in levels { if let place = level.place { return place } }
    return OperationQueue.ofMainThread.map { WaitPlace(queue: $0, scheduler: $0.scheduler) }
  }

  /// The schedulers that have something on this thread's stack, each once, innermost first.
  ///
  /// The thread need not be a worker of one whose operation's completion block runs here; that
  /// scheduler then takes no notice of what it is told.
  var schedulers: [any Scheduler] {
    var found: [any Scheduler] = []
    var seen: (UInt, UInt) = (0, 0)
    // Most levels have the queue of the one above.
    for level in levels where (level.queue | level.completingQueue, level.graph) != seen {
      seen = (level.queue | level.completingQueue, level.graph)
      guard let scheduler = level.place?.scheduler,
        !found.contains(where: { $0.identity == scheduler.identity })
      else { continue }
      found.append(scheduler)
    }
    return found
  }

  /// Whether something below runs here as a job of a scheduler with these threads: a completion
  /// block alone does not show it.
  func isWorker(
    of threads: SchedulerIdentity,
    _ identity: (any Scheduler) -> SchedulerIdentity = { $0.identityOfThreads }
  ) -> Bool {
    levels.contains { level in
      level.completingQueue == 0 && level.place.map { identity($0.scheduler) } == threads
    }
  }

  /// Whether what the queue's scheduler gets runs before the call returns that hands it over: it
  /// runs jobs in place, and this thread is not inside of one, which would only be followed by it.
  func runsInPlace(what queue: OperationQueue) -> Bool {
    queue.runsInPlace && !isWorker(of: queue.threadsIdentity)
  }

  /// Runs `body`, which blocks, announced to these schedulers, and lets reports see what for.
  func whileBlocked<Result, Failure: Error>(
    on target: BlockedWait.Target?, at schedulers: [any Scheduler], isTimed: Bool,
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    settleCredit()
    for scheduler in schedulers { scheduler.willBlock() }
    if isRecording, !schedulers.isEmpty { EventRings.note(.blocks) }
    let wait = BlockedWait(
      thread: address, waiters: levels.map(\.operation), schedulers: Self.threads(of: schedulers),
      target: target, isTimed: isTimed)
    let outer = blocked.withLock { exchange(&$0, with: wait) }
    defer {
      // What is let go of is released after the lock.
      _ = blocked.withLock { exchange(&$0, with: outer) }
      if isRecording, !schedulers.isEmpty { EventRings.note(.unblocks) }
      for scheduler in schedulers { scheduler.didUnblock() }
    }
    return try body()
  }

  /// Whose threads the schedulers have, each once.
  private static func threads(of schedulers: [any Scheduler]) -> [SchedulerIdentity] {
    Array(Set(schedulers.map(\.identityOfThreads)))
  }

  /// Waits as a worker must: is refused, runs what it waits for, helps, or announces that it
  /// blocks, according to what runs here.
  ///
  /// - Parameters:
  ///   - awaited: what is waited for.
  ///   - deadline: when the wait ends at the latest.
  ///   - runPart: runs a part of it that has not begun; false when it finds none.
  ///   - runAlone: as `runPart` where these schedulers can have no other thread.
  ///   - beforeSleep: stops the process if the wait can have no end now that nothing is left to run
  ///     here.
  ///   - sleep: blocks the thread until it is over or the time that it gets; returns whether it is
  ///     over.
  func wait(
    for awaited: BlockedWait.Target, until deadline: UInt64?, runPart: () -> Bool = { false },
    runAlone: ([SchedulerIdentity]) -> Bool = { _ in false },
    beforeSleep: (WaitPlace) -> Void = { _ in }, sleep: (UInt64?) -> Bool
  ) -> Bool {
    prepareToWait()
    guard let place = waitPlace else {
      return owesNothing
        ? sleep(deadline) : block(on: awaited, at: [], until: deadline, sleep: sleep)
    }
    let policy = place.policy
    if policy == .fail, let queue = place.queue {
      queue.waits.refused.wrappingAdd(1, ordering: .relaxed)  // relaxed: a statistic.
      if deadline == nil {
        let waiter = enclosures.first { $0.queue === queue }?.nameOfOperation
        Fault.waitRefused(awaited.name, queue, by: waiter ?? "an operation")
      }
      return awaited.isOver
    }
    // A wait that only ran what it waited for is not counted.
    let counting = policy == .help || awaited.operation == nil ? place.queue : nil
    if policy == .automatic, help(until: deadline, awaited, runPart) { return true }
    if handOverOwed(for: awaited, until: deadline) { return true }
    let schedulers = schedulers
    if help(schedulers.filter(\.waitsByHelping), until: deadline, counting, awaited) {
      return true
    }
    beforeSleep(place)
    if policy == .help,
      help(schedulers.filter { !$0.waitsByHelping }, until: deadline, counting, awaited)
    {
      return true
    }
    settleCredit()
    if awaited.isOver { return true }
    // relaxed: a statistic.
    place.queue?.waits.blocked.wrappingAdd(1, ordering: .relaxed)
    return block(
      on: awaited, at: schedulers, until: deadline,
      runAlone: {
        policy != .compensate
          && (runAlone($0) || runClosureJob($0, of: schedulers + awaited.schedulersInWay))
      }, sleep: sleep)
  }

  /// Runs a job of the machinery on the last thread of these schedulers; false when there is none.
  ///
  /// The end of a group, a further attempt, a part of a task: each of an operation that has begun.
  private func runClosureJob(
    _ identities: [SchedulerIdentity], of schedulers: [any Scheduler]
  ) -> Bool {
    for scheduler in schedulers where identities.contains(scheduler.identityOfThreads) {
      guard let job = scheduler.awaiting?.withdrawOne(where: ClosureJob.isOne) else { continue }
      var context = WorkerContext(worker: -1, scheduler: scheduler.identity)
      // SAFETY: the scheduler gave the job away, once.
      if let successor = unsafe job.run(in: &context) { context.ready.prepend(successor) }
      scheduler.submitUnlessEmpty(context.takeReady())
      settleCredit()
      return true
    }
    return false
  }

  /// Blocks this thread, announced to the schedulers, until it is over or the time is up; returns
  /// whether it is over.
  ///
  /// Without a deadline each of them must have a thread left, since whatever is queued there may be
  /// what the wait waits for, near or far. Where one can have none the thread runs what it can of
  /// that itself (`runAlone`), and asks again from time to time. The process stops when nothing but
  /// a thread could help. A thread that owes something looks as often whether it is in the way by
  /// then.
  func block(
    on awaited: BlockedWait.Target, at schedulers: [any Scheduler], until deadline: UInt64?,
    runAlone: ([SchedulerIdentity]) -> Bool = { _ in false }, sleep: (UInt64?) -> Bool
  ) -> Bool {
    if handOverOwed(for: awaited, until: deadline) { return true }
    var stuck = 0
    // Before the first short sleep this thread tries to do without.
    var hasTried = false
    while true {
      var short: [SchedulerIdentity] = []
      let isOver = whileBlocked(on: awaited, at: schedulers, isTimed: deadline != nil) {
        // All are asked.
        if deadline == nil {
          short = Self.threads(of: schedulers.filter { !$0.compensatePastLimit() })
        }
        if short.isEmpty, owesNothing { return sleep(deadline) }
        guard hasTried || short.isEmpty else { return awaited.isOver }
        let look = MonotonicTime.nanoseconds() + Self.timeBetweenLooks
        if sleep(min(look, deadline ?? look)) { return true }
        stuck = short.contains(where: Self.isStuck) ? stuck + 1 : 0
        if stuck == Self.looksAtStuck { Fault.noThreadLeft(awaited.name) }
        return false
      }
      if isOver || short.isEmpty && owesNothing { return isOver }
      if let deadline, MonotonicTime.nanoseconds() >= deadline { return awaited.isOver }
      if handOverOwed(for: awaited, until: deadline) { return true }
      if short.isEmpty { continue }
      let isOverNow = help(until: nil, awaited) {
        guard runAlone(short) else { return false }
        // It goes on, whatever the looks between have seen.
        stuck = 0
        return true
      }
      if isOverNow { return true }
      hasTried = true
    }
  }

  /// Time between two attempts to have a thread, ns, and how many of them must fail before the
  /// process stops: long enough for a thread on its way from one state to another, and for
  /// libdispatch, which adds one per second to those of a program's own queues.
  private static var timeBetweenLooks: UInt64 { 50_000_000 }
  private static var looksAtStuck: Int { 100 }

  /// Runs queued jobs of the schedulers until the wait is over or there is none; returns whether it
  /// is over.
  private func help(
    _ schedulers: [any Scheduler], until deadline: UInt64?, _ counting: OperationQueue?,
    _ awaited: BlockedWait.Target
  ) -> Bool {
    help(until: deadline, awaited) {
      guard schedulers.contains(where: { $0.help() }) else { return false }
      counting?.waits.helped.wrappingAdd(1, ordering: .relaxed)  // relaxed: a statistic.
      return true
    }
  }

  /// Runs jobs with `one` until the wait is over, the time is up, it finds none, or a quarter of
  /// the stack is left; returns whether it is over.
  func help(until deadline: UInt64?, _ awaited: BlockedWait.Target, _ one: () -> Bool) -> Bool {
    while !awaited.isOver {
      guard hasRoomForMore else { return false }
      if let deadline, MonotonicTime.nanoseconds() >= deadline { return false }
      guard apartFromCancellations(one) else { return awaited.isOver }
      settleCredit()
    }
    return true
  }
}

extension Scheduler {
  /// Whose threads run its jobs; its own where it does not say.
  var identityOfThreads: SchedulerIdentity { awaiting?.threadsIdentity ?? identity }
}

extension AwaitingScheduler {
  /// Takes out the first queued job that `accepts`, as far as the calling worker reaches it.
  func withdrawOne(where accepts: (Job) -> Bool) -> Job? {
    var isFound = false
    var jobs = withdraw { job in
      guard !isFound else { return false }
      isFound = accepts(job)
      return isFound
    }
    return jobs.popFirst()
  }
}
