// SPDX-License-Identifier: Apache-2.0

/// The constants of a work-stealing pool; the defaults are the measured ones.
public struct WorkStealingConfiguration: Sendable {
  /// How long a worker looks for jobs before it sleeps, in nanoseconds.
  ///
  /// Not spent at all when the process has no more processors than the pool has workers, because then a spinning
  /// worker takes the processor of the thread it waits for.
  public var spinBudgetNanoseconds: UInt64 = 20_000

  /// How many immediate successors run in place before the next one goes through the deque.
  public var chainBound = 256

  /// A worker looks into the injector at least once per this many jobs that it runs, chains apart.
  public var injectorInterval = 61

  /// Every pick with this number takes the oldest job of the least urgent band that the worker holds or
  /// that is injected.
  public var ageingInterval = 64

  /// Stack of a worker in bytes; 0 takes the system's default.
  public var stackSize = 0

  /// How many compensation threads may run at a time, besides the workers.
  ///
  /// When more workers than this block at once, the rest block uncompensated.
  public var compensationLimit = 64

  /// The defaults.
  public init() {}
}
