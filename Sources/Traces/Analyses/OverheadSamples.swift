// SPDX-License-Identifier: Apache-2.0

/// What it costs to come from one operation to the next, as this run shows it.
package struct OverheadSamples: Sendable, Equatable {
  /// Between two operations of one thread, where the second had been ready before the first one
  /// ended.
  package let betweenOperations: PhaseSummary
  /// From ready to start on the thread of the predecessor that released it, as its next operation.
  package let handingOver: PhaseSummary
  /// From ready to start on another thread than that of the predecessor, which was asleep at ready.
  package let parkToWake: PhaseSummary
  /// The same where it was awake and free at ready.
  package let spinToTake: PhaseSummary

  /// The overhead of an operation, ns: the median between two of them, else that of handing over;
  /// nil where the run shows neither.
  package var perOperation: Int64? { betweenOperations.p50 ?? handingOver.p50 }
}

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
