// SPDX-License-Identifier: Apache-2.0

import MeasurementFixtures
import Results
import TestFolders
import Testing
import Traces

@testable import BenchmarkCLI

/// `bench profile --recording`: what a program has recorded of itself.
@Suite struct RecordingVerbTests {
  /// An operation with a name, and one that waits for it while the only worker runs it.
  private var trace: Trace {
    var trace = Trace(header: TraceHeader(scheduler: "", workers: 1))
    trace.header.workload = "app"
    trace.names.append("fetch")
    trace.threads = [TraceThread(worker: 0)]
    for row in 0..<2 as Range<Int64> {
      var operation = TracedOperation()
      operation.name = row == 0 ? 1 : 0
      operation.enqueued = 0
      operation.ready = row * 1_000_000
      operation.started = row * 1_000_000
      operation.finished = row * 1_000_000 + 1_000_000
      operation.thread = 0
      trace.operations.append(operation)
    }
    trace.edges = [TraceEdge(0, 1)]
    return trace
  }

  private func profile(
    _ words: [String], environment: [String: String] = [:]
  ) -> (code: ExitCode, out: String, talk: String) {
    var (out, talk) = ("", "")
    let console = Console(
      out: { text throws(ToolFailure) in out += text }, talk: { talk += $0 })
    let code = CommandLineTool(suite: Fixtures.suite, environment: environment, console: console)
      .run(["profile", "--recording"] + words)
    return (code, out, talk)
  }

  @Test func aRecordingIsShownWithoutARun() throws {
    try TestDirectory.with { folder in
      let path = folder + "/app.trace"
      try TraceFile.write(trace, to: path, overwrite: false)
      let shown = profile([path])
      #expect(shown.code == .success, "\(shown.talk)")
      #expect(
        shown.out.hasPrefix(
          "Workers had jobs for 100 % of their time, which leaves little to another scheduler; try "
            + "less work, first of all in \"fetch\""))
      #expect(shown.out.contains("app on a scheduler without a name: 2 operations"))
      #expect(shown.out.contains("perturbation: unknown"))
      #expect(shown.talk.isEmpty)
    }
  }

  @Test func itsFilesAreThoseOfAProfileButTheRecording() throws {
    try TestDirectory.with { folder in
      let path = folder + "/app.trace"
      try TraceFile.write(trace, to: path, overwrite: false)
      let charts = folder + "/charts"
      let shown = profile(
        [path, "--output", folder + "/out", "--perfetto", folder + "/app.json"],
        environment: ["BENCH_CHARTS": charts])
      #expect(shown.code == .success, "\(shown.talk)")
      for name in ["out/operations.csv", "out/profile.svg", "out/wait.folded", "app.json"] {
        #expect(shown.talk.contains("bench: \(folder)/\(name)\n"), "\(shown.talk)")
      }
      #expect(shown.talk.contains("bench: no page: "))
      #expect(!shown.talk.contains("profile.trace"))
    }
  }

  @Test func aFileThatIsNoRecordingIsRefused() throws {
    try TestDirectory.with { folder in
      let missing = profile([folder + "/none.trace"])
      #expect(missing.code == .malformedInput)
      #expect(missing.talk.contains("none.trace"))
    }
  }

  @Test(arguments: [
    (["--scheduler", "inline"], "`--scheduler`"), (["chain"], "`chain`"),
    (["--detail", "latency"], "`--detail`"),
  ])
  func whatSaysWhatToRunIsRefused(words: [String], name: String) {
    let refused = profile(["a.trace"] + words)
    #expect(refused.code == .usage)
    #expect(refused.talk.contains("--recording: \(name) says what to run"), "\(refused.talk)")
  }
}
