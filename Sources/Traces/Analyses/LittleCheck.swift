// SPDX-License-Identifier: Apache-2.0

/// Little's law as a check of the recording: the mean depth of a queue is the rate at which
/// operations pass it, times the time that one of them spends in it.
///
/// Rate and time come from the operations that were seen to come and to leave, the depth from all
/// arrivals and all departures. Both sides agree in any run; where they do not, events are missing.
package struct LittleCheck: Sendable, Equatable {
  /// One queue.
  package struct Row: Sendable, Equatable {
    /// Index into `Trace.queues`.
    package let queue: Int
    /// Operations that were in it and finished within the run.
    package let passed: Int
    /// Operations per second.
    package let rate: Double
    /// Time from added to finished, ns.
    package let meanTime: Double
    /// The depth that follows by the law.
    package let expectedDepth: Double
    /// The depth over the run, by arrivals and departures.
    package let meanDepth: Double

    /// The sides agree.
    package var holds: Bool {
      expectedDepth <= meanDepth * LittleCheck.tolerance
        && meanDepth <= expectedDepth * LittleCheck.tolerance
    }
  }

  /// How many times larger one side may be than the other.
  package static let tolerance = 1.05

  /// The queues with operations.
  package let rows: [Row]

  /// The law holds for every queue.
  package var holds: Bool { rows.allSatisfy(\.holds) }

  /// Checks a recording.
  ///
  /// O(operations).
  init(_ trace: Trace, window: RunWindow) {
    let span = Double(window.makespan)
    guard window.makespan > 0 else {
      rows = []
      return
    }
    var passed = [Int](repeating: 0, count: trace.queues.count)
    var times = [Double](repeating: 0, count: trace.queues.count)
    var stays = [Double](repeating: 0, count: trace.queues.count)
    for operation in trace.operations {
      let queue = Int(operation.queue)
      guard queue >= 0, queue < passed.count else { continue }
      // The second half of a fork is added by nobody, and comes when a thread takes it.
      let arrival =
        [operation.enqueuedTime, operation.readyTime, operation.startedTime].first { $0 != .min }
        ?? .min
      // Arrivals and departures are summed on their own: an operation of which one is missing moves
      // the depth and not the time.
      if arrival != .min { stays[queue] += Double(window.end - arrival) }
      if operation.finishedTime != .min {
        stays[queue] -= Double(window.end - operation.finishedTime)
      }
      if arrival != .min, operation.finishedTime != .min {
        passed[queue] += 1
        times[queue] += Double(operation.finishedTime - arrival)
      }
    }
    rows = trace.queues.indices.compactMap { queue in
      guard passed[queue] > 0 else { return nil }
      let meanTime = times[queue] / Double(passed[queue])
      return Row(
        queue: queue, passed: passed[queue], rate: Double(passed[queue]) / span * 1e9,
        meanTime: meanTime, expectedDepth: Double(passed[queue]) / span * meanTime,
        meanDepth: stays[queue] / span)
    }
  }
}
