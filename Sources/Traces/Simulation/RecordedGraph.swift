// SPDX-License-Identifier: Apache-2.0

/// The graph of a recording, as it can run again.
package struct RecordedGraph: Sendable {
  /// The operations that finished, with what they waited for.
  package let graph: SimulatedGraph
  /// For each of them its index in the recording.
  package let operations: [Int32]
  /// What a scheduler took for one operation; see `RecordedWork`.
  package let overheadNanoseconds: Int64?
  /// From the first addition to the last finish, as it was recorded.
  package let makespan: Int64
  /// Workers of the recording.
  package let workers: Int
  /// Operations that are left out because they did not finish.
  package let unfinished: Int

  /// The graph of a recording of all dependencies.
  ///
  /// An operation that the body of another added comes when that body has gone on for as long as it
  /// had then; others come when they did. O((operations + dependencies) log operations).
  package init(_ trace: Trace) throws(SimulationError) {
    try Self.check(trace.header)
    let operations = trace.operations.indices.lazy.map { Int32($0) }
      .filter { trace.operations[Int($0)].finished != nil }
    self.operations = Array(operations)
    unfinished = trace.operations.count - self.operations.count
    guard !self.operations.isEmpty else { throw .noOperation }
    let work = RecordedWork(trace)
    overheadNanoseconds = work.overheadNanoseconds
    workers = trace.header.workers
    let beginning = Self.beginning(trace)
    makespan = (trace.operations.lazy.compactMap(\.finished).max() ?? beginning) - beginning
    graph = try SimulatedGraph(
      rows: Self.rows(trace, self.operations, work, beginning),
      edges: Self.edges(trace, self.operations))
  }

  /// Refuses what is no recording of the whole graph.
  package static func check(_ header: TraceHeader) throws(SimulationError) {
    if header.droppedEvents > 0 {
      throw .droppedEvents(header.droppedEvents, neededRingEvents: header.neededRingEvents)
    }
    if header.detail == .latency { throw .noDependencies }
  }

  /// When the first operation was added, as far as that is known.
  private static func beginning(_ trace: Trace) -> Int64 {
    trace.operations.lazy.compactMap { added($0) }.min() ?? 0
  }

  /// When an operation was added: the earliest that is known of it.
  private static func added(_ operation: TracedOperation) -> Int64? {
    operation.enqueued ?? operation.created ?? operation.ready ?? operation.started
  }

  private static func rows(
    _ trace: Trace, _ operations: [Int32], _ work: RecordedWork, _ beginning: Int64
  ) throws(SimulationError) -> SimulatedGraph.Rows {
    var rows = SimulatedGraph.Rows(durations: operations.map { work.durations[Int($0)] })
    let places = places(trace, operations)
    var total: Int64 = 0
    for (place, index) in operations.enumerated() {
      let operation = trace.operations[Int(index)]
      if let returned = operation.returned, let finished = operation.finished {
        rows.delays[place] = max(0, finished - returned)
      }
      rows.priorities[place] = operation.priority
      rows.queues[place] = operation.queue
      let added = added(operation) ?? beginning
      let parent = operation.parent >= 0 ? places[Int(operation.parent)] : -1
      if parent >= 0, let start = trace.operations[Int(operation.parent)].started {
        rows.spawners[place] = parent
        rows.arrivals[place] = max(0, added - start)
      } else {
        rows.arrivals[place] = added - beginning
      }
      for part in [rows.durations[place], rows.delays[place], rows.arrivals[place]] {
        let sum = total.addingReportingOverflow(part)
        if sum.overflow || sum.partialValue > longest { throw .tooLong }
        total = sum.partialValue
      }
    }
    rows.limits = trace.queues.map(\.limit)
    return rows
  }

  /// The most that all times of a graph may come to together, ns.
  private static let longest: Int64 = 3_150_000_000_000_000_000

  private static func edges(
    _ trace: Trace, _ operations: [Int32]
  ) -> [(predecessor: Int32, successor: Int32)] {
    let places = places(trace, operations)
    var seen = Set<UInt64>(minimumCapacity: trace.edges.count)
    return trace.edges.compactMap { edge in
      let (from, to) = (places[Int(edge.predecessor)], places[Int(edge.successor)])
      guard from >= 0, to >= 0, seen.insert(UInt64(from) << 32 | UInt64(to)).inserted else {
        return nil
      }
      return (from, to)
    }
  }

  /// For each operation of a recording its place in the list, or -1.
  private static func places(_ trace: Trace, _ operations: [Int32]) -> [Int32] {
    var places = [Int32](repeating: -1, count: trace.operations.count)
    for (place, index) in operations.enumerated() { places[Int(index)] = Int32(place) }
    return places
  }
}
