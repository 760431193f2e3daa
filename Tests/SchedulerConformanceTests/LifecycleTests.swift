// SPDX-License-Identifier: Apache-2.0

import Scheduling
import Synchronization
import TestSupport
import Testing

extension SchedulerConformance {
  /// How schedulers end, and what they cost while they have nothing to do.
  @Suite struct LifecycleTests {
    @Test(arguments: SchedulerUnderTest.all)
    func jobsQueuedBeforeTheSchedulerIsDroppedStillRun(_ kind: SchedulerUnderTest) {
      let done = Atomic<Int>(0)
      let lifetimes = LifetimeCounter()
      for _ in 0..<20 {
        let scheduler = kind.make()
        for number in 0..<100 {
          let token = lifetimes.token()
          scheduler.submit(
            JobChain(
              ClosureJob.make { context in
                withExtendedLifetime(token) {
                  // Jobs made ready after the drop run too.
                  if number == 99 {
                    context.ready.append(
                      ClosureJob.plain {
                        done.add(1, ordering: .relaxed)
                      })
                  }
                  done.add(1, ordering: .relaxed)
                  return nil
                }
              }))
        }
      }
      #expect(waitUntil { done.load(ordering: .relaxed) == 20 * 101 })
      #expect(waitUntil { lifetimes.live == 0 })
    }

    @Test(arguments: SchedulerUnderTest.all)
    func shutDownReturnsAfterTheLastJob(_ kind: SchedulerUnderTest) {
      for _ in 0..<20 {
        let scheduler = kind.make()
        let done = Atomic<Int>(0)
        for _ in 0..<200 {
          scheduler.submit(
            JobChain(
              ClosureJob.make { context in
                context.ready.append(ClosureJob.plain { done.add(1, ordering: .relaxed) })
                done.add(1, ordering: .relaxed)
                return nil
              }))
        }
        scheduler.shutDown()
        #expect(done.load(ordering: .relaxed) == 400)
        scheduler.shutDown()
      }
    }

    @Test(arguments: SchedulerUnderTest.all)
    func severalThreadsMayShutDownTogether(_ kind: SchedulerUnderTest) {
      let scheduler = kind.make()
      let done = Atomic<Int>(0)
      let early = Atomic<Int>(0)
      for _ in 0..<1_000 { scheduler.submit { done.add(1, ordering: .relaxed) } }
      onThreads(3) { _ in
        scheduler.shutDown()
        if done.load(ordering: .relaxed) != 1_000 { early.add(1, ordering: .relaxed) }
      }
      #expect(early.load(ordering: .relaxed) == 0)
    }

    @Test(arguments: [true, false])
    func aPoolThatEndsLeavesNoThread(_ shutsDown: Bool) {
      var scheduler: (any Scheduler)? = SchedulerUnderTest.threadPool.with(workers: 4).make()
      let threads = scheduler.map { ThreadProbe.workers(4, of: $0) } ?? []
      #expect(Set(threads.map(\.name)) == ["pool-0", "pool-1", "pool-2", "pool-3"])
      if shutsDown { scheduler?.shutDown() }
      scheduler = nil
      #expect(waitUntil { !threads.contains(where: \.exists) })
    }

    @Test(arguments: SchedulerUnderTest.pools)
    func shuttingDownFromAJobIsFatal(_ kind: SchedulerUnderTest) async {
      switch kind.name {
      case "thread-pool":
        await #expect(processExitsWith: .failure) { shutDownFromAJob(.threadPool) }
      case "dispatch":
        await #expect(processExitsWith: .failure) { shutDownFromAJob(.dispatch) }
      default: Issue.record("no exit test for \(kind.name); add its case here")
      }
    }

    @Test(arguments: SchedulerUnderTest.all.filter(\.hasThreads))
    func anIdleSchedulerUsesNoProcessor(_ kind: SchedulerUnderTest) {
      let scheduler = kind.make()
      let threads = ThreadProbe.workers(kind.workers, of: scheduler)
      #expect(threads.count == kind.workers)
      let clock = ContinuousClock()
      // Threads of libdispatch also run what other tests submit: one quiet window is enough, a spinning worker has none.
      let becameQuiet = waitUntil {
        let used = threads.reduce(0) { $0 + $1.processorNanoseconds }
        let start = clock.now
        _ = waitUntil { clock.now - start > .milliseconds(50) }
        return threads.reduce(0) { $0 + $1.processorNanoseconds } - used < 1_000_000
      }
      #expect(becameQuiet)
      withExtendedLifetime(scheduler) {}
    }
  }
}

/// Ends the process: `shutDown()` from a job must fail before the wait is over.
private func shutDownFromAJob(_ kind: SchedulerUnderTest) {
  let scheduler = kind.make()
  scheduler.submit { scheduler.shutDown() }
  _ = waitUntil { false }
}
