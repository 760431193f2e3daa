// SPDX-License-Identifier: Apache-2.0

package import Harness
internal import Operations
package import Scheduling
package import TaskGraphFiles
internal import Workloads

/// A recorded task graph, run again as operations.
///
/// One `BlockOperation` per task with the recorded dependencies, added in one batch. Bodies stamp
/// their start and finish, and nothing else is instrumented. Stresses: what real graphs do, uneven
/// durations, bottlenecks, long tails. Does not show: what the tasks did. A replayed task touches
/// no memory, does no input or output and never blocks.
package final class GraphReplay: Workload {
  package let graph: ReplayGraph
  package let body: ReplayBody
  /// The names of the tasks, where operations are to have them.
  private let names: [String]?
  private let work: CalibratedWork?
  private let runs: SlotStorage
  private let starts: StampStorage
  private let finishes: StampStorage

  /// Metrics that a replay reports besides the common ones.
  package static let metrics: Set<String> = [
    "makespan", "tasks", "edges", "work", "critical-path", "efficiency", "efficiency-ideal",
    "queue-delay",
  ]

  /// Prepares a replay; with `ReplayBody.work` it calibrates, which takes some tens of
  /// milliseconds.
  package init(_ graph: TaskGraph, settings: ReplaySettings) throws(WorkloadError) {
    self.graph = try ReplayGraph(graph, settings: settings)
    body = settings.body
    names = settings.namesOperations ? graph.tasks.map(\.name) : nil
    work = settings.body == .work ? CalibratedWork.calibrate() : nil
    runs = try SlotStorage(for: "replay", count: graph.tasks.count)
    starts = try StampStorage(for: "replay", count: graph.tasks.count)
    finishes = try StampStorage(for: "replay", count: graph.tasks.count)
  }

  /// Reads the graph file of an assignment and prepares its replay; for `Suite.replay`.
  package static func workload(
    for assignment: Assignment
  ) throws(WorkloadError) -> any Workload {
    guard case .graph(let path) = assignment.subject else {
      throw WorkloadError(
        message: "replay: the assignment names a built-in workload; expected a graph file; "
          + "take the workload from the suite")
    }
    let settings = try ReplaySettings(extra: assignment.extra)
    let graph: TaskGraph
    do throws(TaskGraphError) {
      graph = try TaskGraphFile.load(path: path)
    } catch {
      throw WorkloadError(message: error.description)
    }
    if let expected = assignment.extra[ReplaySettings.fingerprintKey],
      graph.fingerprint != expected
    {
      throw WorkloadError(
        message: "\(path): the graph is not the one that the run began with: its fingerprint was "
          + "\(expected) and is \(graph.fingerprint); expected a file that stays as it is; run again"
      )
    }
    return try GraphReplay(graph, settings: settings)
  }

  package var operationsPerIteration: Int { graph.count }

  package func iterate(
    on scheduler: any Scheduler, recorder: inout IterationRecorder
  ) throws(WrongAnswer) {
    clear()
    let submission = run(on: scheduler, recorder: &recorder)
    let record = ReplayRecord(
      submission: submission, starts: starts.values, finishes: finishes.values, runs: runs.values)
    let report = try ReplayAnalysis.report(
      graph, record, workers: scheduler.workerCount, measured: body == .work)
    recorder.value("makespan", Double(report.makespan))
    recorder.value("tasks", Double(graph.count))
    recorder.value("edges", Double(graph.edgeCount))
    recorder.value("work", Double(report.work))
    recorder.value("critical-path", Double(report.criticalPath))
    recorder.value("efficiency", report.efficiency)
    recorder.value("efficiency-ideal", report.efficiencyIdeal)
    for delay in report.queueDelays { recorder.queueDelay(nanoseconds: delay) }
  }

  private func clear() {
    for task in 0..<graph.count { runs.overwrite(task, with: 0) }
    starts.clear()
    finishes.clear()
  }

  /// Runs the graph once and returns the stamp just before its operations were added.
  private func run(on scheduler: any Scheduler, recorder: inout IterationRecorder) -> UInt64 {
    recorder.begin()
    var queue: OperationQueue? = OperationQueue(scheduler: scheduler)
    queue?.retainsFinishedDependencies = false
    var operations: [Operation] = (0..<graph.count).map { BlockOperation(block: makeBody($0)) }
    if let names {
      for task in 0..<graph.count { operations[task].name = names[task] }
    }
    for task in 0..<graph.count {
      let operation = operations[task]
      for parent in graph.parents[task] { operations.makeDependent(operation, on: Int(parent)) }
    }
    recorder.built()
    let submission = MonotonicClock.nanoseconds()
    queue?.addOperations(operations, waitUntilFinished: false)
    queue?.waitUntilAllOperationsAreFinished()
    withExtendedLifetime((queue, operations)) { recorder.ran() }
    operations = []
    queue = nil
    recorder.released()
    return submission
  }

  /// The body of one task.
  private func makeBody(_ task: Int) -> @Sendable () -> Void {
    let runs = runs.slots
    let starts = starts.stamps
    let finishes = finishes.stamps
    let duration = graph.durations[task]
    if let work {
      return {
        starts[task] = MonotonicClock.nanoseconds()
        runs.increment(task)
        work.spend(nanoseconds: duration)
        finishes[task] = MonotonicClock.nanoseconds()
      }
    }
    return {
      let start = MonotonicClock.nanoseconds()
      starts[task] = start
      runs.increment(task)
      finishes[task] = WorkerHold.spin(until: start + UInt64(duration))
    }
  }
}
