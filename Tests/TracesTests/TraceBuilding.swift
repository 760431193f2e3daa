// SPDX-License-Identifier: Apache-2.0

import Traces

/// A recording written down by hand, event by event, on workers 0, 1, ….
struct HandTrace {
  var trace: Trace

  init(workers: Int, queues: [TraceQueue] = [TraceQueue()]) {
    trace = Trace(header: TraceHeader(scheduler: "hand", workers: workers))
    trace.threads = (0..<workers).map { TraceThread(worker: Int32($0)) }
    trace.queues = queues
  }

  /// All threads begin to work for the scheduler before anything else.
  mutating func startWorkers(at time: Int64 = 0) {
    for thread in trace.threads.indices { event(time, thread, .start) }
  }

  /// Adds an operation that was added and ready at `ready` unless told, and ran on a worker.
  @discardableResult
  mutating func run(
    on thread: Int, from start: Int64, to finish: Int64, added: Int64? = nil, ready: Int64,
    after predecessors: [UInt32] = [], kind: TraceEdge.Kind = .dependency, queue: Int32 = 0,
    change: (inout TracedOperation) -> Void = { _ in }
  ) -> UInt32 {
    var operation = TracedOperation(queue: queue)
    operation.enqueued = added ?? ready
    operation.ready = ready
    operation.started = start
    operation.finished = finish
    operation.thread = Int32(thread)
    operation.outcome = .finished
    change(&operation)
    let id = UInt32(trace.operations.count)
    if kind == .dependency, let last = predecessors.last { operation.releasedBy = Int32(last) }
    trace.operations.append(operation)
    for predecessor in predecessors { trace.edges.append(TraceEdge(predecessor, id, kind)) }
    return id
  }

  /// Adds an event; events are sorted by time when the recording is taken.
  mutating func event(
    _ time: Int64, _ thread: Int, _ kind: SchedulerEvent.Kind, other: Int = -1
  ) {
    trace.schedulerEvents.append(
      SchedulerEvent(time: time, thread: Int32(thread), kind: kind, other: Int32(other)))
  }

  mutating func policy(_ time: Int64, _ kind: QueueEvent.Kind, _ value: Int32, queue: Int32 = 0) {
    trace.queueEvents.append(QueueEvent(time: time, queue: queue, kind: kind, value: value))
  }

  /// The recording, with its events by time; those of one instant keep their order.
  var sorted: Trace {
    var trace = trace
    trace.schedulerEvents = Self.byTime(trace.schedulerEvents, \.time)
    trace.queueEvents = Self.byTime(trace.queueEvents, \.time)
    trace.header.durationNanoseconds = trace.operations.compactMap(\.finished).max() ?? 0
    return trace
  }

  private static func byTime<Event>(_ events: [Event], _ time: KeyPath<Event, Int64>) -> [Event] {
    events.enumerated()
      .sorted { ($0.element[keyPath: time], $0.offset) < ($1.element[keyPath: time], $1.offset) }
      .map(\.element)
  }
}

extension WaitShares {
  /// The causes with time, for comparison in tests.
  var nonZero: [WaitCause: Int64] {
    var result: [WaitCause: Int64] = [:]
    for cause in WaitCause.allCases where self[cause] != 0 { result[cause] = self[cause] }
    return result
  }
}
