// SPDX-License-Identifier: Apache-2.0

internal import Results
internal import Traces

/// One line of CSV for each operation.
///
/// Times are nanoseconds since the recording began. What nobody recorded is an empty field.
enum OperationsTable {
  static let columns = [
    "operation", "name", "class", "queue", "priority", "barrier", "parent", "released_by",
    "source", "victim", "thread", "worker", "processor", "outcome", "skipped", "held_by",
    "created_ns", "enqueued_ns", "ready_ns", "admitted_ns", "started_ns", "returned_ns",
    "finished_ns", "cancel_requested_ns", "dependency_wait_ns", "ready_wait_ns", "ready_wait_cause",
    "run_ns",
  ]

  static func write<Failure: Error>(
    _ trace: Trace, report: TraceReport?, to sink: ([UInt8]) throws(Failure) -> Void
  ) throws(Failure) {
    let causes = report?.graph?.causes.largest
    var text = TextBuffer()
    text.append(csvLine(columns))
    for (index, operation) in trace.operations.enumerated() {
      text.append(csvLine(fields(of: operation, index, cause: causes?[index], in: trace)))
      try text.drain(to: sink)
    }
    try text.drain(to: sink, whole: true)
  }

  private static func fields(
    of operation: TracedOperation, _ index: Int, cause: WaitCause?, in trace: Trace
  ) -> [String] {
    let thread =
      trace.threads.indices.contains(Int(operation.thread))
      ? trace.threads[Int(operation.thread)] : nil
    let queue =
      trace.queues.indices.contains(Int(operation.queue))
      ? trace.names[Int(trace.queues[Int(operation.queue)].name)] : ""
    var run: Int64?
    if let started = operation.started, let finished = operation.finished {
      run = (operation.returned ?? finished) - started
    }
    var dependencyWait: Int64?
    if let enqueued = operation.enqueued, let ready = operation.ready {
      dependencyWait = ready - enqueued
    }
    return [
      String(index), trace.names[Int(operation.name)], trace.names[Int(operation.kind)],
      queue.isEmpty && operation.queue >= 0 ? "queue \(operation.queue)" : queue,
      String(operation.priority), operation.isBarrier ? "1" : "0", known(operation.parent),
      known(operation.releasedBy), operation.source == .unknown ? "" : "\(operation.source)",
      known(operation.victim), known(operation.thread), known(thread?.worker ?? -1),
      known(operation.processor), "\(operation.outcome)", operation.isSkipped ? "1" : "0",
      operation.heldBy == .none ? "" : "\(operation.heldBy)", known(operation.created),
      known(operation.enqueued), known(operation.ready), known(operation.admitted),
      known(operation.started), known(operation.returned), known(operation.finished),
      known(operation.cancelRequested), known(dependencyWait), known(operation.readyWait),
      cause.map { "\($0)" } ?? "",
      known(run),
    ]
  }

  private static func known(_ index: Int32) -> String { index < 0 ? "" : String(index) }

  private static func known(_ time: Int64?) -> String { time.map { String($0) } ?? "" }
}
