// SPDX-License-Identifier: Apache-2.0

internal import Results
internal import Traces

/// What a recorded graph would take with other workers, policies and overheads.
struct SimulationTable {
  /// One schedule.
  struct Row {
    let schedule: SimulatedSchedule
    /// What no schedule on these workers can be faster than, ns.
    let bound: Int64
    /// The part of the workers' time that bodies and overhead take.
    let busy: Double

    var workers: Int { schedule.options.workers }
    /// How much longer it is than the bound: 0.1 for a tenth.
    var overBound: Double {
      bound > 0 ? Double(schedule.makespan) / Double(bound) - 1 : 0
    }
  }

  let rows: [Row]
  private let recorded: RecordedGraph
  private let request: SimulateRequest
  /// The recording is of a run, and not made of a graph.
  private let isMeasured: Bool
  /// Per operation, as it was measured; nil where the recording has no two operations to measure it
  /// between.
  private let measuredOverhead: Int64?

  /// Every worker count with every policy.
  init(_ recorded: RecordedGraph, _ request: SimulateRequest, isMeasured: Bool = true) {
    self.recorded = recorded
    self.request = request
    self.isMeasured = isMeasured
    measuredOverhead = isMeasured ? recorded.overheadNanoseconds : nil
    let overhead = Self.scaled(measuredOverhead ?? 0, request.overheadFactor)
    let graph = recorded.graph
    let counts = request.workers ?? [1, 2, 4, 8].map { $0 * recorded.workers }
    rows = counts.flatMap { workers in
      request.policies.map { policy in
        let schedule = Simulation.run(
          graph,
          SimulationOptions(
            workers: workers, policy: policy, overheadNanoseconds: overhead, seed: request.seed))
        let held = Double(graph.work) + Double(overhead) * Double(schedule.finished)
        let capacity = Double(schedule.makespan) * Double(workers)
        return Row(
          schedule: schedule, bound: graph.lowerBound(workers: workers),
          busy: capacity > 0 ? held / capacity : 0)
      }
    }
  }

  private static func scaled(_ overhead: Int64, _ factor: Double) -> Int64 {
    Int64(min((Double(overhead) * factor).rounded(), 1e15))
  }

  /// What is supposed and what was recorded, then the table.
  func text(path: String, trace: Trace, style: TerminalStyle) -> String {
    (facts(path: path, trace: trace) + [""] + table.lines(style: style))
      .joined(separator: "\n") + "\n"
  }

  var markdown: String { table.markdown }

  private func facts(path: String, trace: Trace) -> [String] {
    let graph = recorded.graph
    let edges = graph.dependencyCounts.reduce(0) { $0 + Int($1) }
    let span = graph.criticalPath
    let parallelism = span > 0 ? Double(graph.work) / Double(span) : 1
    let overhead =
      measuredOverhead.map {
        "\(Self.time($0)) an operation, of which ×\(UnitFormatter.significant(request.overheadFactor)) is supposed"
      } ?? "not measurable in this \(isMeasured ? "recording" : "graph"), so that none is supposed"
    let bound = graph.lowerBound(workers: recorded.workers)
    let regret =
      bound > 0
      ? UnitFormatter.change(max(Double(recorded.makespan), 1) / Double(bound)) : "no bound"
    var lines = [
      "\(path): \(graph.count) operations, \(edges) dependencies"
        + (isMeasured
          ? ", recorded on \(trace.header.scheduler) with \(recorded.workers) workers" : ""),
      "work \(Self.time(graph.work)), span \(Self.time(span)), parallelism "
        + UnitFormatter.significant(parallelism),
      "overhead \(overhead)",
    ]
    if isMeasured {
      lines.append(
        "recorded \(Self.time(recorded.makespan)); no schedule on \(recorded.workers) workers takes "
          + "less than \(Self.time(bound)): regret \(regret)")
    }
    if recorded.unfinished > 0 {
      lines.append("\(recorded.unfinished) operations did not finish and are left out")
    }
    return lines
  }

  private var table: TextTable {
    var table = TextTable(columns: [
      ("workers", .right), ("policy", .left), ("makespan", .right), ("lower bound", .right),
      ("over it", .right), ("speed-up", .right), ("busy", .right),
    ])
    for row in rows {
      let speedUp = Double(recorded.makespan) / Double(max(row.schedule.makespan, 1))
      table.rows.append([
        .init("\(row.workers)"), .init(row.schedule.options.policy.rawValue),
        .init(Self.time(row.schedule.makespan)), .init(Self.time(row.bound)),
        .init(UnitFormatter.percent(row.overBound)),
        .init("×" + UnitFormatter.significant(speedUp)),
        .init(UnitFormatter.percent(row.busy)),
      ])
    }
    return table
  }

  /// A row of CSV for each schedule, all times in nanoseconds.
  var csv: String {
    var lines = ["workers,policy,overhead_ns,seed,makespan_ns,bound_ns,recorded_ns,busy"]
    for row in rows {
      let options = row.schedule.options
      lines.append(
        "\(row.workers),\(options.policy.rawValue),\(options.overheadNanoseconds),\(options.seed),"
          + "\(row.schedule.makespan),\(row.bound),"
          + "\(isMeasured ? String(recorded.makespan) : ""),\(row.busy)")
    }
    return lines.joined(separator: "\n") + "\n"
  }

  func json(path: String) -> String {
    let graph = recorded.graph
    return JSONValue.object([
      ("trace", .string(path)), ("operations", .integer(graph.count)),
      ("workNanoseconds", .integer(Int(graph.work))),
      ("spanNanoseconds", .integer(Int(graph.criticalPath))),
      (
        "overheadNanoseconds",
        measuredOverhead.map { .integer(Int($0)) } ?? .null
      ),
      ("overheadFactor", .number(request.overheadFactor)),
      (
        "recorded",
        !isMeasured
          ? .null
          : .object([
            ("workers", .integer(recorded.workers)),
            ("makespanNanoseconds", .integer(Int(recorded.makespan))),
            (
              "boundNanoseconds",
              .integer(Int(graph.lowerBound(workers: recorded.workers)))
            ),
          ])
      ),
      (
        "schedules",
        .array(
          rows.map { row in
            .object([
              ("workers", .integer(row.workers)),
              ("policy", .string(row.schedule.options.policy.rawValue)),
              (
                "overheadNanoseconds",
                .integer(Int(row.schedule.options.overheadNanoseconds))
              ),
              ("makespanNanoseconds", .integer(Int(row.schedule.makespan))),
              ("boundNanoseconds", .integer(Int(row.bound))), ("busy", .number(row.busy)),
            ])
          })
      ),
    ]).document
  }

  private static func time(_ nanoseconds: Int64) -> String {
    UnitFormatter.text(Double(nanoseconds), unit: "ns")
  }
}
