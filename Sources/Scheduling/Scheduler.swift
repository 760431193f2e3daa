// SPDX-License-Identifier: Apache-2.0

/// Runs jobs: the seam between the operation layer and every back end, built in or plugged in.
///
/// A back end promises that every submitted job runs exactly once, on some thread, after `submit`
/// was called and as long as the scheduler lives; that it never runs more than `workerCount` jobs
/// at a time, compensation apart, and starts a queued one while it runs fewer, so that jobs may
/// wait for that many of each other (contract 114); and that what was written before `submit` is
/// visible to the job (release on submission, acquire before the run).
///
/// What only some back ends can do are protocols beside this one: `AwaitingScheduler` for waits in
/// jobs and graphs inside others, `ForkJoinScheduler` for forks and joins. A class names them in
/// the place of this one.
public protocol Scheduler: AnyObject, Sendable {
  /// Identity that the back end's contexts carry. Default: this object.
  var identity: SchedulerIdentity { get }

  /// Threads that may run jobs at the same time, 1 or more, compensation threads not included.
  var workerCount: Int { get }

  /// Takes over every job of a chain, in order. Any thread; never blocks for long; may run jobs
  /// only if it is inline.
  func submit(_ jobs: consuming JobChain)

  /// Lets queued jobs finish, and what running ones still submit, stops the threads and waits for
  /// them. Must not be called from a job.
  ///
  /// As long as a job runs it may submit others and wait for them, announced or not, as before.
  ///
  /// Default: nothing, which is right only where jobs run inside `submit`. A scheduler that is
  /// dropped without it stops by itself once its queued jobs have run.
  func shutDown()

  // MARK: Jobs that block

  /// Runs one queued job on the calling thread, if the thread is a worker of this scheduler and
  /// there is one.
  ///
  /// Called by a job that must wait. Returns false when nothing was run. Default: false.
  func help() -> Bool

  /// Whether a job that waits must run other queued jobs through `help()`, because nobody else
  /// would. Default: false.
  ///
  /// False for every scheduler with threads: those compensate, since running an arbitrary job on
  /// top of a waiting one can deadlock where waiting would not.
  var waitsByHelping: Bool { get }

  /// The calling worker is about to block; the back end may start a compensation thread. Default:
  /// nothing.
  ///
  /// Does nothing on other threads. Every call is followed by one `didUnblock()` on the same
  /// thread.
  func willBlock()

  /// Makes sure that a thread is left to run queued jobs; false when all are blocked and there can
  /// be no other. Default: true.
  ///
  /// Called between `willBlock()` and `didUnblock()` by a job that waits for others. A back end
  /// that bounds its compensation threads starts one more than that if every thread that it has is
  /// between these two calls, or nothing would ever run what the job waits for. May be called again
  /// and again; does nothing on other threads.
  func compensatePastLimit() -> Bool

  /// The calling worker runs again. Default: nothing.
  func didUnblock()

  // MARK: What it says of itself

  /// How much it obeys the bands of jobs. Default: `relaxed`, a worker prefers the more urgent of
  /// its jobs.
  ///
  /// The same from the first job to the last. The back end documents how exact and how fair it is.
  var priorityPolicy: PriorityPolicy { get }

  /// What the back end counted since it was made. Default: nothing is known.
  var counters: SchedulerCounters { get }

  /// This scheduler as one that runs what a job waits for; nil, the default, if it does not
  /// conform.
  ///
  /// The same from the first job to the last. A class that conforms gets it from the protocol; one
  /// that passes jobs on to another scheduler, and can do what that can, says it itself.
  var awaiting: (any AwaitingScheduler)? { get }

  /// This scheduler as one for forks and joins; otherwise as `awaiting`.
  var forkJoin: (any ForkJoinScheduler)? { get }
}

extension Scheduler {
  /// This object.
  @inlinable public var identity: SchedulerIdentity { SchedulerIdentity(object: self) }
  /// Does nothing: right where jobs run inside `submit`.
  @inlinable public func shutDown() {}
  /// Never runs anything.
  @inlinable public func help() -> Bool { false }
  /// False.
  @inlinable public var waitsByHelping: Bool { false }
  /// Does nothing.
  @inlinable public func willBlock() {}
  /// True: right where `willBlock()` has no limit, and where nothing compensates.
  @inlinable public func compensatePastLimit() -> Bool { true }
  /// Does nothing.
  @inlinable public func didUnblock() {}
  /// What is asked of every scheduler that does not say `none`.
  @inlinable public var priorityPolicy: PriorityPolicy { .relaxed }
  /// All unavailable.
  @inlinable public var counters: SchedulerCounters { SchedulerCounters() }
  /// Nil.
  @inlinable public var awaiting: (any AwaitingScheduler)? { nil }
  /// Nil.
  @inlinable public var forkJoin: (any ForkJoinScheduler)? { nil }
}
