// SPDX-License-Identifier: Apache-2.0

import Testing
import TracePages
import TraceSamples
import Traces

@Suite struct TextExportTests {
  /// One thread: `outer` from 100 to 1100 ns, inside of it `inner` from 300 to 500 ns, then `later`
  /// from 1200 to 1250 ns, which was put into its queue at 50 and made ready at 1100 ns.
  private var nested: Trace {
    var trace = Trace(header: TraceHeader(durationNanoseconds: 2000))
    trace.names += ["Step", "outer; first", "inner", "later"]
    trace.threads = [TraceThread(worker: 0)]
    func add(_ name: UInt32, _ start: Int64, _ end: Int64) {
      var operation = TracedOperation(name: name, kind: 1)
      operation.thread = 0
      operation.started = start
      operation.finished = end
      trace.operations.append(operation)
    }
    add(2, 100, 1100)
    add(3, 300, 500)
    add(4, 1200, 1250)
    trace.operations[2].enqueued = 50
    trace.operations[2].ready = 1100
    return trace
  }

  @Test func workIsCountedOnceWhenOperationsRunInsideOthers() {
    let text = String(decoding: TracePages.folded(nested, weight: .work), as: UTF8.self)
    #expect(
      text == """
        Step;later 50
        Step;outer: first 800
        Step;outer: first;Step;inner 200

        """)
  }

  @Test func waitsSayWhatTheyAreFor() {
    let text = String(decoding: TracePages.folded(nested, weight: .wait), as: UTF8.self)
    #expect(
      text == """
        Step;later;ready, not begun 100
        Step;later;waits for dependencies 1050

        """)
  }

  @Test func foldedWorkIsTheTimeThatThreadsWereBusy() {
    let trace = PlausibleTrace(layers: 30, width: 10, workers: 3, seed: 3).made()
    let text = String(decoding: TracePages.folded(trace, weight: .work), as: UTF8.self)
    let total = text.split(separator: "\n").compactMap { line in
      line.split(separator: " ").last.flatMap { Int64($0) }
    }.reduce(0, +)
    let busy = trace.operations.reduce(Int64(0)) { sum, operation in
      sum + (operation.finished ?? 0) - (operation.started ?? 0)
    }
    #expect(total == busy)
  }

  @Test func tableHasALineForEachOperationAndEmptyFieldsForWhatIsUnknown() throws {
    let lines = String(decoding: TracePages.operationsCSV(nested), as: UTF8.self)
      .split(separator: "\n").map(String.init)
    #expect(lines.count == 4)
    let columns = lines[0].split(separator: ",").map(String.init)
    let fields = lines[3].split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    #expect(fields.count == columns.count)
    func field(_ name: String) throws -> String {
      fields[try #require(columns.firstIndex(of: name))]
    }
    #expect(try field("name") == "later")
    #expect(try field("dependency_wait_ns") == "1050")
    #expect(try field("ready_wait_ns") == "100")
    #expect(try field("run_ns") == "50")
    #expect(try field("created_ns").isEmpty)
    #expect(try field("source").isEmpty)
    #expect(try field("victim").isEmpty)
    #expect(try field("worker") == "0")
  }

  @Test func tableNamesTheCauseOfEveryWaitThatTheReportKnows() throws {
    let trace = PlausibleTrace(layers: 10, width: 10, workers: 2, seed: 9).made()
    let report = TraceReport(trace)
    let causes = try #require(report.graph?.causes.largest)
    let lines = String(decoding: TracePages.operationsCSV(trace, report: report), as: UTF8.self)
      .split(separator: "\n").map { $0.split(separator: ",", omittingEmptySubsequences: false) }
    let column = try #require(lines[0].firstIndex(of: "ready_wait_cause"))
    #expect(
      lines.dropFirst().map { String($0[column]) } == causes.map { $0.map { "\($0)" } ?? "" })
    #expect(causes.contains { $0 != nil })
  }
}
