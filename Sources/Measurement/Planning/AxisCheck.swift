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
  /// Every number of workers that is measured.
  let workers: [Int]

  /// Refuses a name that no chosen workload or scheduler has, and a value that one of those that
  /// have it does not take.
  func check(_ selections: [AxisSelection]) throws(PlanError) {
    for selection in selections {
      if let owner = selection.owner { try checkIsChosen(owner, of: selection) }
      let isMeant = { (name: String) in selection.owner == nil || selection.owner == name }
      let owners = workloads.filter {
        isMeant($0.name) && $0.axis(named: selection.axis) != nil
      }
      let tuned = schedulers.filter {
        isMeant($0.name) && $0.knob(named: selection.axis) != nil
      }
      guard !(owners.isEmpty && tuned.isEmpty) else { throw unknown(selection) }
      for owner in owners {
        guard let axis = owner.axis(named: selection.axis) else { continue }
        let values = workers.flatMap { selection.values(workers: $0) }
        for value in values where !axis.accepts(value) {
          throw .axisValue(value, of: axis, workload: owner.name, isAlone: owners.count == 1)
        }
      }
      for entry in tuned {
        guard let knob = entry.knob(named: selection.axis) else { continue }
        let values = workers.flatMap { selection.values(workers: $0) }
        for value in values where value.knobValue.map(knob.accepts) != true {
          throw .knobValue(value, of: knob, scheduler: entry.name, isAlone: tuned.count == 1)
        }
      }
    }
  }

  /// Refuses a workload or scheduler that is named before an axis and is not measured.
  private func checkIsChosen(_ owner: String, of selection: AxisSelection) throws(PlanError) {
    let chosen = workloads.map(\.name) + schedulers.map(\.name)
    guard !chosen.contains(owner) else { return }
    throw .unknownOwner(
      owner, axis: selection.axis, chosen: chosen,
      exists: (allWorkloads.map(\.name) + all.map(\.name)).contains(owner))
  }

  private func unknown(_ selection: AxisSelection) -> PlanError {
    if let owner = selection.owner {
      let names =
        workloads.first { $0.name == owner }?.axes.map(\.name)
        ?? schedulers.first { $0.name == owner }?.knobs.map(\.name) ?? []
      return .unknownAxisOfOwner(selection.axis, owner: owner, known: names)
    }
    let name = selection.axis
    return .unknownAxis(
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
