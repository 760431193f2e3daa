// SPDX-License-Identifier: Apache-2.0

import DispatchBackend
package import Scheduling
import ThreadPoolBackend
import WorkStealingBackend

/// A scheduler under the package's classes.
package struct Tested: Sendable {
  package let name: String
  package let workers: Int
  private let maker: @Sendable (Int) -> any Scheduler

  package func make() -> any Scheduler { maker(workers) }
  package var isInline: Bool { name == "inline" }
  package var description: String {
    workers == 1 ? "\(name), 1 worker" : "\(name), \(workers) workers"
  }

  package static let inline = Tested(name: "inline", workers: 1) { _ in InlineScheduler() }

  /// One that must be found out.
  package static let losing = Tested(name: "losing", workers: 1) { _ in LosingScheduler() }

  /// The threaded schedulers with that many workers, after the inline one.
  package static func all(workers: [Int]) -> [Tested] {
    [inline]
      + workers.flatMap { workers in
        [
          Tested(name: "dispatch", workers: workers) { DispatchScheduler(workers: $0) },
          Tested(name: "thread-pool", workers: workers) { ThreadPoolScheduler(workers: $0) },
          Tested(name: "work-stealing", workers: workers) { WorkStealingScheduler(workers: $0) },
        ]
      }
  }
}
