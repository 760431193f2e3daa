// SPDX-License-Identifier: Apache-2.0

package import Statistics

/// What all rows of one run have in common.
package struct RunIdentity: Sendable, Hashable {
  /// The start of the run.
  package var time: Timestamp
  package var runID: RunID
  package var machineID: MachineID

  package init(time: Timestamp, runID: RunID, machineID: MachineID) {
    self.time = time
    self.runID = runID
    self.machineID = machineID
  }
}

/// What a figure is about: the same benchmark, parameters and system, metric and statistic.
package struct Subject: Sendable, Hashable {
  /// What the figures of one contestant have in common.
  struct System: Sendable, Hashable {
    var suite: String
    var benchmark: String
    var params: RowParameters
    var scheduler: String
    var allocator: String
  }

  private var system: Shared<System>
  package var metric: Metric
  package var statistic: Statistic

  package init(
    suite: String, benchmark: String, params: RowParameters, scheduler: String, allocator: String,
    metric: Metric, statistic: Statistic
  ) {
    let system = System(
      suite: suite, benchmark: benchmark, params: params, scheduler: scheduler,
      allocator: allocator)
    self.init(system: Shared(system), metric: metric, statistic: statistic)
  }

  init(system: Shared<System>, metric: Metric, statistic: Statistic) {
    self.system = system
    self.metric = metric
    self.statistic = statistic
  }

  /// `core` for built-in workloads, `replay` for a recorded graph.
  package var suite: String {
    get { system.value.suite }
    set { system.value.suite = newValue }
  }
  package var benchmark: String {
    get { system.value.benchmark }
    set { system.value.benchmark = newValue }
  }
  package var params: RowParameters {
    get { system.value.params }
    set { system.value.params = newValue }
  }
  package var scheduler: String {
    get { system.value.scheduler }
    set { system.value.scheduler = newValue }
  }
  package var allocator: String {
    get { system.value.allocator }
    set { system.value.allocator = newValue }
  }

  /// Whether both are about the same system at the same point, whichever the figure.
  ///
  /// O(1) where both come from one file.
  package func isOfSameSystem(as other: Subject) -> Bool { system == other.system }

  /// Which figure of the contestant it is.
  package var key: FigureKey { FigureKey(metric, statistic) }
  /// The unit of the figure.
  package var measure: Unit { statistic.measure(of: metric) }
  /// That unit as rows write it.
  package var unit: String { measure.rawValue }
  /// Which way the figure is better.
  package var direction: Direction { metric.direction }
}

/// One row of a results file: one figure and everything needed to judge it.
///
/// Every subject has an aggregate row, with `process` nil, and after it one row per process. A row
/// whose quality holds a failure has no value; every other row has one.
///
/// A large file has a million of them, so that what many have in common is kept once.
package struct ResultRow: Sendable, Hashable {
  /// What the rows of one contestant's code have in common.
  struct Origin: Sendable, Hashable {
    var run: RunIdentity
    var code: CodeIdentity
  }

  private var origin: Shared<Origin>
  package var subject: Subject
  /// The figure in the unit of its subject; finite, not negative; nil after a failure.
  package var value: Double?
  package var interval: Interval?
  package var role: Role?
  package var state: WarmUpState?
  private var planned: Shared<ComparisonDesign>?
  private var processes: OptionalCount
  private var iterations: OptionalCount
  private var operations: OptionalCount
  private var processNumber: OptionalCount
  private var pair: OptionalCount
  package var quality: Set<QualityFlag>

  /// Makes a row; what does not apply is left out.
  package init(
    run: RunIdentity, code: CodeIdentity = CodeIdentity(), subject: Subject, value: Double?,
    interval: Interval? = nil,
    processCount: Int? = nil, iterationCount: Int? = nil, operationCount: Int? = nil,
    process: Int? = nil, role: Role? = nil, pairID: Int? = nil,
    design: ComparisonDesign? = nil, state: WarmUpState? = nil,
    quality: Set<QualityFlag> = []
  ) {
    self.init(
      origin: Shared(Origin(run: run, code: code)), subject: subject, value: value,
      interval: interval, processCount: processCount, iterationCount: iterationCount,
      operationCount: operationCount, process: process, role: role, pairID: pairID,
      design: design, state: state, quality: quality)
  }

  init(
    origin: Shared<Origin>, subject: Subject, value: Double?, interval: Interval?,
    processCount: Int?, iterationCount: Int?, operationCount: Int?, process: Int?, role: Role?,
    pairID: Int?, design: ComparisonDesign?, state: WarmUpState?, quality: Set<QualityFlag>
  ) {
    self.origin = origin
    self.subject = subject
    self.value = value
    self.interval = interval
    self.role = role
    planned = design.map { Shared($0) }
    self.state = state
    processes = OptionalCount(processCount)
    iterations = OptionalCount(iterationCount)
    operations = OptionalCount(operationCount)
    processNumber = OptionalCount(process)
    pair = OptionalCount(pairID)
    self.quality = quality
  }

  package var run: RunIdentity {
    get { origin.value.run }
    set { origin.value.run = newValue }
  }
  package var code: CodeIdentity {
    get { origin.value.code }
    set { origin.value.code = newValue }
  }
  package var processCount: Int? {
    get { processes.value }
    set { processes.value = newValue }
  }
  package var iterationCount: Int? {
    get { iterations.value }
    set { iterations.value = newValue }
  }
  package var operationCount: Int? {
    get { operations.value }
    set { operations.value = newValue }
  }
  /// The number of the measuring process, nil for the aggregate.
  package var process: Int? {
    get { processNumber.value }
    set { processNumber.value = newValue }
  }
  package var pairID: Int? {
    get { pair.value }
    set { pair.value = newValue }
  }

  /// How the comparison was planned; of its ratios alone.
  package var design: ComparisonDesign? {
    get { planned?.value }
    set { planned = newValue.map { Shared($0) } }
  }

  /// Whether both are of one run and of the same code.
  ///
  /// O(1) where both come from one file.
  package func hasSameOrigin(as other: ResultRow) -> Bool { origin == other.origin }

  /// The cell of a column, empty when the value is missing.
  package func text(of column: Column) -> String {
    switch column {
    case .schema: String(Column.schemaVersion)
    case .time: run.time.text
    case .runID: run.runID.text
    case .commit: code.commit ?? ""
    case .branch: code.branch ?? ""
    case .dirty: code.isDirty.map { $0 ? "1" : "0" } ?? ""
    case .binary: code.binary ?? ""
    case .toolchain: code.toolchain ?? ""
    case .machineID: run.machineID.text
    case .suite: subject.suite
    case .benchmark: subject.benchmark
    case .params: subject.params.text
    case .scheduler: subject.scheduler
    case .allocator: subject.allocator
    case .metric: subject.metric.rawValue
    case .stat: subject.statistic.rawValue
    case .unit: subject.unit
    case .direction: subject.direction.rawValue
    // `description` of a double is the shortest text that reads back as the same double.
    case .value: value.map(\.description) ?? ""
    case .ciLow: interval.map(\.low.description) ?? ""
    case .ciHigh: interval.map(\.high.description) ?? ""
    case .ciLevel: interval.map(\.level.description) ?? ""
    case .nProc: processCount.map(String.init) ?? ""
    case .nIter: iterationCount.map(String.init) ?? ""
    case .nOp: operationCount.map(String.init) ?? ""
    case .process: process.map(String.init) ?? ""
    case .role: role?.rawValue ?? ""
    case .pairID: pairID.map(String.init) ?? ""
    case .design: design?.text ?? ""
    case .state: state?.rawValue ?? ""
    case .quality: quality.text
    }
  }
}
