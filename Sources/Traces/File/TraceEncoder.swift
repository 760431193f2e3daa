// SPDX-License-Identifier: Apache-2.0

/// The parts of a file, in the order in which they lie in it.
enum TracePart: UInt8, CaseIterable {
  case header = 1
  case names = 2
  case threads = 3
  case queues = 4
  case operations = 5
  case edges = 6
  case schedulerEvents = 7
  case queueEvents = 8
  case marks = 9
}

/// Makes the parts of a file from a recording.
enum TraceEncoder {
  static func parts(of trace: Trace) -> [UInt8] {
    var writer = VarintWriter()
    for part in TracePart.allCases {
      writer.count(Int(part.rawValue))
      writer.block(bytes(of: part, trace))
    }
    return writer.bytes
  }

  private static func bytes(of part: TracePart, _ trace: Trace) -> [UInt8] {
    var writer = VarintWriter()
    switch part {
    case .header: header(trace.header, &writer)
    case .names:
      writer.count(trace.names.count)
      for name in trace.names { writer.text(name) }
    case .threads: threads(trace.threads, &writer)
    case .queues: queues(trace.queues, &writer)
    case .operations:
      operations(trace.operations, &writer)
      times(trace.operations, &writer)
    case .edges: edges(trace.edges, &writer)
    case .schedulerEvents: schedulerEvents(trace.schedulerEvents, &writer)
    case .queueEvents: queueEvents(trace.queueEvents, &writer)
    case .marks:
      let rows = trace.marks
      writer.count(rows.count)
      writer.differences(rows.count) { rows[$0].time }
      writer.column(rows.count) { Int64(rows[$0].name) }
    }
    return writer.bytes
  }

  private static func header(_ header: TraceHeader, _ writer: inout VarintWriter) {
    for text in [header.scheduler, header.workload, header.parameters] { writer.text(text) }
    for number in [
      Int64(header.workers), Int64(header.detail.rawValue), Int64(header.clock.rawValue),
      header.clockDriftNanoseconds, header.clockSkewNanoseconds, header.durationNanoseconds,
      Int64(header.droppedEvents), Int64(header.neededRingEvents),
    ] {
      writer.signed(number)
    }
  }

  private static func threads(_ rows: [TraceThread], _ writer: inout VarintWriter) {
    writer.count(rows.count)
    writer.differences(rows.count) { Int64(rows[$0].worker) }
    writer.column(rows.count) { Int64(rows[$0].systemID) }
    writer.column(rows.count) { Int64(rows[$0].name) }
  }

  private static func queues(_ rows: [TraceQueue], _ writer: inout VarintWriter) {
    writer.count(rows.count)
    writer.differences(rows.count) { Int64(rows[$0].name) }
    // No limit can be 0 less one: 0 holds everything back.
    writer.column(rows.count) { rows[$0].limit.map(Int64.init) ?? absentLimit }
    writer.column(rows.count) { rows[$0].isSuspended ? 1 : 0 }
  }

  /// What stands for no limit: less than any 32 bits hold.
  static let absentLimit = Int64(Int32.min) - 1

  private static func operations(_ rows: [TracedOperation], _ writer: inout VarintWriter) {
    writer.count(rows.count)
    writer.differences(rows.count) { Int64(rows[$0].name) }
    writer.column(rows.count) { Int64(rows[$0].kind) }
    writer.column(rows.count) { Int64(rows[$0].queue) }
    writer.column(rows.count) { Int64(rows[$0].priority) }
    writer.column(rows.count) { Int64(rows[$0].source.rawValue) }
    writer.column(rows.count) { Int64(rows[$0].outcome.rawValue) }
    writer.column(rows.count) { Int64(rows[$0].heldBy.rawValue) }
    writer.column(rows.count) { rows[$0].isSkipped ? 1 : 0 }
    writer.column(rows.count) { rows[$0].isBarrier ? 1 : 0 }
    writer.column(rows.count) { Int64(rows[$0].parent) }
    writer.column(rows.count) { Int64(rows[$0].releasedBy) }
    writer.column(rows.count) { Int64(rows[$0].thread) }
    writer.column(rows.count) { Int64(rows[$0].victim) }
    writer.column(rows.count) { Int64(rows[$0].processor) }
  }

  /// For each time the runs of operations that have it and have it not, then how far it is from
  /// the last one that the same operation has; the first one of an operation counts from the first
  /// one of the operation before.
  private static func times(_ rows: [TracedOperation], _ writer: inout VarintWriter) {
    var known = [Int64](repeating: .min, count: rows.count)
    for time in OperationTime.allCases {
      writer.column(rows.count) { rows[$0][time] == .min ? 0 : 1 }
      var before: Int64 = 0
      for row in rows.indices where rows[row][time] != .min {
        let this = rows[row][time]
        if known[row] == .min {
          writer.signed(this &- before)
          before = this
        } else {
          writer.signed(this &- known[row])
        }
        known[row] = this
      }
    }
  }

  private static func edges(_ rows: [TraceEdge], _ writer: inout VarintWriter) {
    writer.count(rows.count)
    writer.differences(rows.count) { Int64(rows[$0].successor) }
    writer.differences(rows.count) { Int64(rows[$0].successor) - Int64(rows[$0].predecessor) }
    writer.column(rows.count) { Int64(rows[$0].kind.rawValue) }
  }

  private static func schedulerEvents(_ rows: [SchedulerEvent], _ writer: inout VarintWriter) {
    writer.count(rows.count)
    writer.differences(rows.count) { rows[$0].time }
    writer.column(rows.count) { Int64(rows[$0].thread) }
    writer.column(rows.count) { Int64(rows[$0].other) }
    writer.column(rows.count) { Int64(rows[$0].kind.rawValue) }
  }

  private static func queueEvents(_ rows: [QueueEvent], _ writer: inout VarintWriter) {
    writer.count(rows.count)
    writer.differences(rows.count) { rows[$0].time }
    writer.column(rows.count) { Int64(rows[$0].queue) }
    writer.column(rows.count) { Int64(rows[$0].value) }
    writer.column(rows.count) { Int64(rows[$0].kind.rawValue) }
  }
}
