// SPDX-License-Identifier: Apache-2.0

internal import Harness
internal import Results
internal import Statistics
internal import Testing

@testable internal import Measurement

/// Pairs with real children of the fixture.
@Suite struct LivePairsTests {
  private func plan(
    _ workload: String, _ pairing: ComparisonDesign.Pairing,
    sides: [String] = ["immediate", "immediate"],
    executables: [String]? = nil
  ) -> ComparisonPlan {
    let contestants = sides.map {
      Contestant(system: .scheduler($0), workers: 1, parameters: Parameters(["n": 10]))
    }
    let point = MeasurementGroup(
      suite: "core", benchmark: workload, summary: "", subject: .workload(workload),
      parameters: Parameters(["n": 10]), workers: 1, cpus: nil, settings: [:], metrics: [],
      contestants: contestants)
    var plan = ComparisonPlan(
      groups: [
        ComparisonGroup(point, executables: executables ?? sides.map { _ in Fixture.path })
      ], budget: .seconds(60), seed: 7, cpuCount: 2)
    plan.pairing = pairing
    plan.allocator = .system
    plan.sampling.sideNanoseconds = 8_000_000
    plan.sampling.count = 3...15
    return plan
  }

  @Test(arguments: [ComparisonDesign.Pairing.alternating, .lockStep])
  func aPairHasEverySideWithTheSameWork(pairing: ComparisonDesign.Pairing) throws {
    let plan = plan("spin", pairing)
    var taker = LivePairs(plan: plan, group: 0)
    let calibration = try taker.calibrate()
    #expect(calibration.runs == 1, "one run is 2 ms")
    // A run is longer where others take the CPU.
    #expect((3...4).contains(calibration.samples))
    let sides = try taker.take(pair: 1, sides: [0, 1], calibration: calibration)
    #expect(sides.map(\.side) == [0, 1])
    #expect(Set(sides.map(\.process)) == (pairing == .alternating ? [0] : [0, 1]))
    for side in sides {
      #expect(
        side.outcome.iterations.map(\.operations)
          == Array(repeating: 10, count: calibration.samples))
      #expect(side.outcome.allocatorProof?.hasPrefix("glibc") == true)
      #expect(side.outcome.isComplete && side.outcome.elapsedNanoseconds > 12_000_000)
      // Of a process that both share neither knows what is its own.
      #expect((side.outcome.peakRSS != nil) == (pairing == .lockStep))
    }
  }

  @Test(arguments: [ComparisonDesign.Pairing.alternating, .lockStep])
  func sidesTakeTurnsSampleBySampleInRandomOrder(pairing: ComparisonDesign.Pairing) throws {
    let plan = plan("moments", pairing)
    var taker = LivePairs(plan: plan, group: 0)
    let calibration = Calibration(runs: 1, samples: 12, pairSeconds: 0)
    let sides = try taker.take(pair: 1, sides: [0, 1], calibration: calibration)
    let moments = sides.map { $0.outcome.metrics[.work] ?? [] }
    #expect(moments.map(\.count) == [12, 12])
    var firsts: Set<Int> = []
    for turn in 0..<12 {
      firsts.insert(moments[0][turn] < moments[1][turn] ? 0 : 1)
      if turn > 0 {
        let before = max(moments[0][turn - 1], moments[1][turn - 1])
        #expect(before < min(moments[0][turn], moments[1][turn]), "turn \(turn)")
      }
    }
    #expect(firsts == [0, 1])
    let processes = Set(sides.flatMap { $0.outcome.metrics[.tasks] ?? [] })
    #expect(processes.count == (pairing == .alternating ? 1 : 2))
  }

  @Test func everyPairHasFreshProcesses() throws {
    let plan = plan("moments", .alternating)
    var taker = LivePairs(plan: plan, group: 0)
    let calibration = Calibration(runs: 1, samples: 1, pairSeconds: 0)
    let processes = try (1...3).flatMap { pair in
      try taker.take(pair: pair, sides: [0, 1], calibration: calibration)
        .flatMap { $0.outcome.metrics[.tasks] ?? [] }
    }
    #expect(Set(processes).count == 3)
    #expect(processes.allSatisfy { isGone(Int32($0)) })
  }

  @Test(arguments: [ComparisonDesign.Pairing.alternating, .lockStep])
  func aSideThatFailsIsNamed(pairing: ComparisonDesign.Pairing) throws {
    var taker = LivePairs(
      plan: plan("spin", pairing, sides: ["immediate", "no-such"]), group: 0)
    let failure = #expect(throws: PairFailure.self) { _ = try taker.calibrate() }
    #expect(failure?.side == 1)
    #expect(failure?.failure.description.contains("no scheduler 'no-such'") == true)
    taker = LivePairs(plan: plan("wrong", pairing), group: 0)
    let wrong = #expect(throws: PairFailure.self) { _ = try taker.calibrate() }
    #expect(wrong?.failure == .wrongAnswer("sum is 3;\nexpected 100 % of 4"))
  }

  @Test func aProgramThatCannotBeStartedIsASideThatFailed() throws {
    let plan = plan("spin", .lockStep, executables: [Fixture.path, "/does/not/exist"])
    var taker = LivePairs(plan: plan, group: 0)
    let failure = #expect(throws: PairFailure.self) { _ = try taker.calibrate() }
    #expect(failure?.side == 1)
    #expect(failure?.failure.qualityWord == "unavailable:spawn")
  }

  @Test func threadsThatDoNotSleepAreRefused() throws {
    var taker = LivePairs(
      plan: plan("spin", .alternating, sides: ["restless", "immediate"]), group: 0)
    let failure = #expect(throws: PairFailure.self) { _ = try taker.calibrate() }
    #expect(failure?.failure.qualityWord == "unavailable:busy-while-idle")
    #expect(failure?.failure.description.contains("expected them to sleep") == true)
  }
}
