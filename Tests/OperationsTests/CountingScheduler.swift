// SPDX-License-Identifier: Apache-2.0

import Scheduling
import Synchronization

/// The inline scheduler with a count of the jobs that were submitted from outside.
final class CountingScheduler: Scheduler {
  let submitted = Atomic<Int>(0)
  private let inner = InlineScheduler()

  var identity: SchedulerIdentity { inner.identity }
  var workerCount: Int { inner.workerCount }
  var waitsByHelping: Bool { true }
  func help() -> Bool { inner.help() }
  func submit(_ jobs: consuming JobChain) {
    submitted.add(jobs.count, ordering: .relaxed)
    inner.submit(jobs)
  }
}
