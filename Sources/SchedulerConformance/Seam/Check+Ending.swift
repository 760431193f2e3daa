// SPDX-License-Identifier: Apache-2.0

internal import ConcurrencyPrimitives
internal import Scheduling
internal import Synchronization

extension Check {
  /// How schedulers end.
  static let ending: [Check] = [
    Check("jobsQueuedBeforeTheSchedulerIsDroppedStillRun", .seam(.dropping)) { trial in
      let done = Atomic<Int>(0)
      let lifetimes = LifetimeCounter()
      for _ in 0..<20 {
        let scheduler = trial.makeScheduler()
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
      trial.eventually(equals: 20 * 101, "the number of jobs that ran") {
        done.load(ordering: .relaxed)
      }
      trial.eventually(equals: 0, "the number of jobs that are left") { lifetimes.live }
    },
    Check("shutDownReturnsAfterTheLastJob", .seam(.shutDown)) { trial in
      for _ in 0..<20 {
        let scheduler = trial.makeScheduler()
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
        trial.expect(
          done.load(ordering: .relaxed), equals: 400,
          "the number of jobs that ran before shutDown returned")
        scheduler.shutDown()
      }
    },
    Check("severalThreadsMayShutDownTogether", .seam(.shutDown)) { trial in
      let scheduler = trial.makeScheduler()
      let done = Atomic<Int>(0)
      let early = Atomic<Int>(0)
      for _ in 0..<1_000 { scheduler.submit { done.add(1, ordering: .relaxed) } }
      onThreads(3) { _ in
        scheduler.shutDown()
        if done.load(ordering: .relaxed) != 1_000 { early.add(1, ordering: .relaxed) }
      }
      trial.expect(
        early.load(ordering: .relaxed), equals: 0, "the number of calls that returned early")
    },
  ]
}
