// SPDX-License-Identifier: Apache-2.0

/// How every thread of the scheduler spent the run.
package struct WorkerUtilisation: Sendable, Equatable {
  /// The time of one thread by what it did, ns; the parts sum to the makespan.
  package struct Row: Sendable, Equatable {
    /// Index into `Trace.threads`.
    package let thread: Int
    private let nanoseconds: [Int64]

    fileprivate init(thread: Int, nanoseconds: [Int64]) {
      self.thread = thread
      self.nanoseconds = nanoseconds
    }

    /// How long it was in a state, ns.
    package subscript(state: WorkerState) -> Int64 { nanoseconds[Int(state.rawValue)] }

    /// It ran bodies of operations, ns.
    package var run: Int64 { self[.runs] }
    /// It looked round, ns.
    package var search: Int64 { self[.finding] + self[.searchingInVain] }
    /// It slept or was about to wake, ns.
    package var park: Int64 { self[.parked] + self[.waking] }
    /// A job in it blocked, ns.
    package var blocked: Int64 { self[.blocked] }
    /// It waited for a processor, with a job or without one, ns.
    package var displaced: Int64 { self[.displacedInJob] + self[.displaced] }
    /// Everything else: between jobs, other jobs, absent, unknown; ns.
    package var other: Int64 { total - run - search - park - blocked - displaced }
    /// The makespan, ns.
    package var total: Int64 { nanoseconds.reduce(0, +) }
  }

  /// Workers, compensation threads and threads outside of the scheduler that ran operations.
  package let rows: [Row]
  /// The longest run time of a worker over the mean of all workers, those that never appeared
  /// counted in: 1 is a fair share each; nil when nothing ran.
  package let imbalance: Double?

  init(_ trace: Trace, window: RunWindow, timeline: WorkerTimeline) {
    rows = trace.threads.indices.compactMap { thread in
      let row = Row(
        thread: thread, nanoseconds: Self.times(of: thread, window: window, timeline: timeline))
      return trace.threads[thread].worker >= 0 || row.run > 0 ? row : nil
    }
    let isWorker = Set(timeline.workers)
    let runs = rows.lazy.filter { isWorker.contains($0.thread) }.map(\.run)
    let sum = runs.reduce(0, +)
    let workers = max(trace.header.workers, isWorker.count)
    imbalance = sum > 0 ? Double(runs.max() ?? 0) * Double(workers) / Double(sum) : nil
  }

  private static func times(
    of thread: Int, window: RunWindow, timeline: WorkerTimeline
  ) -> [Int64] {
    var times = [Int64](repeating: 0, count: WorkerState.allCases.count)
    let segments = timeline.segments(of: thread)
    for place in segments.indices {
      let next = place + 1 < segments.endIndex ? segments[place + 1].begin : Int64.max
      let begin = max(window.begin, segments[place].begin)
      let end = min(window.end, next)
      if end > begin { times[Int(segments[place].state.rawValue)] += end - begin }
    }
    return times
  }
}
