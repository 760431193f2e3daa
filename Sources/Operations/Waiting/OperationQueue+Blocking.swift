// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// What becomes of a worker whose operation waits for another operation or a queue.
public enum BlockingPolicy: UInt8, Sendable, CaseIterable {
  /// The worker runs the awaited operation if that may start, else it is compensated; on a
  /// scheduler that has no other worker (`waitsByHelping`) it runs what is queued.
  ///
  /// Where the scheduler can have no thread in its place the worker also runs what the awaited
  /// operation cannot finish without, in a slot of its own.
  case automatic
  /// The worker runs queued jobs of its scheduler, whichever comes first, and is compensated when
  /// there is none.
  ///
  /// Needs the fewest threads. What it runs sits on top of the waiting operation and must return
  /// first: if that in turn waits for the operation below, neither ends.
  case help
  /// The worker blocks and the scheduler runs another thread in its place, as far as its
  /// documentation says.
  case compensate
  /// Waiting inside an operation stops the process; a timed wait returns false at once.
  case fail
}

/// How often workers of a queue's operations waited, by what they did.
public struct BlockingCounters: Sendable, Equatable {
  /// Jobs run by waiting workers.
  public var helped = 0
  /// Waits that blocked their worker, announced to the scheduler.
  public var blocked = 0
  /// Waits that were refused.
  public var refused = 0
}

/// The setting and the counters of a queue.
struct WaitState: ~Copyable {
  let policy = Atomic<UInt8>(BlockingPolicy.automatic.rawValue)
  let helped = Atomic<Int>(0)
  let blocked = Atomic<Int>(0)
  let refused = Atomic<Int>(0)
}

extension OperationQueue {
  /// What a wait inside one of this queue's operations does; `automatic` by default.
  public var blockingPolicy: BlockingPolicy {
    // relaxed, both: a setting that orders nothing.
    get { BlockingPolicy(rawValue: waits.policy.load(ordering: .relaxed)) ?? .automatic }
    set { waits.policy.store(newValue.rawValue, ordering: .relaxed) }
  }

  /// What waits inside this queue's operations have done so far; a wait that only ran what it
  /// waited for is not counted.
  public var blockingCounters: BlockingCounters {
    // relaxed, all: statistics.
    BlockingCounters(
      helped: waits.helped.load(ordering: .relaxed),
      blocked: waits.blocked.load(ordering: .relaxed),
      refused: waits.refused.load(ordering: .relaxed))
  }

  /// Runs `body`, which blocks its thread outside this library: for a file, a lock, a sleep.
  ///
  /// Inside an operation the scheduler runs another thread in place of the worker meanwhile, as for
  /// a wait, so that other operations are not held up. Elsewhere, and where the queue's policy is
  /// `fail`, it only runs `body`. Inside an override of `cancel()` what was cancelled so far is let
  /// go before, as for a wait.
  public static func blocking<Result, Failure: Error>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let record = ThreadRecord.current
    record.prepareToWait()
    guard let place = record.waitPlace, place.policy != .fail else { return try body() }
    place.queue?.waits.blocked.wrappingAdd(1, ordering: .relaxed)  // relaxed: a statistic.
    return try record.whileBlocked(on: nil, at: record.schedulers, isTimed: false, body)
  }
}
