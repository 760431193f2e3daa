// SPDX-License-Identifier: Apache-2.0

import Foundation
import Scheduling
import Synchronization
import TestSupport
import Testing

extension SchedulerConformance {
  /// Blocked jobs do not stop the others.
  @Suite struct BlockingTests {
    static let compensating = SchedulerUnderTest.all.filter(\.compensates)

    @Test(arguments: compensating)
    func announcedBlocksLetOtherJobsRun(_ kind: SchedulerUnderTest) {
      let scheduler = kind.make()
      let blockers = 3 * kind.workers
      let gate = DispatchSemaphore(value: 0)
      let done = Atomic<Int>(0)
      for _ in 0..<blockers {
        scheduler.submit {
          scheduler.willBlock()
          gate.wait()
          scheduler.didUnblock()
          done.add(1, ordering: .relaxed)
        }
      }
      // Runs last of all and opens the gate for those that block before it.
      scheduler.submit(band: .veryLow) { for _ in 0..<blockers { gate.signal() } }
      #expect(waitUntil { done.load(ordering: .relaxed) == blockers })
      #expect(scheduler.counters.compensations >= 1)
    }

    @Test(arguments: compensating)
    func afterCompensationNoMoreThanWorkersRun(_ kind: SchedulerUnderTest) {
      let scheduler = kind.make()
      let blockers = 4 * kind.workers
      let gate = DispatchSemaphore(value: 0)
      let done = Atomic<Int>(0)
      for _ in 0..<blockers {
        scheduler.submit {
          scheduler.willBlock()
          gate.wait()
          scheduler.didUnblock()
          done.add(1, ordering: .relaxed)
        }
      }
      scheduler.submit(band: .veryLow) { for _ in 0..<blockers { gate.signal() } }
      #expect(waitUntil { done.load(ordering: .relaxed) == blockers })
      // Every job that blocked has returned or is about to, so its thread is surplus or asleep.
      let running = Atomic<Int>(0)
      let most = Atomic<Int>(0)
      let late = Atomic<Int>(0)
      for _ in 0..<500 {
        scheduler.submit {
          most.max(running.add(1, ordering: .relaxed).newValue, ordering: .relaxed)
          yieldCore()
          running.subtract(1, ordering: .relaxed)
          late.add(1, ordering: .relaxed)
        }
      }
      #expect(waitUntil { late.load(ordering: .relaxed) == 500 })
      #expect((1...kind.workers).contains(most.load(ordering: .relaxed)))
    }

    @Test(arguments: SchedulerUnderTest.single.filter(\.helps))
    func aWaitingJobHelpsItselfOnOneWorker(_ kind: SchedulerUnderTest) {
      let scheduler = kind.make()
      let children = Atomic<Int>(0)
      let parents = Atomic<Int>(0)
      for _ in 0..<50 {
        scheduler.submit {
          let before = children.load(ordering: .relaxed)
          for _ in 0..<4 { scheduler.submit { children.add(1, ordering: .relaxed) } }
          // Nobody else can run them; other parents may be helped first and nest.
          while children.load(ordering: .relaxed) < before + 4, scheduler.help() {}
          parents.add(1, ordering: .relaxed)
        }
      }
      #expect(waitUntil { parents.load(ordering: .relaxed) == 50 })
      #expect(waitUntil { children.load(ordering: .relaxed) == 200 })
      #expect(scheduler.counters.helped > 0)
    }

    @Test(arguments: SchedulerUnderTest.all)
    func helpDoesNothingOnForeignThreads(_ kind: SchedulerUnderTest) {
      let scheduler = kind.make()
      let done = Atomic<Int>(0)
      for _ in 0..<100 { scheduler.submit { done.add(1, ordering: .relaxed) } }
      #expect(!scheduler.help())
      scheduler.willBlock()
      scheduler.didUnblock()
      #expect(waitUntil { done.load(ordering: .relaxed) == 100 })
      #expect(scheduler.counters.helped == 0)
      #expect(scheduler.counters.compensations == 0)
    }

    @Test func workersOfOneSchedulerAreForeignToAnother() {
      let (pool, dispatch) = (
        SchedulerUnderTest.threadPool.make(), SchedulerUnderTest.dispatch.make()
      )
      let wrong = Atomic<Int>(0)
      let done = Atomic<Int>(0)
      for _ in 0..<100 {
        pool.submit {
          if dispatch.help() { wrong.add(1, ordering: .relaxed) }
          dispatch.willBlock()
          dispatch.submit {
            if pool.help() { wrong.add(1, ordering: .relaxed) }
            done.add(1, ordering: .relaxed)
          }
          dispatch.didUnblock()
        }
      }
      #expect(waitUntil { done.load(ordering: .relaxed) == 100 })
      #expect(wrong.load(ordering: .relaxed) == 0)
      #expect(dispatch.counters.compensations == 0)
    }
  }
}
