// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Testing

@testable import Traces

/// Schedules computed by hand.
///
/// The graph: 0, 1 and 2 wait for nothing, 3 for 0, 4 for 1 and 3. Durations 2, 3, 6, 4, 1.
@Suite struct SimulationTests {
  private let graph = SimulatedGraph(
    durations: [2, 3, 6, 4, 1], parents: [[], [], [], [0], [1, 3]])

  @Test func workSpanAndBound() {
    #expect(graph.work == 16)
    #expect(graph.criticalPath == 7)
    #expect(graph.lowerBound(workers: 1) == 16)
    #expect(graph.lowerBound(workers: 2) == 8)
    #expect(graph.lowerBound(workers: 3) == 7)
  }

  @Test func twoWorkersFirstComeFirstServed() {
    // 0: 0 and 1; 2: worker 0 takes 2, ready before 3; 3: worker 1 takes 3; 7: 4.
    let schedule = Simulation.run(graph, SimulationOptions(workers: 2, policy: .fifo))
    #expect(schedule.starts == [0, 0, 2, 3, 7])
    #expect(schedule.workers == [0, 1, 0, 1, 1])
    #expect(schedule.makespan == 8)
    #expect(schedule.finished == 5)
  }

  @Test func twoWorkersLastComeFirstServed() {
    // 0: 2 and 1; 3: worker 1 takes 0; 5: 3 is ready, and worker 1 takes it; 6: worker 0 finds
    // nothing; 9: both are free for 4, and worker 0 comes first.
    let schedule = Simulation.run(graph, SimulationOptions(workers: 2, policy: .lifo))
    #expect(schedule.starts == [3, 0, 0, 5, 9])
    #expect(schedule.workers == [1, 1, 0, 1, 0])
    #expect(schedule.makespan == 10)
  }

  @Test func twoWorkersLongestPathFirst() {
    // Paths: 7, 4, 6, 5, 1. 0: 0 and 2; 2: 3 before 1; 6: both workers are free, worker 0 of 3 and
    // worker 1 of 2; 1 starts; 9: 4.
    let schedule = Simulation.run(graph, SimulationOptions(workers: 2, policy: .criticalPath))
    #expect(schedule.starts == [0, 6, 0, 2, 9])
    #expect(schedule.makespan == 10)
  }

  @Test func anOverheadIsPaidOncePerOperationOnItsWorker() {
    // As first come first served, with one more in front of each: starts at 1 and 1, then 4, 5, 10.
    let schedule = Simulation.run(
      graph, SimulationOptions(workers: 2, policy: .fifo, overheadNanoseconds: 1))
    #expect(schedule.starts == [1, 1, 4, 5, 10])
    #expect(schedule.makespan == 11)
  }

  @Test func prioritiesGoFirst() throws {
    var rows = SimulatedGraph.Rows(durations: [5, 5, 5])
    rows.priorities = [-4, 0, 4]
    let graph = try SimulatedGraph(rows: rows, edges: [])
    let schedule = Simulation.run(graph, SimulationOptions(workers: 1, policy: .priority))
    #expect(schedule.starts == [10, 5, 0])
  }

  @Test func aThiefTakesHalfOfWhatAnotherHolds() throws {
    // 0 makes 1 … 4 ready on worker 0 at 1. It takes 4; worker 1 steals 1 and 2 and begins with 1.
    // 11: worker 0 takes 3, worker 1 takes 2.
    let graph = SimulatedGraph(
      durations: [1, 10, 10, 10, 10], parents: [[], [0], [0], [0], [0]])
    let schedule = Simulation.run(graph, SimulationOptions(workers: 2, policy: .stealHalf))
    #expect(schedule.workers == [0, 1, 1, 0, 0])
    #expect(schedule.starts == [0, 1, 11, 11, 1])
  }

  @Test func aLimitHoldsBackWhatFreeWorkersCouldRun() throws {
    var rows = SimulatedGraph.Rows(durations: [3, 3, 3, 1])
    rows.queues = [0, 0, 0, -1]
    rows.limits = [1]
    rows.priorities = [0, 0, 8, 0]
    let graph = try SimulatedGraph(rows: rows, edges: [])
    for policy in SimulationPolicy.allCases {
      let schedule = Simulation.run(graph, SimulationOptions(workers: 4, policy: policy))
      // The first is inside before anybody waits; of those that wait the higher priority goes
      // first.
      #expect(schedule.starts == [0, 6, 3, 0], "\(policy)")
    }
    rows.limits = [0]
    let held = Simulation.run(
      try SimulatedGraph(rows: rows, edges: []), SimulationOptions(workers: 4))
    #expect(held.finished == 1)
    #expect(held.starts == [-1, -1, -1, 0])
  }

  @Test func whatABodyAddsComesWhenThatBodyHasGoneOnAsLong() throws {
    // 1 comes 3 after the start of 0, and 0 starts at 10: 1 starts at 13. 2 finishes 5 after it
    // leaves its worker, so that 3 starts at 14 + 1 + 5.
    var rows = SimulatedGraph.Rows(durations: [4, 1, 1, 2])
    rows.arrivals = [10, 3, 14, 0]
    rows.spawners = [-1, 0, -1, -1]
    rows.delays = [0, 0, 5, 0]
    let graph = try SimulatedGraph(rows: rows, edges: [(2, 3)])
    let schedule = Simulation.run(graph, SimulationOptions(workers: 2))
    #expect(schedule.starts == [10, 13, 14, 20])
    #expect(schedule.makespan == 22)
    #expect(graph.criticalPath == 22)
  }

  @Test func aCycleIsRefused() throws {
    let rows = SimulatedGraph.Rows(durations: [1, 1, 1])
    #expect(throws: SimulationError.cycle(operations: 2)) {
      try SimulatedGraph(rows: rows, edges: [(0, 1), (1, 2), (2, 1)])
    }
  }

  @Test(arguments: SimulationPolicy.allCases)
  func everyScheduleKeepsGrahamsBoundsAndItsSeed(policy: SimulationPolicy) throws {
    for seed in 1...60 as ClosedRange<UInt64> {
      let trace = SampleTraces.random(60, seed: seed)
      var rows = SimulatedGraph.Rows(
        durations: trace.operations.map { ($0.finished ?? 0) - ($0.started ?? 0) })
      rows.priorities = trace.operations.map(\.priority)
      let edges = Set(trace.edges.map { UInt64($0.predecessor) << 32 | UInt64($0.successor) })
        .sorted().map { (Int32($0 >> 32), Int32($0 & 0xFFFF_FFFF)) }
      let graph = try SimulatedGraph(rows: rows, edges: edges)
      for workers in [1, 2, 5] {
        let options = SimulationOptions(workers: workers, policy: policy, seed: seed)
        let schedule = Simulation.run(graph, options)
        #expect(schedule.finished == 60, "seed \(seed)")
        #expect(schedule.makespan >= graph.lowerBound(workers: workers), "seed \(seed)")
        #expect(
          schedule.makespan * Int64(workers)
            <= graph.work + Int64(workers - 1) * graph.criticalPath, "seed \(seed)")
        #expect(Simulation.run(graph, options) == schedule, "seed \(seed)")
      }
    }
  }

  @Test(.enabled(if: ProcessInfo.processInfo.environment["BENCH_LONG_TESTS"] == "1"))
  func aMillionOperationsRunOnAThousandWorkersInSeconds() throws {
    let trace = SampleTraces.random(1_000_000, seed: 5)
    let clock = ContinuousClock()
    var recorded: RecordedGraph?
    let preparing = try clock.measure { recorded = try RecordedGraph(trace) }
    let graph = try #require(recorded).graph
    print("1000000 operations, \(trace.edges.count) edges: graph in \(preparing)")
    for policy in SimulationPolicy.allCases {
      var makespan: Int64 = 0
      let time = clock.measure {
        makespan =
          Simulation.run(
            graph,
            SimulationOptions(workers: 1_024, policy: policy, overheadNanoseconds: 100)
          ).makespan
      }
      print("\(policy.rawValue) on 1024 workers: \(makespan) ns, computed in \(time)")
      #expect(time < .seconds(10))
    }
  }
}
