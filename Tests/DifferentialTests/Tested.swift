// SPDX-License-Identifier: Apache-2.0

import DispatchBackend
import Scheduling
import Testing
import ThreadPoolBackend
import WorkStealingBackend

/// A scheduler under the package's classes.
struct Tested: Sendable, CustomTestStringConvertible {
  let name: String
  let workers: Int
  private let make: @Sendable (Int) -> any Scheduler

  var testDescription: String { workers == 1 ? "\(name), 1 worker" : "\(name), \(workers) workers" }
  var family: PackageFamily { PackageFamily(name: testDescription, scheduler: make(workers)) }

  /// Whether the scheduler can run the script: a body that blocks its thread must leave another one.
  func canRun(_ script: Script) -> Bool {
    let hasThreadToBlock = name != "inline" && workers > 1
    return hasThreadToBlock || !script.program.plans.contains { $0.kind == .latched }
  }

  static let inline = Tested(name: "inline", workers: 1) { _ in InlineScheduler() }
  static let all: [Tested] =
    [inline]
    + [1, 2, 8].flatMap { workers in
      [
        Tested(name: "dispatch", workers: workers) { DispatchScheduler(workers: $0) },
        Tested(name: "thread-pool", workers: workers) { ThreadPoolScheduler(workers: $0) },
        Tested(name: "work-stealing", workers: workers) { WorkStealingScheduler(workers: $0) },
      ]
    }
}
