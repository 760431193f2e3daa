// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
import Scheduling
import Synchronization
import TestSupport
import Testing

@testable import WorkStealingBackend

/// The shared inbox alone: order, bands, shares, conservation.
@Suite struct InjectorTests {
  /// Takes everything that a chain holds, by running it.
  private func run(_ chain: consuming JobChain) {
    var context = WorkerContext(worker: 0, scheduler: InlineScheduler().identity)
    while let job = chain.popFirst() { _ = unsafe job.run(in: &context) }
  }

  private func chain(
    _ numbers: some Sequence<Int>, _ log: Log, band: PriorityBand = .normal
  ) -> JobChain {
    var chain = JobChain()
    for number in numbers { chain.append(ClosureJob.plain(band: band) { log.add(number) }) }
    return chain
  }

  @Test func aShareIsTheListDividedByTwiceTheWorkersWithinItsLimits() {
    let injector = Injector()
    let log = Log()
    injector.push(chain(0..<200, log))
    var sizes: [Int] = []
    while !injector.isEmpty {
      let share = injector.takeShare(workers: 4)
      sizes.append(share.count)
      run(share)
    }
    var left = 200
    for size in sizes {
      #expect(size == max(1, min(Injector.largestShare, left / 8)))
      left -= size
    }
    #expect(left == 0)
    #expect(log.entries == Array(0..<200))
  }

  @Test func aSingleWorkerTakesOneOnlyWhenItHoldsNone() {
    let injector = Injector()
    let log = Log()
    injector.push(chain(0..<100, log))
    let one = injector.takeShare(workers: 1, one: true)
    #expect(one.count == 1)
    run(one)
    let share = injector.takeShare(workers: 1)
    #expect(share.count == Injector.largestShare)
    run(share)
    #expect(log.entries == Array(0...Injector.largestShare))
    while !injector.isEmpty { run(injector.takeShare(workers: 1)) }
  }

  /// A worker that makes its own jobs for ever takes those from outside by shares, once per
  /// `injectorInterval`.
  @Test func aBusySingleWorkerTakesShares() {
    let scheduler = WorkStealingScheduler(workers: 1)
    let outside = 2_000
    let own = Atomic<Int>(0)
    let ran = Atomic<Int>(0)
    let ended = Parker()
    @Sendable func goOn() {
      guard ran.load(ordering: .relaxed) < outside else { return ended.unpark() }
      own.add(1, ordering: .relaxed)
      scheduler.submit(JobChain(ClosureJob.plain { goOn() }))
    }
    scheduler.submit(JobChain(ClosureJob.plain { goOn() }))
    var chain = JobChain()
    for _ in 0..<outside {
      chain.append(ClosureJob.plain { ran.add(1, ordering: .relaxed) })
    }
    let before = own.load(ordering: .relaxed)
    scheduler.submit(chain)
    ended.park()
    let count = own.load(ordering: .relaxed) - before
    let rounds = outside / Injector.largestShare + 2
    #expect(count < 2 * rounds * WorkStealingConfiguration().injectorInterval)
  }

  @Test func laterChainsComeAfterEarlierOnesAndUrgentBandsFirst() {
    let injector = Injector()
    let log = Log()
    injector.push(chain(0..<3, log, band: .low))
    injector.push(chain(3..<6, log, band: .low))
    let before = injector.bands
    #expect(before == PriorityBand.low.mask)
    // Two workers: one job of the six, so that the front keeps the rest.
    run(injector.takeShare(workers: 2))
    injector.push(chain(6..<9, log, band: .high))
    let after = injector.bands
    #expect(after == PriorityBand.low.mask | PriorityBand.high.mask)
    while !injector.isEmpty { run(injector.takeShare(workers: 2)) }
    #expect(log.entries == [0, 6, 7, 8, 1, 2, 3, 4, 5])
    let nothing = injector.takeShare(workers: 1)
    #expect(nothing.count == 0)
    #expect(log.entries.count == 9)
  }

  @Test func aMixedChainIsSortedByBandAndKeepsItsOrderWithin() {
    let injector = Injector()
    let log = Log()
    var mixed = JobChain()
    for number in 0..<40 {
      let band = PriorityBand(rawValue: UInt8(number % 5)) ?? .normal
      mixed.append(ClosureJob.plain(band: band) { log.add(number) })
    }
    injector.push(mixed)
    while !injector.isEmpty { run(injector.takeShare(workers: 2)) }
    #expect(log.entries == (0..<5).flatMap { band in (0..<40).filter { $0 % 5 == band } })
  }

  @Test func ageingTakesTheOldestOfTheLeastUrgentBand() throws {
    let injector = Injector()
    let log = Log()
    injector.push(chain(0..<2, log, band: .veryHigh))
    injector.push(chain(2..<4, log, band: .low))
    var context = WorkerContext(worker: 0, scheduler: InlineScheduler().identity)
    let taken = injector.takeForAgeing()
    let aged = try #require(taken)
    _ = unsafe aged.run(in: &context)
    while !injector.isEmpty { run(injector.takeShare(workers: 1)) }
    #expect(log.entries == [2, 0, 1, 3])
    let none = injector.takeForAgeing()
    #expect(none == nil)
  }

  @Test func ageingLooksAtTheInboxBehindAMoreUrgentFront() throws {
    let injector = Injector()
    let log = Log()
    injector.push(chain(0..<3, log, band: .veryHigh))
    run(injector.takeShare(workers: 2))
    injector.push(chain(3..<5, log, band: .veryLow))
    let taken = injector.takeForAgeing()
    var context = WorkerContext(worker: 0, scheduler: InlineScheduler().identity)
    _ = try unsafe #require(taken).run(in: &context)
    while !injector.isEmpty { run(injector.takeShare(workers: 1)) }
    #expect(log.entries == [0, 3, 1, 2, 4])
  }

  @Test(arguments: [1, 4]) func noJobIsLostOrDoubledBetweenThreads(takers: Int) {
    let injector = Injector()
    let producers = 2
    let perProducer = 20_000
    let runs = (0..<producers * perProducer).map { _ in Counter() }
    let left = Counter(producers)
    onThreads(producers + takers) { thread in
      guard thread >= producers else {
        var number = 0
        while number < perProducer {
          var chain = JobChain()
          for _ in 0..<min(1 + number % 7, perProducer - number) {
            let index = thread * perProducer + number
            let band = PriorityBand(rawValue: UInt8(number % 5)) ?? .normal
            chain.append(ClosureJob.plain(band: band) { runs[index].add(1) })
            number += 1
          }
          injector.push(chain)
        }
        left.add(-1)
        return
      }
      while true {
        let wasOver = left.value == 0
        let share = injector.takeShare(workers: takers)
        if share.isEmpty && wasOver && injector.isEmpty { return }
        self.run(share)
      }
    }
    #expect(runs.allSatisfy { $0.value == 1 })
  }
}

/// A number that threads add to.
private final class Counter: Sendable {
  private let number: Atomic<Int>
  init(_ start: Int = 0) { number = Atomic(start) }
  // acquiring and releasing: what an adder wrote before is visible to whoever reads its sum.
  func add(_ amount: Int) { number.wrappingAdd(amount, ordering: .acquiringAndReleasing) }
  var value: Int { number.load(ordering: .acquiring) }
}
