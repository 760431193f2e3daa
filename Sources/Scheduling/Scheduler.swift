// SPDX-License-Identifier: Apache-2.0

/// Which scheduler: equal exactly for the same instance while it lives.
@frozen public struct SchedulerIdentity: Hashable, Sendable {
  @usableFromInline let word: UInt

  /// The identity of `scheduler`.
  @inlinable public init(_ scheduler: any Scheduler) {
    word = UInt(bitPattern: ObjectIdentifier(scheduler))
  }

  /// The identity of the object that stands for a scheduler, for back ends whose threads outlive the scheduler object.
  @inlinable public init(object: AnyObject) { word = UInt(bitPattern: ObjectIdentifier(object)) }
}

/// How many workers a scheduler may have.
package enum WorkerCount {
  /// Threads that a scheduler may have, compensation included.
  package static let limit = 65_535

  /// Stops the process unless `count` workers and `spares` compensation threads are legal.
  package static func check(_ count: Int, spares: Int, of scheduler: String) {
    guard count >= 1, count <= limit - spares else {
      fatalError(
        "\(scheduler): workers is \(count); expected 1 to \(limit - spares), which with \(spares) compensation threads is "
          + "\(limit); pass the number of operations that shall run at a time, usually one per processor."
      )
    }
  }
}

/// Runs jobs: the seam between the operation layer and every back end, built in or plugged in.
///
/// A back end promises that every submitted job runs exactly once, on some thread, after `submit` was called and as
/// long as the scheduler lives; that it never runs more than `workerCount` jobs at a time, compensation apart, and
/// starts a queued one while it runs fewer, so that jobs may wait for that many of each other (contract 114); and that what was written before `submit` is visible to the job (release on submission, acquire before the run).
/// Priorities: a worker prefers a more urgent band; the back end documents how exact and how fair it is.
public protocol Scheduler: AnyObject, Sendable {
  /// Identity that the back end's contexts carry. Default: this object.
  var identity: SchedulerIdentity { get }

  /// Whose threads run the jobs: equal for schedulers of which one gets no thread while jobs of
  /// another occupy them. Default: `identity`.
  ///
  /// A job that waits for one of another such scheduler may run that itself.
  var threadsIdentity: SchedulerIdentity { get }

  /// Threads that may run jobs at the same time, 1 or more, compensation threads not included.
  var workerCount: Int { get }

  /// Takes over every job of a chain, in order. Any thread; never blocks for long; may run jobs only if it is inline.
  func submit(_ jobs: consuming JobChain)

  /// Takes over every job of a chain that the calling job will wait for. Default: `submit`.
  ///
  /// A scheduler whose workers share one queue starts these, and what they make ready, before the others of their band.
  /// That keeps few threads waiting, and `helpAwaited(ifAccepted:)` finds them.
  func submitAwaited(_ jobs: consuming JobChain)

  /// Runs one job that `accepts`, of those submitted as awaited or made ready by one, or held by the calling worker.
  ///
  /// Called by a job that waits for what it accepts, on a worker of this scheduler; on other threads it does nothing.
  /// `accepts` may be called under a lock of the scheduler: it only looks. Returns false when nothing was run. Default: false.
  func helpAwaited(ifAccepted accepts: (Job) -> Bool) -> Bool

  /// Runs one queued job on the calling thread, if the thread is a worker of this scheduler and there is one.
  ///
  /// Called by a job that must wait. Returns false when nothing was run. Default: false.
  func help() -> Bool

  /// Whether a job that waits must run other queued jobs through `help()`, because nobody else would. Default: false.
  ///
  /// False for every scheduler with threads: those compensate, since running an arbitrary job on top of a waiting one
  /// can deadlock where waiting would not.
  var waitsByHelping: Bool { get }

  /// Takes out those queued jobs that `accepts`, in any order, as far as the calling worker reaches them. Default: none.
  ///
  /// For jobs that have been seen to in another way and would only keep memory until their turn comes. On a worker of this
  /// scheduler, or of one with the same threads; on other threads it does nothing. `accepts` may be called under a lock of the scheduler: it only looks, once
  /// at every job. O(jobs looked at).
  func withdraw(where accepts: (Job) -> Bool) -> JobChain

  /// Adds a job to those that the calling worker holds itself, which the caller means to take back. Default: false.
  ///
  /// Returns false when the thread is no worker of this scheduler or workers hold no jobs of their own; then the job is
  /// the caller's still. After true any worker may run it, until `takeBack(_:)` returns true for it.
  func offer(_ job: Job) -> Bool

  /// Takes a job back that the calling worker has offered and nobody has begun to run. Default: false.
  ///
  /// O(1) for the job that the worker added last, else O(jobs added since). False means that it has run, or runs, or
  /// will.
  func takeBack(_ job: Job) -> Bool

  /// Takes the oldest job that another worker holds in a band, if `wants` says so, and does with it what `use` says.
  ///
  /// For a job that waits for what that worker runs. `wants` goes by the word alone: the job may run by then, and be gone.
  /// Returns false when nothing was run. Default: false.
  func help(
    worker: Int, in band: PriorityBand, wants: (Job) -> Bool, use: (Job) -> StolenJobUse
  ) -> Bool

  /// The calling worker is about to block; the back end may start a compensation thread. Default: nothing.
  ///
  /// Does nothing on other threads. Every call is followed by one `didUnblock()` on the same thread.
  func willBlock()

  /// Makes sure that a thread is left to run queued jobs; false when all are blocked and there can be no other. Default: true.
  ///
  /// Called between `willBlock()` and `didUnblock()` by a job that waits for others. A back end that bounds its compensation
  /// threads starts one more than that if every thread that it has is between these two calls, or nothing would ever run
  /// what the job waits for. May be called again and again; does nothing on other threads.
  func compensatePastLimit() -> Bool

  /// The calling worker runs again. Default: nothing.
  func didUnblock()

  /// Lets queued jobs finish, and what running ones still submit, stops the threads and waits for them. Must not be called
  /// from a job.
  ///
  /// As long as a job runs it may submit others and wait for them, announced or not, as before.
  ///
  /// Default: nothing, which is right only where jobs run inside `submit`. A scheduler that is dropped without it stops by itself once its queued jobs have run.
  func shutDown()

  /// What the back end counted since it was made. Default: none.
  var counters: SchedulerCounters { get }
}

extension Scheduler {
  /// This object.
  @inlinable public var identity: SchedulerIdentity { SchedulerIdentity(object: self) }
  /// The scheduler's own.
  @inlinable public var threadsIdentity: SchedulerIdentity { identity }
  /// As any others.
  @inlinable public func submitAwaited(_ jobs: consuming JobChain) { submit(jobs) }
  /// Never runs anything.
  @inlinable public func helpAwaited(ifAccepted accepts: (Job) -> Bool) -> Bool { false }
  /// Never runs anything.
  @inlinable public func help() -> Bool { false }
  /// Takes none out.
  @inlinable public func withdraw(where accepts: (Job) -> Bool) -> JobChain { JobChain() }
  /// Never takes the job.
  @inlinable public func offer(_ job: Job) -> Bool { false }
  /// Has nothing to give back.
  @inlinable public func takeBack(_ job: Job) -> Bool { false }
  /// Never runs anything.
  @inlinable public func help(
    worker: Int, in band: PriorityBand, wants: (Job) -> Bool, use: (Job) -> StolenJobUse
  ) -> Bool { false }
  /// False.
  @inlinable public var waitsByHelping: Bool { false }
  /// Does nothing.
  @inlinable public func willBlock() {}
  /// True: right where `willBlock()` has no limit, and where nothing compensates.
  @inlinable public func compensatePastLimit() -> Bool { true }
  /// Does nothing.
  @inlinable public func didUnblock() {}
  /// Does nothing: right where jobs run inside `submit`.
  @inlinable public func shutDown() {}
  /// All zero.
  @inlinable public var counters: SchedulerCounters { SchedulerCounters() }
}

/// What a waiting job does with a job that its worker has taken from another one.
@frozen public enum StolenJobUse: Sendable {
  /// The worker runs it now.
  case run
  /// It becomes one of the worker's own.
  case keep
  /// The waiting job has seen to it; it may be gone.
  case takenOver
}

/// Counts that explain a scheduler's cost.
///
/// Monotone; read at any time from any thread, exact when the scheduler is idle.
@frozen public struct SchedulerCounters: Sendable, Equatable {
  /// Times a worker went to sleep.
  public var parks = 0
  /// Times somebody woke a worker.
  public var wakeUps = 0
  /// Jobs taken from another worker.
  public var steals = 0
  /// Attempts to take a job that another thief or the owner won.
  public var lostRaces = 0
  /// Jobs run by workers that waited.
  public var helped = 0
  /// Compensation threads started.
  public var compensations = 0

  /// All zero.
  @inlinable public init() {}
}
