// SPDX-License-Identifier: Apache-2.0

/// Walks from the last finish of a run back to its begin.
struct RealisedPathWalk {
  private let trace: Trace
  private let window: RunWindow
  private let timeline: WorkerTimeline
  private let waits: ReadyWaits
  private let graph: TraceGraph
  /// By operation: its place among those of its thread, or -1.
  private let places: [Int32]

  /// Everything after this is covered.
  private var cursor: Int64
  private var stretches: [RealisedPath.Stretch] = []
  /// Gaps whose causes are to be found, by place in `stretches`.
  private var gaps: [(stretch: Int, query: WaitAttribution.Query)] = []

  init(
    _ trace: Trace, window: RunWindow, timeline: WorkerTimeline, waits: ReadyWaits,
    graph: TraceGraph
  ) {
    self.trace = trace
    self.window = window
    self.timeline = timeline
    self.waits = waits
    self.graph = graph
    cursor = window.end
    var places = [Int32](repeating: -1, count: trace.operations.count)
    for thread in trace.threads.indices {
      for (place, operation) in timeline.operations(of: thread).enumerated() {
        places[Int(operation)] = Int32(place)
      }
    }
    self.places = places
  }

  /// The way, with the causes of its gaps.
  ///
  /// O(operations · log n).
  mutating func path(attribution: WaitAttribution) -> RealisedPath {
    var next = lastFinished()
    // Where clocks differ the way could turn back on itself without getting earlier.
    var stepsLeft = 2 * trace.operations.count
    while let operation = next, cursor > window.begin, stepsLeft > 0 {
      next = step(from: operation)
      stepsLeft -= 1
    }
    cover(from: window.begin, .outside, -1)
    let width = RealisedPath.Part.allCases.count
    var lengths = [Int64](repeating: 0, count: gaps.count * width)
    attribution.sweep(gaps.map(\.query)) { gap, shares in
      for cause in WaitCause.allCases {
        lengths[gap * width + RealisedPath.part(of: cause).rawValue] += shares[cause]
      }
    }
    return RealisedPath(stretches: expanded(lengths, width: width))
  }

  private func lastFinished() -> Int? {
    trace.operations.indices.max {
      trace.operations[$0].finishedTime < trace.operations[$1].finishedTime
    }
  }

  private mutating func cover(from begin: Int64, _ part: RealisedPath.Part, _ operation: Int) {
    let begin = max(window.begin, min(begin, cursor))
    guard begin < cursor else { return }
    stretches.append(
      .init(begin: begin, end: cursor, operation: Int32(operation), part: part))
    cursor = begin
  }

  private mutating func coverGap(from begin: Int64, _ operation: Int) {
    let end = cursor
    cover(from: begin, .unknown, operation)
    guard cursor < end else { return }
    gaps.append(
      (stretches.count - 1, .init(operation: UInt32(operation), begin: cursor, end: end)))
  }

  /// Covers an operation and what came before its start; returns the operation that the way goes on
  /// with.
  private mutating func step(from index: Int) -> Int? {
    let operation = trace.operations[index]
    if operation.returnedTime != .min { cover(from: operation.returnedTime, .suspended, index) }
    if operation.startedTime != .min { cover(from: operation.startedTime, .run, index) }
    let ready = waits.begin[index]
    let start = cursor
    if let (previous, left) = previousOnThread(index), left > ready {
      if let (waker, time) = waker(of: index, between: max(left, ready), and: start) {
        return goOn(with: waker, until: time, to: index)
      }
      coverGap(from: left, index)
      return previous
    }
    if let (waker, time) = waker(of: index, between: ready, and: start) {
      return goOn(with: waker, until: time, to: index)
    }
    if ready != .min { coverGap(from: ready, index) }
    return releaser(of: index)
  }

  private mutating func goOn(with waker: Int, until time: Int64, to index: Int) -> Int {
    coverGap(from: time, index)
    cover(from: trace.operations[waker].leftThreadTime, .overhead, index)
    return waker
  }

  /// Covers the time from the finish that released an operation, or since it was added.
  private mutating func releaser(of index: Int) -> Int? {
    let operation = trace.operations[index]
    if let predecessor = lastPredecessor(of: index) {
      cover(from: trace.operations[predecessor].finishedTime, .overhead, index)
      return predecessor
    }
    // What waits for nobody is ready when the call that adds it has added all of its operations.
    if operation.enqueuedTime != .min { cover(from: operation.enqueuedTime, .outside, index) }
    let parent = Int(operation.parent)
    guard parent >= 0, parent < trace.operations.count, parent != index,
      trace.operations[parent].startedTime <= cursor, trace.operations[parent].startedTime != .min
    else { return nil }
    let left = trace.operations[parent].leftThreadTime
    if left != .min, left < cursor { cover(from: left, .outside, index) }
    return parent
  }

  private func lastPredecessor(of index: Int) -> Int? {
    let named = Int(trace.operations[index].releasedBy)
    if named >= 0, named < trace.operations.count, named != index { return named }
    let predecessors = graph.places(of: index).map { Int(graph.predecessors[$0]) }
    let last = predecessors.max {
      trace.operations[$0].finishedTime < trace.operations[$1].finishedTime
    }
    return last.flatMap { trace.operations[$0].finishedTime == .min ? nil : $0 }
  }

  /// The operation before this one on its thread, and when that left the thread; at the start where
  /// this one ran inside it.
  private func previousOnThread(_ index: Int) -> (operation: Int, left: Int64)? {
    let place = Int(places[index])
    guard place > 0 else { return nil }
    let operation = trace.operations[index]
    let previous = timeline.operations(of: Int(operation.thread))[
      timeline.operationStarts[Int(operation.thread)] + place - 1]
    let left = trace.operations[Int(previous)].leftThreadTime
    return (Int(previous), left == .min ? operation.startedTime : min(left, operation.startedTime))
  }
}

extension RealisedPathWalk {
  /// What the thread did that woke the worker of an operation, if that was the last that happened
  /// before its start.
  private func waker(
    of index: Int, between begin: Int64, and start: Int64
  ) -> (operation: Int, time: Int64)? {
    let thread = Int(trace.operations[index].thread)
    guard places[index] >= 0, let wake = wakeTime(of: thread, after: begin, before: start),
      let other = wakingThread(of: thread, at: wake),
      let last = lastOperation(of: other, before: wake), last != index
    else { return nil }
    let left = trace.operations[last].leftThreadTime
    // What the waker had left before the operation was ready did not hold anything up.
    if left != .min, left < begin { return nil }
    return (last, wake)
  }

  private func wakeTime(of thread: Int, after begin: Int64, before start: Int64) -> Int64? {
    guard var place = timeline.place(of: thread, at: start - 1) else { return nil }
    while place >= timeline.starts[thread] {
      let segment = timeline.segments[place]
      if segment.state == .waking { return segment.begin > begin ? segment.begin : nil }
      if segment.begin <= begin || segment.state.isOccupied { return nil }
      place -= 1
    }
    return nil
  }

  private func wakingThread(of thread: Int, at time: Int64) -> Int? {
    let events = trace.schedulerEvents
    var low = 0
    var high = events.count
    while low < high {
      let middle = (low + high) / 2
      if events[middle].time < time { low = middle + 1 } else { high = middle }
    }
    while low < events.count, events[low].time == time {
      let event = events[low]
      if event.kind == .wake, timeline.wakeTargets[low] == Int32(thread) {
        return event.thread >= 0 && Int(event.thread) < trace.threads.count
          ? Int(event.thread) : nil
      }
      low += 1
    }
    return nil
  }

  /// The last operation that a thread started before a time.
  ///
  /// O(log n).
  private func lastOperation(of thread: Int, before time: Int64) -> Int? {
    let operations = timeline.operations(of: thread)
    var low = operations.startIndex
    var high = operations.endIndex
    while low < high {
      let middle = (low + high) / 2
      if trace.operations[Int(operations[middle])].startedTime < time {
        low = middle + 1
      } else {
        high = middle
      }
    }
    return low > operations.startIndex ? Int(operations[low - 1]) : nil
  }

  /// The waterfall in the order of time, with every gap cut into its parts.
  private func expanded(_ lengths: [Int64], width: Int) -> [RealisedPath.Stretch] {
    let order: [RealisedPath.Part] = [.policy, .system, .idle, .unknown, .overhead]
    var result: [RealisedPath.Stretch] = []
    result.reserveCapacity(stretches.count + gaps.count)
    var gap = gaps.count - 1
    for place in stretches.indices.reversed() {
      guard gap >= 0, gaps[gap].stretch == place else {
        Self.append(stretches[place], to: &result)
        continue
      }
      var begin = stretches[place].begin
      for part in order where lengths[gap * width + part.rawValue] > 0 {
        let end = begin + lengths[gap * width + part.rawValue]
        Self.append(
          .init(begin: begin, end: end, operation: stretches[place].operation, part: part),
          to: &result)
        begin = end
      }
      gap -= 1
    }
    return result
  }

  /// Appends a stretch, or lengthens the last one where that is of the same kind.
  private static func append(
    _ stretch: RealisedPath.Stretch, to result: inout [RealisedPath.Stretch]
  ) {
    if let last = result.last, last.operation == stretch.operation, last.part == stretch.part {
      result[result.count - 1] = .init(
        begin: last.begin, end: stretch.end, operation: last.operation, part: last.part)
    } else {
      result.append(stretch)
    }
  }
}
