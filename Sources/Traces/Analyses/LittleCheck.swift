// SPDX-License-Identifier: Apache-2.0

/// Little's law as a check of the recording: the mean depth of a queue is the rate at which
/// operations pass it, times the time that one of them spends in it.
///
/// Rate and time come from the operations, the depth from what the queue itself told. Both sides
/// agree in any run; where they do not, operations or events are missing.
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
    /// The depth that was told.
    package let meanDepth: Double
    /// How many times larger or smaller the told depth may be than the true one.
    package let tolerance: Double

    /// The sides agree.
    package var holds: Bool {
      expectedDepth <= meanDepth * tolerance && meanDepth <= expectedDepth * tolerance
    }
  }

  /// The queues with operations and a way to tell their depth.
  package let rows: [Row]

  /// The law holds for every queue.
  package var holds: Bool { rows.allSatisfy(\.holds) }

  /// Checks a recording.
  ///
  /// O(operations + events).
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
      // Arrivals and departures are summed on their own: an operation of which one is missing moves
      // the depth and not the time.
      if operation.enqueuedTime != .min {
        stays[queue] += Double(window.end - operation.enqueuedTime)
      }
      if operation.finishedTime != .min {
        stays[queue] -= Double(window.end - operation.finishedTime)
      }
      if operation.enqueuedTime != .min, operation.finishedTime != .min {
        passed[queue] += 1
        times[queue] += Double(operation.finishedTime - operation.enqueuedTime)
      }
    }
    let told = Self.toldDepths(trace, window: window)
    rows = trace.queues.indices.compactMap { queue in
      guard passed[queue] > 0 else { return nil }
      let meanTime = times[queue] / Double(passed[queue])
      return Row(
        queue: queue, passed: passed[queue], rate: Double(passed[queue]) / span * 1e9,
        meanTime: meanTime, expectedDepth: Double(passed[queue]) / span * meanTime,
        meanDepth: told[queue] ?? stays[queue] / span,
        tolerance: told[queue] == nil ? Self.countTolerance : Self.toldTolerance)
    }
  }

  /// A depth is told when it passes a power of two, so that it may be off by a factor of two between.
  private static let toldTolerance = 2.0
  /// Arrivals and departures are told one by one.
  private static let countTolerance = 1.05

  /// The mean depth by queue, over time, by what the queues told; nil for those that told nothing.
  private static func toldDepths(_ trace: Trace, window: RunWindow) -> [Double?] {
    var areas = [Double?](repeating: nil, count: trace.queues.count)
    var depths = [Double](repeating: 0, count: trace.queues.count)
    var times = [Int64](repeating: window.begin, count: trace.queues.count)
    func pass(_ queue: Int, until time: Int64) {
      let time = min(max(time, times[queue]), window.end)
      areas[queue] = (areas[queue] ?? 0) + depths[queue] * Double(time - times[queue])
      times[queue] = time
    }
    for event in trace.queueEvents where event.kind == .depth {
      let queue = Int(event.queue)
      guard queue >= 0, queue < depths.count else { continue }
      pass(queue, until: event.time)
      depths[queue] = Double(event.value)
    }
    for queue in areas.indices where areas[queue] != nil { pass(queue, until: window.end) }
    return areas.map { $0.map { $0 / Double(window.makespan) } }
  }
}
