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
  /// `core` for built-in workloads, `replay` for a recorded graph.
  package var suite: String
  package var benchmark: String
  package var params: RowParameters
  package var scheduler: String
  package var allocator: String
  package var metric: Metric
  package var statistic: Statistic

  package init(
    suite: String, benchmark: String, params: RowParameters, scheduler: String, allocator: String,
    metric: Metric, statistic: Statistic
  ) {
    self.suite = suite
    self.benchmark = benchmark
    self.params = params
    self.scheduler = scheduler
    self.allocator = allocator
    self.metric = metric
    self.statistic = statistic
  }

  /// Which figure of the contestant it is.
  package var key: FigureKey { FigureKey(metric, statistic) }
  /// The unit of the figure.
  package var unit: String { statistic.unit(of: metric) }
  /// Which way the figure is better.
  package var direction: Direction { metric.direction }
}

/// One row of a results file: one figure and everything needed to judge it.
///
/// Every subject has an aggregate row, with `process` nil, and after it one row per process. A row
/// whose quality holds a failure has no value; every other row has one.
package struct ResultRow: Sendable, Hashable {
  package var run: RunIdentity
  package var code: CodeIdentity
  package var subject: Subject
  /// The figure in the unit of its subject; finite, not negative; nil after a failure.
  package var value: Double?
  package var interval: Interval?
  package var processCount: Int?
  package var iterationCount: Int?
  package var operationCount: Int?
  /// The number of the measuring process, nil for the aggregate.
  package var process: Int?
  package var role: Role?
  package var pairID: Int?
  package var state: WarmUpState?
  package var quality: Set<QualityFlag>

  /// Makes a row; what does not apply is left out.
  package init(
    run: RunIdentity, code: CodeIdentity = CodeIdentity(), subject: Subject, value: Double?,
    interval: Interval? = nil,
    processCount: Int? = nil, iterationCount: Int? = nil, operationCount: Int? = nil,
    process: Int? = nil, role: Role? = nil, pairID: Int? = nil, state: WarmUpState? = nil,
    quality: Set<QualityFlag> = []
  ) {
    self.run = run
    self.code = code
    self.subject = subject
    self.value = value
    self.interval = interval
    self.processCount = processCount
    self.iterationCount = iterationCount
    self.operationCount = operationCount
    self.process = process
    self.role = role
    self.pairID = pairID
    self.state = state
    self.quality = quality
  }

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
    case .state: state?.rawValue ?? ""
    case .quality: quality.text
    }
  }
}
