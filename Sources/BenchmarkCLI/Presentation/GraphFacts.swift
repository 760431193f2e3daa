// SPDX-License-Identifier: Apache-2.0

internal import Measurement

extension MeasurementGroup.Replay {
  /// What the graph is, and what a replay makes of its durations: shown above its figures.
  var facts: [String] {
    func time(_ nanoseconds: Int64, _ factor: Double = 1) -> String {
      UnitFormatter.text(Double(nanoseconds) * factor, unit: "ns")
    }
    let size =
      "\(graph.taskCount) task\(graph.taskCount == 1 ? "" : "s"), "
      + "\(graph.edgeCount) edge\(graph.edgeCount == 1 ? "" : "s"), "
      + "\(time(graph.totalWorkNanoseconds)) of work, "
      + "critical path \(time(graph.criticalPathNanoseconds))"
    guard timeScale != 1 else { return [size + ", replayed as recorded"] }
    return [
      size,
      "every duration times \(timeScale) (--time-scale): "
        + "\(time(graph.totalWorkNanoseconds, timeScale)) of work, "
        + "critical path \(time(graph.criticalPathNanoseconds, timeScale))",
    ]
  }
}

extension MeasurementPlan {
  /// The facts of every graph by the name of its benchmark, in the order of the groups.
  var facts: [(benchmark: String, facts: [String])] {
    groups.reduce(into: []) { all, group in
      guard let replay = group.replay, !all.contains(where: { $0.benchmark == group.benchmark })
      else { return }
      all.append((group.benchmark, replay.facts))
    }
  }

  /// The same, a line each.
  var factLines: [String] {
    facts.flatMap { entry in entry.facts.map { "\(entry.benchmark): \($0)" } }
  }
}
