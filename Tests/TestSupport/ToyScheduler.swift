// SPDX-License-Identifier: Apache-2.0

internal import Foundation
package import Scheduling

/// The simplest scheduler that keeps the promises: one thread, one chain, no priorities.
///
/// Shows what the author of a plug-in has to write, and that `runToCompletion` is enough for the
/// loop.
package final class ToyScheduler: Scheduler {
  private let shelf = Shelf()

  /// Starts the thread.
  package init() {
    let shelf = shelf
    Thread.detachNewThread { shelf.runAll() }
  }

  deinit { shelf.close() }

  package var identity: SchedulerIdentity { SchedulerIdentity(object: shelf) }
  package var workerCount: Int { 1 }
  package var priorityPolicy: PriorityPolicy { .none }
  package func submit(_ jobs: consuming JobChain) { shelf.put(jobs) }
  package func shutDown() {
    shelf.close()
    shelf.waitUntilEnded()
  }
}

/// What the thread and the scheduler share.
private final class Shelf: Sendable {
  private let changed = NSCondition()
  // Guarded by `changed`.
  nonisolated(unsafe) private var waiting = JobChain()
  nonisolated(unsafe) private var isClosed = false
  nonisolated(unsafe) private var hasEnded = false

  func put(_ jobs: consuming JobChain) {
    changed.withLock { unsafe waiting.append(jobs.take()) }
    changed.broadcast()
  }

  func close() {
    changed.withLock { unsafe isClosed = true }
    changed.broadcast()
  }

  func waitUntilEnded() {
    changed.withLock { while unsafe !hasEnded { changed.wait() } }
  }

  func runAll() {
    var context = WorkerContext(worker: 0, scheduler: SchedulerIdentity(object: self))
    while let job = next() { unsafe context.runToCompletion(job, publish: put) }
    changed.withLock { unsafe hasEnded = true }
    changed.broadcast()
  }

  private func next() -> Job? {
    changed.withLock {
      while unsafe waiting.isEmpty && !isClosed { changed.wait() }
      return unsafe waiting.popFirst()
    }
  }
}
