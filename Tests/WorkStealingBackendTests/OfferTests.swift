// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
import Scheduling
import TestSupport
import Testing
import WorkStealingBackend

/// Jobs that a worker offers and takes back.
struct OfferTests {
  /// Runs `body` on the only worker and waits for it.
  private func onWorker(
    _ configuration: WorkStealingConfiguration = .init(),
    _ body: @escaping @Sendable (WorkStealingScheduler) -> Void
  ) {
    let scheduler = WorkStealingScheduler(workers: 1, configuration: configuration)
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

  @Test(arguments: WorkStealingConfiguration.LocalOrder.allCases)
  func jobsAddedSinceStayAndKeepTheirOrder(_ localOrder: WorkStealingConfiguration.LocalOrder) {
    let order = Locked<[Int]>([])
    let offered = CountedJobs(count: 1)
    var configuration = WorkStealingConfiguration()
    configuration.localOrder = localOrder
    onWorker(configuration) { scheduler in
      #expect(scheduler.offer(offered.job(0)))
      for number in 0..<5 { scheduler.submit { order.withLock { $0.append(number) } } }
      #expect(scheduler.takeBack(offered.job(0)))
      while scheduler.help() {}
    }
    #expect(order.withLock { $0 } == (localOrder == .lifo ? [4, 3, 2, 1, 0] : [0, 1, 2, 3, 4]))
    #expect(offered.runs == 0)
    runAway(offered)
  }

  /// Whichever is asked for first: what lies above it must be found afterwards, also where all
  /// bands are one.
  @Test(arguments: PriorityPolicy.allCases, 0..<UInt8(5) as Range<UInt8>)
  func offeredJobsAreTakenBackInAnyOrder(_ policy: PriorityPolicy, _ band: UInt8) {
    let count = 6
    let jobs = CountedJobs(count: count)
    var configuration = WorkStealingConfiguration()
    configuration.priorityPolicy = policy
    onWorker(configuration) { scheduler in
      let band = PriorityBand(rawValue: band) ?? .normal
      var random = SeededGenerator(seed: 1)
      for _ in 0..<50 {
        for number in 0..<count { #expect(scheduler.offer(jobs.job(number, band: band))) }
        for number in (0..<count).shuffled(using: &random) {
          #expect(scheduler.takeBack(jobs.job(number, band: band)))
        }
        #expect(!scheduler.help())
      }
    }
    #expect(jobs.runs == 0)
    runAway(jobs)
  }

  @Test func threadsOutsideOfferNothing() {
    let jobs = CountedJobs(count: 1)
    let scheduler = WorkStealingScheduler(workers: 1)
    #expect(!scheduler.offer(jobs.job(0)))
    #expect(!scheduler.takeBack(jobs.job(0)))
    #expect(!scheduler.help(worker: 0, in: .normal, wants: { _ in true }, use: { _ in .run }))
    runAway(jobs)
  }

  /// Runs what a test has left over, since the memory of unused jobs is kept.
  private func runAway(_ jobs: CountedJobs) {
    for number in 0..<jobs.count { InlineScheduler().submit(JobChain(jobs.job(number))) }
  }
}
