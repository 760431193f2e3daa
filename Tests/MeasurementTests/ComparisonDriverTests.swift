// SPDX-License-Identifier: Apache-2.0

internal import Harness
internal import MeasurementFixtures
internal import Results
internal import Statistics
internal import Testing

@testable internal import Measurement

@Suite struct ComparisonDriverTests {
  @Test func aGroupStopsAtTheFirstConclusiveLook() throws {
    let plan = try Fixtures.comparison()
    for (ratio, noise, pairs) in [
      (1.5, 0.002, 20), (1.0, 0.002, 20), (1.02, 0.05, 80),
    ] {
      let fake = FakePairs.steady([ratio], noise: noise)
      let record = Fixtures.record(plan, fake)
      #expect(fake.asked.count == pairs, "\(ratio)")
      #expect(record.groups[0].pairs.map(\.number) == Array(1...pairs))
      #expect(record.groups[0].looks == .standard)
    }
  }

  @Test func theTimeDecidesBeforehandHowManyLooksThereAre() throws {
    for (pairSeconds, looks) in [(0.7, [20, 40, 80]), (0.8, [20, 40]), (1.6, [20]), (9, [20])] {
      let fake = FakePairs(pairSeconds: pairSeconds) { pair, side in
        // Never settled.
        Fixtures.outcome(
          wall: [side == 1 ? (pair % 2 == 0 ? 110 : 90) : 100], operations: 1_000_000)
      }
      let record = Fixtures.record(try Fixtures.comparison(), fake)
      #expect(record.groups[0].looks?.looks == looks)
      #expect(fake.asked.count == looks.last)
    }
  }

  @Test func whatAGroupLeavesOverIsTheNextOnes() throws {
    let plan = try Fixtures.comparison {
      $0.measurement.workloadNames = ["chain", "fan"]
      $0.measurement.budget = .seconds(60)
    }
    var clock: UInt64 = 0
    let fake = FakePairs(pairSeconds: 0.5) { _, side in
      clock += 250_000_000
      return Fixtures.outcome(wall: [side == 1 ? 150 : 100], operations: 1_000_000)
    }
    let record = ComparisonDriver(plan: plan, taker: { _ in fake }, now: { clock }).run()
    // 30 s hold 60 pairs; the first takes 10 s, and the 50 s left hold 100.
    #expect(record.groups.map { $0.looks?.looks.count } == [2, 3])
    #expect(record.groups.map(\.pairs.count) == [20, 20])
    #expect(record.groups[1].pairs.first?.number == 21, "numbers are those of the whole run")
  }

  @Test func aNamedTimeEndsEvenTheFirstLook() throws {
    var clock: UInt64 = 0
    for (isNamed, pairs) in [(true, 12), (false, 80)] {
      clock = 0
      let plan = try Fixtures.comparison { $0.measurement.budget = isNamed ? .seconds(10) : nil }
      let fake = FakePairs(pairSeconds: 0.5) { pair, side in
        clock += 500_000_000
        return Fixtures.outcome(
          wall: [side == 1 ? (pair % 2 == 0 ? 110 : 90) : 100], operations: 1_000_000)
      }
      let record = ComparisonDriver(plan: plan, taker: { _ in fake }, now: { clock }).run()
      #expect(record.ranOutOfTime == isNamed)
      #expect(record.groups[0].pairs.count == pairs)
    }
  }

  @Test func aNumberOfPairsIsTakenAndJudgedOnce() throws {
    let fake = FakePairs.steady([2])
    let record = Fixtures.record(try Fixtures.comparison { $0.pairs = 50 }, fake)
    #expect(fake.asked.count == 50)
    #expect(record.groups[0].looks == .single(pairs: 50))
  }

  /// The wall times are equal, and the building of the candidate is never settled.
  @Test func aFigureThatSomebodyNamesIsSettledAsWellAndIsInTheRows() throws {
    func record(_ further: [FurtherFigure]) throws -> (ComparisonRecord, FakePairs) {
      var plan = try Fixtures.comparison()
      plan.groups[0].further = further
      #expect(plan.verdictCount == 1 + further.count)
      let fake = FakePairs { pair, side in
        var outcome = Fixtures.outcome(wall: [100], operations: 1_000_000)
        guard side == 1 else { return outcome }
        let sum = outcome.iterations[0].buildNanoseconds + outcome.iterations[0].runNanoseconds
        let build: UInt64 = pair.isMultiple(of: 2) ? 20_000_000 : 30_000_000
        outcome.iterations[0].buildNanoseconds = build
        outcome.iterations[0].runNanoseconds = sum - build
        return outcome
      }
      return (Fixtures.record(plan, fake), fake)
    }
    let build = FigureKey(.build, .p50)
    #expect(try record([]).1.asked.count == 20)
    let (named, fake) = try record([FurtherFigure(build, tolerance: .timing)])
    #expect(fake.asked.count == 80)
    let rows = Fixtures.writer().rows(named)
    #expect(rows.filter { $0.subject.key == build && $0.pairID != nil }.count == 160)
    // Far from a limit it is settled, and so is what no side has.
    for settled in [
      FurtherFigure(build, limit: 1, tolerance: .timing),
      FurtherFigure(FigureKey(.latency, .p99), tolerance: .timing),
    ] {
      #expect(try record([settled]).1.asked.count == 20, "\(settled)")
    }
  }

  @Test func aSettledCandidateLeavesTheOthersTheirPairs() throws {
    let plan = try Fixtures.comparison {
      $0.measurement.schedulers = ["dispatch", "work-stealing", "inline"]
    }
    #expect(
      plan.groups[0].point.contestants.map(\.name) == ["dispatch", "work-stealing", "inline"])
    let fake = FakePairs { pair, side in
      Fixtures.outcome(
        wall: [side == 1 ? 150 : side == 2 && pair % 2 == 0 ? 110 : 100], operations: 1_000_000)
    }
    _ = Fixtures.record(plan, fake)
    #expect(
      fake.asked == Array(repeating: [0, 1, 2], count: 20) + Array(repeating: [0, 2], count: 60))
  }

  @Test func anInterruptInTheMiddleOfAPairDropsThePair() throws {
    let fake = FakePairs { pair, side in
      if pair == 7, side == 1 { throw PairFailure(side: 1, .interrupted) }
      return Fixtures.outcome(wall: [100])
    }
    let plan = try Fixtures.comparison { $0.measurement.workloadNames = ["chain", "fan"] }
    let record = Fixtures.record(plan, fake)
    #expect(record.wasInterrupted && !record.hasFailures)
    #expect(record.groups.map(\.pairs.count) == [6, 0])
    let rows = Fixtures.writer().rows(record)
    #expect(Set(rows.compactMap(\.pairID)) == Set(1...6))
    // What was not reached says so.
    #expect(
      rows.filter { $0.subject.benchmark == "fan" }.allSatisfy { $0.quality == [.interrupted] })
    #expect(SchemaCheck.check(CSV.encode(rows.filter { $0.design == nil }), path: "x").isEmpty)
  }

  @Test func aFailureEndsItsGroupAndIsTold() throws {
    let failure = PairFailure(side: 1, .crashed(.signalled(11), standardError: ""))
    var told: [String] = []
    let plan = try Fixtures.comparison { $0.measurement.workloadNames = ["chain", "fan"] }
    let fakes = [
      FakePairs { pair, side in
        if pair == 3, side == 1 { throw failure }
        return Fixtures.outcome(wall: [100])
      }, FakePairs(refusal: failure) { _, _ in Fixtures.outcome(wall: [100]) },
    ]
    let record = ComparisonDriver(
      plan: plan, taker: { fakes[$0] },
      observe: { event in
        if case .failed(let group, let pair, let what) = event, what == failure {
          told.append("\(group) \(pair)")
        }
      }
    ).run()
    #expect(told == ["0 3", "1 0"])
    #expect(record.hasFailures && !record.wasInterrupted)
    #expect(record.groups.map(\.pairs.count) == [2, 0])
    let rows = Fixtures.writer().rows(record)
    let ratios = rows.filter { $0.design != nil }
    #expect(ratios.map(\.quality) == [[.crashed], [.crashed]])
    #expect(
      rows.filter { $0.role == .a && $0.subject.benchmark == "fan" }.map(\.quality)
        == [[.unavailable(reason: "other-side")]])
    #expect(
      Fixtures.writer().failures(record).map(\.row.subject.scheduler) == [
        "work-stealing", "work-stealing",
      ])
  }

  @Test func pairsThatAreDisturbedAreTaggedAndCount() throws {
    let fake = FakePairs { pair, side in
      var outcome = Fixtures.outcome(wall: [side == 1 ? 150 : 100])
      if pair == 5 { outcome.disturbance.throttledPeriods = 1 }
      if pair == 6 { outcome.disturbance.stealTicks = 1 }
      if pair == 7 { outcome.iterations[0].involuntarySwitches = 100 }
      if pair == 8 { outcome.disturbance.foreignNanoseconds = 100_000_000 }
      return outcome
    }
    let rows = Fixtures.writer().rows(Fixtures.record(try Fixtures.comparison(), fake))
    func pairs(_ flag: QualityFlag) -> Set<Int> {
      Set(rows.filter { $0.quality.contains(flag) }.compactMap(\.pairID))
    }
    #expect(pairs(.throttled) == [5])
    #expect(pairs(.steal) == [6])
    #expect(pairs(.preempted) == [7])
    #expect(pairs(.busy) == [8])
    #expect(
      rows.filter { $0.subject.metric == .wall && $0.role == .a && $0.pairID != nil }.count == 20)
  }

  @Test func whatIsPlannedFollowsTheOrderOfTheCommandLine() throws {
    func sides(_ change: (inout ComparisonRequest) -> Void) throws -> [[String]] {
      try Fixtures.comparison(change, suite: TunableSuite.suite).groups.map {
        $0.point.contestants.map(\.label)
      }
    }
    #expect(
      try sides { $0.measurement.schedulers = ["stealing", "pool"] } == [["stealing", "pool"]])
    #expect(
      try sides { $0.measurement.schedulers = ["pool", "pool"] } == [["pool", "pool"]])
    #expect(
      try sides {
        $0.measurement.schedulers = nil
        $0.measurement.axes = [AxisSelection(axis: "spin-us", values: [.number(5), .number(0)])]
      } == [["pool spin-us=5", "pool spin-us=0"], ["stealing spin-us=5", "stealing spin-us=0"]])
    #expect(throws: PlanError.nothingToCompare) {
      try sides { $0.measurement.schedulers = nil }
    }
    #expect(throws: PlanError.nothingToCompare) {
      try sides { $0.measurement.schedulers = ["pool"] }
    }
    #expect(throws: PlanError.self) { _ = try Fixtures.comparison { $0.metrics = [.latency] } }
  }

  @Test func drawsAreAFunctionOfTheSeed() throws {
    let plan = try Fixtures.comparison()
    var orders: Set<[Int]> = []
    var paddings: Set<Int> = []
    for pair in 1...40 {
      var one = plan.draws(group: 0, pair: pair)
      var other = plan.draws(group: 0, pair: pair)
      let order = one.order(of: [0, 1])
      #expect(order == other.order(of: [0, 1]))
      #expect(one.order(of: [0, 1]) == other.order(of: [0, 1]))
      orders.insert(order)
      paddings.insert(one.padding)
    }
    #expect(orders == [[0, 1], [1, 0]])
    #expect(paddings.count > 30)
  }

  @Test func aSampleIsLongEnoughAndTheSameOnBothSides() {
    let sampling = ComparisonPlan.Sampling()
    func calibration(_ runs: [Double], step: Double = 20) -> Calibration {
      Calibration(runNanoseconds: runs, launchSeconds: 0.02, sampling: sampling, clockStep: step)
    }
    #expect(calibration([1e6, 5e5]).runs == 2)
    #expect(calibration([1e6, 5e5]).samples == 20)
    // The slower side is beyond the target with one run.
    #expect(calibration([3e7, 2e6]).runs == 1)
    #expect(calibration([3e7, 2e6]).samples == 5)
    // The faster side must be seen by the clock.
    #expect(calibration([1e6, 1e3], step: 20).runs == 20)
    #expect(calibration([1e6, 1e3], step: 1000).runs == 1000)
  }
}
