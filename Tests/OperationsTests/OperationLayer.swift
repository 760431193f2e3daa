// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
import DispatchBackend
import Operations
import Scheduling
import Synchronization
import TestSupport
import Testing
import ThreadPoolBackend
import WorkStealingBackend

/// What operations and queues must do, on every scheduler.
///
/// Serialised: the bodies of tests wait, on threads that libdispatch counts, and its items would
/// wait behind them.
@Suite(.serialized) enum OperationLayer {}

/// One scheduler under the operation layer, with what it promises.
struct Kind: Sendable, CustomTestStringConvertible {
  let name: String
  let workers: Int
  /// Starts ready operations in exact order, also in queues without a limit.
  var isExact = true
  let make: @Sendable (Int) -> any Scheduler

  var isInline: Bool { name == "inline" }
  var testDescription: String { "\(name), \(workers) workers" }

  func queue() -> OperationQueue { OperationQueue(scheduler: make(workers)) }

  static let inline = Kind(name: "inline", workers: 1) { _ in InlineScheduler() }
  static let pools: [Kind] = [1, 2, 8].flatMap { workers in
    [
      Kind(name: "dispatch", workers: workers) { DispatchScheduler(workers: $0) },
      Kind(name: "thread-pool", workers: workers) { ThreadPoolScheduler(workers: $0) },
      Kind(name: "work-stealing", workers: workers, isExact: false) {
        WorkStealingScheduler(workers: $0)
      },
    ]
  }
  /// Every scheduler; 8 workers are more than most machines have processors to spare for.
  static let all = [inline] + pools
  /// Every scheduler once.
  static let each = [inline] + pools.filter { $0.workers == 2 }
  /// The pools with one worker.
  static let single = pools.filter { $0.workers == 1 }
}

/// How long anything may take that ought to happen at once.
let patience = Duration.seconds(60)

extension OperationQueue {
  /// Waits until the queue is empty; a queue that does not get there fails the test.
  func expectQuiet(_ note: String = "", sourceLocation: SourceLocation = #_sourceLocation) {
    let isQuiet = wait(timeout: patience)
    #expect(
      isQuiet, "\(operationCount) operations are left \(note)", sourceLocation: sourceLocation)
  }
}

/// How many times larger than usual the stress tests are; `BENCH_STRESS`.
let stressFactor = integerFromEnvironment("BENCH_STRESS") ?? 1
/// The first seed of the stress tests; `BENCH_STRESS_SEED`.
let stressSeed = UInt64(integerFromEnvironment("BENCH_STRESS_SEED") ?? 1)
/// How many times fewer rounds a slow build makes.
var slowness: Int { Trial.slowness }
