// SPDX-License-Identifier: Apache-2.0

internal import Measurement

extension GraphSummary {
  /// How large the graph is: tasks, edges, work and critical path.
  var sizes: String {
    "\(taskCount) task\(taskCount == 1 ? "" : "s"), "
      + "\(edgeCount) edge\(edgeCount == 1 ? "" : "s"), "
      + "\(UnitFormatter.text(Double(totalWorkNanoseconds), unit: "ns")) of work, "
      + "critical path \(UnitFormatter.text(Double(criticalPathNanoseconds), unit: "ns"))"
  }
}

extension MeasurementGroup.Replay {
  /// What the graph is, and what a replay makes of its durations: shown above its figures.
  var facts: [String] {
    func time(_ nanoseconds: Int64, _ factor: Double) -> String {
      UnitFormatter.text(Double(nanoseconds) * factor, unit: "ns")
    }
    guard timeScale != 1 else { return [graph.sizes + ", replayed as recorded"] }
    return [
      graph.sizes,
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
