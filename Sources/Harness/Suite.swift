// SPDX-License-Identifier: Apache-2.0

package import Scheduling

/// A scheduler that can be asked for by name.
package struct SchedulerEntry: Sendable {
  /// Makes a scheduler with that many workers.
  package typealias Make = @Sendable (_ workers: Int) -> any Scheduler
  /// Makes a scheduler with that many workers and these values of its knobs; the others have their
  /// defaults.
  package typealias MakeTuned =
    @Sendable (_ workers: Int, _ settings: KnobSettings) throws(KnobError) -> any Scheduler
  /// Refuses values that are legal alone and do not go together.
  package typealias Check = @Sendable (_ settings: KnobSettings) throws(KnobError) -> Void

  /// Lower case letters and hyphens; unique in the suite.
  package var name: String
  /// One line for `bench list`.
  package var summary: String
  /// What can be set on it, in the order in which it is shown.
  package var knobs: [SchedulerKnob]
  /// Refuses values that do not go together; each one is legal for its knob.
  package var check: Check
  /// Makes a scheduler.
  package var make: MakeTuned
  /// The only worker count it can have, or nil when users choose.
  package var fixedWorkers: Int?
  /// Measured only when `--scheduler` names it.
  package var isOnRequest: Bool
  /// It runs an operation inside the call that submits it, so that its latencies contain no
  /// hand-over to a thread.
  package var isSerialBaseline: Bool

  /// An entry without knobs; see the properties.
  package init(
    name: String, summary: String, fixedWorkers: Int? = nil, isOnRequest: Bool = false,
    isSerialBaseline: Bool = false, make: @escaping Make
  ) {
    self.init(
      name: name, summary: summary, fixedWorkers: fixedWorkers, isOnRequest: isOnRequest,
      isSerialBaseline: isSerialBaseline, knobs: [],
      make: { workers, _ throws(KnobError) in make(workers) })
  }

  /// An entry with knobs; see the properties.
  package init(
    name: String, summary: String, fixedWorkers: Int? = nil, isOnRequest: Bool = false,
    isSerialBaseline: Bool = false, knobs: [SchedulerKnob],
    check: @escaping Check = { _ throws(KnobError) in },
    make: @escaping MakeTuned
  ) {
    self.isOnRequest = isOnRequest
    self.isSerialBaseline = isSerialBaseline
    self.name = name
    self.summary = summary
    self.fixedWorkers = fixedWorkers
    self.knobs = knobs
    self.check = check
    self.make = make
  }

  /// The knob of that name.
  package func knob(named name: String) -> SchedulerKnob? { knobs.first { $0.name == name } }
}

/// A scheduler or reference system that this build lacks, because a library was not there when it
/// was built.
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

/// A selection of the suite and how it is measured, as a file that is part of the program.
package struct ShippedSelection: Sendable {
  /// What users type after `--suite`.
  package var name: String
  /// The file: JSON.
  package var bytes: [UInt8]
  /// The folder in the sources in which relative paths of the file begin.
  package var folder: String

  /// A selection; see the properties.
  package init(name: String, bytes: [UInt8], folder: String) {
    self.name = name
    self.bytes = bytes
    self.folder = folder
  }
}

/// Everything that can be measured; the orchestrator and its children build the same one.
package struct Suite: Sendable {
  /// Makes the workload that replays the graph file of an assignment.
  package typealias MakeReplay = @Sendable (Assignment) throws(WorkloadError) -> any Workload

  /// Runs a program once under a recording, as an order says.
  package typealias Record =
    @Sendable (RecordOrder, Assignment, () throws(ChildFailure) -> Void) throws(ChildFailure) ->
    Void

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
  /// How a run is recorded, or nil when the suite cannot.
  package var record: Record?
  /// Selections of it that users call by name, in the order in which they are shown.
  package var selections: [ShippedSelection]

  /// A suite; see the properties.
  package init(
    schedulers: [SchedulerEntry], workloads: [WorkloadDescription],
    references: [ReferenceDescription] = [], absences: [AbsentSystem] = [],
    replay: MakeReplay? = nil, record: Record? = nil, selections: [ShippedSelection] = []
  ) {
    self.selections = selections
    self.absences = absences
    self.schedulers = schedulers
    self.workloads = workloads
    self.references = references
    self.replay = replay
    self.record = record
  }

  /// Names that mean something else in `--where` or in the column `params`, so that no knob may
  /// have them.
  package var namesTaken: Set<String> {
    Set(workloads.flatMap { $0.axes.map(\.name) }).union(Self.reservedNames)
  }

  /// Names that every run has in `--where` or in the column `params`.
  package static let reservedNames: Set<String> = ["workers", "cpus", "body", "time-scale"]

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
