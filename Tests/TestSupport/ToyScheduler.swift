// SPDX-License-Identifier: Apache-2.0

internal import Foundation
package import Scheduling

/// The simplest scheduler that keeps the promises: one thread, one array, no priorities.
///
/// Shows what the author of a plug-in has to write, and that `runToCompletion` is enough for the loop.
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
  nonisolated(unsafe) private var chains: [JobChain] = []
  nonisolated(unsafe) private var isClosed = false
  nonisolated(unsafe) private var hasEnded = false

  func put(_ jobs: consuming JobChain) {
    let chain = jobs
    changed.withLock { unsafe chains.append(chain) }
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
    while var chain = next() {
      while let job = chain.popFirst() { unsafe context.runToCompletion(job, publish: put) }
    }
    changed.withLock { unsafe hasEnded = true }
    changed.broadcast()
  }

  private func next() -> JobChain? {
    changed.withLock {
      while unsafe chains.isEmpty && !isClosed { changed.wait() }
      return unsafe chains.isEmpty ? nil : chains.removeFirst()
    }
  }
}
