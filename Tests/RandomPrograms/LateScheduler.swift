// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
import Foundation
package import Scheduling
import Synchronization
import ThreadPoolBackend

/// Hands every chain but the first on late: a task that the first job begins may go on after its
/// operation was finished.
package final class LateScheduler: Scheduler {
  private let base = ThreadPoolScheduler(workers: 1)
  private let count = Atomic<Int>(0)

  package init() {}

  package var identity: SchedulerIdentity { base.identity }
  package var workerCount: Int { base.workerCount }
  /// In seconds.
  package static let delay = 0.06

  package func submit(_ jobs: consuming JobChain) {
    // relaxed: only the first one, which nothing else precedes, is told apart.
    guard count.wrappingAdd(1, ordering: .relaxed).newValue > 1 else { return base.submit(jobs) }
    let kept = Kept(jobs)
    Thread.detachNewThread {
      Thread.sleep(forTimeInterval: Self.delay)
      self.base.submit(kept.jobs.withLock { $0.take() })
    }
  }

  package func shutDown() { base.shutDown() }

  private final class Kept: Sendable {
    let jobs: Locked<JobChain>
    init(_ jobs: consuming JobChain) { self.jobs = Locked(jobs) }
  }
}
