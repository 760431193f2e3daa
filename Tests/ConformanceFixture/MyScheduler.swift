// SPDX-License-Identifier: Apache-2.0

import Foundation
import Scheduling
import Synchronization

/// Threads that share a list of jobs for each band, most urgent first.
final class MyScheduler: Scheduler {
  let workerCount: Int
  private let core: Core
  var identity: SchedulerIdentity { SchedulerIdentity(object: core) }

  init(workers: Int) {
    workerCount = workers
    core = Core(workers: workers)
    for worker in 0..<workers {
      core.threads.enter()
      Thread.detachNewThread { [core] in core.work(as: worker) }
    }
  }

  deinit { core.close() }

  func submit(_ jobs: consuming JobChain) { core.submit(jobs) }

  func shutDown() {
    core.close()
    core.threads.wait()
  }

  /// What the threads hold until the last job has run, also when the scheduler is dropped.
  private final class Core: Sendable {
    let threads = DispatchGroup()
    /// One signal for each job, and in the end one for each thread.
    private let signals = DispatchSemaphore(value: 0)
    private let list = Mutex(List())
    private let workers: Int

    private struct List: ~Copyable {
      /// One for each band.
      var bands = InlineArray<5, JobChain> { _ in JobChain() }
      /// Jobs that wait or run.
      var unfinished = 0
      var isClosed = false
    }

    init(workers: Int) { self.workers = workers }

    func submit(_ jobs: consuming JobChain) {
      var added = jobs
      let count = added.count
      list.withLock { list in
        list.unfinished += count
        while let job = added.popFirst() { list.bands[Int(job.band.rawValue)].append(job) }
      }
      for _ in 0..<count { signals.signal() }
    }

    /// No thread ends while a job runs, which may submit others and wait for them.
    func close() { endIfQuiet { $0.isClosed = true } }

    /// A thread that gets a signal and no job ends.
    private func endIfQuiet(_ change: (inout List) -> Void) {
      let isQuiet = list.withLock { list in
        change(&list)
        return list.isClosed && list.unfinished == 0
      }
      if isQuiet { for _ in 0..<workers { signals.signal() } }
    }

    func work(as worker: Int) {
      var context = WorkerContext(worker: worker, scheduler: SchedulerIdentity(object: self))
      context.origin = JobOrigin(.sharedQueue)
      while let job = next() {
        // Bound 0: a successor is queued like any other job, behind what is more urgent.
        unsafe context.runToCompletion(job, bound: 0) { submit($0) }
        endIfQuiet { $0.unfinished -= 1 }
      }
      threads.leave()
    }

    private func next() -> Job? {
      if signals.wait(timeout: .now()) == .timedOut {
        SchedulerEvents.parks()
        signals.wait()
        SchedulerEvents.unparks()
      }
      return list.withLock { list in
        let band = list.bands.indices.first { !list.bands[$0].isEmpty }
        return band.flatMap { list.bands[$0].popFirst() }
      }
    }
  }
}
