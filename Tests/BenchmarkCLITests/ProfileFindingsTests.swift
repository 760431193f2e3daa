// SPDX-License-Identifier: Apache-2.0

import Testing
import Traces

@testable import BenchmarkCLI

/// What the smaller analyses say, on recordings made by hand.
@Suite struct ProfileFindingsTests {
  /// Operations of one worker, one after the other, 1 µs each, all ready at 0; `change` gets the
  /// number of each.
  private func trace(
    _ count: Int, _ change: (Int, inout TracedOperation) -> Void = { _, _ in }
  ) -> Trace {
    var trace = Trace(header: TraceHeader())
    trace.header.workers = 1
    trace.names.append("body")
    trace.queues = [TraceQueue()]
    trace.threads = [TraceThread(worker: 0, systemID: 1, name: 0)]
    for place in 0..<count {
      var operation = TracedOperation(queue: 0)
      operation.name = UInt32(trace.names.count - 1)
      operation.created = 0
      operation.enqueued = 0
      operation.ready = 0
      operation.started = Int64(place) * 1_000
      operation.returned = Int64(place + 1) * 1_000
      operation.finished = Int64(place + 1) * 1_000
      operation.outcome = .finished
      operation.thread = 0
      change(place, &operation)
      trace.operations.append(operation)
    }
    return trace
  }

  private func texts(_ trace: Trace) -> [String: String] {
    let rows = ProfileFindings(trace: trace, report: TraceReport(trace)).rows
    return Dictionary(uniqueKeysWithValues: rows.map { ($0.subject, $0.text) })
  }

  @Test func whatNobodyDidIsNotMentioned() {
    let texts = texts(trace(3))
    #expect(texts["workers"]?.hasPrefix("had jobs for 100 % of their time") == true)
    for subject in ["cancellation", "priorities", "steals", "wake-ups", "locality"] {
      #expect(texts[subject] == nil, "\(subject)")
    }
  }

  /// The last one is more urgent and has to wait for the two before it, of which the first starts
  /// at the moment at which all become ready.
  @Test func anInversionNamesBothOperations() {
    let text = texts(trace(3) { place, operation in operation.priority = place == 2 ? 8 : 0 })[
      "priorities"]
    #expect(
      text == "1 operation waited on while one of a lower priority started, 1.00 µs in all; "
        + "longest: body #2, 1.00 µs behind body #1")
  }

  @Test func cancellationSaysWhatCameTooLate() {
    let text = texts(
      trace(3) { place, operation in
        guard place > 0 else { return }
        operation.cancelRequested = 500
        operation.outcome = .cancelled
      })["cancellation"]
    #expect(
      text?.hasPrefix(
        "of 2 operations, 0 before they were ready, 2 ready, 0 running; 2 began afterwards")
        == true, "\(text ?? "")")
    #expect(text?.hasSuffix("all over after 2.50 µs; 2.00 µs run in vain") == true)
  }

  @Test func theTextEndsWithThemInLinesThatFit() {
    let report = TraceReport(trace(3))
    let lines = ProfileFindings(trace: trace(3), report: report).section(.plain)
    #expect(lines.contains("and besides"))
    #expect(lines.allSatisfy { $0.count <= HelpText.width })
  }
}
