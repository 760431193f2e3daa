// SPDX-License-Identifier: Apache-2.0

import Scheduling
import Synchronization
import TestSupport
import Testing

extension SchedulerSeam {
  /// Two schedulers that share threads of the process.
  @Suite struct BlockingTests {
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

    /// Those that replaced workers are blocked still and the workers have gone to sleep: these come
    /// back for the next job.
    @Test(arguments: SchedulerUnderTest.families.filter { $0.name != "inline" })
    func idleWorkersComeBackWhileTheirReplacementsAreBlocked(_ kind: SchedulerUnderTest) {
      let scheduler = kind.make()
      let gates = [Turnstile(), Turnstile()]
      let blocked = Atomic<Int>(0)
      let returned = Atomic<Int>(0)
      @Sendable func block(at gate: Turnstile) {
        scheduler.willBlock()
        blocked.add(1, ordering: .relaxed)
        gate.wait()
        scheduler.didUnblock()
        returned.add(1, ordering: .relaxed)
      }
      for (number, gate) in gates.enumerated() {
        for _ in 0..<kind.workers { scheduler.submit { block(at: gate) } }
        let goal = (number + 1) * kind.workers
        #expect(waitUntil { blocked.load(ordering: .relaxed) == goal })
      }
      for _ in 0..<kind.workers { gates[0].signal() }
      #expect(waitUntil { returned.load(ordering: .relaxed) == kind.workers })
      // Nothing tells that oneTBB's threads sleep; where they do not yet this shows less.
      let end = ContinuousClock.now + .milliseconds(200)
      _ = waitUntil { ContinuousClock.now >= end }
      let hasRun = Atomic<Int>(0)
      scheduler.submit { hasRun.add(1, ordering: .relaxed) }
      #expect(waitUntil { hasRun.load(ordering: .relaxed) == 1 })
      for _ in 0..<kind.workers { gates[1].signal() }
      #expect(waitUntil { returned.load(ordering: .relaxed) == 2 * kind.workers })
    }

    /// A library may have a bound on the threads of the process, which several schedulers reach
    /// together; libdispatch adds one per second, which takes too long here.
    @Test(
      arguments: SchedulerUnderTest.families.filter { !["inline", "dispatch"].contains($0.name) })
    func schedulersBlockDeepBesideEachOther(_ kind: SchedulerUnderTest) {
      let (schedulers, depth) = ((0..<4).map { _ in kind.make() }, 300)
      let deep = Atomic<Int>(0)
      let returned = Atomic<Int>(0)
      let gate = Turnstile()
      @Sendable func descend(_ level: Int, on scheduler: any Scheduler) {
        let hasRun = Turnstile()
        if level > 0 {
          scheduler.submit {
            descend(level - 1, on: scheduler)
            hasRun.signal()
          }
          scheduler.willBlock()
          while !scheduler.compensatePastLimit() { yieldCore() }
          hasRun.wait()
          scheduler.didUnblock()
        } else {
          deep.add(1, ordering: .relaxed)
          gate.wait()
        }
        returned.add(1, ordering: .relaxed)
      }
      for scheduler in schedulers { scheduler.submit { descend(depth, on: scheduler) } }
      let areAllDeep = waitUntil { deep.load(ordering: .relaxed) == schedulers.count }
      #expect(areAllDeep, "\(deep.load(ordering: .relaxed)) of \(schedulers.count) are")
      for _ in schedulers { gate.signal() }
      let jobs = schedulers.count * (depth + 1)
      #expect(!areAllDeep || waitUntil { returned.load(ordering: .relaxed) == jobs })
    }
  }
}
