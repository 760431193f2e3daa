// SPDX-License-Identifier: Apache-2.0

/// What every thread of a recording did at every time, and what that says of its operations.
///
/// The base of every analysis that asks what workers did meanwhile. Made in one pass over
/// operations and events, grouped by thread.
struct WorkerTimeline {
  /// From `begin` until the next segment of the same thread.
  struct Segment: Equatable {
    var begin: Int64
    /// The operation whose body runs or blocks, or -1.
    var operation: Int32
    var state: WorkerState
    /// The job that this belongs to holds its worker for longer than `heldThreshold`.
    var isHeld: Bool
  }

  /// Segments by thread, then by time; the first of a thread begins at `.min`.
  let segments: [Segment]
  /// Where the segments of a thread lie: from its own place up to that of the next.
  let starts: [Int]
  /// The thread of each segment.
  private let threads: [UInt32]
  /// Operations that started, by thread, then by start.
  let operations: [UInt32]
  /// Where the operations of a thread lie.
  let operationStarts: [Int]
  /// How long an operation ran itself, without those that ran inside it on the same thread, ns; 0
  /// where that is not known.
  let selfRun: [Int64]
  /// Since when the thread that started an operation had been on its way to it: awake, without a
  /// job, after the last attempt that failed; at most its start; `.min` where it did not start.
  let handoverBegin: [Int64]
  /// Threads that count as workers: those of the scheduler, without compensation.
  let workers: [Int]
  /// The scheduler told what its threads do when they run nothing.
  let tellsIdling: Bool
  /// By scheduler event: the thread that a wake-up reached; see `WakeTargets`.
  let wakeTargets: [Int32]
  /// A job that has a worker for longer than this holds it, ns.
  let heldThreshold: Int64

  /// Reads a recording.
  ///
  /// O(n) but for one sort of run times.
  init(_ trace: Trace, window: RunWindow) {
    let byStart = TimeOrder.indices(of: trace.operations.map(\.startedTime))
    let threadCount = trace.threads.count
    let grouped = TimeOrder.grouped(byStart, count: threadCount) { index in
      let thread = trace.operations[Int(index)].thread
      return Int(thread) < threadCount ? thread : -1
    }
    operations = grouped.indices
    operationStarts = grouped.starts
    let tellsIdling = trace.schedulerEvents.contains { $0.kind.tellsIdling }
    self.tellsIdling = tellsIdling
    heldThreshold = Self.heldThreshold(trace, window: window)

    var builder = WorkerTimelineBuilder(trace, tellsIdling: tellsIdling)
    wakeTargets = WakeTargets.find(trace)
    let events = ThreadEvents(trace, wakeTargets: wakeTargets)
    var starts = [0]
    for thread in 0..<threadCount {
      builder.build(
        operations: operations[operationStarts[thread]..<operationStarts[thread + 1]],
        events: events.of(thread))
      starts.append(builder.segments.count)
    }
    builder.markHeld(threshold: heldThreshold)
    self.starts = starts
    var threads: [UInt32] = []
    threads.reserveCapacity(builder.segments.count)
    for thread in 0..<threadCount {
      threads.append(
        contentsOf: repeatElement(UInt32(thread), count: starts[thread + 1] - starts[thread]))
    }
    self.threads = threads
    segments = builder.segments
    selfRun = builder.selfRun
    handoverBegin = builder.handoverBegin

    let operationStarts = operationStarts
    workers =
      tellsIdling
      ? Self.workers(trace)
      : trace.threads.indices.filter { operationStarts[$0] < operationStarts[$0 + 1] }
  }

  /// Threads that said which worker they are; and as many as are missing of those that looked for
  /// jobs or slept, and never said it because they found none.
  private static func workers(_ trace: Trace) -> [Int] {
    let known = trace.threads.indices.filter {
      trace.threads[$0].worker >= 0 && Int(trace.threads[$0].worker) < trace.header.workers
    }
    let missing = trace.header.workers - Set(known.map { trace.threads[$0].worker }).count
    guard missing > 0 else { return known }
    var idled = Set<Int>()
    for event in trace.schedulerEvents where event.kind.isOfIdleWorker {
      let thread = Int(event.thread)
      if trace.threads.indices.contains(thread), trace.threads[thread].worker < 0 {
        idled.insert(thread)
      }
    }
    return (known + idled.sorted().prefix(missing)).sorted()
  }

  /// The thread of the segment at a place.
  func thread(of place: Int) -> Int { Int(threads[place]) }

  /// The segments of one thread.
  func segments(of thread: Int) -> ArraySlice<Segment> {
    segments[starts[thread]..<starts[thread + 1]]
  }

  /// The operations of one thread, by start.
  func operations(of thread: Int) -> ArraySlice<UInt32> {
    operations[operationStarts[thread]..<operationStarts[thread + 1]]
  }

  /// The place of the segment in which a thread is at a time; nil for a thread that did nothing.
  ///
  /// O(log n).
  func place(of thread: Int, at time: Int64) -> Int? {
    var low = starts[thread]
    var high = starts[thread + 1]
    guard low < high else { return nil }
    while high - low > 1 {
      let middle = (low + high) / 2
      if segments[middle].begin <= time { low = middle } else { high = middle }
    }
    return low
  }

  /// Longer than a quarter of the run and than many usual operations.
  private static func heldThreshold(_ trace: Trace, window: RunWindow) -> Int64 {
    var runs = trace.operations.compactMap(\.runTime)
    runs.sort()
    let usual = runs.isEmpty ? 0 : runs[runs.count / 2]
    return max(window.makespan / 4, usual * usualRunsThatHold)
  }

  private static let usualRunsThatHold: Int64 = 16
}

extension SchedulerEvent.Kind {
  /// Only a worker without a job does it.
  fileprivate var isOfIdleWorker: Bool {
    switch self {
    case .searchBegins, .searchEnds, .park, .unpark, .steal, .stealFails: true
    default: false
    }
  }

  /// An event of this kind shows that the scheduler reports what its threads do without a job.
  fileprivate var tellsIdling: Bool {
    switch self {
    case .start, .stop, .searchBegins, .searchEnds, .park, .unpark, .wake: true
    default: false
    }
  }
}
