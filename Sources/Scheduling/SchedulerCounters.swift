// SPDX-License-Identifier: Apache-2.0

/// Counts that explain a scheduler's cost; nil where the back end does not know.
///
/// Zero says that it has not happened, also where it cannot happen by design. Monotone; read at any
/// time from any thread, exact when the scheduler is idle.
@frozen public struct SchedulerCounters: Sendable, Equatable {
  /// Jobs run.
  public var jobs: Int?
  /// Times a worker went to sleep.
  public var parks: Int?
  /// Times somebody woke a worker.
  public var wakeUps: Int?
  /// Times a woken worker went to sleep again without having run a job.
  public var spuriousWakeUps: Int?
  /// Jobs that came from threads that are no workers.
  public var injections: Int?
  /// Jobs taken from another worker.
  public var steals: Int?
  /// Attempts to take a job from where thieves steal that another thread won; not those that found
  /// nothing.
  public var failedSteals: Int?
  /// Jobs run by workers that waited.
  public var helped: Int?
  /// Compensation threads started.
  public var compensations: Int?

  /// Nothing is known.
  @inlinable public init() {}
}

extension SchedulerCounters {
  /// Today `failedSteals`.
  @available(*, deprecated, renamed: "failedSteals")
  @inlinable public var lostRaces: Int? {
    get { failedSteals }
    set { failedSteals = newValue }
  }
}
