// SPDX-License-Identifier: Apache-2.0

/// How an operation came to the thread that ran it.
enum Crossing: UInt8 {
  /// Its predecessor ran there, or nobody knows.
  case none
  /// The thread was asleep when it became ready.
  case parked
  /// The thread was awake and free.
  case awake
  /// The thread had a job.
  case busy
}

/// Finds the samples, and how each operation came to its thread.
struct CrossingScan {
  let samples: OverheadSamples
  /// By operation.
  let crossings: [Crossing]

  init(_ trace: Trace, timeline: WorkerTimeline, waits: ReadyWaits) {
    var between: [Int64] = []
    var handing: [Int64] = []
    var parked: [Int64] = []
    var awake: [Int64] = []
    var crossings = [Crossing](repeating: .none, count: trace.operations.count)
    for thread in trace.threads.indices {
      var previous = -1
      for index in timeline.operations(of: thread) {
        let operation = trace.operations[Int(index)]
        let ready = waits.begin[Int(index)]
        let start = operation.startedTime
        defer { previous = Int(index) }
        guard ready != .min, ready <= start else { continue }
        let left = previous < 0 ? Int64.min : trace.operations[previous].leftThreadTime
        if left != .min, left >= ready, left <= start { between.append(start - left) }
        let releaser = Int(operation.releasedBy)
        guard releaser >= 0, releaser < trace.operations.count else { continue }
        if trace.operations[releaser].thread == operation.thread {
          if releaser == previous { handing.append(start - ready) }
          continue
        }
        crossings[Int(index)] = Self.crossing(timeline, thread: thread, ready: ready)
        // What the thread ran first would count as the way to this one.
        guard left <= ready else { continue }
        switch crossings[Int(index)] {
        case .parked: parked.append(start - ready)
        case .awake: awake.append(start - ready)
        case .busy, .none: break
        }
      }
    }
    samples = OverheadSamples(
      betweenOperations: PhaseSummary(between), handingOver: PhaseSummary(handing),
      parkToWake: PhaseSummary(parked), spinToTake: PhaseSummary(awake))
    self.crossings = crossings
  }

  private static func crossing(
    _ timeline: WorkerTimeline, thread: Int, ready: Int64
  ) -> Crossing {
    guard let place = timeline.place(of: thread, at: ready) else { return .none }
    switch timeline.segments[place].state {
    case .parked, .waking, .absent: return .parked
    case .between, .finding, .searchingInVain, .displaced: return .awake
    case .runs, .otherJob, .blocked, .displacedInJob: return .busy
    case .unknown: return .none
    }
  }
}
