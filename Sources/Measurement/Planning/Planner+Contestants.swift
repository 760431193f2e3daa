// SPDX-License-Identifier: Apache-2.0

internal import Harness
internal import Scheduling

extension Planner {
  /// The schedulers of the group of `workers[index]`, each with every combination of the values
  /// asked for on its knobs.
  func members(
    _ schedulers: [SchedulerEntry], workers: [Int], index: Int, parameters: Parameters
  ) throws(PlanError) -> [Contestant] {
    var members: [Contestant] = []
    for entry in entrants(schedulers, workers: workers, index: index) {
      members += try tuned(entry, parameters: parameters, workers: workers[index])
    }
    return members
  }

  /// The schedulers that the group of `workers[index]` measures.
  ///
  /// One with a fixed count is measured once per point: beside its own count if that is asked for,
  /// else beside the first.
  private func entrants(_ schedulers: [SchedulerEntry], workers: [Int], index: Int)
    -> [SchedulerEntry]
  {
    schedulers.filter { entry in
      guard let fixed = entry.fixedWorkers else { return true }
      return index == (workers.firstIndex(of: fixed) ?? 0)
    }
  }

  /// The scheduler once with every combination of the values asked for on its knobs; as it is when
  /// there are none.
  private func tuned(
    _ entry: SchedulerEntry, parameters: Parameters, workers: Int
  ) throws(PlanError) -> [Contestant] {
    var tunings = [KnobSettings()]
    let asked = request.axes.selections(of: entry.name) { entry.knob(named: $0) != nil }
    for selection in asked {
      tunings = tunings.flatMap { tuning in
        selection.values(workers: workers).compactMap(\.knobValue).map { value in
          var changed = tuning
          changed[selection.axis] = value
          return changed
        }
      }
    }
    for tuning in tunings {
      do { try entry.check(tuning) } catch { throw .knobs(scheduler: entry.name, error) }
    }
    return tunings.map { tuning in
      Contestant(
        system: .scheduler(entry.name), workers: entry.fixedWorkers ?? workers,
        parameters: parameters, knobs: tuning)
    }
  }

  /// The reference on a workload, nil when it does not have it.
  func contestant(
    _ reference: ReferenceDescription, workload: String, parameters: Parameters, workers: Int
  ) -> Contestant? {
    guard let program = reference.workloads[workload] else { return nil }
    let workers =
      switch reference.width {
      case .asked: workers
      case .fixed(let count): count
      case .cpus: request.cpus ?? cpuCount
      }
    let capped = program.capped(parameters)
    let caps = program.cap.filter { axis, _ in
      capped.value(of: axis) != parameters.value(of: axis)
    }
    return Contestant(
      system: .reference(reference.name), workers: workers, parameters: capped, caps: caps)
  }
}
