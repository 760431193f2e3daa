// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Scheduling
import Synchronization

/// One locked list of jobs, run one at a time on libdispatch's global queue; loses wake-ups.
final class DrowsyScheduler: Scheduler {
  let workerCount = 1
  private let jobs = Mutex(JobChain())

  func submit(_ chain: consuming JobChain) {
    let wasEmpty = jobs.withLock { jobs in
      let wasEmpty = jobs.isEmpty
      jobs.append(chain.take())
      return wasEmpty
    }
    // Wrong: one wake-up for what may be many jobs, and none when the list is in use.
    if wasEmpty { DispatchQueue.global().async { self.work() } }
  }

  private func work() {
    guard let job = jobs.withLock({ $0.popFirst() }) else { return }
    var context = WorkerContext(worker: 0, scheduler: identity)
    unsafe context.runToCompletion(job) { submit($0) }
  }
}
