// SPDX-License-Identifier: Apache-2.0

import Foundation
import Scheduling

/// Threads that share one list of jobs, most urgent first, under one lock: right, but for the
/// mistakes it is asked for.
final class ConditionPool: Scheduler {
  let workerCount: Int
  private let list: List

  /// - Parameters:
  ///   - workers: how many threads.
  ///   - wakesOneWorkerPerChain: the mistake to wake one thread for a chain of several jobs.
  ///   - successorsInPlace: how many successors a thread runs at once, whatever else is more urgent.
  init(workers: Int, wakesOneWorkerPerChain: Bool = false, successorsInPlace: Int = 0) {
    workerCount = workers
    let list = List(wakesOne: wakesOneWorkerPerChain, workers: workers)
    self.list = list
    for worker in 0..<workers {
      Thread.detachNewThread { list.runAll(worker: worker, bound: successorsInPlace) }
    }
  }

  deinit { list.close() }

  var identity: SchedulerIdentity { SchedulerIdentity(object: list) }
  func submit(_ jobs: consuming JobChain) { list.put(jobs) }
  func shutDown() {
    list.close()
    list.waitUntilEnded()
  }

  /// What the threads and the scheduler share.
  private final class List: Sendable {
    private let changed = NSCondition()
    private let wakesOne: Bool
    // Guarded by `changed`.
    nonisolated(unsafe) private var bands = InlineArray<5, JobChain> { _ in JobChain() }
    nonisolated(unsafe) private var isClosed = false
    nonisolated(unsafe) private var running = 0
    nonisolated(unsafe) private var left: Int

    init(wakesOne: Bool, workers: Int) {
      self.wakesOne = wakesOne
      unsafe left = workers
    }

    func put(_ jobs: consuming JobChain) {
      var chain = jobs
      changed.withLock {
        while let job = chain.popFirst() { unsafe bands[Int(job.band.rawValue)].append(job) }
      }
      if wakesOne { changed.signal() } else { changed.broadcast() }
    }

    func close() {
      changed.withLock { unsafe isClosed = true }
      changed.broadcast()
    }

    func waitUntilEnded() {
      changed.withLock { while unsafe left > 0 { changed.wait() } }
    }

    func runAll(worker: Int, bound: Int) {
      var context = WorkerContext(worker: worker, scheduler: SchedulerIdentity(object: self))
      while let job = next() {
        unsafe context.runToCompletion(job, bound: bound, publish: put)
        changed.withLock {
          unsafe running -= 1
          if unsafe isClosed && running == 0 { changed.broadcast() }
        }
      }
      changed.withLock { unsafe left -= 1 }
      changed.broadcast()
    }

    private func next() -> Job? {
      changed.withLock {
        while true {
          if let band = unsafe bands.indices.first(where: { unsafe !bands[$0].isEmpty }) {
            unsafe running += 1
            return unsafe bands[band].popFirst()
          }
          // What runs may still make jobs ready.
          if unsafe isClosed && running == 0 { return nil }
          changed.wait()
        }
      }
    }
  }
}
