// SPDX-License-Identifier: Apache-2.0

import MeasurementFixtures
import Results
import TestFolders
import Testing
import Traces

@testable import BenchmarkCLI

/// `bench replay --simulate`, from a recording to what it prints.
@Suite struct SimulationVerbTests {
  /// Three operations of 1 ms on one worker, each 100 µs behind the one before; the third waits for
  /// the first.
  private var trace: Trace {
    var trace = Trace(header: TraceHeader(scheduler: "thread-pool", workers: 1))
    trace.threads = [TraceThread(worker: 0)]
    for row in 0..<3 as Range<Int64> {
      var operation = TracedOperation()
      operation.enqueued = 0
      operation.ready = row == 2 ? 1_000_000 : 0
      operation.started = row * 1_100_000
      operation.finished = row * 1_100_000 + 1_000_000
      operation.thread = 0
      trace.operations.append(operation)
    }
    trace.edges = [TraceEdge(0, 2)]
    return trace
  }

  private func simulate(_ words: [String]) -> (code: ExitCode, out: String, talk: String) {
    var (out, talk) = ("", "")
    let console = Console(
      out: { text throws(ToolFailure) in out += text }, talk: { talk += $0 })
    let code = CommandLineTool(suite: Fixtures.suite, environment: [:], console: console)
      .run(["replay", "--simulate"] + words)
    return (code, out, talk)
  }

  @Test func theTableHasARowForEveryScheduleAndTheRegretAbove() throws {
    try TestDirectory.with { folder in
      let path = folder + "/a.trace"
      try TraceFile.write(trace, to: path, overwrite: false)
      let text = simulate([path, "--workers", "1,2", "--policy", "fifo"])
      #expect(text.code == .success, "\(text.talk)")
      #expect(
        text.out.contains("3 operations, 1 dependencies, recorded on thread-pool with 1 workers"))
      #expect(text.out.contains("work 3.00 ms, span 2.00 ms, parallelism 1.50"))
      #expect(text.out.contains("overhead 100 µs an operation"))
      #expect(text.out.contains("takes less than 3.00 ms: regret +6.7 %"))
      let csv = simulate([path, "--workers", "1,2", "--policy", "fifo", "--format", "csv"])
      #expect(
        csv.out == """
          workers,policy,overhead_ns,seed,makespan_ns,bound_ns,recorded_ns,busy
          1,fifo,100000,0,3300000,3000000,3200000,1.0
          2,fifo,100000,0,2200000,2000000,3200000,0.75

          """)
      let free = simulate(
        [path, "--workers", "2", "--policy", "lifo", "--overhead", "x0", "--format", "csv"])
      #expect(free.out.contains("2,lifo,0,0,2000000,2000000,3200000,0.75\n"))
    }
  }

  @Test func aScheduleIsARecordingThatRunsAgain() throws {
    try TestDirectory.with { folder in
      let (path, copy) = (folder + "/a.trace", folder + "/b.trace")
      try TraceFile.write(trace, to: path, overwrite: false)
      let options = ["--workers", "2", "--policy", "fifo", "--format", "csv"]
      let first = simulate([path, "--trace", copy] + options)
      #expect(first.talk == "bench: schedule in \(copy)\n")
      #expect(try TraceFile.read(copy).header.scheduler == "simulated")
      let again = simulate([copy, "--format", "json", "--workers", "2", "--policy", "fifo"])
      #expect(again.out.contains("\"makespanNanoseconds\": 2200000"))
      #expect(simulate([path, "--trace", copy] + options).code == .usage)
    }
  }

  @Test(
    arguments: [
      ("something else", ":1:1: this is no known kind of task graph; expected"),
      ("digraph {}", ": the graph has no task; expected"),
      ("\u{93}SB", ":1:1: this is no known kind of task graph; expected"),
    ])
  func whatIsNoGraphEndsWithItsPlace(text: String, finding: String) throws {
    try TestDirectory.with { folder in
      let path = folder + "/a.trace"
      try AtomicFile.write(Array(text.utf8), to: path, overwrite: false)
      let result = simulate([path])
      #expect(result.code == .malformedInput)
      #expect(result.talk.hasPrefix("bench: \(path)\(finding)"), "\(result.talk)")
    }
  }

  @Test func aRecordingThatWasCutIsCalledOne() throws {
    try TestDirectory.with { folder in
      let path = folder + "/a.trace"
      try AtomicFile.write(Array(TraceFile.encode(trace).prefix(100)), to: path, overwrite: false)
      let result = simulate([path])
      #expect(result.code == .malformedInput)
      #expect(result.talk.hasPrefix("bench: \(path): byte 100: the file has 100 bytes; expected"))
    }
  }

  @Test func aGraphIsScheduledWithoutARecording() throws {
    try TestDirectory.with { folder in
      let path = folder + "/diamond.dot"
      let graph = "digraph { a [duration=1]; b [duration=2]; c [duration=2]; a -> b; a -> c }"
      try AtomicFile.write(Array(graph.utf8), to: path, overwrite: false)
      let text = simulate([path, "--workers", "1,2", "--policy", "fifo"])
      #expect(text.code == .success, "\(text.talk)")
      #expect(text.out.contains("3 operations, 2 dependencies\n"))
      #expect(text.out.contains("overhead not measurable in this graph"))
      #expect(!text.out.contains("regret"))
      let csv = simulate([path, "--workers", "1,2", "--policy", "fifo", "--format", "csv"])
      #expect(
        csv.out == """
          workers,policy,overhead_ns,seed,makespan_ns,bound_ns,recorded_ns,busy
          1,fifo,0,0,5000000000,5000000000,,1.0
          2,fifo,0,0,3000000000,3000000000,,0.8333333333333334

          """)
    }
  }
}
