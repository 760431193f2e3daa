// SPDX-License-Identifier: Apache-2.0

package import Harness
package import TaskGraphFiles

/// A recorded graph with its durations scaled: what a replay and its analysis work on.
package struct ReplayGraph: Sendable {
  /// Factor that was applied.
  package let timeScale: Double
  /// Scaled duration of each task, in nanoseconds, 0 or more.
  package let durations: [Int64]
  /// What each task waits for, each index once.
  package let parents: [[Int32]]
  /// Number of dependencies.
  package let edgeCount: Int
  /// All tasks, each after its parents.
  package let order: [Int]

  /// Scales a graph; fails when the scaled durations do not fit a hundred years.
  ///
  /// O(tasks + dependencies).
  package init(_ graph: TaskGraph, settings: ReplaySettings) throws(WorkloadError) {
    let scale = settings.timeScale
    let longest = 3.15e18
    let total = Double(graph.totalWorkNanoseconds) * scale
    guard total.isFinite, total < longest else {
      throw WorkloadError(
        message: "replay: \(graph.totalWorkNanoseconds) ns of recorded work times \(scale) is more "
          + "than a hundred years; expected less; pass a smaller --time-scale")
    }
    timeScale = scale
    durations = graph.tasks.map { task in
      Int64((Double(task.durationNanoseconds) * scale).rounded())
    }
    parents = graph.tasks.map(\.parents)
    edgeCount = graph.edgeCount
    order = graph.topologicalOrder()
  }

  /// Number of tasks.
  package var count: Int { durations.count }

  /// Sum of durations, and the longest path by durations, in nanoseconds.
  ///
  /// O(tasks + dependencies). `durations` has one entry per task: the scaled ones or those that
  /// were measured.
  package func workAndCriticalPath(durations: [Int64]) -> (work: Int64, criticalPath: Int64) {
    var finish = [Int64](repeating: 0, count: count)
    var work: Int64 = 0
    for task in order {
      let ready = parents[task].map { finish[Int($0)] }.max() ?? 0
      finish[task] = ready + durations[task]
      work += durations[task]
    }
    return (work, finish.max() ?? 0)
  }
}
