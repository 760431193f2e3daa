// SPDX-License-Identifier: Apache-2.0

/// Makes a recording from the parts of a file, in the order of `TraceEncoder`.
enum TraceDecoder {
  typealias Fault = VarintReader.Fault

  static func trace(_ reader: consuming VarintReader) throws(Fault) -> Trace {
    var reader = reader
    var trace = Trace(header: TraceHeader())
    for part in TracePart.allCases {
      let number = try reader.unsigned()
      guard number == UInt64(part.rawValue) else {
        throw reader.fault("part \(number)", "part \(part.rawValue), \(part)")
      }
      var block = try reader.block()
      try read(part, &block, into: &trace)
      try block.expectEnd("the part \(part)")
    }
    try reader.expectEnd("the last part")
    return trace
  }

  private static func read(
    _ part: TracePart, _ reader: inout VarintReader, into trace: inout Trace
  ) throws(Fault) {
    switch part {
    case .header: trace.header = try header(&reader)
    case .names:
      let count = try reader.count("names")
      trace.names = []
      for _ in 0..<count { trace.names.append(try reader.text()) }
    case .threads: trace.threads = try threads(&reader)
    case .queues: trace.queues = try queues(&reader)
    case .operations:
      trace.operations = try operations(&reader)
      try times(&reader, &trace.operations)
    case .edges: trace.edges = try edges(&reader)
    case .schedulerEvents: trace.schedulerEvents = try schedulerEvents(&reader)
    case .queueEvents: trace.queueEvents = try queueEvents(&reader)
    case .marks:
      var rows = [TraceMark](
        repeating: TraceMark(time: 0, name: 0), count: try reader.count("marks"))
      try reader.differences(rows.count, "time") { rows[$0].time = $1 }
      try reader.column(rows.count, "name") { rows[$0].name = $1 }
      trace.marks = rows
    }
  }

  private static func header(_ reader: inout VarintReader) throws(Fault) -> TraceHeader {
    var header = TraceHeader()
    header.scheduler = try reader.text()
    header.workload = try reader.text()
    header.parameters = try reader.text()
    header.workers = try reader.number("workers")
    let detail: UInt8 = try reader.number("detail")
    header.detail = try choice(detail, "detail", reader)
    let clock: UInt8 = try reader.number("clock")
    header.clock = try choice(clock, "clock", reader)
    header.clockDriftNanoseconds = try reader.signed()
    header.clockSkewNanoseconds = try reader.signed()
    header.durationNanoseconds = try reader.signed()
    header.droppedEvents = try reader.number("dropped events")
    header.neededRingEvents = try reader.number("needed ring events")
    return header
  }

  private static func threads(_ reader: inout VarintReader) throws(Fault) -> [TraceThread] {
    var rows = [TraceThread](
      repeating: TraceThread(worker: 0), count: try reader.count("threads"))
    try reader.differences(rows.count, "worker") { rows[$0].worker = $1 }
    try reader.column(rows.count, "system id") { rows[$0].systemID = $1 }
    try reader.column(rows.count, "name") { rows[$0].name = $1 }
    return rows
  }

  private static func queues(_ reader: inout VarintReader) throws(Fault) -> [TraceQueue] {
    var rows = [TraceQueue](repeating: TraceQueue(), count: try reader.count("queues"))
    var wrong: Int64?
    try reader.differences(rows.count, "name") { rows[$0].name = $1 }
    try reader.column(rows.count, "limit") { (row, limit: Int64) in
      rows[row].limit = Int32(exactly: limit)
      if rows[row].limit == nil, limit != TraceEncoder.absentLimit { wrong = limit }
    }
    if let wrong { throw reader.fault("a limit of \(wrong)", "32 bits, or none") }
    try flags(&reader, rows.count, "suspension") { rows[$0].isSuspended = $1 }
    return rows
  }

  private static func operations(_ reader: inout VarintReader) throws(Fault) -> [TracedOperation] {
    var rows = [TracedOperation](
      repeating: TracedOperation(), count: try reader.count("operations"))
    let count = rows.count
    try reader.differences(count, "name") { rows[$0].name = $1 }
    try reader.column(count, "class") { rows[$0].kind = $1 }
    try reader.column(count, "queue") { rows[$0].queue = $1 }
    try reader.column(count, "priority") { rows[$0].priority = $1 }
    try choices(&reader, count, "source") { rows[$0].source = $1 }
    try choices(&reader, count, "outcome") { rows[$0].outcome = $1 }
    try choices(&reader, count, "hold") { rows[$0].heldBy = $1 }
    try flags(&reader, count, "skip") { rows[$0].isSkipped = $1 }
    try flags(&reader, count, "barrier") { rows[$0].isBarrier = $1 }
    try reader.column(count, "parent") { rows[$0].parent = $1 }
    try reader.column(count, "releaser") { rows[$0].releasedBy = $1 }
    try reader.column(count, "thread") { rows[$0].thread = $1 }
    try reader.column(count, "victim") { rows[$0].victim = $1 }
    try reader.column(count, "processor") { rows[$0].processor = $1 }
    return rows
  }

  private static func times(
    _ reader: inout VarintReader, _ rows: inout [TracedOperation]
  ) throws(Fault) {
    var known = [Int64](repeating: .min, count: rows.count)
    var isThere = [Bool](repeating: false, count: rows.count)
    for time in OperationTime.allCases {
      try flags(&reader, rows.count, "\(time)") { isThere[$0] = $1 }
      var before: Int64 = 0
      for row in rows.indices where isThere[row] {
        let isFirst = known[row] == .min
        let this = (isFirst ? before : known[row]) &+ (try reader.signed())
        guard this != .min else { throw reader.fault("a time of \(this)", "a later one") }
        if isFirst { before = this }
        known[row] = this
        rows[row][time] = this
      }
    }
  }

  private static func edges(_ reader: inout VarintReader) throws(Fault) -> [TraceEdge] {
    var rows = [TraceEdge](repeating: TraceEdge(0, 0), count: try reader.count("edges"))
    var wrong: Int64?
    try reader.differences(rows.count, "successor") { rows[$0].successor = $1 }
    try reader.differences(rows.count, "predecessor") { (row, distance: Int64) in
      let predecessor = Int64(rows[row].successor) &- distance
      rows[row].predecessor = UInt32(truncatingIfNeeded: predecessor)
      if UInt32(exactly: predecessor) == nil { wrong = predecessor }
    }
    if let wrong { throw reader.fault("a predecessor \(wrong)", "32 bits, 0 or more") }
    try choices(&reader, rows.count, "kind") { rows[$0].kind = $1 }
    return rows
  }

  private static func schedulerEvents(
    _ reader: inout VarintReader
  ) throws(Fault) -> [SchedulerEvent] {
    var rows = [SchedulerEvent](
      repeating: SchedulerEvent(time: 0, thread: 0, kind: .start),
      count: try reader.count("events of threads"))
    try reader.differences(rows.count, "time") { rows[$0].time = $1 }
    try reader.column(rows.count, "thread") { rows[$0].thread = $1 }
    try reader.column(rows.count, "other") { rows[$0].other = $1 }
    try choices(&reader, rows.count, "kind") { rows[$0].kind = $1 }
    return rows
  }

  private static func queueEvents(_ reader: inout VarintReader) throws(Fault) -> [QueueEvent] {
    var rows = [QueueEvent](
      repeating: QueueEvent(time: 0, queue: 0, kind: .limit, value: 0),
      count: try reader.count("events of queues"))
    try reader.differences(rows.count, "time") { rows[$0].time = $1 }
    try reader.column(rows.count, "queue") { rows[$0].queue = $1 }
    try reader.column(rows.count, "value") { rows[$0].value = $1 }
    try choices(&reader, rows.count, "kind") { rows[$0].kind = $1 }
    return rows
  }

  // MARK: - Cells

  /// A column of cases of an enumeration.
  private static func choices<Choice: RawRepresentable<UInt8>>(
    _ reader: inout VarintReader, _ rows: Int, _ what: String, _ store: (Int, Choice) -> Void
  ) throws(Fault) {
    var wrong: UInt8?
    try reader.column(rows, what) { (row, value: UInt8) in
      if let choice = Choice(rawValue: value) { store(row, choice) } else { wrong = value }
    }
    if let wrong { throw reader.fault("\(what) \(wrong)", "a \(what) that this form knows") }
  }

  private static func choice<Choice: RawRepresentable<UInt8>>(
    _ value: UInt8, _ what: String, _ reader: VarintReader
  ) throws(Fault) -> Choice {
    guard let choice = Choice(rawValue: value) else {
      throw reader.fault("\(what) \(value)", "a \(what) that this form knows")
    }
    return choice
  }

  private static func flags(
    _ reader: inout VarintReader, _ rows: Int, _ what: String, _ store: (Int, Bool) -> Void
  ) throws(Fault) {
    var wrong: UInt8?
    try reader.column(rows, what) { (row, value: UInt8) in
      if value > 1 { wrong = value }
      store(row, value == 1)
    }
    if let wrong { throw reader.fault("\(what) \(wrong)", "0 or 1") }
  }
}
