// SPDX-License-Identifier: Apache-2.0

import Testing
import Traces

@Suite struct SchedulerAnalysesTests {
  private func graph(_ hand: HandTrace) throws -> TraceReport.WholeGraph {
    try #require(TraceReport(hand.sorted).graph)
  }

  @Test func idleWorkersAreTheGraphsTheSchedulersOrThePolicys() throws {
    var hand = HandTrace(workers: 2, queues: [TraceQueue(limit: 1), TraceQueue()])
    hand.startWorkers()
    hand.event(0, 1, .park)
    hand.run(on: 0, from: 0, to: 100, ready: 0)  // the other worker lacks work until 20
    hand.run(on: 0, from: 100, to: 200, ready: 20)  // held by the limit until 100
    hand.run(on: 0, from: 200, to: 300, ready: 150, queue: 1)  // nobody takes it from 150 on
    let profile = try graph(hand).parallelism
    #expect(profile.occupied == 300)
    #expect(profile.policyIdle == 80)
    #expect(profile.schedulerIdle == 50)
    #expect(profile.graphIdle == 20 + 50 + 100)
    #expect(
      profile.points == [
        .init(begin: 0, running: 1, runnable: 0), .init(begin: 20, running: 1, runnable: 1),
        .init(begin: 100, running: 1, runnable: 0), .init(begin: 150, running: 1, runnable: 1),
        .init(begin: 200, running: 1, runnable: 0),
      ])
  }

  @Test func aLongProfileIsReducedToMeans() throws {
    let profile = try #require(
      TraceReport(ListScheduledRun(operations: 3_000).trace()).graph
    ).parallelism
    #expect(profile.points.count == ParallelismProfile.pointLimit)
    let mean = profile.points.reduce(0) { $0 + $1.running } / Double(profile.points.count)
    let exact = Double(profile.occupied) / Double(profile.capacity) * 2
    #expect(abs(mean - exact) < 0.001)
  }

  @Test func utilisationSumsToTheMakespan() throws {
    var hand = HandTrace(workers: 2)
    hand.startWorkers()
    hand.run(on: 0, from: 10, to: 60, added: 0, ready: 0)
    hand.event(20, 0, .blocks)
    hand.event(35, 0, .unblocks)
    hand.event(5, 1, .searchBegins)
    hand.event(25, 1, .park)
    hand.event(50, 0, .wake, other: 1)
    hand.event(55, 1, .unpark, other: 0)
    hand.run(on: 1, from: 60, to: 100, ready: 50)
    let utilisation = try graph(hand).utilisation
    #expect(utilisation.rows.map(\.run) == [35, 40])
    #expect(utilisation.rows.map(\.blocked) == [15, 0])
    #expect(utilisation.rows.map(\.search) == [0, 20])
    #expect(utilisation.rows.map(\.park) == [0, 30])
    #expect(utilisation.rows.map(\.other) == [50, 10])
    #expect(utilisation.imbalance == 40 * 2 / 75.0)
  }

  @Test func stealsAreCountedByThiefAndVictim() throws {
    var hand = HandTrace(workers: 3)
    hand.startWorkers()
    hand.run(on: 0, from: 0, to: 100, ready: 0)
    hand.event(10, 1, .stealFails, other: 2)
    hand.event(20, 1, .steal, other: 0)
    hand.run(on: 1, from: 25, to: 95, ready: 0) {
      $0.source = .steal
      $0.victim = 0
    }
    hand.event(30, 2, .stealFails, other: 1)
    hand.event(40, 2, .stealFails, other: 1)
    let steals = try graph(hand).steals
    #expect(steals.entries.map(\.thief) == [1, 1, 2])
    #expect(steals.entries.map(\.victim) == [0, 2, 1])
    #expect(steals.entries.map(\.steals) == [1, 0, 0])
    #expect(steals.entries.map(\.failures) == [0, 1, 2])
    #expect(steals.entries.map(\.stolenWork) == [70, 0, 0])
    #expect(steals.failRatio == 0.75)
  }

  @Test func anInversionLastsFromTheFirstOvertakerToTheStart() throws {
    var hand = HandTrace(workers: 1, queues: [TraceQueue(), TraceQueue()])
    hand.startWorkers()
    hand.run(on: 0, from: 0, to: 100, ready: 0)
    hand.run(on: 0, from: 100, to: 200, ready: 10) { $0.priority = -4 }
    hand.run(on: 0, from: 200, to: 300, ready: 10)
    hand.run(on: 0, from: 300, to: 400, ready: 20) { $0.priority = 8 }
    // Another queue has an order of its own.
    hand.run(on: 0, from: 400, to: 500, ready: 20, queue: 1) { $0.priority = 8 }
    let inversions = try graph(hand).inversions
    #expect(inversions.count == 2)
    #expect(inversions.totalNanoseconds == 100 + 200)
    #expect(inversions.worst.map(\.operation) == [3, 2])
    #expect(inversions.worst.map(\.overtaker) == [1, 1])
    #expect(inversions.worst.map(\.nanoseconds) == [200, 100])
  }

  @Test func wakeUpsInVainAndChainsAreCounted() throws {
    var hand = HandTrace(workers: 3)
    hand.startWorkers()
    hand.event(1, 1, .park)
    hand.event(1, 2, .park)
    hand.run(on: 0, from: 0, to: 100, ready: 0)
    hand.event(10, 0, .wake, other: 1)
    hand.event(14, 1, .unpark, other: 0)
    hand.event(15, 1, .wake, other: 2)
    hand.event(21, 2, .unpark, other: 1)
    hand.run(on: 2, from: 22, to: 50, ready: 5)
    hand.event(30, 1, .park)  // in vain
    hand.event(60, 2, .park)
    let wakes = try graph(hand).wakes
    #expect(wakes.wakes == 2)
    #expect(wakes.unparks == 2)
    #expect(wakes.parks == 4)
    #expect(wakes.spurious == 1)
    #expect(wakes.longestChain == 2)
    #expect(wakes.wakesPerOperation == 1)
    #expect(wakes.latency.totalNanoseconds == 4 + 6)
  }

  @Test func grainIsJudgedAgainstTheOverhead() throws {
    var hand = HandTrace(workers: 1)
    hand.trace.names = ["", "small", "large"]
    hand.startWorkers()
    var time: Int64 = 0
    for index in 0..<10 {
      let run: Int64 = index < 8 ? 50 : 4_000
      hand.run(on: 0, from: time, to: time + run, ready: 0) { $0.name = index < 8 ? 1 : 2 }
      time += run + 200
    }
    let grain = try graph(hand).grain
    #expect(grain.metg == 200)
    #expect(grain.shareBelow == 0.8)
    #expect(grain.histogram[5] == 8)
    #expect(grain.histogram[11] == 2)
    #expect(grain.merge.map(\.name) == [1])
    #expect(grain.merge.map(\.merge) == [8])
  }

  @Test func localityAsksWhereTheReleasingPredecessorRan() throws {
    var hand = HandTrace(workers: 2)
    hand.startWorkers()
    let first = hand.run(on: 0, from: 0, to: 10, ready: 0) { $0.processor = 4 }
    hand.run(on: 0, from: 20, to: 30, ready: 10, after: [first]) { $0.processor = 5 }
    hand.run(on: 1, from: 20, to: 30, ready: 10, after: [first]) { $0.processor = 4 }
    let locality = try graph(hand).locality
    #expect(locality.pairs == 2)
    #expect(locality.sameThread == 1)
    #expect(locality.sameProcessor == 1)
    #expect(locality.share == 0.5)
    #expect(locality.threadMigrations == 1)
  }

  @Test func burdenIsMeasuredPerKindOfEdge() throws {
    var hand = HandTrace(workers: 2)
    hand.startWorkers()
    hand.event(1, 1, .park)
    let first = hand.run(on: 0, from: 0, to: 1_000, ready: 0)
    let second = hand.run(on: 0, from: 1_040, to: 2_000, ready: 1_000, after: [first])
    hand.event(2_005, 0, .wake, other: 1)
    hand.event(2_400, 1, .unpark, other: 0)
    let third = hand.run(on: 1, from: 2_500, to: 3_000, ready: 2_000, after: [second])
    hand.event(2_010, 0, .searchBegins)
    hand.event(3_060, 0, .searchEnds)
    hand.run(on: 0, from: 3_070, to: 4_000, ready: 3_000, after: [third])
    let graph = try graph(hand)
    #expect(graph.burdenedSpan.handingOver == 40)
    #expect(graph.burdenedSpan.parkToWake == 500)
    #expect(graph.burdenedSpan.spinToTake == 70)
    #expect(graph.workAndSpan.span == 1_000 + 960 + 500 + 930)
    #expect(graph.burdenedSpan.span == graph.workAndSpan.span + 40 + 500 + 70)
    #expect(graph.burdenedSpan.criticalPath == [0, 1, 2, 3])
  }

  /// Two operations become ready while the other worker sleeps, which then runs them one after the
  /// other: only the first one tells what a wake-up takes.
  @Test func whatAWokenWorkerRunsFirstIsNoBurdenOfTheNext() throws {
    var hand = HandTrace(workers: 2)
    hand.startWorkers()
    hand.event(1, 1, .park)
    let first = hand.run(on: 0, from: 0, to: 1_000, ready: 0)
    hand.event(1_005, 0, .wake, other: 1)
    hand.event(1_050, 1, .unpark)
    hand.run(on: 1, from: 1_100, to: 9_000, ready: 1_000, after: [first])
    hand.run(on: 1, from: 9_010, to: 9_500, ready: 1_000, after: [first])
    #expect(try graph(hand).burdenedSpan.parkToWake == 100)
  }
}
