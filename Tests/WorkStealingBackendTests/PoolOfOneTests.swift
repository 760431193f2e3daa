// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
import Scheduling
import Synchronization
import TestSupport
import Testing

@testable import WorkStealingBackend

/// A pool with one worker spares itself what only thieves need, until it gets its first
/// compensation thread.
struct PoolOfOneTests {
  /// Jobs on the deques, offered, and injected before and afterwards: the compensation thread finds
  /// all of them, once.
  @Test(arguments: WorkStealingConfiguration.LocalOrder.allCases, 0..<20 as Range<Int>)
  func firstThiefFindsEverything(_ localOrder: WorkStealingConfiguration.LocalOrder, _ round: Int) {
    var configuration = WorkStealingConfiguration()
    configuration.localOrder = localOrder
    let scheduler = WorkStealingScheduler(workers: 1, configuration: configuration)
    let many = 300
    let (own, later) = (CountedJobs(count: many), CountedJobs(count: many))
    let offered = CountedJobs(count: 2)
    let (before, after) = (CountedJobs(count: many), CountedJobs(count: many))
    let (started, injected, ended) = (Turnstile(), Turnstile(), Turnstile())
    scheduler.submit {
      #expect(scheduler.offer(offered.job(0)))
      for number in 0..<many { scheduler.submit(JobChain(own.job(number))) }
      #expect(scheduler.offer(offered.job(1)))
      // Pops and pushes without fences before the first thief looks.
      for _ in 0..<100 {
        #expect(scheduler.takeBack(offered.job(1)))
        #expect(scheduler.offer(offered.job(1)))
      }
      started.signal()
      injected.wait()
      for _ in 0..<50 { #expect(scheduler.help()) }
      scheduler.willBlock()
      for number in 0..<many { scheduler.submit(JobChain(later.job(number))) }
      ended.wait()
      scheduler.didUnblock()
      #expect(!scheduler.takeBack(offered.job(0)))
      #expect(!scheduler.takeBack(offered.job(1)))
    }
    started.wait()
    for number in 0..<many { scheduler.submit(JobChain(before.job(number))) }
    injected.signal()
    for number in 0..<many { scheduler.submit(JobChain(after.job(number))) }
    let all = [own, later, before, after, offered]
    #expect(waitUntil { all.allSatisfy { $0.runs >= $0.count } })
    ended.signal()
    scheduler.shutDown()
    #expect(all.map { $0.runs } == [many, many, many, many, 2])
    #expect(scheduler.counters.compensations == 1)
  }

  /// Nothing is published twice or lost where the only worker sleeps and is woken again and again.
  @Test func sleepsAndWakesWithoutThieves() {
    let scheduler = WorkStealingScheduler(workers: 1)
    let ran = Atomic<Int>(0)
    let turn = Turnstile()
    for round in 1...500 {
      let parks = scheduler.known(\.parks)
      scheduler.submit {
        scheduler.submit { ran.add(1, ordering: .relaxed) }
        scheduler.submit {
          ran.add(1, ordering: .relaxed)
          turn.signal()
        }
      }
      turn.wait()
      if round.isMultiple(of: 50) { #expect(waitUntil { scheduler.known(\.parks) > parks }) }
    }
    scheduler.shutDown()
    let runs = ran.load(ordering: .relaxed)
    #expect(runs == 1000)
  }
}
