// SPDX-License-Identifier: Apache-2.0

public import Scheduling

/// The settings of a work-stealing pool; the defaults are the measured ones.
///
/// What each one trades is on the page Configuration. `knobs` has them as data, with their legal
/// values. A scheduler stops the process when it gets an illegal configuration; `validate()` throws
/// instead.
public struct WorkStealingConfiguration: Sendable {
  /// Which of its own jobs a worker takes.
  public enum LocalOrder: String, CaseIterable, Sendable {
    /// The newest, whose data is in the cache.
    case lifo
    /// The oldest, so that none waits for younger ones.
    case fifo
  }

  /// Whom a thief asks first.
  public enum StealOrder: String, CaseIterable, Sendable {
    /// A random worker, then the ones after it.
    case random
    /// The worker that shares most caches with the thief; wants pinned workers.
    case nearestFirst = "nearest-first"
  }

  /// Which processors the workers' threads may run on.
  public var pinning = WorkerPinning.none

  /// What pinning and `nearestFirst` go by; nil takes the processors of the thread that makes the
  /// scheduler, from /sys.
  public var topology: ProcessorTopology?

  /// Which of its own jobs of a band a worker takes.
  ///
  /// An immediate successor runs in place either way, `chainBound` times in a row at most.
  public var localOrder = LocalOrder.lifo

  /// Whom a thief asks first.
  public var stealOrder = StealOrder.random

  /// How many jobs a thief takes at a time, up to half of what the victim holds in that band; 1 to
  /// 256.
  public var stealBatch = 1

  /// How long a worker looks for jobs before it sleeps, in nanoseconds, up to a second; nil leaves
  /// it to the pool.
  ///
  /// Left to the pool it is 20 µs, and nothing when the process has no more processors than the
  /// pool has workers, because then a spinning worker takes the processor of the thread it waits
  /// for. At most half as many workers as there are processors look at a time, at least one; the
  /// others sleep at once.
  public var spinBudgetNanoseconds: UInt64?

  /// How much workers obey the bands of jobs.
  public var priorityPolicy = PriorityPolicy.strict

  /// How many immediate successors run in place before the next one goes through the deque; 0 to 1
  /// 000 000.
  public var chainBound = 256

  /// A worker looks into the injector at least once per this many jobs that it runs, chains apart;
  /// 1 to 1 000 000.
  public var injectorInterval = 61

  /// Every pick with this number takes the oldest job of the least urgent band that the worker
  /// holds or that is injected; 0 never does, up to 1 000 000.
  public var ageingInterval = 64

  /// Stack of a thread in bytes, 64 KiB to 1 GiB; 0 takes the system's default.
  public var stackSize = 0

  /// How many compensation threads may run at a time, besides the workers; 0 to 32 000.
  ///
  /// When more workers than this block at once, the rest block uncompensated. But the last one that
  /// is left is replaced when it waits for other operations, up to 16 384 times more than this.
  public var compensationLimit = 64

  /// The defaults.
  public init() {}
}
