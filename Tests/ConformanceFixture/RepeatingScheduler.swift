// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Scheduling
import Synchronization

/// A serial dispatch queue that gets every job, and runs every hundredth twice.
final class RepeatingScheduler: Scheduler {
  let workerCount = 1
  private let queue = DispatchQueue(label: "repeating")
  private let count = Atomic<Int>(0)

  func submit(_ chain: consuming JobChain) {
    var added = chain
    while let job = added.popFirst() { queue.async { self.run(job) } }
  }

  private func run(_ job: Job) {
    var context = WorkerContext(worker: 0, scheduler: identity)
    unsafe context.runToCompletion(job) { submit($0) }
    // Wrong: a job belongs to whoever runs it, and is gone afterwards.
    if count.add(1, ordering: .relaxed).newValue % 100 == 0 { _ = unsafe job.run(in: &context) }
  }
}
