// SPDX-License-Identifier: Apache-2.0

package import Scheduling

/// A scheduler that can be asked for by name.
package struct SchedulerEntry: Sendable {
  /// Makes a scheduler with that many workers.
  package typealias Make = @Sendable (_ workers: Int) -> any Scheduler

  /// Lower case letters and hyphens; unique in the suite.
  package var name: String
  /// One line for `bench list`.
  package var summary: String
  /// Makes a scheduler.
  package var make: Make
  /// The only worker count it can have, or nil when users choose.
  package var fixedWorkers: Int?
  /// Measured only when `--scheduler` names it.
  package var isOnRequest: Bool

  /// An entry; see the properties.
  package init(
    name: String, summary: String, fixedWorkers: Int? = nil, isOnRequest: Bool = false,
    make: @escaping Make
  ) {
    self.isOnRequest = isOnRequest
    self.name = name
    self.summary = summary
    self.fixedWorkers = fixedWorkers
    self.make = make
  }
}

/// A scheduler or reference system that this build lacks, because a library was not there when it was built.
package struct AbsentSystem: Hashable, Sendable {
  /// As users type it.
  package var name: String
  /// True for a reference system, false for a scheduler.
  package var isReference: Bool
  /// What it needs, for instance the trait and the library.
  package var needs: String
  /// What to do to get it.
  package var remedy: String

  /// An absence; see the properties.
  package init(name: String, isReference: Bool, needs: String, remedy: String) {
    self.name = name
    self.isReference = isReference
    self.needs = needs
    self.remedy = remedy
  }
}

/// Everything that can be measured; the orchestrator and its children build the same one.
package struct Suite: Sendable {
  /// Makes the workload that replays the graph file of an assignment.
  package typealias MakeReplay = @Sendable (Assignment) throws(WorkloadError) -> any Workload

  /// Schedulers, in the order in which they are shown.
  package var schedulers: [SchedulerEntry]
  /// Workloads, in the order in which they are shown.
  package var workloads: [WorkloadDescription]
  /// Systems measured whole.
  package var references: [ReferenceDescription]
  /// What this build lacks.
  package var absences: [AbsentSystem]
  /// How graph files are replayed, or nil when the suite cannot.
  package var replay: MakeReplay?

  /// A suite; see the properties.
  package init(
    schedulers: [SchedulerEntry], workloads: [WorkloadDescription],
    references: [ReferenceDescription] = [], absences: [AbsentSystem] = [],
    replay: MakeReplay? = nil
  ) {
    self.absences = absences
    self.schedulers = schedulers
    self.workloads = workloads
    self.references = references
    self.replay = replay
  }

  /// The scheduler of that name.
  package func scheduler(named name: String) -> SchedulerEntry? {
    schedulers.first { $0.name == name }
  }

  /// The workload of that name.
  package func workload(named name: String) -> WorkloadDescription? {
    workloads.first { $0.name == name }
  }

  /// The reference system of that name.
  package func reference(named name: String) -> ReferenceDescription? {
    references.first { $0.name == name }
  }
}
