// SPDX-License-Identifier: Apache-2.0

/// How many operations could have run and how many workers had jobs, over the time of the run.
package struct ParallelismProfile: Sendable, Equatable {
  /// Means from `begin` until the next point.
  package struct Point: Sendable, Equatable {
    package let begin: Int64
    /// Workers that had jobs.
    package let running: Double
    /// Operations that no dependency held and that had not started.
    package let runnable: Double

    package init(begin: Int64, running: Double, runnable: Double) {
      self.begin = begin
      self.running = running
      self.runnable = runnable
    }
  }

  /// The steps, by time: exact where there are at most `pointLimit`, else means of equal parts of
  /// the run.
  package let points: [Point]
  /// Workers had jobs, worker-ns.
  package let occupied: Int64
  /// Workers had none while operations could have run, worker-ns: the scheduler's or the system's
  /// doing.
  package let schedulerIdle: Int64
  /// Workers had none while all that was ready was held back by policy, worker-ns.
  package let policyIdle: Int64
  /// Workers had none and nothing was ready for them, worker-ns: the graph's doing.
  package let graphIdle: Int64

  /// The most points that a profile has.
  package static let pointLimit = 1_000

  /// What all workers could have run, worker-ns.
  package var capacity: Int64 { occupied + schedulerIdle + policyIdle + graphIdle }

  init(
    _ trace: Trace, window: RunWindow, timeline: WorkerTimeline, waits: ReadyWaits,
    admission: QueueAdmission
  ) {
    var sweep = ProfileSweep(
      trace, window: window, timeline: timeline, waits: waits, admission: admission)
    sweep.run()
    occupied = sweep.occupied
    schedulerIdle = sweep.schedulerIdle
    policyIdle = sweep.policyIdle
    graphIdle = sweep.graphIdle
    points = sweep.steps.points(window: window)
  }
}

/// A function of time as it is found step by step.
struct ProfileSteps {
  private var exact: [ParallelismProfile.Point] = []
  private var running: [Double]
  private var runnable: [Double]
  private var isExact = true
  private let width: Double
  private let begin: Int64

  init(window: RunWindow) {
    running = Array(repeating: 0, count: ParallelismProfile.pointLimit)
    runnable = running
    begin = window.begin
    width = Double(max(1, window.makespan)) / Double(ParallelismProfile.pointLimit)
  }

  /// Adds a stretch behind the one before.
  mutating func add(from start: Int64, to end: Int64, running: Int, runnable: Int) {
    if isExact {
      let (now, ready) = (Double(running), Double(runnable))
      if exact.last?.running != now || exact.last?.runnable != ready {
        isExact = exact.count < ParallelismProfile.pointLimit
        if isExact { exact.append(.init(begin: start, running: now, runnable: ready)) }
      }
    }
    var from = Double(start - begin)
    let to = Double(end - begin)
    var bin = min(self.running.count - 1, Int(from / width))
    while from < to {
      let edge = bin == self.running.count - 1 ? to : min(to, Double(bin + 1) * width)
      self.running[bin] += Double(running) * (edge - from)
      self.runnable[bin] += Double(runnable) * (edge - from)
      from = edge
      bin += 1
    }
  }

  func points(window: RunWindow) -> [ParallelismProfile.Point] {
    if isExact { return exact }
    return running.indices.map { bin in
      .init(
        begin: begin + Int64(Double(bin) * width), running: running[bin] / width,
        runnable: runnable[bin] / width)
    }
  }
}
