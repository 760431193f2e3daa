// SPDX-License-Identifier: Apache-2.0

import Scheduling
import Synchronization
import TestSupport
import Testing

@testable import WorkStealingBackend

/// Compensation threads past the limit: as many as it takes, and gone when they are not needed.
@Suite(.serialized) struct SpareTests {
  /// A job that submits another and waits for it, `levels` deep, as operations do.
  private func nest(
    _ levels: Int, on scheduler: WorkStealingScheduler, _ done: @escaping @Sendable () -> Void
  ) {
    scheduler.submit {
      if levels > 1 {
        let hasRun = Turnstile()
        nest(levels - 1, on: scheduler) { hasRun.signal() }
        scheduler.willBlock()
        while !scheduler.compensatePastLimit() { yieldCore() }
        hasRun.wait()
        scheduler.didUnblock()
      }
      done()
    }
  }

  @Test(arguments: [0, 1, 4], [1, 2])
  func sparesPastTheLimitEnd(limit: Int, workers: Int) {
    var configuration = WorkStealingConfiguration()
    configuration.compensationLimit = limit
    let scheduler = WorkStealingScheduler(workers: workers, configuration: configuration)
    let pool = scheduler.pool
    let ran = Atomic<Int>(0)
    for round in 1...3 {
      let ended = Turnstile()
      nest(200, on: scheduler) { ended.signal() }
      ended.wait()
      // A spare that sleeps ends when it is woken the next time.
      let isSmall = waitUntil {
        for _ in 0..<20 { scheduler.submit { ran.add(1, ordering: .relaxed) } }
        return pool.threads.withLock { $0.spares } <= pool.sparesKept
      }
      #expect(isSmall, "round \(round): \(pool.threads.withLock { $0.spares }) spares")
      let known = pool.knownWorkers.value.load(ordering: .sequentiallyConsistent)
      #expect(known <= workers + pool.sparesKept && known > workers)
      #expect(pool.threads.withLock { $0.handles.count } <= workers + pool.sparesKept)
    }
    scheduler.shutDown()
    #expect(scheduler.known(\.compensations) >= 199 - workers)
    // Every ended thread has been joined.
    #expect(pool.threads.withLock { $0.handles.isEmpty && $0.lastEnded == nil })
  }

  /// Spares come and go while others steal from them: nothing they held is lost.
  @Test(arguments: [1, 2, 3])
  func jobsOfSparesThatEndAreRun(workers: Int) {
    var configuration = WorkStealingConfiguration()
    configuration.compensationLimit = 1
    let scheduler = WorkStealingScheduler(workers: workers, configuration: configuration)
    let ran = Atomic<Int>(0)
    let nests = Atomic<Int>(0)
    for _ in 0..<40 {
      nest(12, on: scheduler) {
        nests.add(1, ordering: .relaxed)
        for _ in 0..<5 { scheduler.submit { ran.add(1, ordering: .relaxed) } }
      }
    }
    scheduler.shutDown()
    let (all, outer) = (ran.load(ordering: .relaxed), nests.load(ordering: .relaxed))
    #expect(outer == 40 && all == 200)
  }
}
