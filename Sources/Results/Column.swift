// SPDX-License-Identifier: Apache-2.0

/// The columns of a results file, in order.
///
/// The one place that names them: writer, reader, check and documentation all come from here.
package enum Column: String, CaseIterable, Sendable {
  case schema
  case time
  case runID = "run_id"
  case commit
  case branch
  case dirty
  case binary
  case toolchain
  case machineID = "machine_id"
  case suite
  case benchmark
  case params
  case scheduler
  case allocator
  case metric
  case stat
  case unit
  case direction
  case value
  case ciLow = "ci_low"
  case ciHigh = "ci_high"
  case ciLevel = "ci_level"
  case nProc = "n_proc"
  case nIter = "n_iter"
  case nOp = "n_op"
  case process
  case role
  case pairID = "pair_id"
  case design
  case state
  case quality

  /// The version of this schema; readers refuse a higher one, and take a lower one, since metrics
  /// and columns are only ever added.
  ///
  /// 2 adds the metrics `tasks` and `edges`; 3 the columns `binary` and `toolchain`, and who the
  /// code is may differ between the contestants of a run; 4 the column `design` and the metrics
  /// `instructions`, `rmw` and `allocations`, those of processor time and page faults, and what a
  /// scheduler counts; 5 the metrics of priorities, cancellation, arrivals and searched trees.
  package static let schemaVersion = 5

  /// The first line of every results file, without its line feed.
  package static var header: String {
    allCases.map(\.rawValue).joined(separator: ",")
  }

  /// The position from the left, counted from 0.
  package var index: Int {
    Self.allCases.firstIndex(of: self) ?? Self.allCases.count
  }
}

/// What the cells of a column hold.
package enum ColumnKind: String, Sendable {
  /// Decimal digits.
  case integer
  /// The shortest decimal text that reads back as the same double.
  case number
  /// UTF-8 text.
  case text
  /// ISO 8601, UTC, whole seconds.
  case timestamp
}

extension Column {
  /// What the cells hold.
  package var kind: ColumnKind {
    switch self {
    case .schema, .dirty, .nProc, .nIter, .nOp, .process, .pairID: .integer
    case .value, .ciLow, .ciHigh, .ciLevel: .number
    case .time: .timestamp
    case .runID, .commit, .branch, .binary, .toolchain, .machineID, .suite, .benchmark, .params,
      .scheduler, .allocator,
      .metric, .stat, .unit, .direction, .role, .design, .state, .quality:
      .text
    }
  }

  /// Whether a cell may be empty, which means that the figure is missing or does not apply.
  package var mayBeEmpty: Bool {
    switch self {
    case .schema, .time, .runID, .machineID, .suite, .benchmark, .scheduler, .allocator, .metric,
      .stat, .unit, .direction, .quality:
      false
    case .commit, .branch, .dirty, .binary, .toolchain, .params, .value, .ciLow, .ciHigh, .ciLevel,
      .nProc, .nIter,
      .nOp, .process, .role, .pairID, .design, .state:
      true
    }
  }

  /// What the column says, in one line.
  package var summary: String {
    switch self {
    case .schema: "version of this schema; readers refuse a higher one"
    case .time: "start of the run, ISO 8601 UTC"
    case .runID: "26 characters, unique, sorts by time; one run per file"
    case .commit: "commit of the measured code, 40 hexadecimal digits"
    case .branch: "branch of the measured code"
    case .dirty: "1 when the working tree had changes, else 0"
    case .binary: "b: and a hash of the measured executable"
    case .toolchain: "compiler that built the measured executable"
    case .machineID: "h: and a hash of what makes machines comparable"
    case .suite: "core for the built-in workloads, replay for a recorded graph"
    case .benchmark: "workload, or file stem of the graph"
    case .params: "name:value joined by ; and sorted by name, workers included"
    case .scheduler: "back end, or reference system"
    case .allocator: "memory allocator of the measuring process"
    case .metric: "what was measured, see the metrics"
    case .stat: "statistic over the samples, see the statistics"
    case .unit: "unit of the metric; 1 for a ratio"
    case .direction: "which way is better: lower, higher or none"
    case .value: "the figure; empty when quality holds a failure"
    case .ciLow: "lower bound of the confidence interval"
    case .ciHigh: "upper bound of the confidence interval"
    case .ciLevel: "level of the confidence interval, between 0 and 1"
    case .nProc: "measuring processes behind the figure"
    case .nIter: "timed iterations behind the figure"
    case .nOp: "operations behind the figure"
    case .process: "number of the measuring process; empty for the aggregate"
    case .role: "side of a comparison, A or B"
    case .pairID: "number of the pair in a comparison"
    case .design: "how the comparison of a ratio was planned: its verdict rests on it"
    case .state: "warm-up label: steady, drifting, cyclic or unknown"
    case .quality: "ok, or what makes the figure doubtful or missing, joined by ;"
    }
  }

  /// A cell as it may look.
  package var example: String {
    switch self {
    case .schema: String(Self.schemaVersion)
    case .time: "2026-01-31T12:00:00Z"
    case .runID: "01KG9RKVG0T5Z0N9QX3W7B4E2M"
    case .commit: "6180120d52a1b7c0c9a7c3e1f00d5eed2b0a4c11"
    case .branch: "main"
    case .dirty: "0"
    case .binary: "b:85944171f73967e8"
    case .toolchain: "Swift 6.3.1"
    case .machineID: "h:3fa9c0d2e4b86a17"
    case .suite: "core"
    case .benchmark: "fan"
    case .params: "rounds:200;width:1000;workers:2"
    case .scheduler: "work-stealing"
    case .allocator: "jemalloc"
    case .metric: Metric.wall.rawValue
    case .stat: Statistic.p50.rawValue
    case .unit: Metric.wall.unit
    case .direction: Metric.wall.direction.rawValue
    case .value: "431.25"
    case .ciLow: "428.1"
    case .ciHigh: "434.0"
    case .ciLevel: "0.95"
    case .nProc: "8"
    case .nIter: "240"
    case .nOp: "48240000"
    case .process: "7"
    case .role: "A"
    case .pairID: "12"
    case .design: "equivalence:0.03;looks:20+40+80;pairing:alternating;tolerance:0.01"
    case .state: WarmUpState.steady.rawValue
    case .quality: "ok"
    }
  }
}
