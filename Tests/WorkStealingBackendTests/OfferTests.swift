// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
import Scheduling
import TestSupport
import Testing
import WorkStealingBackend

/// Jobs that a worker offers and takes back.
struct OfferTests {
  /// Runs `body` on the only worker and waits for it.
  private func onWorker(_ body: @escaping @Sendable (WorkStealingScheduler) -> Void) {
    let scheduler = WorkStealingScheduler(workers: 1)
    let end = Turnstile()
    scheduler.submit {
      body(scheduler)
      end.signal()
    }
    end.wait()
    scheduler.shutDown()
  }

  @Test func offeredJobIsTakenBackOnce() {
    let jobs = CountedJobs(count: 1)
    onWorker { scheduler in
      for _ in 0..<1000 {
        #expect(scheduler.offer(jobs.job(0)))
        #expect(scheduler.takeBack(jobs.job(0)))
        #expect(!scheduler.takeBack(jobs.job(0)))
      }
      #expect(jobs.runs == 0)
      #expect(scheduler.offer(jobs.job(0)))
      #expect(scheduler.help())
      #expect(!scheduler.takeBack(jobs.job(0)))
    }
    #expect(jobs.runs == 1)
  }

  @Test func jobsAddedSinceStayAndKeepTheirOrder() {
    let order = Locked<[Int]>([])
    let offered = CountedJobs(count: 1)
    onWorker { scheduler in
      #expect(scheduler.offer(offered.job(0)))
      for number in 0..<5 { scheduler.submit { order.withLock { $0.append(number) } } }
      #expect(scheduler.takeBack(offered.job(0)))
      while scheduler.help() {}
    }
    #expect(order.withLock { $0 } == [4, 3, 2, 1, 0])
    #expect(offered.runs == 0)
    runAway(offered)
  }

  @Test func threadsOutsideOfferNothing() {
    let jobs = CountedJobs(count: 1)
    let scheduler = WorkStealingScheduler(workers: 1)
    #expect(!scheduler.offer(jobs.job(0)))
    #expect(!scheduler.takeBack(jobs.job(0)))
    #expect(!scheduler.help(worker: 0, in: .normal) { _ in true })
    #expect(!InlineScheduler().offer(jobs.job(0)))
    runAway(jobs)
  }

  /// Runs what a test has left over, since the memory of unused jobs is kept.
  private func runAway(_ jobs: CountedJobs) { InlineScheduler().submit(JobChain(jobs.job(0))) }
}
