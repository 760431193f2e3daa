// SPDX-License-Identifier: Apache-2.0

import Testing
import Traces

@testable import BenchmarkCLI

@Suite struct ProfileTablesTests {
  /// One operation of a long name, which waited for a worker that slept.
  private func trace(named name: String) -> Trace {
    var trace = Trace(header: TraceHeader())
    trace.header.workers = 1
    trace.names.append(name)
    var operation = TracedOperation(queue: -1)
    operation.name = UInt32(trace.names.count - 1)
    operation.created = 0
    operation.enqueued = 0
    operation.ready = 0
    operation.started = 1_000
    operation.returned = 2_000
    operation.finished = 2_000
    operation.outcome = .finished
    operation.thread = 0
    trace.operations = [operation]
    trace.threads = [TraceThread(worker: 0, systemID: 1, name: 0)]
    return trace
  }

  @Test func theEndOfALongNameIsShownSoThatPathsCanBeToldApart() throws {
    let path = String(repeating: "folder/", count: 20) + "last.o"
    let trace = trace(named: path)
    let causes = try #require(TraceReport(trace).graph).causes
    let table = ProfileTables.offenders(trace, causes, namesCauses: true)
    let cells = try #require(table.rows.first).map(\.text)
    #expect(cells[0].hasPrefix("…") && cells[0].hasSuffix("folder/last.o #0"))
    #expect(cells.count == 3 && !cells[2].isEmpty)
    #expect(table.lines(style: .plain).allSatisfy { $0.count <= 100 })
    #expect(table.lines(style: .plain).count == 2)
  }

  @Test func noCauseStandsBesideAnOperationOfARunThatTheRecordingChanged() throws {
    let trace = trace(named: "short")
    let causes = try #require(TraceReport(trace).graph).causes
    let table = ProfileTables.offenders(trace, causes, namesCauses: false)
    #expect(table.columns.map(\.heading) == ["operation", "waited"])
    #expect(table.rows.first?.map(\.text) == ["short #0", "1.00 µs"])
  }

  @Test func aRunOnOneWorkerIsProjectedToMore() throws {
    let trace = trace(named: "short")
    let graph = try #require(TraceReport(trace) { Int64(8_000 / $0) }.graph)
    let table = ProfileTables.projection(graph.projection)
    #expect(table.columns.map(\.heading) == ["workers", "list schedule", "by work and span"])
    #expect(table.rows.map { $0[0].text } == ["1", "2", "4", "8", "16", "32", "64"])
    // On the recorded number of workers it is the run itself.
    #expect(table.rows[0][2].text == ProfileText.time(graph.projection.serial))
    #expect(table.rows[2][1].text == "2.00 µs")
  }

  @Test func aCheckSaysByHowMuchEachProjectionMissed() throws {
    let projection = try #require(TraceReport(trace(named: "one")).graph).projection
    let check = ProjectionCheck(
      projection, workers: 2, measured: 1_000, speedUp: 1.6, scale: 0.8, scheduled: 950,
      unburdened: 800)
    let lines = ProfileSentence.check(check)
    #expect(
      lines[0]
        == "checked on 2 workers, which took 1.00 µs: list schedule 950 ns (-5 %), by work and span "
        + "\(ProfileText.time(check.predicted)) (\(UnitFormatter.change(1 + check.error))), "
        + "a schedule without overhead 800 ns (-20 %)")
    #expect(lines[1] == "  for this machine, on which 2 threads do 1.60 times the work of one")
    let exact = ProjectionCheck(projection, workers: 2, measured: 1_000, speedUp: 2)
    #expect(ProfileSentence.check(exact).count == 1)
  }

  @Test func theChainOfTheSpanIsShownByItsEnds() throws {
    func text(of length: Int) throws -> String? {
      var trace = Trace(header: TraceHeader(workers: 1))
      trace.threads = [TraceThread(worker: 0, systemID: 1, name: 0)]
      for row in 0..<Int64(length) {
        trace.names.append("task \(row)")
        var operation = TracedOperation(queue: -1)
        operation.name = UInt32(trace.names.count - 1)
        operation.enqueued = 0
        operation.ready = row * 100
        operation.started = row * 100
        operation.finished = row * 100 + 100
        operation.thread = 0
        trace.operations.append(operation)
        if row > 0 { trace.edges.append(TraceEdge(UInt32(row - 1), UInt32(row))) }
      }
      let work = try #require(TraceReport(trace).graph).workAndSpan
      return ProfileTables.chain(work, trace)
    }
    #expect(try text(of: 1) == nil)
    #expect(try text(of: 3) == "the span is the chain task 0 #0 → task 1 #1 → task 2 #2")
    #expect(
      try text(of: 20)
        == "the span is the chain task 0 #0 → task 1 #1 → task 2 #2 → … 15 more … → task 18 #18 → "
        + "task 19 #19")
  }
}
