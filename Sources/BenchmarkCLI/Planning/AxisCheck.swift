// SPDX-License-Identifier: Apache-2.0

internal import Harness
internal import Scheduling

/// Checks `--where` against the axes of the chosen workloads and the knobs of the chosen schedulers.
struct AxisCheck: Sendable {
  /// The chosen workloads; none when graphs are replayed.
  let workloads: [WorkloadDescription]
  /// The chosen schedulers.
  let schedulers: [SchedulerEntry]
  /// Every workload of the suite, for the advice which one has an axis; none when graphs are replayed.
  let allWorkloads: [WorkloadDescription]
  /// Every scheduler of the suite, for the advice which one has a knob.
  let all: [SchedulerEntry]

  /// Refuses a name that no chosen workload or scheduler has, and a value that one of those that have it does not take.
  func check(_ selections: [AxisSelection]) throws(ToolFailure) {
    for selection in selections {
      let owners = workloads.filter { $0.axis(named: selection.axis) != nil }
      let tuned = schedulers.filter { $0.knob(named: selection.axis) != nil }
      guard !(owners.isEmpty && tuned.isEmpty) else { throw unknown(selection.axis) }
      for owner in owners {
        guard let axis = owner.axis(named: selection.axis) else { continue }
        for value in selection.values {
          if let number = value.number, axis.legal.contains(number) { continue }
          throw .usage(
            "--where",
            value.number == nil
              ? "\(selection.axis)=\(value) is not a number"
              : "\(selection.axis)=\(value) is out of range for \(owner.name)",
            expected: "\(axis.legal.lowerBound) to \(axis.legal.upperBound)",
            next: owners.count > 1
              ? "to leave \(owner.name) out, name the workloads to measure" : "")
        }
      }
      for entry in tuned {
        guard let knob = entry.knob(named: selection.axis) else { continue }
        for value in selection.values where !knob.accepts(value) {
          throw .usage(
            "--where", Self.refusal(of: value, for: knob, of: entry.name),
            expected: knob.legalText,
            next: tuned.count > 1
              ? "to leave \(entry.name) out, name the schedulers to measure with --scheduler" : "")
        }
      }
    }
  }

  private static func refusal(of value: KnobValue, for knob: SchedulerKnob, of scheduler: String)
    -> String
  {
    switch value {
    case .number where knob.numbers != nil: "\(knob.name)=\(value) is out of range for \(scheduler)"
    case .word where knob.words.isEmpty: "\(knob.name)=\(value) is not a number"
    default: "\(knob.name)=\(value) is no value that \(scheduler) knows"
    }
  }

  private func unknown(_ name: String) -> ToolFailure {
    let elsewhere = all.filter { $0.knob(named: name) != nil }.map(\.name)
    guard elsewhere.isEmpty else {
      return .usage(
        "--where", "no chosen scheduler has the knob `\(name)`",
        expected: known.isEmpty ? "none" : "one of \(list)",
        next: "\(elsewhere.joined(separator: ", ")) would have it: add it to --scheduler")
    }
    let others = allWorkloads.filter { $0.axis(named: name) != nil }.map(\.name)
    guard others.isEmpty else {
      return .usage(
        "--where", "no chosen workload has the axis `\(name)`",
        expected: known.isEmpty ? "none" : "one of \(list)",
        next: "it is an axis of \(others.joined(separator: ", "))")
    }
    return .usage(
      "--where", "unknown axis `\(name)`", expected: known.isEmpty ? "none" : "one of \(list)",
      next: NearestName.suggestion(
        for: name, in: known.map(\.name),
        otherwise: "`bench list` shows every axis and every knob"))
  }

  /// Every name with the workloads or schedulers that have it, in the order in which they are shown.
  private var known: [(name: String, owners: [String])] {
    let axes = workloads.flatMap { workload in workload.axes.map { ($0.name, workload.name) } }
    let knobs = schedulers.flatMap { entry in entry.knobs.map { ($0.name, entry.name) } }
    return (axes + knobs).reduce(into: []) { known, pair in
      if let index = known.firstIndex(where: { $0.name == pair.0 }) {
        known[index].owners.append(pair.1)
      } else {
        known.append((pair.0, [pair.1]))
      }
    }
  }

  /// `n (chain, cancel), width (fan), spin-us (thread-pool, work-stealing)`.
  private var list: String {
    known.map { "\($0.name) (\($0.owners.joined(separator: ", ")))" }.joined(separator: ", ")
  }
}
