// SPDX-License-Identifier: Apache-2.0

import Testing
import Traces

@Suite struct PlantedCausesTests {
  @Test(arguments: ListScheduledRun.Plant.allCases)
  func aPlantedCauseIsNamedByNineTenthsOfTheWait(plant: ListScheduledRun.Plant) throws {
    var run = ListScheduledRun()
    run.operations = 2_000
    run.plant = plant
    let graph = try #require(TraceReport(run.trace()).graph)
    let shares = graph.causes.total
    #expect(shares.share(of: plant.cause) >= 0.9, "\(shares.nonZero)")
    #expect(shares.largest == plant.cause)
  }

  @Test(arguments: [
    (ListScheduledRun.Plant.limitOfOne, ListScheduledRun.Plant.wakesNobody),
    (.workerHeld, .wrongVictim), (.wrongVictim, .limitOfOne), (.wakesNobody, .workerHeld),
  ])
  func mixturesAreWithinTenPoints(
    first: ListScheduledRun.Plant, second: ListScheduledRun.Plant
  ) throws {
    for switches in [Int64(300_000), 450_000] {
      var run = ListScheduledRun()
      run.plant = first
      run.later = second
      run.switches = switches
      let trace = run.trace()
      let truth = run.shareBeforeSwitch(trace)
      let shares = try #require(TraceReport(trace).graph).causes.total
      #expect(abs(shares.share(of: first.cause) - truth) <= 0.1, "\(truth) \(shares.nonZero)")
      #expect(abs(shares.share(of: second.cause) - (1 - truth)) <= 0.1, "\(shares.nonZero)")
    }
  }

  @Test(arguments: [0, 3], 1...10)
  func aRunWithoutAPlantNamesNone(predecessors: Int, seed: Int) throws {
    var run = ListScheduledRun()
    run.workers = 4
    run.operations = 2_000
    run.predecessors = predecessors
    run.seed = UInt64(seed)
    let shares = try #require(TraceReport(run.trace()).graph).causes.total
    for plant in ListScheduledRun.Plant.allCases {
      #expect(shares.share(of: plant.cause) <= 0.2, "seed \(seed), \(plant): \(shares.nonZero)")
    }
  }
}

@Suite struct VerdictTests {
  private func verdict(_ change: (inout ListScheduledRun) -> Void) -> TraceVerdict {
    var run = ListScheduledRun()
    change(&run)
    return TraceReport(run.trace()).verdict
  }

  @Test(arguments: ListScheduledRun.Plant.allCases.filter { $0 != .barriers })
  func theSentenceNamesThePlantedCause(plant: ListScheduledRun.Plant) {
    let verdict = verdict { $0.plant = plant }
    #expect(verdict.finding == .waiting(plant.cause))
    #expect(verdict.sentence.contains("try "))
    #expect(verdict.sentence.contains(" % of the waiting is "))
  }

  @Test func barriersAreNamedOnlyWhereTheyCostWorkersTheirJobs() {
    // Without anything to wait for, batches of many operations keep two workers busy.
    #expect(verdict { $0.plant = .barriers }.finding == .work)
    // Many workers stand idle at the end of every batch.
    let costly = verdict {
      $0.plant = .barriers
      $0.workers = 50
      $0.run = 1_000...100_000
    }
    #expect(costly.finding == .waiting(.barrier), "\(costly.sentence)")
  }

  @Test func aRunThatIsBusyIsWork() {
    #expect(verdict { _ in }.finding == .work)
  }

  @Test func aChainIsTheGraphs() throws {
    var hand = HandTrace(workers: 4)
    hand.startWorkers()
    for worker in 1..<4 { hand.event(1, worker, .park) }
    var last: [UInt32] = []
    for index in 0..<50 {
      let start = Int64(index) * 1_000 + 10
      let ready = Int64(index) * 1_000
      last = [hand.run(on: 0, from: start, to: start + 980, ready: ready, after: last)]
    }
    let verdict = TraceReport(hand.sorted).verdict
    #expect(verdict.finding == .graph)
    #expect(
      verdict.sentence == "Workers had no job for 75 % of their time because nothing was ready; try"
        + " to shorten the chain of 50 operations that takes 98 % of the run.")
  }

  @Test func aPerturbedRunNamesNoCause() {
    let run = ListScheduledRun(plant: .wakesNobody)
    let trace = run.trace()
    let large = Perturbation(ratio: 1.23, low: 1.19, high: 1.26)
    let report = TraceReport(trace, perturbation: large)
    #expect(report.verdict.finding == .none)
    #expect(report.verdict.sentence.contains("23 % longer (19 to 26 %)"))
    #expect(report.graph != nil)
    let small = Perturbation(ratio: 1.14, low: 1.1, high: 1.18)
    #expect(TraceReport(trace, perturbation: small).verdict.finding == .waiting(.nobodyAwake))
  }

  @Test func droppedEventsNameTheSizeNeeded() {
    var trace = ListScheduledRun().trace()
    trace.header.droppedEvents = 12
    trace.header.neededRingEvents = 65_536
    let verdict = TraceReport(trace).verdict
    #expect(verdict.finding == .none)
    #expect(verdict.sentence.contains("65536 events"))
  }
}
