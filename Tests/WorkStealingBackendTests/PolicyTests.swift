// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
import Scheduling
import Synchronization
import TestSupport
import Testing

@testable import WorkStealingBackend

/// Bands, order, fairness, help and compensation.
@Suite struct PolicyTests {
  @Test func oneWorkerStartsTheMostUrgentBandFirstAndReadyJobsOldestFirst() {
    let scheduler = WorkStealingScheduler(workers: 1)
    let log = Log()
    scheduler.submit(
      JobChain(
        ClosureJob.make { context in
          for number in 0..<40 {
            let band = PriorityBand(rawValue: UInt8(number % 5)) ?? .normal
            context.ready.append(ClosureJob.plain(band: band) { log.add(number) })
          }
          return nil
        }))
    #expect(waitUntil { log.entries.count == 40 })
    // Fewer picks than the ageing interval: the order is exact.
    let expected = (0..<5).flatMap { band in (0..<40).filter { $0 % 5 == band } }
    #expect(log.entries == expected)
  }

  @Test func injectedChainsRunOldestFirst() {
    let scheduler = WorkStealingScheduler(workers: 1)
    let log = Log()
    let gate = Gate()
    scheduler.submit { gate.wait() }
    for first in stride(from: 0, to: 50, by: 5) {
      var chain = JobChain()
      for number in first..<(first + 5) { chain.append(ClosureJob.plain { log.add(number) }) }
      scheduler.submit(chain)
    }
    gate.open()
    #expect(waitUntil { log.entries.count == 50 })
    #expect(log.entries == Array(0..<50))
  }

  @Test func aJobMoreUrgentThanTheSuccessorGoesFirst() {
    let scheduler = WorkStealingScheduler(workers: 1)
    let log = Log()
    scheduler.submit(
      JobChain(
        ClosureJob.make { _ in
          scheduler.submit(band: .high) { log.add(1) }
          return ClosureJob.plain { log.add(2) }
        }))
    #expect(waitUntil { log.entries == [1, 2] })
  }

  @Test func anEndlessChainDoesNotKeepInjectedJobsWaiting() {
    let scheduler = WorkStealingScheduler(workers: 1)
    let isOver = Flag()
    let links = Atomic<Int>(0)
    @Sendable func link() -> Job {
      ClosureJob.make { _ in
        links.add(1, ordering: .relaxed)
        return isOver.isSet ? nil : link()
      }
    }
    scheduler.submit(JobChain(link()))
    #expect(waitUntil { links.load(ordering: .relaxed) > 1_000 })
    let ran = Flag()
    scheduler.submit { ran.set() }
    #expect(waitUntil { ran.isSet })
    isOver.set()
  }

  /// A low job behind an endless supply of urgent ones starts within the ageing bound.
  @Test func ageingStartsTheOldestJobOfTheLeastUrgentBand() {
    let scheduler = WorkStealingScheduler(workers: 1)
    let isOver = Flag()
    let picks = Atomic<Int>(0)
    let seen = Atomic<Int>(0)
    @Sendable func urgent() {
      picks.add(1, ordering: .relaxed)
      // Two jobs for each one that runs, up to a limit, so that the band never becomes empty.
      if !isOver.isSet { scheduler.submit(band: .veryHigh) { urgent() } }
    }
    scheduler.submit {
      scheduler.submit(band: .veryLow) {
        seen.store(picks.load(ordering: .relaxed), ordering: .relaxed)
        isOver.set()
      }
      scheduler.submit(band: .veryHigh) { urgent() }
    }
    #expect(waitUntil { isOver.isSet })
    #expect(seen.load(ordering: .relaxed) <= 64)
  }

  @Test func helpRunsOneQueuedJobOnTheWaitingWorker() {
    let scheduler = WorkStealingScheduler(workers: 1)
    let log = Log()
    scheduler.submit {
      scheduler.submit { log.add(1) }
      scheduler.submit { log.add(0) }
      log.add(scheduler.help() ? 10 : -1)
      log.add(scheduler.help() ? 11 : -1)
      log.add(scheduler.help() ? -1 : 12)
    }
    #expect(waitUntil { log.entries == [0, 10, 1, 11, 12] })
    #expect(scheduler.counters.helped == 2)
    #expect(!scheduler.help())
  }

  @Test func helpRefusesBeyondItsDepth() {
    let scheduler = WorkStealingScheduler(workers: 1)
    let deepest = Atomic<Int>(0)
    let refused = Flag()
    @Sendable func nest(_ depth: Int) {
      guard !refused.isSet else { return }
      deepest.max(depth, ordering: .relaxed)
      scheduler.submit { nest(depth + 1) }
      if !scheduler.help() && depth >= 64 { refused.set() }
    }
    scheduler.submit { nest(0) }
    #expect(waitUntil { refused.isSet })
    #expect(deepest.load(ordering: .relaxed) >= 64)
  }

  @Test(arguments: [1, 2, 8])
  func blockedWorkersAreCompensated(workers: Int) {
    let scheduler = WorkStealingScheduler(workers: workers)
    // Every worker blocks until a job behind it has run, again and again.
    for _ in 0..<StressSize.pools {
      let parkers = (0..<workers).map { _ in Parker() }
      let left = Atomic2(workers)
      for parker in parkers {
        scheduler.submit {
          scheduler.submit { parker.unpark() }
          scheduler.willBlock()
          parker.park()
          scheduler.didUnblock()
          left.count.subtract(1, ordering: .releasing)
        }
      }
      #expect(waitUntil { left.count.load(ordering: .acquiring) == 0 })
    }
    #expect(scheduler.known(\.compensations) >= 1)
    #expect(scheduler.known(\.compensations) <= 64)
    scheduler.shutDown()
  }

  /// Shutting down leaves a blocked worker its compensation.
  @Test func aJobMayBlockWhileThePoolShutsDown() {
    var configuration = WorkStealingConfiguration()
    configuration.compensationLimit = 2
    for round in 0..<StressSize.pools {
      let scheduler = WorkStealingScheduler(workers: 1, configuration: configuration)
      let started = Flag()
      let blocks = Atomic2(0)
      // Submits only to its own worker, so that shutting down meanwhile is no fault.
      @Sendable func blockOnce() {
        let parker = Parker()
        scheduler.submit { parker.unpark() }
        scheduler.willBlock()
        parker.park()
        scheduler.didUnblock()
        blocks.count.add(1, ordering: .releasing)
      }
      scheduler.submit {
        blockOnce()
        started.set()
        for _ in 0..<(round % 50) { yieldCore() }
        for _ in 0..<3 { blockOnce() }
      }
      #expect(waitUntil { started.isSet })
      scheduler.shutDown()
      #expect(blocks.count.load(ordering: .acquiring) == 4)
    }
  }

  /// After compensation ends, no more than the regular number of jobs run at a time.
  @Test func sparesRetireWhenTheBlockedWorkerReturns() {
    let scheduler = WorkStealingScheduler(workers: 1)
    let parker = Parker()
    let isBack = Flag()
    scheduler.submit {
      scheduler.submit { parker.unpark() }
      scheduler.willBlock()
      parker.park()
      scheduler.didUnblock()
      isBack.set()
    }
    #expect(waitUntil { isBack.isSet })
    let running = Atomic<Int>(0)
    let most = Atomic<Int>(0)
    let done = Atomic<Int>(0)
    // The spare notices between two jobs at the latest when it is woken, so the first round does
    // not count.
    for round in 0..<50 {
      for _ in 0..<20 {
        scheduler.submit {
          let now = running.add(1, ordering: .relaxed).newValue
          if round > 0 { most.max(now, ordering: .relaxed) }
          yieldCore()
          running.subtract(1, ordering: .relaxed)
          done.add(1, ordering: .releasing)
        }
      }
      #expect(waitUntil { done.load(ordering: .acquiring) == (round + 1) * 20 })
    }
    #expect(most.load(ordering: .relaxed) == 1)
  }

  @Test func twoPoolsKeepTheirJobsApart() {
    let (first, second) = (WorkStealingScheduler(workers: 1), WorkStealingScheduler(workers: 1))
    let log = Log()
    first.submit(
      JobChain(
        ClosureJob.make { context in
          #expect(context.scheduler == first.identity)
          second.submit(
            JobChain(
              ClosureJob.make { context in
                log.add(context.scheduler == second.identity ? 1 : 0)
                return nil
              }))
          return nil
        }))
    #expect(waitUntil { log.entries == [1] })
    #expect(first.identity != second.identity)
  }

  @Test func submittingAfterShutDownIsAFault() async {
    await #expect(processExitsWith: .failure) {
      let scheduler = WorkStealingScheduler(workers: 1)
      scheduler.shutDown()
      scheduler.submit {}
    }
  }

  /// While somebody always has one more urgent job to inject, a low one must start after a bounded
  /// number of picks.
  @Test func aLowInjectedJobAgesPastAStreamOfUrgentOnes() {
    let scheduler = WorkStealingScheduler(workers: 1)
    let low = Atomic2(0)
    let urgent = Atomic2(0)
    let gate = Gate()
    scheduler.submit { gate.wait() }
    scheduler.submit(band: .low) {
      let before = urgent.count.load(ordering: .sequentiallyConsistent)
      low.count.store(max(1, before), ordering: .sequentiallyConsistent)
    }
    Stream(scheduler, urgent, low).next()
    gate.open()
    #expect(waitUntil { low.count.load(ordering: .sequentiallyConsistent) != 0 })
    #expect(low.count.load(ordering: .sequentiallyConsistent) <= 3 * 64)
  }

  @Test func shuttingDownFromAJobIsAFault() async {
    await #expect(processExitsWith: .failure) {
      let scheduler = WorkStealingScheduler(workers: 1)
      scheduler.submit { scheduler.shutDown() }
      _ = waitUntil(deadline: .seconds(10)) { false }
    }
  }
}

/// An urgent job that injects the next one from a thread of its own, until the low one has run.
private struct Stream: Sendable {
  let scheduler: WorkStealingScheduler
  let urgent: Atomic2
  let low: Atomic2

  init(_ scheduler: WorkStealingScheduler, _ urgent: Atomic2, _ low: Atomic2) {
    (self.scheduler, self.urgent, self.low) = (scheduler, urgent, low)
  }

  func next() {
    scheduler.submit(band: .veryHigh) {
      let count = urgent.count.wrappingAdd(1, ordering: .sequentiallyConsistent).newValue
      guard count < 100_000, low.count.load(ordering: .sequentiallyConsistent) == 0 else { return }
      onThreads(1) { _ in next() }
    }
  }
}

/// A count that closures can share.
private final class Atomic2: Sendable {
  let count: Atomic<Int>
  init(_ count: Int) { self.count = Atomic(count) }
}
