// SPDX-License-Identifier: Apache-2.0

package import Harness
internal import Traces

/// What the bodies of one replay left behind, one entry per task.
package struct ReplayRecord: Sendable {
  /// Stamp just before the operations were added.
  package var submission: UInt64
  /// Stamps of the first instruction of each body.
  package var starts: [UInt64]
  /// Stamps of the last instruction of each body.
  package var finishes: [UInt64]
  /// How often each body ran.
  package var runs: [UInt32]

  /// A record; see the properties.
  package init(submission: UInt64, starts: [UInt64], finishes: [UInt64], runs: [UInt32]) {
    self.submission = submission
    self.starts = starts
    self.finishes = finishes
    self.runs = runs
  }
}

/// The figures of one replay.
package struct ReplayReport: Sendable, Equatable {
  /// From the submission to the last finish, in nanoseconds.
  package var makespan: Int64
  /// Sum of the durations, in nanoseconds.
  package var work: Int64
  /// Longest path by durations, in nanoseconds.
  package var criticalPath: Int64
  /// The lower bound max(work / workers, critical path), over the makespan; 1 is perfect.
  package var efficiency: Double
  /// The same for a list schedule that costs nothing.
  package var efficiencyIdeal: Double
  /// From the moment a task was ready to its start, for each task, in nanoseconds.
  package var queueDelays: [UInt64]
}

/// Turns the stamps of a replay into its figures: pure, no clock and no thread.
package enum ReplayAnalysis {
  /// Checks a replay and computes its figures.
  ///
  /// A task is ready at the latest finish of its parents, or at the submission when it has none.
  /// Throws unless every task ran exactly once and started after all its parents had finished.
  /// O(tasks · log tasks + dependencies).
  /// - Parameters:
  ///   - graph: what was replayed.
  ///   - record: what the bodies stamped.
  ///   - workers: threads that ran bodies, 1 or more.
  ///   - measured: whether work, critical path and the ideal come from the measured durations
  ///     instead of the recorded ones, as they must when a body does work and not time.
  package static func report(
    _ graph: ReplayGraph, _ record: ReplayRecord, workers: Int, measured: Bool
  ) throws(WrongAnswer) -> ReplayReport {
    let queueDelays = try queueDelays(graph, record)
    let durations = measured ? measuredDurations(record) : graph.durations
    let (work, criticalPath) = graph.workAndCriticalPath(durations: durations)
    let last = record.finishes.max() ?? record.submission
    let makespan = Int64(last - min(last, record.submission))
    let ideal = ListSchedule.makespan(
      durations: durations, parents: graph.parents, workers: workers)
    return ReplayReport(
      makespan: makespan, work: work, criticalPath: criticalPath,
      efficiency: efficiency(
        work: work, criticalPath: criticalPath, makespan: makespan, workers: workers),
      efficiencyIdeal: efficiency(
        work: work, criticalPath: criticalPath, makespan: ideal, workers: workers),
      queueDelays: queueDelays)
  }

  /// max(work / workers, critical path) / makespan; 1 when nothing had to be done in no time.
  package static func efficiency(
    work: Int64, criticalPath: Int64, makespan: Int64, workers: Int
  ) -> Double {
    let bound = max(Double(work) / Double(workers), Double(criticalPath))
    guard makespan > 0 else { return 1 }
    return bound / Double(makespan)
  }

  /// Start minus ready for each task; throws when one ran not exactly once or too early.
  package static func queueDelays(
    _ graph: ReplayGraph, _ record: ReplayRecord
  ) throws(WrongAnswer) -> [UInt64] {
    for task in 0..<graph.count where record.runs[task] != 1 {
      throw WrongAnswer(
        message: "replay: task \(task) ran \(record.runs[task]) times; expected exactly once")
    }
    var delays: [UInt64] = []
    delays.reserveCapacity(graph.count)
    for task in 0..<graph.count {
      var ready = record.submission
      for parent in graph.parents[task] {
        ready = max(ready, record.finishes[Int(parent)])
      }
      let start = record.starts[task]
      guard start >= ready else {
        throw WrongAnswer(
          message: "replay: task \(task) started \(ready - start) ns before it was ready; "
            + "expected a start after every parent's finish")
      }
      delays.append(start - ready)
    }
    return delays
  }

  /// Finish minus start for each task.
  static func measuredDurations(_ record: ReplayRecord) -> [Int64] {
    zip(record.starts, record.finishes).map { start, finish in
      Int64(finish - min(start, finish))
    }
  }
}
