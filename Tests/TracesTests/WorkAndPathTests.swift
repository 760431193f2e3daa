// SPDX-License-Identifier: Apache-2.0

import Testing
import Traces

@Suite struct WorkAndPathTests {
  /// Two chains that meet: 0 → 1 → 3 and 2 → 3, on two workers.
  private func diamond() -> HandTrace {
    var hand = HandTrace(workers: 2)
    hand.startWorkers()
    hand.run(on: 0, from: 10, to: 40, added: 0, ready: 0)
    hand.run(on: 0, from: 45, to: 60, added: 0, ready: 42, after: [0])
    hand.run(on: 1, from: 10, to: 100, added: 0, ready: 0)
    hand.run(on: 1, from: 107, to: 120, added: 0, ready: 103, after: [1, 2])
    return hand
  }

  @Test func workAndSpanOfADiamond() throws {
    let graph = try #require(TraceReport(diamond().sorted).graph)
    #expect(graph.workAndSpan.work == 30 + 15 + 90 + 13)
    #expect(graph.workAndSpan.span == 90 + 13)
    #expect(graph.workAndSpan.criticalPath == [2, 3])
    #expect(graph.workAndSpan.parallelism == 148.0 / 103)
  }

  @Test func theRealisedPathFollowsWhatWasLast() throws {
    let path = try #require(TraceReport(diamond().sorted).graph).realisedPath
    #expect(
      path.stretches == [
        stretch(0, 10, 2, .overhead), stretch(10, 100, 2, .run), stretch(100, 107, 3, .overhead),
        stretch(107, 120, 3, .run),
      ])
    #expect(path[.run] == 103)
    #expect(path.total == 120)
    #expect(path.operations == [2, 3])
  }

  @Test func aBusyWorkerLeadsToTheOperationBefore() throws {
    var hand = HandTrace(workers: 1)
    hand.startWorkers()
    hand.run(on: 0, from: 0, to: 100, ready: 0)
    hand.run(on: 0, from: 104, to: 150, ready: 10)
    let path = try #require(TraceReport(hand.sorted).graph).realisedPath
    #expect(
      path.stretches == [
        stretch(0, 100, 0, .run), stretch(100, 104, 1, .overhead), stretch(104, 150, 1, .run),
      ])
  }

  @Test func aLateWakeUpLeadsToWhatTheWakerDid() throws {
    var hand = HandTrace(workers: 2)
    hand.startWorkers()
    hand.event(1, 1, .park)
    hand.run(on: 0, from: 0, to: 50, ready: 0)
    hand.run(on: 0, from: 50, to: 90, ready: 0)
    // Ready at 20, but only after its second operation does worker 0 wake anybody.
    hand.event(92, 0, .wake, other: 1)
    hand.event(97, 1, .unpark, other: 0)
    hand.run(on: 1, from: 100, to: 130, ready: 20)
    let path = try #require(TraceReport(hand.sorted).graph).realisedPath
    #expect(
      path.stretches == [
        stretch(0, 50, 0, .run), stretch(50, 90, 1, .run), stretch(90, 92, 2, .overhead),
        stretch(92, 97, 2, .system), stretch(97, 100, 2, .overhead), stretch(100, 130, 2, .run),
      ])
  }

  @Test func aCallThatStillAddsOthersIsTheProgramsTime() throws {
    var hand = HandTrace(workers: 1)
    hand.startWorkers()
    hand.run(on: 0, from: 50, to: 100, ready: 40) { $0.enqueued = 10 }
    let path = try #require(TraceReport(hand.sorted).graph).realisedPath
    #expect(path[.outside] == 30)
    #expect(path[.overhead] == 10)
    #expect(path.total == 90)
  }

  @Test func suspensionAndPolicyAreOnTheWay() throws {
    var hand = HandTrace(workers: 1, queues: [TraceQueue(isSuspended: true)])
    hand.startWorkers()
    hand.event(1, 0, .park)
    hand.policy(40, .suspension, 0)
    hand.event(42, 0, .unpark)
    hand.run(on: 0, from: 50, to: 100, ready: 10) { $0.returned = 60 }
    let path = try #require(TraceReport(hand.sorted).graph).realisedPath
    #expect(
      path.stretches == [
        stretch(10, 40, 0, .policy), stretch(40, 42, 0, .idle), stretch(42, 50, 0, .overhead),
        stretch(50, 60, 0, .run), stretch(60, 100, 0, .suspended),
      ])
  }

  @Test func whatRunsInsideABodyCountsOnce() throws {
    var hand = HandTrace(workers: 1)
    hand.startWorkers()
    hand.run(on: 0, from: 0, to: 100, ready: 0)
    hand.run(on: 0, from: 30, to: 70, ready: 20) { $0.parent = 0 }
    let report = TraceReport(hand.sorted)
    #expect(try #require(report.graph).workAndSpan.work == 100)
    #expect(report.latency.all.run.totalNanoseconds == 140)
  }

  @Test func recordingsThatAreNotWholeAreRefused() {
    var dropped = diamond().sorted
    dropped.header.droppedEvents = 3
    dropped.header.neededRingEvents = 4_096
    #expect(TraceReport(dropped).refusal == .droppedEvents(3, neededRingEvents: 4_096))
    #expect(TraceReport(dropped).graph == nil)
    var latency = diamond().sorted
    latency.header.detail = .latency
    #expect(TraceReport(latency).refusal == .latencyDetail)
    var cycle = diamond().sorted
    cycle.edges.append(TraceEdge(3, 0))
    #expect(TraceReport(cycle).refusal == .cycle(operations: 3))
    #expect(TraceReport(Trace(header: TraceHeader())).refusal == .nothingFinished)
  }

  private func stretch(
    _ begin: Int64, _ end: Int64, _ operation: Int32, _ part: RealisedPath.Part
  ) -> RealisedPath.Stretch {
    RealisedPath.Stretch(begin: begin, end: end, operation: operation, part: part)
  }
}
