// SPDX-License-Identifier: Apache-2.0

/// A scheduler on which a job that waits can run what it waits for itself, and nothing else.
///
/// Serves graphs that run inside others, and operations that wait for operations of a queue with a
/// limit. Without it such a job blocks its worker, announced, and others run what it waits for.
///
/// A class says so in the place of `Scheduler`, where it first conforms: a subclass that adds it
/// overrides `awaiting` too.
public protocol AwaitingScheduler: Scheduler {
  /// Takes over every job of a chain that the calling job will wait for.
  ///
  /// A scheduler whose workers share one queue starts these, and what they make ready, before the
  /// others of their band. That keeps few threads waiting, and `helpAwaited(ifAccepted:)` finds
  /// them. One whose workers hold what they submit does as in `submit`.
  func submitAwaited(_ jobs: consuming JobChain)

  /// Runs one job that `accepts`, of those submitted as awaited or made ready by one, or held by
  /// the calling worker.
  ///
  /// Called by a job that waits for what it accepts, on a worker of this scheduler; on other
  /// threads it does nothing. `accepts` may be called under a lock of the scheduler: it only looks.
  /// Returns false when nothing was run.
  func helpAwaited(ifAccepted accepts: (Job) -> Bool) -> Bool

  /// Takes out those queued jobs that `accepts`, in any order, as far as the calling worker reaches
  /// them.
  ///
  /// For jobs that have been seen to in another way and would only keep memory until their turn
  /// comes. On a worker of this scheduler, or of one with the same threads; on other threads it
  /// does nothing. `accepts` may be called under a lock of the scheduler: it only looks, once at
  /// every job. O(jobs looked at).
  func withdraw(where accepts: (Job) -> Bool) -> JobChain

  /// Whose threads run the jobs: equal for schedulers of which one gets no thread while jobs of
  /// another occupy them. Default: `identity`.
  ///
  /// A job that waits for one of another such scheduler may run that itself.
  var threadsIdentity: SchedulerIdentity { get }
}

extension AwaitingScheduler {
  /// This object.
  @inlinable public var awaiting: (any AwaitingScheduler)? { self }
  /// The scheduler's own.
  @inlinable public var threadsIdentity: SchedulerIdentity { identity }
}
