// SPDX-License-Identifier: Apache-2.0

internal import Harness
internal import Scheduling

/// Checks the selections against the axes of the chosen workloads and the knobs of the chosen
/// schedulers.
struct AxisCheck: Sendable {
  /// The chosen workloads; none when graphs are replayed.
  let workloads: [WorkloadDescription]
  /// The chosen schedulers.
  let schedulers: [SchedulerEntry]
  /// Every workload of the suite, for the advice which one has an axis; none when graphs are
  /// replayed.
  let allWorkloads: [WorkloadDescription]
  /// Every scheduler of the suite, for the advice which one has a knob.
  let all: [SchedulerEntry]

  /// Refuses a name that no chosen workload or scheduler has, and a value that one of those that
  /// have it does not take.
  func check(_ selections: [AxisSelection]) throws(PlanError) {
    for selection in selections {
      let owners = workloads.filter { $0.axis(named: selection.axis) != nil }
      let tuned = schedulers.filter { $0.knob(named: selection.axis) != nil }
      guard !(owners.isEmpty && tuned.isEmpty) else { throw unknown(selection.axis) }
      for owner in owners {
        guard let axis = owner.axis(named: selection.axis) else { continue }
        for value in selection.values {
          if let number = value.number, axis.legal.contains(number) { continue }
          throw .axisValue(
            value, of: axis.name, workload: owner.name, legal: axis.legal,
            isAlone: owners.count == 1)
        }
      }
      for entry in tuned {
        guard let knob = entry.knob(named: selection.axis) else { continue }
        for value in selection.values where !knob.accepts(value) {
          throw .knobValue(value, of: knob, scheduler: entry.name, isAlone: tuned.count == 1)
        }
      }
    }
  }

  private func unknown(_ name: String) -> PlanError {
    .unknownAxis(
      name,
      AxisKnowledge(
        chosen: known,
        otherSchedulers: all.filter { $0.knob(named: name) != nil }.map(\.name),
        otherWorkloads: allWorkloads.filter { $0.axis(named: name) != nil }.map(\.name)))
  }

  /// Every name with the workloads or schedulers that have it, in the order in which they are
  /// shown.
  private var known: [AxisKnowledge.Name] {
    let axes = workloads.flatMap { workload in workload.axes.map { ($0.name, workload.name) } }
    let knobs = schedulers.flatMap { entry in entry.knobs.map { ($0.name, entry.name) } }
    return (axes + knobs).reduce(into: []) { known, pair in
      if let index = known.firstIndex(where: { $0.name == pair.0 }) {
        known[index].owners.append(pair.1)
      } else {
        known.append(.init(name: pair.0, owners: [pair.1]))
      }
    }
  }
}
