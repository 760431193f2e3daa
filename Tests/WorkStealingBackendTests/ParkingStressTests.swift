// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
import Scheduling
import Synchronization
import TestSupport
import Testing
import WorkStealingBackend

/// Sleeping and waking under storms, and what idling costs.
@Suite(.serialized) struct ParkingStressTests {
  /// Each round submits to a pool that is falling asleep, is asleep, or is about to look again.
  @Test(arguments: [1, 2, 8])
  func aStormOfSubmissionsAndWaitsNeverHangs(workers: Int) {
    let scheduler = WorkStealingScheduler(workers: workers)
    var random = SeededGenerator(seed: UInt64(workers))
    let parker = Parker()
    let done = Atomic<Int>(0)
    var submitted = 0
    for round in 1...StressSize.rounds {
      // Mostly one job, sometimes a handful, so that chains are moved and handed over.
      let count = random.index(below: 8) == 0 ? 1 + random.index(below: 5) : 1
      var chain = JobChain()
      for _ in 0..<count {
        chain.append(
          ClosureJob.plain {
            done.add(1, ordering: .releasing)
            parker.unpark()
          })
      }
      submitted += count
      scheduler.submit(chain)
      let isDone = waitForCount(submitted, done, parker)
      #expect(isDone, "round \(round): \(done.load(ordering: .relaxed)) of \(submitted) jobs ran")
      guard isDone else { return }
      for _ in 0..<random.index(below: 40) { spinPause() }
    }
    scheduler.shutDown()
  }

  /// Two threads outside submit at their own pace while jobs spawn jobs.
  @Test(arguments: [1, 2, 8])
  func twoSubmittersAndSpawningJobsNeverHang(workers: Int) {
    let scheduler = WorkStealingScheduler(workers: workers)
    let rounds = StressSize.rounds / 10
    let isHung = Atomic<Bool>(false)
    onThreads(2) { side in
      let parker = Parker()
      let done = Atomic2()
      for round in 1...rounds {
        scheduler.submit(
          JobChain(
            ClosureJob.make { context in
              for _ in 0..<2 {
                context.ready.append(
                  ClosureJob.plain {
                    done.count.add(1, ordering: .releasing)
                    parker.unpark()
                  })
              }
              return nil
            }))
        if !waitForCount(2 * round, done.count, parker) {
          isHung.store(true, ordering: .relaxed)
          return
        }
        if side == 0 && round % 16 == 0 { yieldCore() }
      }
    }
    let someoneHung = isHung.load(ordering: .relaxed)
    #expect(!someoneHung)
    scheduler.shutDown()
  }

  @Test(arguments: [1, 2, 8])
  func anIdlePoolUsesNoProcessorTime(workers: Int) {
    let scheduler = WorkStealingScheduler(workers: workers)
    let threads = threadsOfEveryWorker(of: scheduler)
    // Every worker is asleep once the number of times that workers went to sleep exceeds the
    // wake-ups by all of them.
    #expect(waitUntil { scheduler.known(\.parks) - scheduler.known(\.wakeUps) == workers })
    let before = threads.map(processorTicks)
    let parks = scheduler.counters.parks
    _ = Parker().park(until: MonotonicTime.deadline(after: .milliseconds(200)))
    #expect(scheduler.counters.parks == parks)
    #expect(threads.map(processorTicks) == before)
    withExtendedLifetime(scheduler) {}
  }

  @Test func countersAreExactWhenIdle() {
    let scheduler = WorkStealingScheduler(workers: 1)
    #expect(waitUntil { scheduler.counters.parks == 1 })
    let done = Atomic<Int>(0)
    for round in 1...50 {
      scheduler.submit { done.add(1, ordering: .relaxed) }
      #expect(waitUntil { done.load(ordering: .relaxed) == round })
      #expect(waitUntil { scheduler.counters.parks == round + 1 })
    }
    #expect(scheduler.counters.wakeUps == 50)
    #expect(scheduler.counters.steals == 0)
    #expect(scheduler.counters.compensations == 0)
  }
}

/// Numbers of the threads of all workers in /proc; occupies every worker at once to learn them.
private func threadsOfEveryWorker(of scheduler: WorkStealingScheduler) -> [String] {
  let names = Names()
  let workers = scheduler.workerCount
  for _ in 0..<workers {
    scheduler.submit {
      names.list.withLock { $0.append(currentThreadNumber()) }
      while names.list.withLock({ $0.count }) < workers { yieldCore() }
    }
  }
  #expect(waitUntil { names.list.withLock { $0.count } == workers })
  return names.list.withLock { $0 }
}

/// Names that jobs can share.
private final class Names: Sendable { let list = Locked<[String]>([]) }

/// A count that closures can share.
private final class Atomic2: Sendable { let count = Atomic<Int>(0) }

/// Parks until the count is reached; false after 20 seconds without it.
private func waitForCount(_ goal: Int, _ count: borrowing Atomic<Int>, _ parker: Parker) -> Bool {
  let deadline = MonotonicTime.deadline(after: .seconds(20))
  // acquiring: pairs with the release in the jobs.
  while count.load(ordering: .acquiring) < goal {
    if !parker.park(until: deadline) { return count.load(ordering: .acquiring) >= goal }
  }
  return true
}
