// SPDX-License-Identifier: Apache-2.0

internal import Harness

/// Checks `--where` against the axes of the chosen workloads.
struct AxisCheck: Sendable {
  let workloads: [WorkloadDescription]

  /// Refuses an axis that no chosen workload has, and a value that one of those that have it does not take.
  func check(_ selections: [AxisSelection]) throws(ToolFailure) {
    for selection in selections {
      let owners = workloads.filter { $0.axis(named: selection.axis) != nil }
      guard !owners.isEmpty else {
        throw .usage(
          "--where", "unknown axis `\(selection.axis)`", expected: "one of \(axisList)",
          next: NearestName.suggestion(
            for: selection.axis, in: axisNames, otherwise: "`bench list` shows every axis"))
      }
      for owner in owners {
        guard let axis = owner.axis(named: selection.axis) else { continue }
        for value in selection.values where !axis.legal.contains(value) {
          throw .usage(
            "--where", "\(selection.axis)=\(value) is out of range for \(owner.name)",
            expected: "\(axis.legal.lowerBound) to \(axis.legal.upperBound)",
            next: owners.count > 1
              ? "to leave \(owner.name) out, name the workloads to measure" : "")
        }
      }
    }
  }

  private var axisNames: [String] {
    workloads.flatMap { $0.axes.map(\.name) }.reduce(into: []) {
      if !$0.contains($1) { $0.append($1) }
    }
  }

  /// `n (chain, cancel), width (fan)`.
  private var axisList: String {
    axisNames.map { name in
      let owners = workloads.filter { $0.axis(named: name) != nil }.map(\.name)
      return "\(name) (\(owners.joined(separator: ", ")))"
    }.joined(separator: ", ")
  }
}
