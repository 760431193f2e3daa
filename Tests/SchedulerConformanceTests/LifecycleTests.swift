// SPDX-License-Identifier: Apache-2.0

import Scheduling
import Synchronization
import TestSupport
import Testing

extension SchedulerSeam {
  /// What ended and idle schedulers cost.
  @Suite struct LifecycleTests {
    /// With 1, 2 and 8 workers, so that some are oversubscribed.
    static let oversubscribed =
      [SchedulerUnderTest.toy]
      + SchedulerUnderTest.pools.flatMap { pool in [1, 2, 8].map { pool.with(workers: $0) } }

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
      #if OneTBB
        case "onetbb":
          await #expect(processExitsWith: .failure) { shutDownFromAJob(.oneTBB) }
      #endif
      default: Issue.record("no exit test for \(kind.name); add its case here")
      }
    }

    @Test(arguments: ["work-stealing", "thread-pool", "dispatch"], [0, .max])
    func anIllegalNumberOfWorkersIsRefusedWithAMessage(_ name: String, _ workers: Int) async throws
    {
      let result: ExitTest.Result?
      switch (name, workers) {
      case ("work-stealing", 0):
        result = await #expect(
          processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = SchedulerUnderTest.workStealing.factory(0) }
      case ("work-stealing", _):
        result = await #expect(
          processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = SchedulerUnderTest.workStealing.factory(.max) }
      case ("thread-pool", 0):
        result = await #expect(
          processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = SchedulerUnderTest.threadPool.factory(0) }
      case ("thread-pool", _):
        result = await #expect(
          processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = SchedulerUnderTest.threadPool.factory(.max) }
      case (_, 0):
        result = await #expect(
          processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = SchedulerUnderTest.dispatch.factory(0) }
      case (_, _):
        result = await #expect(
          processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = SchedulerUnderTest.dispatch.factory(.max) }
      }
      let told = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
      #expect(told.contains("Scheduler: workers is \(workers); expected 1 to "), "\(told)")
    }

    @Test(arguments: oversubscribed)
    func anIdleSchedulerUsesNoProcessor(_ kind: SchedulerUnderTest) {
      let scheduler = kind.make()
      let threads = ThreadProbe.workers(kind.workers, of: scheduler)
      #expect(threads.count == kind.workers)
      let clock = ContinuousClock()
      // Threads of libdispatch also run what other tests submit: one quiet window is enough, a
      // spinning worker has none.
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
