// SPDX-License-Identifier: Apache-2.0

internal import ConcurrencyPrimitives
internal import Scheduling
internal import Synchronization

extension Check {
  /// How schedulers end.
  package static let ending: [Check] = [
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
    Check("aJobThatRunsAtShutDownMayWaitForOthers", .seam(.shutDown), needs: [.ownThreads]) {
      trial in
      shutDownUnderNestedJobs(depth: trial.workers, areAnnounced: false, trial)
    },
    Check(
      "aJobThatRunsAtShutDownMayAnnounceThatItBlocks", .seam(.shutDown),
      needs: [.ownThreads, .compensation]
    ) { trial in
      shutDownUnderNestedJobs(depth: 2 * trial.workers, areAnnounced: true, trial)
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

/// Shuts schedulers down while a job runs that submits another and waits for it, which does the
/// same, `depth` jobs deep.
private func shutDownUnderNestedJobs(depth: Int, areAnnounced: Bool, _ trial: Trial) {
  var random = SeededGenerator(seed: 3)
  for round in 1...20 {
    let scheduler = trial.makeScheduler()
    let hasBegun = Atomic(false)
    let isClosing = Atomic(false)
    let runs = Atomic<Int>(0)
    let waitsInVain = Atomic<Int>(0)
    @Sendable func run(_ level: Int) {
      runs.add(1, ordering: .relaxed)
      guard level < depth else { return }
      let isDone = Atomic(false)
      // release: pairs with the acquire below.
      scheduler.submit {
        run(level + 1)
        isDone.store(true, ordering: .releasing)
      }
      if areAnnounced { scheduler.willBlock() }
      // acquire: pairs with the release above.
      if !trial.waitUntil({ isDone.load(ordering: .acquiring) }) {
        waitsInVain.add(1, ordering: .relaxed)
      }
      if areAnnounced { scheduler.didUnblock() }
    }
    // The other workers find out that the scheduler shuts down, or have not yet.
    let pause = UInt64(random.index(below: 2_000)) * 1_000
    scheduler.submit {
      hasBegun.store(true, ordering: .releasing)
      _ = trial.waitUntil { isClosing.load(ordering: .acquiring) }
      let end = MonotonicTime.nanoseconds() + pause
      while MonotonicTime.nanoseconds() < end { yieldCore() }
      run(1)
    }
    guard trial.eventually("a job to begin", { hasBegun.load(ordering: .acquiring) }) else {
      return
    }
    isClosing.store(true, ordering: .releasing)
    scheduler.shutDown()
    trial.expect(
      waitsInVain.load(ordering: .relaxed), equals: 0,
      "the number of jobs that waited in vain, during shutDown, for jobs that they had submitted "
        + "(\(round))")
    trial.expect(
      runs.load(ordering: .relaxed), equals: depth,
      "the number of nested jobs that ran before shutDown returned (\(round))")
    guard trial.isBlameless else { return }
  }
}
