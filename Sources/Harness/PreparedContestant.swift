// SPDX-License-Identifier: Apache-2.0

internal import Scheduling

/// What an assignment names, ready to be iterated on the system that it names.
struct PreparedContestant {
  /// Something that can be run.
  struct Program {
    /// Operations of one run.
    let operations: Int
    /// Runs it once.
    let iterate: (inout IterationRecorder) throws(WrongAnswer) -> Void
  }

  /// What it was made from.
  let assignment: Assignment
  /// What is measured.
  let measured: Program
  /// What runs before; the same, unless an axis warms up with a smaller value.
  let warmUp: Program
  /// Runs of the program for one sample.
  var runs = 1
  private let scheduler: (any Scheduler)?

  /// Makes the system, the program that is measured and, when that is another one, the program that
  /// warms up.
  init(_ assignment: Assignment, _ suite: Suite) throws(ChildFailure) {
    self.assignment = assignment
    let make: (Assignment) throws(ChildFailure) -> Program
    switch assignment.system {
    case .reference(let name):
      scheduler = nil
      make = { assignment throws(ChildFailure) in
        let workload = try Self.reference(name, assignment, suite)
        return Program(operations: workload.operationsPerIteration) {
          recorder throws(WrongAnswer) in
          try workload.iterate(workers: assignment.workers, recorder: &recorder)
        }
      }
    case .scheduler(let name):
      let scheduler = try Self.scheduler(name, assignment, suite)
      self.scheduler = scheduler
      make = { assignment throws(ChildFailure) in
        let workload = try Self.workload(assignment, suite)
        return Program(operations: workload.operationsPerIteration) {
          recorder throws(WrongAnswer) in
          try workload.iterate(on: scheduler, recorder: &recorder)
        }
      }
    }
    var small = assignment
    if case .workload(let name) = assignment.subject,
      let description = suite.workload(named: name)
    {
      small.parameters = description.warmUpParameters(for: assignment.parameters)
    }
    measured = try make(assignment)
    warmUp = small == assignment ? measured : try make(small)
    let operations = min(measured.operations, warmUp.operations)
    guard operations > 0 else {
      throw .unavailable(
        "workload", "the workload counts \(operations) operations; expected 1 or more")
    }
  }

  /// What its scheduler counted so far; nothing is known of a reference.
  var counters: SchedulerCounters { scheduler?.counters ?? SchedulerCounters() }

  /// Ends the system.
  func shutDown() { scheduler?.shutDown() }

  private static func workload(
    _ assignment: Assignment, _ suite: Suite
  ) throws(ChildFailure) -> any Workload {
    do throws(WorkloadError) {
      switch assignment.subject {
      case .workload(let name):
        guard let description = suite.workload(named: name) else {
          throw WorkloadError(message: "no workload '\(name)' in this suite")
        }
        return try description.make(assignment.parameters)
      case .graph(let path):
        guard let replay = suite.replay else {
          throw WorkloadError(message: "\(path): this suite cannot replay graphs")
        }
        return try replay(assignment)
      }
    } catch { throw .unavailable(error.reason, error.message) }
  }

  private static func scheduler(
    _ name: String, _ assignment: Assignment, _ suite: Suite
  ) throws(ChildFailure) -> any Scheduler {
    guard let entry = suite.scheduler(named: name) else {
      throw .unavailable("scheduler", "no scheduler '\(name)' in this suite")
    }
    let scheduler: any Scheduler
    do throws(KnobError) {
      try assignment.knobs.check(against: entry.knobs, of: "scheduler '\(name)'")
      scheduler = try entry.make(assignment.workers, assignment.knobs)
    } catch { throw .unavailable("knobs", error.description) }
    guard scheduler.workerCount == assignment.workers else {
      throw .unavailable(
        "workers",
        "scheduler '\(name)', made with workers \(assignment.workers), has workerCount "
          + "\(scheduler.workerCount); expected the same; one that keeps a count of its own is "
          + "measured with --workers \(scheduler.workerCount)")
    }
    return scheduler
  }

  private static func reference(
    _ name: String, _ assignment: Assignment, _ suite: Suite
  ) throws(ChildFailure) -> any ReferenceWorkload {
    guard let description = suite.reference(named: name) else {
      throw .unavailable("reference", "no reference system '\(name)' in this suite")
    }
    guard case .workload(let subject) = assignment.subject,
      let program = description.workloads[subject]
    else {
      throw .unavailable(
        "reference", "reference system '\(name)' does not have this workload")
    }
    do throws(WorkloadError) {
      return try program.make(program.capped(assignment.parameters))
    } catch { throw .unavailable(error.reason, error.message) }
  }
}
