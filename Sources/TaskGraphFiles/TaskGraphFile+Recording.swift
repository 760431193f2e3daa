// SPDX-License-Identifier: Apache-2.0

package import Traces

extension TaskGraphFile {
  /// The recording at `path`; a graph in another form becomes that of a run on one worker, which
  /// takes every task right behind the one before, and was never measured.
  ///
  /// Which forms there are `load` says. Any thread. O(size of the files + dependencies).
  package static func recording(at path: String) throws(TaskGraphError) -> (
    trace: Trace, isMeasured: Bool, notes: [String]
  ) {
    let file = try file(at: path)
    let bytes = try FileBytes.read(file)
    // What is shorter than the beginning of a recording may be one that was cut.
    guard TraceFile.isTrace(bytes) || !bytes.isEmpty && TraceFile.magic.starts(with: bytes) else {
      let graph = try graph(bytes, of: file)
      return (graph.serialRun(), false, graph.notes)
    }
    do throws(TraceFileError) {
      return (try TraceFile.decode(bytes, path: path), true, [])
    } catch {
      throw TaskGraphError(error)
    }
  }
}

extension TaskGraphError {
  /// A recording that cannot be read.
  init(_ error: TraceFileError) {
    self.init(
      path: error.place, finding: error.finding, expectation: error.expectation,
      remedy: error.nextStep)
  }
}

extension TaskGraph {
  /// A run of the graph on one worker without any scheduler: all tasks are there at the beginning,
  /// and each begins when the one before it ends.
  ///
  /// O(tasks + dependencies).
  package func serialRun() -> Trace {
    var trace = Trace(header: TraceHeader(workers: 1, workload: name))
    trace.threads = [TraceThread(worker: 0)]
    trace.names += tasks.map(\.name)
    trace.operations = tasks.indices.map { index in
      var operation = TracedOperation()
      operation.name = UInt32(index + 1)
      operation.enqueued = 0
      operation.outcome = .finished
      operation.thread = 0
      return operation
    }
    var now: Int64 = 0
    for index in topologicalOrder() {
      let ready = tasks[index].parents.compactMap { trace.operations[Int($0)].finished }.max()
      trace.operations[index].ready = ready ?? 0
      trace.operations[index].started = now
      now += tasks[index].durationNanoseconds
      trace.operations[index].finished = now
    }
    for (index, task) in tasks.enumerated() {
      trace.edges += task.parents.map { TraceEdge(UInt32($0), UInt32(index)) }
    }
    return trace
  }
}
