// SPDX-License-Identifier: Apache-2.0

/// Whether the indices of a recording have something to point to, so that no analysis has to ask.
enum TraceCheck {
  /// Refuses a recording that points to what is not in it.
  ///
  /// - Parameter end: the byte that a fault is told of.
  static func check(_ trace: Trace, end: Int) throws(VarintReader.Fault) {
    guard let finding = finding(trace) else { return }
    throw VarintReader.Fault(
      offset: end, finding: finding, expectation: "the number of something in the recording")
  }

  /// What is wrong with it, if anything is.
  static func finding(_ trace: Trace) -> String? {
    let (names, threads) = (trace.names.count, trace.threads.count)
    let (queues, operations) = (trace.queues.count, trace.operations.count)
    if names == 0 { return "no name, not even the empty one" }
    if trace.header.workers < 1 { return "\(trace.header.workers) workers" }
    for (row, thread) in trace.threads.enumerated() where !(0..<names ~= Int(thread.name)) {
      return "thread \(row) has name \(thread.name) of \(names)"
    }
    for (row, queue) in trace.queues.enumerated() where !(0..<names ~= Int(queue.name)) {
      return "queue \(row) has name \(queue.name) of \(names)"
    }
    for row in trace.operations.indices {
      let operation = trace.operations[row]
      let isWhole =
        operation.name < names && operation.kind < names
        && -1..<queues ~= Int(operation.queue) && -1..<threads ~= Int(operation.thread)
        && -1..<operations ~= Int(operation.parent)
        && -1..<operations ~= Int(operation.releasedBy)
      guard isWhole else {
        return "operation \(row) names \(operation.name) and \(operation.kind) of \(names) names, "
          + "queue \(operation.queue) of \(queues), thread \(operation.thread) of \(threads), "
          + "operations \(operation.parent) and \(operation.releasedBy) of \(operations)"
      }
    }
    for (row, edge) in trace.edges.enumerated()
    where max(edge.predecessor, edge.successor) >= operations {
      return "edge \(row) goes from \(edge.predecessor) to \(edge.successor) of \(operations)"
    }
    for (row, event) in trace.schedulerEvents.enumerated()
    where !(0..<threads ~= Int(event.thread)) {
      return "event \(row) is of thread \(event.thread) of \(threads)"
    }
    for (row, event) in trace.queueEvents.enumerated() where !(0..<queues ~= Int(event.queue)) {
      return "event \(row) is of queue \(event.queue) of \(queues)"
    }
    for (row, mark) in trace.marks.enumerated() where Int(mark.name) >= names {
      return "mark \(row) has name \(mark.name) of \(names)"
    }
    return nil
  }
}
