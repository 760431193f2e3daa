// SPDX-License-Identifier: Apache-2.0

import Scheduling
import TestSupport
import Testing

@testable import WorkStealingBackend

/// Whom a thief asks, how much it takes, and what bands mean to it: on pools whose threads do not
/// run, so that every step is the test's own.
@Suite struct StealingKnobTests {
  /// Two packages of four processors; pairs share a level 2 cache.
  private static let twoPackages = ProcessorTopology(
    (0..<8).map {
      .init(number: $0, core: $0, l2: $0 / 2, l3: $0 / 4, node: $0 / 4, package: $0 / 4)
    })

  private func pool(
    workers: Int, _ change: (inout WorkStealingConfiguration) -> Void = { _ in }
  ) -> Pool {
    var configuration = WorkStealingConfiguration()
    configuration.compensationLimit = 0
    change(&configuration)
    return Pool(workers: workers, configuration: configuration)
  }

  /// Puts jobs onto a worker's deques that add these numbers to the log.
  private func put(
    _ numbers: some Sequence<Int>, on worker: Int, of pool: Pool, band: PriorityBand = .normal,
    _ log: Log
  ) {
    pool.workers.with(worker) { worker in
      for number in numbers {
        worker.push(JobChain(ClosureJob.plain(band: band) { log.add(number) }))
      }
      worker.publish()
    }
  }

  /// Steals for a worker until nothing is left, and runs what it gets.
  private func stealAll(for worker: Int, of pool: Pool) {
    var context = WorkerContext(worker: worker, scheduler: pool.schedulerIdentity)
    pool.workers.with(worker) { worker in
      while let job = worker.pop(alone: false) ?? pool.stealRound(worker, batch: 1, &context.origin)
      {
        _ = unsafe job.run(in: &context)
      }
    }
  }

  @Test(arguments: [
    (0, [1, 2, 3, 4, 5, 6, 7]), (3, [2, 0, 1, 4, 5, 6, 7]), (6, [7, 4, 5, 0, 1, 2, 3]),
  ]) func theNearestWorkerIsAskedFirst(thief: Int, victims: [Int]) {
    let pool = pool(workers: 8) {
      $0.topology = Self.twoPackages
      $0.pinning = .compact
      $0.stealOrder = .nearestFirst
    }
    let log = Log()
    for worker in 0..<8 where worker != thief { put([worker], on: worker, of: pool, log) }
    stealAll(for: thief, of: pool)
    #expect(log.entries == victims)
  }

  @Test func spreadWorkersFindTheirNeighboursElsewhere() {
    let pool = pool(workers: 4) {
      $0.topology = Self.twoPackages
      $0.pinning = .spread
      $0.stealOrder = .nearestFirst
    }
    // Homes 0, 4, 2, 6: workers 0 and 2 are in one package, 1 and 3 in the other.
    #expect(pool.workers.with(0) { $0.victims } == [2, 1, 3])
    #expect(pool.workers.with(3) { $0.victims } == [1, 0, 2])
  }

  @Test func aRandomThiefHasNoList() {
    #expect(pool(workers: 4).workers.with(1) { $0.victims }.isEmpty)
  }

  @Test(arguments: [(1, 1), (2, 2), (8, 8), (256, 10)])
  func aThiefTakesItsBatchUpToHalfOfWhatThereIs(batch: Int, taken: Int) {
    let pool = pool(workers: 2) { $0.stealBatch = batch }
    let log = Log()
    put(0..<20, on: 1, of: pool, log)
    var context = WorkerContext(worker: 0, scheduler: pool.schedulerIdentity)
    pool.workers.with(0) { thief in
      guard case .job(let job) = pool.searchRound(thief, &context.origin) else {
        Issue.record("nothing stolen")
        return
      }
      _ = unsafe job.run(in: &context)
      while let job = thief.pop(alone: false) { _ = unsafe job.run(in: &context) }
    }
    #expect(log.entries == Array(0..<taken), "the oldest ones, in their order")
    #expect(pool.counters.steals == taken)
    stealAll(for: 0, of: pool)
    #expect(log.entries.sorted() == Array(0..<20))
  }

  @Test(arguments: [(PriorityPolicy.strict, [2, 1]), (.relaxed, [1, 2])])
  func onlyAStrictThiefComparesTheVictimsBands(policy: PriorityPolicy, order: [Int]) {
    let pool = pool(workers: 3) {
      $0.topology = Self.twoPackages
      $0.pinning = .compact
      $0.stealOrder = .nearestFirst
      $0.priorityPolicy = policy
    }
    let log = Log()
    put([1], on: 1, of: pool, band: .low, log)
    put([2], on: 2, of: pool, band: .high, log)
    stealAll(for: 0, of: pool)
    #expect(log.entries == order)
  }
}
