// SPDX-License-Identifier: Apache-2.0

internal import Scheduling
internal import Traces

/// What is known of the thread of a ring while its events are gone through.
struct RingLane {
  /// The worker that the thread is, if it is always the same one.
  let onlyWorker: Int?
  /// The worker that it is at the moment, or -1.
  var worker: Int
  /// By worker: the index of the thread.
  var threads: [Int: Int32] = [:]
  /// The operations that run on it, the innermost last.
  private var stack: [Int32] = []
  /// The operation that has last finished on it, or -1.
  var lastFinished: Int32 = -1

  init(_ ring: RingContents) {
    var workers: Set<Int> = []
    for event in ring.events {
      switch event.kind {
      case .start: workers.insert(StartDetails(word: event.argument).worker)
      case .threadStarts: workers.insert(Int(truncatingIfNeeded: event.argument))
      default: break
      }
    }
    workers.remove(-1)
    onlyWorker = workers.count > 1 ? nil : workers.first ?? -1
    worker = onlyWorker ?? -1
  }

  /// The innermost operation that runs here, or -1.
  var running: Int32 { stack.last ?? -1 }

  mutating func enter(_ operation: Int32) { stack.append(operation) }

  /// The operation, if it runs here, has ended or goes on elsewhere.
  mutating func leave(_ operation: Int32) {
    guard let place = stack.lastIndex(of: operation) else { return }
    stack.remove(at: place)
  }
}

extension RingDecoder {
  /// The index of the thread of a ring, which is that worker now; -1 for as before.
  ///
  /// A thread that is one worker after the other, as those of libdispatch, counts as one thread for
  /// each.
  mutating func thread(_ ring: Int, worker: Int) -> Int32 {
    if worker >= 0, lanes[ring].onlyWorker == nil { lanes[ring].worker = worker }
    let worker = lanes[ring].worker
    if let index = lanes[ring].threads[worker] { return index }
    let index = Int32(trace.threads.count)
    let name = addName(rings[ring].threadName)
    trace.threads.append(
      TraceThread(worker: Int32(worker), systemID: rings[ring].systemID, name: name))
    lanes[ring].threads[worker] = index
    return index
  }

  /// A wait for a processor counts where the thread is one that runs operations.
  mutating func takeWait(_ event: RecordedEvent, _ time: Int64, _ ring: Int) {
    guard let thread = lanes[ring].threads[lanes[ring].worker] else { return }
    var left = event.argument
    while left > 0 {
      let part = min(left, UInt64(Int32.max))
      left -= part
      trace.schedulerEvents.append(
        SchedulerEvent(
          time: time - Int64(clamping: left), thread: thread, kind: .waitedForProcessor,
          other: Int32(part)))
    }
  }

  mutating func takeThread(_ event: RecordedEvent, _ time: Int64, _ ring: Int) {
    let number = Int(truncatingIfNeeded: event.argument)
    let thread = thread(ring, worker: event.kind == .threadStarts ? number : -1)
    let kind: SchedulerEvent.Kind
    switch event.kind {
    case .threadStarts: kind = .start
    case .threadStops: kind = .stop
    case .searchBegins: kind = .searchBegins
    case .searchEnds: kind = .searchEnds
    case .park: kind = .park
    case .unpark: kind = .unpark
    case .wake: kind = .wake
    case .steal: kind = .steal
    case .stealFails: kind = .stealFails
    case .blocks: kind = .blocks
    case .unblocks: kind = .unblocks
    case .jobBegins: kind = .jobBegins
    case .jobEnds: kind = .jobEnds
    default: return
    }
    let victim = event.kind == .steal || event.kind == .stealFails ? Int32(number) : -1
    if event.kind == .wake, number > 0, let worker = Int32(exactly: number - 1) {
      wakesByName.append((event: trace.schedulerEvents.count, worker: worker))
    }
    trace.schedulerEvents.append(
      SchedulerEvent(time: time, thread: thread, kind: kind, other: victim))
  }

  /// Says of each wake-up that names a worker which thread that is: perhaps one that began later.
  ///
  /// Where several threads have had the index, as in a recording of two schedulers, nobody knows.
  mutating func resolveWakes() {
    var threads: [Int32: Int32] = [:]
    for (index, thread) in trace.threads.enumerated() {
      threads[thread.worker] = threads[thread.worker] == nil ? Int32(index) : -1
    }
    for (event, worker) in wakesByName {
      trace.schedulerEvents[event].other = threads[worker] ?? -1
    }
  }
}
