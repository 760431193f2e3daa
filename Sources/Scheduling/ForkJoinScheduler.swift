// SPDX-License-Identifier: Apache-2.0

/// A scheduler whose workers hold jobs of their own, which others may steal and the worker may take
/// back.
///
/// Serves `forkJoin` and `forkEach`. Without it the halves of a fork run one after the other on the
/// calling thread.
///
/// A class says so in the place of `Scheduler`, where it first conforms: a subclass that adds it
/// overrides `forkJoin` too.
public protocol ForkJoinScheduler: Scheduler {
  /// Adds a job to those that the calling worker holds itself, which the caller means to take back.
  ///
  /// Returns false when the thread is no worker of this scheduler; then the job is the caller's
  /// still. After true any worker may run it, until `takeBack(_:)` returns true for it.
  func offer(_ job: Job) -> Bool

  /// Takes a job back that the calling worker has offered and nobody has begun to run.
  ///
  /// O(1) for the job that the worker added last, else O(jobs added since). False means that it has
  /// run, or runs, or will.
  func takeBack(_ job: Job) -> Bool

  /// Takes the oldest job that another worker holds in a band, if `wants` says so, and does with it
  /// what `use` says.
  ///
  /// For a job that waits for what that worker runs. `wants` goes by the word alone: the job may
  /// run by then, and be gone. Returns false when nothing was run.
  func help(
    worker: Int, in band: PriorityBand, wants: (Job) -> Bool, use: (Job) -> StolenJobUse
  ) -> Bool
}

extension ForkJoinScheduler {
  /// This object.
  @inlinable public var forkJoin: (any ForkJoinScheduler)? { self }
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
