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
