// SPDX-License-Identifier: Apache-2.0

internal import CSystemShims
internal import Synchronization

/// Runs jobs on whichever thread submits them: the serial baseline, without any other thread.
///
/// The first `submit` on a thread runs the whole chain and everything that becomes ready, and
/// returns when nothing is left. A submit from inside one of those jobs only queues; its jobs run
/// when the outer job returns, so depth is constant however jobs submit jobs.
///
/// - Order: exact per thread. The most urgent band first, first in, first out within a band; a
///   chain is queued whole before its first job runs. Jobs that a running job waits for go before
///   the others of their band, the latest first.
/// - Fairness: none between threads, each runs what it submits. No ageing.
/// - Concurrency: 1 per submitting thread.
/// - Compensation: none; a blocked job blocks its thread. `help()` runs queued jobs of the same
///   thread meanwhile.
/// - Counted: `helped`; everything else is zero, since there is no other thread.
public final class InlineScheduler: AwaitingScheduler {
  private let helpedJobs = Atomic<Int>(0)

  /// A scheduler without threads.
  public init() {}

  /// 1: no thread runs two jobs at a time.
  public var workerCount: Int { 1 }

  /// Strict, among the jobs of a thread.
  public var priorityPolicy: PriorityPolicy { .strict }

  /// True: the jobs that a waiting job waits for are queued on its own thread.
  public var waitsByHelping: Bool { true }

  /// Runs the jobs now, or queues them if the calling thread is inside a job of this scheduler.
  ///
  /// Any thread. The caller must hold no lock that a job may want.
  public func submit(_ jobs: consuming JobChain) { submit(jobs, areAwaited: false) }

  /// As `submit`; inside a job these jobs, and what they make ready, start before others of their
  /// band.
  public func submitAwaited(_ jobs: consuming JobChain) { submit(jobs, areAwaited: true) }

  private func submit(_ jobs: consuming JobChain, areAwaited: Bool) {
    guard !jobs.isEmpty else { return }
    if let running = unsafe InlineTrampoline.current(of: identity) {
      // SAFETY: an installed trampoline lives on this thread's stack, below this frame.
      unsafe running.pointee.queue.add(jobs, areAwaited: areAwaited)
      return
    }
    var trampoline = unsafe InlineTrampoline(
      scheduler: identity, outer: InlineTrampoline.innermost, queue: JobQueue())
    trampoline.queue.add(jobs)
    // SAFETY: the trampoline outlives its installation, which ends before the closure returns.
    unsafe withUnsafeMutablePointer(to: &trampoline) { installed in
      unsafe InlineTrampoline.install(installed)
      unsafe InlineTrampoline.runAll(installed)
      unsafe InlineTrampoline.install(installed.pointee.outer)
    }
  }

  /// Runs the best job that the calling thread has queued on this scheduler.
  public func help() -> Bool { help { $0.popFirst() } }

  /// Runs the first job that the calling thread has queued and `accepts`, an awaited one if there
  /// is one.
  ///
  /// O(jobs before it).
  public func helpAwaited(ifAccepted accepts: (Job) -> Bool) -> Bool {
    help { $0.popFirst(ifAccepted: accepts) }
  }

  /// Takes jobs out of those that the calling thread has queued.
  public func withdraw(where accepts: (Job) -> Bool) -> JobChain {
    guard let running = unsafe InlineTrampoline.current(of: identity) else { return JobChain() }
    // SAFETY: as in `submit`.
    return unsafe running.pointee.queue.removeAll(where: accepts)
  }

  private func help(_ take: (inout JobQueue) -> QueuedJob?) -> Bool {
    guard let running = unsafe InlineTrampoline.current(of: identity),
      // SAFETY: as in `submit`; the pointer is not kept across the run of a job by this expression.
      let job = unsafe take(&running.pointee.queue)
    else { return false }
    helpedJobs.add(1, ordering: .relaxed)  // relaxed: a statistic.
    var context = WorkerContext(worker: 0, scheduler: identity)
    context.origin = JobOrigin(.inline)
    // SAFETY: the trampoline is further down this thread's stack and cannot leave before this call
    // returns.
    unsafe InlineTrampoline.run(job, in: &context, queueing: running)
    context.prepareToIdle()
    unsafe running.pointee.queue.add(context.takeReady(), areAwaited: job.isAwaited)
    return true
  }

  /// How many jobs were run by `help()`; the rest is zero.
  public var counters: SchedulerCounters {
    var counters = SchedulerCounters()
    (counters.parks, counters.wakeUps, counters.compensations) = (0, 0, 0)
    (counters.steals, counters.failedSteals) = (0, 0)
    counters.helped = helpedJobs.load(ordering: .relaxed)  // relaxed: a statistic.
    return counters
  }
}

/// The queue of one inline scheduler on one thread, for as long as that thread is inside the
/// scheduler's outermost submit.
///
/// Lives on the thread's stack; several schedulers nested on a thread form a list through `outer`.
@safe private struct InlineTrampoline: ~Copyable {
  let scheduler: SchedulerIdentity
  let outer: UnsafeMutablePointer<InlineTrampoline>?
  var queue: JobQueue

  /// The trampoline installed last on this thread.
  static var innermost: UnsafeMutablePointer<InlineTrampoline>? {
    // SAFETY: only `install` writes the slot, and only pointers to trampolines that are on this
    // thread's stack.
    unsafe shim_get_inline()?.assumingMemoryBound(to: InlineTrampoline.self)
  }

  /// Makes `trampoline` the innermost of this thread.
  static func install(_ trampoline: UnsafeMutablePointer<InlineTrampoline>?) {
    unsafe shim_set_inline(UnsafeMutableRawPointer(trampoline))
  }

  /// This thread's trampoline of `scheduler`, if it is inside one.
  ///
  /// O(schedulers nested on the thread).
  static func current(of scheduler: SchedulerIdentity) -> UnsafeMutablePointer<InlineTrampoline>? {
    var candidate = unsafe innermost
    while let trampoline = unsafe candidate {
      if unsafe trampoline.pointee.scheduler == scheduler { return unsafe trampoline }
      unsafe candidate = trampoline.pointee.outer
    }
    return nil
  }

  /// Runs the queue empty, including what the jobs add to it.
  ///
  /// Nothing but the pointer is used while a job runs: the job may append to the queue.
  static func runAll(_ trampoline: UnsafeMutablePointer<InlineTrampoline>) {
    var context = unsafe WorkerContext(worker: 0, scheduler: trampoline.pointee.scheduler)
    context.origin = JobOrigin(.inline)
    repeat {
      while let job = unsafe trampoline.pointee.queue.popFirst() {
        unsafe context.localBands = trampoline.pointee.queue.bands
        unsafe run(job, in: &context, queueing: trampoline)
      }
      // May submit, when what was held back lets other jobs start.
      context.prepareToIdle()
      unsafe trampoline.pointee.queue.add(context.takeReady())
    } while unsafe !trampoline.pointee.queue.isEmpty
  }

  /// Runs one job, and its successors for as long as nothing else would come first, and queues what
  /// they made ready.
  static func run(
    _ first: QueuedJob, in context: inout WorkerContext,
    queueing trampoline: UnsafeMutablePointer<InlineTrampoline>
  ) {
    var current = first.job
    // SAFETY: the queue's job, then successors, which this loop owns.
    while let successor = unsafe current.run(in: &context) {
      guard context.ready.isEmpty, unsafe trampoline.pointee.queue.startsAhead(successor) else {
        context.ready.prepend(successor)
        break
      }
      current = successor
    }
    if !context.ready.isEmpty {
      unsafe trampoline.pointee.queue.add(context.takeReady(), areAwaited: first.isAwaited)
    }
  }
}
