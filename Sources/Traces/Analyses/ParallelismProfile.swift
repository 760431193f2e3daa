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
