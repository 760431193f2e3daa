// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
import Scheduling
import Synchronization
import TestSupport
import Testing

extension SchedulerConformance {
  /// The order in which one worker starts jobs, and how many workers there are.
  @Suite struct OrderTests {
    static let exact = SchedulerUnderTest.single.filter(\.isExact)

    @Test(arguments: exact, [1, 2, 3])
    func aChainStartsInPriorityOrderAndFirstInFirstOut(_ kind: SchedulerUnderTest, _ seed: UInt64) {
      var random = SeededGenerator(seed: seed)
      let log = StartLog()
      var chain = JobChain()
      var expected: [[Int]] = Array(repeating: [], count: 5)
      for number in 0..<500 {
        let band = PriorityBand(rawValue: UInt8.random(in: 0..<5, using: &random)) ?? .normal
        expected[Int(band.rawValue)].append(number)
        chain.append(ClosureJob.plain(band: band) { log.add(number) })
      }
      let scheduler = kind.make()
      scheduler.submit(chain)
      #expect(waitUntil { log.count == 500 })
      #expect(log.entries == expected.flatMap(\.self))
    }

    @Test(arguments: exact, [1, 2, 3])
    func jobsMadeReadyBySeveralWaysStartInExactOrder(_ kind: SchedulerUnderTest, _ seed: UInt64) {
      var random = SeededGenerator(seed: seed)
      let scheduler = kind.make()
      let log = StartLog()
      // A gate job adds jobs through the ready chain, the successor and nested submits; the model does the same.
      var model = [[Int]](repeating: [], count: 5)
      var nested: [(PriorityBand, Int)] = []
      var ready: [(PriorityBand, Int)] = []
      for number in 0..<200 {
        let band = PriorityBand(rawValue: UInt8.random(in: 0..<5, using: &random)) ?? .normal
        if random.index(below: 2) == 0 {
          nested.append((band, number))
        } else {
          ready.append((band, number))
        }
      }
      let successorBand = PriorityBand(rawValue: UInt8.random(in: 0..<5, using: &random)) ?? .normal
      // Nested submits reach the queue while the job runs; then come the successor and the ready jobs.
      for (band, number) in nested { model[Int(band.rawValue)].append(number) }
      model[Int(successorBand.rawValue)].append(1_000)
      for (band, number) in ready { model[Int(band.rawValue)].append(number) }
      scheduler.submit(
        JobChain(
          ClosureJob.make { [nested, ready] context in
            for (band, number) in nested { scheduler.submit(band: band) { log.add(number) } }
            for (band, number) in ready {
              context.ready.append(ClosureJob.plain(band: band) { log.add(number) })
            }
            return ClosureJob.plain(band: successorBand) { log.add(1_000) }
          }))
      #expect(waitUntil { log.count == 201 })
      #expect(log.entries == model.flatMap(\.self))
    }

    @Test(arguments: SchedulerUnderTest.all.filter(\.hasThreads))
    func neverMoreJobsThanWorkersRunAtATime(_ kind: SchedulerUnderTest) {
      let scheduler = kind.make()
      let running = Atomic<Int>(0)
      let most = Atomic<Int>(0)
      let done = Atomic<Int>(0)
      var chain = JobChain()
      for number in 0..<1_000 {
        chain.append(
          ClosureJob.plain {
            let now = running.add(1, ordering: .relaxed).newValue
            most.max(now, ordering: .relaxed)
            // Long enough to overlap; now and then gives the core away in the middle.
            var spun = 0
            while spun < 200 { spun += 1 }
            if number % 4 == 0 { yieldCore() }
            running.subtract(1, ordering: .relaxed)
            done.add(1, ordering: .relaxed)
          })
      }
      scheduler.submit(chain)
      #expect(waitUntil { done.load(ordering: .relaxed) == 1_000 })
      #expect((1...kind.workers).contains(most.load(ordering: .relaxed)))
    }

    @Test func nestedInlineSchedulersKeepTheirOwnQueues() {
      let (outer, inner) = (InlineScheduler(), InlineScheduler())
      let log = StartLog()
      outer.submit {
        log.add(1)
        inner.submit {
          log.add(2)
          outer.submit { log.add(5) }
          inner.submit { log.add(3) }
        }
        log.add(4)
      }
      #expect(log.entries == [1, 2, 3, 4, 5])
    }

    @Test func aJobThatHelpsInlineRunsTheBestQueuedJob() {
      let scheduler = InlineScheduler()
      let log = StartLog()
      scheduler.submit {
        scheduler.submit(band: .low) { log.add(3) }
        scheduler.submit(band: .high) { log.add(1) }
        if scheduler.help() { log.add(2) }
      }
      #expect(log.entries == [1, 2, 3])
      #expect(!scheduler.help())
      #expect(scheduler.counters.helped == 1)
    }
  }
}

/// Which job started when.
private final class StartLog: Sendable {
  private let numbers = Mutex<[Int]>([])

  func add(_ number: Int) { numbers.withLock { $0.append(number) } }
  var entries: [Int] { numbers.withLock { $0 } }
  var count: Int { entries.count }
}
