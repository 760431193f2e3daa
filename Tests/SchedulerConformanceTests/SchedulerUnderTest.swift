// SPDX-License-Identifier: Apache-2.0

import DispatchBackend
import Scheduling
import TestSupport
import Testing
import ThreadPoolBackend

/// What every scheduler must do, one test at a time.
///
/// Serialised: the bodies of tests wait, on threads that libdispatch counts, and its items would wait behind them.
@Suite(.serialized) enum SchedulerConformance {}

/// One scheduler of the suite, with what it promises beyond the protocol.
///
/// A new back end is added to `all` and gets every test.
struct SchedulerUnderTest: Sendable, CustomTestStringConvertible {
  let name: String
  /// Number of workers given to `make`.
  var workers: Int
  /// Starts jobs in exact order: most urgent band first, first in, first out within a band.
  var isExact = true
  /// Has threads of its own.
  var hasThreads = true
  /// Replaces blocked workers.
  var compensates = true
  /// Runs queued jobs in `help()`.
  var helps = true
  let factory: @Sendable (Int) -> any Scheduler

  var testDescription: String { "\(name), \(workers) workers" }

  func make() -> any Scheduler { factory(workers) }

  /// The same scheduler with another number of workers.
  func with(workers: Int) -> SchedulerUnderTest {
    var changed = self
    changed.workers = workers
    return changed
  }

  static let inline = SchedulerUnderTest(
    name: "inline", workers: 1, hasThreads: false, compensates: false
  ) { _ in InlineScheduler() }
  static let threadPool = SchedulerUnderTest(name: "thread-pool", workers: 2) {
    ThreadPoolScheduler(workers: $0)
  }
  static let dispatch = SchedulerUnderTest(name: "dispatch", workers: 2) {
    DispatchScheduler(workers: $0)
  }
  static let toy = SchedulerUnderTest(
    name: "toy", workers: 1, isExact: false, compensates: false, helps: false
  ) { _ in ToyScheduler() }

  /// Back ends with any number of workers.
  static let pools: [SchedulerUnderTest] = [threadPool, dispatch]
  /// Back ends that cannot have more than one worker.
  static let serial: [SchedulerUnderTest] = [inline, toy]

  /// Every back end, pools with 1, 2 and 8 workers, so that some are oversubscribed.
  static let all = serial + pools.flatMap { pool in [1, 2, 8].map { pool.with(workers: $0) } }
  /// Every back end with one worker.
  static let single = serial + pools.map { $0.with(workers: 1) }
}
