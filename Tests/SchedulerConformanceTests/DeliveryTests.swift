// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
import Scheduling
import Synchronization
import TestSupport
import Testing

extension SchedulerConformance {
  /// Every job runs exactly once, wherever it comes from, and sees what its submitter wrote.
  @Suite struct DeliveryTests {
    @Test(arguments: SchedulerUnderTest.all)
    func everyJobOfManySubmittersRunsOnce(_ kind: SchedulerUnderTest) {
      let scheduler = kind.make()
      let runs = Counters(count: 4 * 2_000)
      let lifetimes = LifetimeCounter()
      onThreads(4) { thread in
        var random = SeededGenerator(seed: UInt64(thread))
        var next = thread * 2_000
        while next < (thread + 1) * 2_000 {
          var chain = JobChain()
          for _ in 0..<Int.random(in: 1...7, using: &random) where next < (thread + 1) * 2_000 {
            let band = PriorityBand(rawValue: UInt8.random(in: 0..<5, using: &random)) ?? .normal
            let (number, token) = (next, lifetimes.token())
            chain.append(
              ClosureJob.plain(band: band) { withExtendedLifetime(token) { runs.add(number) } })
            next += 1
          }
          scheduler.submit(chain)
        }
      }
      #expect(waitUntil { runs.total == 8_000 })
      #expect(runs.all { $0 == 1 })
      #expect(waitUntil { lifetimes.live == 0 })
    }

    @Test(arguments: SchedulerUnderTest.all)
    func jobsSubmitJobsToAnyDepth(_ kind: SchedulerUnderTest) {
      let scheduler = kind.make()
      let runs = Atomic<Int>(0)
      // A binary tree 12 levels deep, then a line of 100 000, which would overflow a stack that grew with it.

      @Sendable func tree(_ level: Int) {
        runs.add(1, ordering: .relaxed)
        guard level > 0 else { return }
        for _ in 0..<2 { scheduler.submit { tree(level - 1) } }
      }
      @Sendable func line(_ left: Int) {
        runs.add(1, ordering: .relaxed)
        if left > 1 { scheduler.submit { line(left - 1) } }
      }
      scheduler.submit { tree(12) }
      scheduler.submit { line(100_000) }
      let expected = (1 << 13) - 1 + 100_000
      #expect(waitUntil { runs.load(ordering: .relaxed) == expected })
    }

    @Test(arguments: SchedulerUnderTest.all)
    func successorsAndReadyJobsRunOnceEach(_ kind: SchedulerUnderTest) {
      let scheduler = kind.make()
      let links = 20_000
      let runs = Counters(count: 2 * links)
      // Job i makes i + 1 its successor and one leaf ready.
      @Sendable func link(_ number: Int) -> Job {
        ClosureJob.make { context in
          runs.add(number)
          context.ready.append(ClosureJob.plain { runs.add(links + number) })
          return number + 1 < links ? link(number + 1) : nil
        }
      }
      scheduler.submit(JobChain(link(0)))
      #expect(waitUntil { runs.total == 2 * links })
      #expect(runs.all { $0 == 1 })
    }

    @Test(arguments: SchedulerUnderTest.all)
    func aJobSeesWhatItsSubmitterWrote(_ kind: SchedulerUnderTest) {
      let scheduler = kind.make()
      let right = Atomic<Int>(0)
      let wrong = Atomic<Int>(0)
      for number in 1...2_000 {
        let box = PlainBox()
        unsafe box.value = number
        scheduler.submit {
          let seen = unsafe box.value
          if seen == number {
            right.add(1, ordering: .relaxed)
          } else {
            wrong.add(1, ordering: .relaxed)
          }
        }
      }
      #expect(
        waitUntil { right.load(ordering: .relaxed) + wrong.load(ordering: .relaxed) == 2_000 })
      #expect(wrong.load(ordering: .relaxed) == 0)
    }

    @Test(arguments: SchedulerUnderTest.all)
    func theContextNamesItsSchedulerAndWorker(_ kind: SchedulerUnderTest) {
      let scheduler = kind.make()
      let (identity, workers) = (scheduler.identity, scheduler.workerCount)
      #expect(workers == kind.workers)
      let right = Atomic<Int>(0)
      let wrong = Atomic<Int>(0)
      for _ in 0..<500 {
        scheduler.submit(
          JobChain(
            ClosureJob.make { context in
              let fits = context.scheduler == identity && (0..<workers).contains(context.worker)
              if fits { right.add(1, ordering: .relaxed) } else { wrong.add(1, ordering: .relaxed) }
              return nil
            }))
      }
      #expect(waitUntil { right.load(ordering: .relaxed) + wrong.load(ordering: .relaxed) == 500 })
      #expect(wrong.load(ordering: .relaxed) == 0)
    }
  }
}

extension SchedulerConformance {
  /// A worker gives held-back results back before it idles.
  @Suite struct IdleTests {
    @Test(arguments: SchedulerUnderTest.all)
    func theIdleFunctionIsCalledOnceNothingIsLeft(_ kind: SchedulerUnderTest) {
      let scheduler = kind.make()
      for _ in 0..<100 {
        let before = idleCalls.load(ordering: .relaxed)
        scheduler.submit(
          JobChain(
            ClosureJob.make { context in
              unsafe context.idle = { _ in idleCalls.add(1, ordering: .relaxed) }
              return nil
            }))
        #expect(waitUntil { idleCalls.load(ordering: .relaxed) == before + 1 })
      }
    }
  }
}

/// Calls of the idle function; the suite above is serialised because of it.
private let idleCalls = Atomic<Int>(0)

/// A value without any synchronisation of its own.
private final class PlainBox: Sendable {
  nonisolated(unsafe) var value = 0
}

/// One counter per job.
final class Counters: Sendable {
  private let counts: [Cell]
  private let sum = Atomic<Int>(0)

  private final class Cell: Sendable { let count = Atomic<Int>(0) }

  init(count: Int) { counts = (0..<count).map { _ in Cell() } }

  /// Counts one run of this job.
  func add(_ number: Int) {
    counts[number].count.add(1, ordering: .relaxed)  // relaxed: ordered by the sum.
    sum.add(1, ordering: .releasing)  // release: pairs with the acquire in `total`.
  }

  /// Runs of all jobs.
  var total: Int { sum.load(ordering: .acquiring) }  // acquire: pairs with the release in `add`.

  /// True when the condition holds for every job's runs.
  func all(_ condition: (Int) -> Bool) -> Bool {
    counts.allSatisfy {
      // relaxed: `total` has ordered it.
      condition($0.count.load(ordering: .relaxed))
    }
  }
}
