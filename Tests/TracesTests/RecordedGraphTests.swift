// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Traces

@Suite struct RecordedGraphTests {
  /// Two workers.
  ///
  /// 0 runs 10–30 on worker 0; 1 waits for 0, is ready at 31 and runs 33–40 there;
  /// 2 runs 12–20 on worker 1, then 3, ready since 11, runs 24–50.
  private func trace() -> Trace {
    var trace = Trace(header: TraceHeader(workers: 2))
    trace.threads = [TraceThread(worker: 0), TraceThread(worker: 1)]
    for (thread, added, ready, start, end) in [
      (0, 5, 6, 10, 30), (0, 6, 31, 33, 40), (1, 7, 7, 12, 20), (1, 8, 11, 24, 50),
    ] as [(Int32, Int64, Int64, Int64, Int64)] {
      var operation = TracedOperation()
      operation.thread = thread
      operation.enqueued = added
      operation.ready = ready
      operation.started = start
      operation.finished = end
      trace.operations.append(operation)
    }
    trace.operations[1].releasedBy = 0
    trace.edges = [TraceEdge(0, 1), TraceEdge(0, 1)]
    return trace
  }

  @Test func durationsArrivalsAndOverheadComeFromTheRecording() throws {
    let recorded = try RecordedGraph(trace())
    #expect(recorded.graph.durations == [20, 7, 8, 26])
    #expect(recorded.graph.arrivals == [0, 1, 2, 3])
    #expect(recorded.graph.dependencyCounts == [0, 1, 0, 0])
    // 33 - 30, and 24 - 20.
    #expect(recorded.overheadNanoseconds == 4)
    #expect(recorded.makespan == 45)
    #expect(recorded.graph.work == 61)
    #expect(recorded.graph.criticalPath == 29)
  }

  @Test func whatRanInsideAnotherBodyCountsOnce() {
    var trace = trace()
    // 3 runs inside 0, and 0 says that it is blocked from 25 to 28.
    trace.operations[3].thread = 0
    trace.operations[3].started = 15
    trace.operations[3].finished = 18
    trace.schedulerEvents = [
      SchedulerEvent(time: 25, thread: 0, kind: .blocks),
      SchedulerEvent(time: 28, thread: 0, kind: .unblocks),
    ]
    let work = RecordedWork(trace)
    #expect(work.durations == [14, 7, 8, 3])
    #expect(work.overheadNanoseconds == 3)
    #expect(work.overheadPairs == 1)
  }

  @Test func whatIsAddedByABodyStaysBehindIt() throws {
    var trace = trace()
    trace.operations[3].parent = 2
    trace.operations[3].enqueued = 15
    let graph = try RecordedGraph(trace).graph
    #expect(graph.spawners == [-1, -1, -1, 2])
    #expect(graph.arrivals[3] == 3)
  }

  @Test func whatIsNotTheWholeGraphIsRefused() {
    var trace = trace()
    trace.header.droppedEvents = 3
    trace.header.neededRingEvents = 8_192
    #expect(throws: SimulationError.droppedEvents(3, neededRingEvents: 8_192)) {
      try RecordedGraph(trace)
    }
    trace.header.droppedEvents = 0
    trace.header.detail = .latency
    #expect(throws: SimulationError.noDependencies) { try RecordedGraph(trace) }
    #expect(throws: SimulationError.noOperation) {
      try RecordedGraph(Trace(header: TraceHeader()))
    }
  }

  @Test func aReplayOfAReplayIsEqual() throws {
    for seed in 1...20 as ClosedRange<UInt64> {
      let source = SampleTraces.random(200, seed: seed)
      let recorded = try RecordedGraph(source)
      for policy in SimulationPolicy.allCases {
        let options = SimulationOptions(
          workers: 3, policy: policy, overheadNanoseconds: 70, seed: seed)
        let schedule = Simulation.run(recorded.graph, options)
        let replay = schedule.trace(of: source, recorded)
        let again = try RecordedGraph(TraceFile.decode(TraceFile.encode(replay), path: "x"))
        #expect(Simulation.run(again.graph, options) == schedule, "seed \(seed), \(policy)")
        #expect(again.makespan == schedule.makespan, "seed \(seed), \(policy)")
      }
    }
  }
}
