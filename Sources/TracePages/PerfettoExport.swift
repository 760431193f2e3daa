// SPDX-License-Identifier: Apache-2.0

internal import Results
internal import Traces

/// The JSON of Chrome's trace viewer, which Perfetto reads.
///
/// One process, a track for each thread; slices for operations, parks and searches; an asynchronous
/// track for the time between ready and start; arrows for dependencies and steals; counters.
/// Process and thread ids are integers: Perfetto takes text for a name of its own. Times are
/// microseconds with three decimals, so that no nanosecond is lost.
struct PerfettoExport<Failure: Error> {
  private let trace: Trace
  private let lanes: ThreadLanes
  /// The names of the recording in JSON's form.
  private let names: [String]
  private let sink: ([UInt8]) throws(Failure) -> Void
  private var text = TextBuffer()
  private var isFirst = true

  /// Counters beyond this are finer than any screen.
  private static var mostCounters: Int { 20_000 }

  /// The one process; threads are numbered from 1, since 0 is the idle thread to some readers.
  private static var process: Int { 1 }

  init(_ trace: Trace, to sink: @escaping ([UInt8]) throws(Failure) -> Void) {
    self.trace = trace
    self.sink = sink
    lanes = ThreadLanes(trace)
    names = trace.names.enumerated().map { index, name in
      JSONValue.string(index == 0 ? "operation" : name).text
    }
  }

  /// Writes the whole document.
  mutating func write() throws(Failure) {
    text.append("{\"displayTimeUnit\": \"ns\", \"otherData\": ")
    text.append(origin.text)
    text.append(", \"traceEvents\": [")
    try writeTracks()
    try writeSlices()
    try writePauses()
    try writeReadyWaits()
    try writeDependencies()
    try writeSteals()
    try writeCounters()
    try writeMarks()
    text.append("\n]}\n")
    try text.drain(to: sink, whole: true)
  }

  /// What the recording is of.
  private var origin: JSONValue {
    let header = trace.header
    return .object([
      ("scheduler", .string(header.scheduler)), ("workload", .string(header.workload)),
      ("parameters", .string(header.parameters)), ("workers", .integer(header.workers)),
      ("dropped_events", .integer(header.droppedEvents)),
      ("clock_skew_ns", .integer(Int(header.clockSkewNanoseconds))),
    ])
  }

  // MARK: - Events

  /// Begins an event: its phase, its track and its time.
  private mutating func begin(_ phase: String, thread: Int, at time: Int64) {
    text.append(isFirst ? "\n{\"ph\":\"" : ",\n{\"ph\":\"")
    isFirst = false
    text.append(phase)
    text.append("\",\"pid\":")
    text.append(Self.process)
    text.append(",\"tid\":")
    text.append(thread + 1)
    text.append(",\"ts\":")
    text.append(microsecondsOf: time)
  }

  /// Ends an event and gives the sink what is enough for a piece.
  private mutating func end() throws(Failure) {
    text.append("}")
    try text.drain(to: sink)
  }

  private mutating func member(_ name: String, _ number: some FixedWidthInteger) {
    text.append(",\"")
    text.append(name)
    text.append("\":")
    text.append(number)
  }

  /// Begins the arguments with the one that every operation has.
  private mutating func beginArguments(operation: Int) {
    text.append(",\"args\":{\"operation\":")
    text.append(operation)
  }

  private mutating func writeTracks() throws(Failure) {
    let header = trace.header
    let process = "\(header.workload) on \(header.scheduler)"
    try writeMetadata("process_name", thread: -1, "name", .string(process))
    for thread in trace.threads.indices {
      try writeMetadata(
        "thread_name", thread: thread, "name", .string(trace.label(ofThread: thread)))
      try writeMetadata("thread_sort_index", thread: thread, "sort_index", .integer(thread))
    }
  }

  private mutating func writeMetadata(
    _ name: String, thread: Int, _ argument: String, _ value: JSONValue
  ) throws(Failure) {
    begin("M", thread: thread, at: 0)
    text.append(",\"name\":\"\(name)\",\"args\":{\"\(argument)\":\(value.text)}")
    try end()
  }

  private mutating func writeSlices() throws(Failure) {
    for thread in trace.threads.indices {
      for index in lanes[thread] { try writeSlice(Int(index), thread) }
    }
  }

  private mutating func writeSlice(_ index: Int, _ thread: Int) throws(Failure) {
    let operation = trace.operations[index]
    guard let start = operation.started else { return }
    begin("X", thread: thread, at: start)
    text.append(",\"dur\":")
    text.append(microsecondsOf: max(0, operation.threadEnd(in: trace) - start))
    text.append(",\"cat\":\"operation\",\"name\":")
    text.append(names[Int(trace.label(of: operation))])
    beginArguments(operation: index)
    // What most operations have in common, and what other members tell, is not repeated.
    if operation.kind != trace.label(of: operation) {
      text.append(",\"class\":")
      text.append(names[Int(operation.kind)])
    }
    if operation.source != .unknown { text.append(",\"source\":\"\(operation.source)\"") }
    if operation.outcome != .finished { text.append(",\"outcome\":\"\(operation.outcome)\"") }
    if operation.victim >= 0 { member("victim", operation.victim) }
    if operation.priority != 0 { member("priority", operation.priority) }
    if operation.releasedBy >= 0 { member("released_by", operation.releasedBy) }
    text.append("}")
    try end()
  }

  private mutating func writePauses() throws(Failure) {
    for pause in WorkerPauses(trace).pauses {
      begin("X", thread: pause.thread, at: pause.start)
      text.append(",\"dur\":")
      text.append(microsecondsOf: pause.end - pause.start)
      text.append(",\"cat\":\"scheduler\",\"name\":\"\(pause.kind.rawValue)\"")
      try end()
    }
  }

  /// One asynchronous slice for each operation that was ready before it began.
  private mutating func writeReadyWaits() throws(Failure) {
    for (index, operation) in trace.operations.enumerated() {
      guard let ready = operation.ready, let started = operation.started, ready < started else {
        continue
      }
      for (phase, time) in [("b", ready), ("e", started)] {
        begin(phase, thread: Int(operation.thread), at: time)
        member("id", index)
        // One name for all: a reader shows events of one name together, and others apart.
        text.append(",\"cat\":\"ready-wait\",\"name\":\"ready\"")
        if phase == "b" {
          beginArguments(operation: index)
          text.append("}")
        }
        try end()
      }
    }
  }

  // MARK: - Arrows

  private mutating func writeDependencies() throws(Failure) {
    for (number, edge) in trace.edges.enumerated() {
      let first = Int(edge.predecessor)
      let second = Int(edge.successor)
      guard trace.operations.indices.contains(first), trace.operations.indices.contains(second)
      else { continue }
      let end = lastInstant(of: trace.operations[first])
      try writeArrow("\(edge.kind)", id: number, from: first, at: end, to: second)
    }
  }

  /// An arrow from what the victim ran when it was robbed, to what was taken.
  ///
  /// There is none where the victim ran nothing just then.
  private mutating func writeSteals() throws(Failure) {
    for (index, operation) in trace.operations.enumerated() where operation.source == .steal {
      guard let time = operation.started, let victim = trace.thread(ofWorker: operation.victim),
        let source = lanes.running(on: victim, at: time, in: trace)
      else { continue }
      try writeArrow("steal", id: trace.edges.count + index, from: source, at: time, to: index)
    }
  }

  private mutating func writeArrow(
    _ name: String, id: Int, from first: Int, at time: Int64, to second: Int
  ) throws(Failure) {
    guard let start = trace.operations[first].lane(in: trace),
      let end = trace.operations[second].lane(in: trace),
      let arrival = trace.operations[second].started
    else { return }
    begin("s", thread: start, at: time)
    text.append(",\"cat\":\"\(name)\",\"name\":\"\(name)\"")
    member("id", id)
    try self.end()
    begin("f", thread: end, at: arrival)
    // Without this an arrow ends at the next slice instead of the one that begins here.
    text.append(",\"bp\":\"e\",\"cat\":\"\(name)\",\"name\":\"\(name)\"")
    member("id", id)
    try self.end()
  }

  /// The last time that lies inside the slice of an operation: at its end no reader finds it.
  private func lastInstant(of operation: TracedOperation) -> Int64 {
    max(operation.started ?? 0, operation.threadEnd(in: trace) - 1)
  }

  // MARK: - Counters and marks

  private mutating func writeCounters() throws(Failure) {
    for step in OperationCounts(trace).thinned(to: Self.mostCounters) {
      begin("C", thread: -1, at: step.time)
      text.append(",\"name\":\"operations\",\"args\":{\"running\":")
      text.append(step.running)
      text.append(",\"ready\":")
      text.append(step.waiting)
      text.append("}")
      try end()
    }
  }

  private mutating func writeMarks() throws(Failure) {
    for mark in trace.marks {
      begin("i", thread: -1, at: mark.time)
      text.append(",\"s\":\"g\",\"cat\":\"mark\",\"name\":")
      text.append(names[Int(mark.name)])
      try end()
    }
  }
}
