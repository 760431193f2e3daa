// SPDX-License-Identifier: Apache-2.0

import TaskGraphFiles
import Testing
import Traces

@Suite struct TraceGraphTests {
  /// Three operations on one thread, of which the last waits for both others.
  private func trace() -> Trace {
    var trace = Trace(header: TraceHeader())
    trace.names = ["", "compile", "closure"]
    trace.threads = [TraceThread(worker: 0)]
    for (name, start, end) in [(1, 0, 10), (0, 10, 35), (0, 40, 47)] as [(UInt32, Int64, Int64)] {
      var operation = TracedOperation(name: name, kind: 2)
      operation.enqueued = 0
      operation.ready = start
      operation.started = start
      operation.finished = end
      operation.thread = 0
      trace.operations.append(operation)
    }
    trace.edges = [TraceEdge(0, 2), TraceEdge(1, 2)]
    return trace
  }

  @Test func aRecordingIsAGraphWithItsNames() throws {
    var trace = trace()
    trace.operations[1].priority = 4
    let graph = try TaskGraphFile.parse(
      TraceFile.encode(trace), format: .trace, path: "a/run.trace")
    #expect(graph.name == "run")
    #expect(graph.source == .trace)
    #expect(
      graph.tasks == [
        .init(name: "compile", durationNanoseconds: 10, parents: []),
        .init(name: "closure#1", durationNanoseconds: 25, parents: []),
        .init(name: "closure#2", durationNanoseconds: 7, parents: [0, 1]),
      ])
    #expect(
      graph.notes == ["a/run.trace: 1 operations had a priority, and all run with the usual one"])
  }

  @Test func whatIsNoWholeRecordingIsRefusedWithItsReason() {
    var trace = trace()
    trace.header.detail = .latency
    let error = #expect(throws: TaskGraphError.self) {
      try TaskGraphFile.parse(TraceFile.encode(trace), format: .trace, path: "run.trace")
    }
    #expect(error?.finding.contains("`latency`") == true)
    let cut = #expect(throws: TaskGraphError.self) {
      try TaskGraphFile.parse(
        Array(TraceFile.encode(trace).dropLast()), format: .trace, path: "run.trace")
    }
    #expect(cut?.path.hasPrefix("run.trace: byte ") == true)
  }
}
