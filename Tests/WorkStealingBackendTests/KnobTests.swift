// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
import Scheduling
import Synchronization
import TestSupport
import Testing

@testable import WorkStealingBackend

/// Every knob changes what running workers do.
@Suite struct KnobTests {
  private func scheduler(
    workers: Int = 1, _ change: (inout WorkStealingConfiguration) -> Void
  ) -> WorkStealingScheduler {
    var configuration = WorkStealingConfiguration()
    change(&configuration)
    return WorkStealingScheduler(workers: workers, configuration: configuration)
  }

  private func chain(_ numbers: some Sequence<Int>, _ log: Log) -> JobChain {
    var chain = JobChain()
    for number in numbers { chain.append(ClosureJob.plain { log.add(number) }) }
    return chain
  }

  // MARK: Threads

  @Test(arguments: WorkerPinning.allCases)
  func pinnedWorkersHaveOneProcessorEach(pinning: WorkerPinning) {
    let workers = 4
    let scheduler = scheduler(workers: workers) { $0.pinning = pinning }
    let probes = ThreadProbe.workers(workers, of: scheduler)
    #expect(probes.count == workers)
    let order = ProcessorTopology.ofThisThread().order(for: pinning)
    for probe in probes {
      let index = probe.name.split(separator: "-").last.flatMap { Int($0) } ?? 0
      let expected =
        order.map { String($0[index % $0.count].number) }
        ?? ThreadProbe.current.allowedProcessors
      #expect(probe.allowedProcessors == expected, "\(probe.name)")
    }
  }

  @Test func aCompensationThreadMayUseEveryProcessor() {
    let scheduler = scheduler { $0.pinning = .compact }
    let (gate, seen) = (Gate(), Log())
    let whole = ThreadProbe.current.allowedProcessors
    scheduler.submit {
      scheduler.submit {
        seen.add(ThreadProbe.current.allowedProcessors == whole ? 1 : 0)
        gate.open()
      }
      scheduler.willBlock()
      gate.wait()
      scheduler.didUnblock()
    }
    #expect(waitUntil { seen.entries == [1] })
  }

  /// At least that much: the C library may give a thread the stack of one that has ended.
  @Test(arguments: [32 << 20, 64 << 20])
  func threadsHaveTheStackAskedFor(bytes: Int) {
    let scheduler = scheduler { $0.stackSize = bytes }
    let seen = Log()
    scheduler.submit { seen.add(SystemThread.currentStackSize) }
    #expect(waitUntil { !seen.entries.isEmpty })
    #expect(seen.entries.allSatisfy { $0 >= bytes }, "\(seen.entries)")
  }

  /// Jobs from outside, each after the one before: how often the worker slept between them.
  private func parks(spinNanoseconds: UInt64, sleepsBetween: Bool) -> Int {
    let scheduler = scheduler { $0.spinBudgetNanoseconds = spinNanoseconds }
    let log = Log()
    let before = scheduler.known(\.parks)
    for number in 1...20 {
      scheduler.submit { log.add(number) }
      _ = waitUntil { log.entries.count == number }
      if sleepsBetween { _ = waitUntil { scheduler.known(\.parks) >= before + number } }
    }
    return scheduler.known(\.parks) - before
  }

  @Test func withoutASpinBudgetAWorkerSleepsBetweenJobs() {
    #expect(parks(spinNanoseconds: 0, sleepsBetween: true) >= 20)
  }

  @Test func withinItsSpinBudgetAWorkerDoesNotSleep() {
    #expect(parks(spinNanoseconds: 1_000_000_000, sleepsBetween: false) == 0)
  }

  @Test(arguments: [(0, 0), (1, 1)])
  func blockedWorkersAreReplacedUpToTheLimit(limit: Int, spares: Int) {
    let scheduler = scheduler { $0.compensationLimit = limit }
    let done = Flag()
    scheduler.submit {
      scheduler.willBlock()
      scheduler.didUnblock()
      done.set()
    }
    #expect(waitUntil { done.isSet })
    #expect(scheduler.counters.compensations == spares)
  }

  // MARK: Order

  @Test(arguments: [
    (WorkStealingConfiguration.LocalOrder.lifo, [3, 4, 5, 0, 1, 2]), (.fifo, [0, 1, 2, 3, 4, 5]),
  ]) func ownJobsRunInTheLocalOrder(
    order: WorkStealingConfiguration.LocalOrder, expected: [Int]
  ) {
    let scheduler = scheduler { $0.localOrder = order }
    let log = Log()
    scheduler.submit {
      scheduler.submit(chain(0..<3, log))
      scheduler.submit(chain(3..<6, log))
    }
    #expect(waitUntil { log.entries.count == 6 })
    #expect(log.entries == expected)
  }

  @Test(arguments: [(1, [2, 1]), (0, [1, 2])])
  func aSuccessorRunsInPlaceWithinTheChainBound(bound: Int, expected: [Int]) {
    let scheduler = scheduler {
      $0.localOrder = .fifo
      $0.chainBound = bound
    }
    let log = Log()
    scheduler.submit(
      JobChain(
        ClosureJob.make { _ in
          scheduler.submit { log.add(1) }
          return ClosureJob.plain { log.add(2) }
        }))
    #expect(waitUntil { log.entries.count == 2 })
    #expect(log.entries == expected)
  }

  /// How many of 100 own jobs run before one that came from outside behind them.
  private func ownJobsBeforeAnInjectedOne(
    band: PriorityBand = .normal, _ change: (inout WorkStealingConfiguration) -> Void
  ) -> Int {
    let scheduler = scheduler {
      $0.ageingInterval = 0
      change(&$0)
    }
    let log = Log()
    scheduler.submit {
      scheduler.submit(chain(0..<100, log))
      onThreads(1) { _ in scheduler.submit(band: band) { log.add(-1) } }
    }
    #expect(waitUntil { log.entries.count == 101 })
    return log.entries.firstIndex(of: -1) ?? 101
  }

  @Test(arguments: [4, 16])
  func injectedJobsWaitForTheIntervalAtMost(interval: Int) {
    let before = ownJobsBeforeAnInjectedOne { $0.injectorInterval = interval }
    #expect((1...interval).contains(before))
  }

  @Test func withALongIntervalInjectedJobsWaitForTheWorkersOwn() {
    #expect(ownJobsBeforeAnInjectedOne { $0.injectorInterval = 1000 } == 100)
  }

  // MARK: Bands

  @Test(arguments: [(PriorityPolicy.strict, 0), (.relaxed, 100), (.none, 100)])
  func onlyTheStrictPolicyLooksOutsideForUrgentJobs(policy: PriorityPolicy, before: Int) {
    let found = ownJobsBeforeAnInjectedOne(band: .veryHigh) {
      $0.injectorInterval = 1000
      $0.priorityPolicy = policy
    }
    #expect(found == before)
  }

  @Test(arguments: [(PriorityPolicy.strict, true), (.relaxed, true), (.none, false)])
  func ownJobsRunByBandUnlessBandsAreIgnored(policy: PriorityPolicy, sorted: Bool) {
    let scheduler = scheduler { $0.priorityPolicy = policy }
    let log = Log()
    scheduler.submit {
      var chain = JobChain()
      for number in 0..<20 {
        let band = PriorityBand(rawValue: UInt8(4 - number % 5)) ?? .normal
        chain.append(ClosureJob.plain(band: band) { log.add(number) })
      }
      scheduler.submit(chain)
    }
    #expect(waitUntil { log.entries.count == 20 })
    let byBand = (0..<5).reversed().flatMap { band in (0..<20).filter { $0 % 5 == band } }
    #expect(log.entries == (sorted ? byBand : Array(0..<20)))
  }

  @Test(arguments: [(PriorityPolicy.strict, [1, 2]), (.none, [2, 1])])
  func aSuccessorGivesWayToUrgentJobsUnlessBandsAreIgnored(policy: PriorityPolicy, order: [Int]) {
    let scheduler = scheduler { $0.priorityPolicy = policy }
    let log = Log()
    scheduler.submit(
      JobChain(
        ClosureJob.make { _ in
          scheduler.submit(band: .high) { log.add(1) }
          return ClosureJob.plain(band: .low) { log.add(2) }
        }))
    #expect(waitUntil { log.entries.count == 2 })
    #expect(log.entries == order)
  }

  /// How many urgent jobs of an endless supply run before one of the least urgent band; at most
  /// `limit`.
  private func urgentJobsBeforeALowOne(ageingInterval: Int, limit: Int) -> Int {
    let scheduler = scheduler { $0.ageingInterval = ageingInterval }
    let log = Log()
    let seen = Log()
    @Sendable func urgent() {
      log.add(0)
      if seen.entries.isEmpty, log.entries.count < limit {
        scheduler.submit(band: .veryHigh) { urgent() }
      }
    }
    scheduler.submit {
      scheduler.submit(band: .veryLow) { seen.add(log.entries.count) }
      scheduler.submit(band: .veryHigh) { urgent() }
    }
    #expect(waitUntil { !seen.entries.isEmpty })
    return seen.entries.first ?? -1
  }

  @Test(arguments: [4, 100])
  func theLeastUrgentJobWaitsForTheAgeingIntervalAtMost(interval: Int) {
    #expect(urgentJobsBeforeALowOne(ageingInterval: interval, limit: 1000) <= interval)
  }

  @Test func withoutAgeingTheLeastUrgentJobWaitsForAllOthers() {
    #expect(urgentJobsBeforeALowOne(ageingInterval: 0, limit: 1000) == 1000)
  }
}
