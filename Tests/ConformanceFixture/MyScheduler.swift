// SPDX-License-Identifier: Apache-2.0

import Foundation
import Scheduling
import Synchronization

/// Threads that share a list of jobs for each band, most urgent first.
final class MyScheduler: Scheduler {
  let workerCount: Int
  private let core = Core()
  var identity: SchedulerIdentity { SchedulerIdentity(object: core) }

  init(workers: Int) {
    workerCount = workers
    for worker in 0..<workers {
      core.threads.enter()
      Thread.detachNewThread { [core] in core.work(as: worker) }
    }
  }

  deinit { core.close(workerCount) }

  func submit(_ jobs: consuming JobChain) { core.submit(jobs) }

  func shutDown() {
    core.close(workerCount)
    core.threads.wait()
  }

  /// What the threads hold until the last job has run, also when the scheduler is dropped.
  private final class Core: Sendable {
    let threads = DispatchGroup()
    /// One signal for each job, and after `close` one for each thread.
    private let signals = DispatchSemaphore(value: 0)
    private let bands = Mutex([JobChain](repeating: JobChain(), count: Int(PriorityBand.count)))

    func submit(_ jobs: consuming JobChain) {
      var added = jobs
      let count = added.count
      bands.withLock { bands in
        while let job = added.popFirst() { bands[Int(job.band.rawValue)].append(job) }
      }
      for _ in 0..<count { signals.signal() }
    }

    /// A thread that gets a signal and no job ends; jobs that others make ready run on those that made them.
    func close(_ workers: Int) { for _ in 0..<workers { signals.signal() } }

    func work(as worker: Int) {
      var context = WorkerContext(worker: worker, scheduler: SchedulerIdentity(object: self))
      while let job = next() {
        // Bound 0: a successor is queued like any other job, behind what is more urgent.
        context.runToCompletion(job, bound: 0) { submit($0) }
      }
      threads.leave()
    }

    private func next() -> Job? {
      signals.wait()
      return bands.withLock { bands in
        for band in bands.indices where !bands[band].isEmpty { return bands[band].popFirst() }
        return nil
      }
    }
  }
}
