// SPDX-License-Identifier: Apache-2.0

internal import Results
internal import Traces

/// What the analyses say, in the words and figures of a page.
struct PageFindings {
  private let trace: Trace
  private let report: TraceReport

  init(_ trace: Trace, _ report: TraceReport) {
    self.trace = trace
    self.report = report
  }

  /// The stretches of the chain that the run hung on; none where the recording is not whole.
  var chain: [RealisedPath.Stretch] { report.graph?.realisedPath.stretches ?? [] }

  /// The operations of the longest chain of dependencies, the first one first, and how many of them
  /// there are.
  var spanChain: JSONValue {
    let path = report.graph?.workAndSpan.criticalPath ?? []
    return .object([
      ("count", .integer(path.count)),
      ("operations", .array(path.prefix(Self.spanChainShown).map { .integer(Int($0)) })),
    ])
  }
  private static let spanChainShown = 200

  /// From the first operation added until the last finished, ns.
  var makespan: Int64 { report.window.makespan }

  /// The largest cause of each operation's wait, by index in `WaitCause.allCases`.
  var causeOfOperation: [Int64?] {
    guard let causes = report.graph?.causes else {
      return Array(repeating: nil, count: trace.operations.count)
    }
    return causes.largest.map { $0.map { Int64($0.rawValue) } }
  }

  /// Why no cause is named; nil where causes are.
  var refusal: String? {
    report.graph == nil || isDistorted ? report.verdict.sentence : nil
  }

  /// Whether the recording changed the run so much that nobody knows what the run waited for.
  private var isDistorted: Bool { report.perturbation?.isTooLarge ?? false }

  /// What stands on top: the largest cause, and what to try.
  var sentence: String { report.verdict.sentence }

  /// What a reader must know before believing the figures.
  var notes: [String] {
    var notes: [String] = []
    if let perturbation = report.perturbation {
      let changes = [perturbation.ratio, perturbation.low, perturbation.high].map { ratio in
        let change = ((ratio - 1) * 1000).rounded() / 10
        return "\(change > 0 ? "+" : "")\(change == 0 ? 0 : change) %"
      }
      notes.append(
        "The recording changed how long the run took by \(changes[0]), 95 % interval "
          + "\(changes[1]) to \(changes[2])")
    }
    if report.order.violations > 0 {
      notes.append("\(report.order.violations) times are in an order that no run can have")
    }
    if !report.little.holds {
      notes.append("Depths, rates and waits of the queues do not fit: events may be missing")
    }
    return notes
  }

  /// The causes of ready waits with whose doing each is.
  var causes: JSONValue {
    guard let total = report.graph?.causes.total, !isDistorted else { return .array([]) }
    return .array(
      WaitCause.allCases.filter { total[$0] > 0 }.map { cause in
        .object([
          ("name", .string(cause.words)), ("group", .string("\(cause.origin)")),
          ("nanoseconds", .integer(Int(total[cause]))),
        ])
      })
  }

  /// The mean time of an operation in each phase, by class.
  var breakdown: JSONValue {
    let largest = 12
    return .array(
      report.latency.byKind.prefix(largest).map { kind, group in
        .object([
          ("name", .string(kind == 0 ? "operation" : trace.names[Int(kind)])),
          ("count", .integer(group.run.count)),
          (
            "means",
            .array(
              LatencyBreakdown.Phase.allCases.map { phase in
                // The mean of all operations, so that the phases of a bar may be added up.
                let total = Double(group[phase].totalNanoseconds)
                return .number(total / Double(max(1, group.run.count)))
              })
          ),
        ])
      })
  }

  /// The figures below the sentence.
  var figures: JSONValue {
    var pairs: [(name: String, value: String)] = [
      ("operations", String(trace.operations.count)), ("workers", String(trace.header.workers)),
    ]
    if report.window.makespan > 0 { pairs.append(("makespan", report.window.makespan.duration)) }
    if let graph = report.graph {
      pairs.append(("work", graph.workAndSpan.work.duration))
      pairs.append(("span", graph.workAndSpan.span.duration))
      if let parallelism = graph.workAndSpan.parallelism {
        pairs.append(("parallelism", "\((parallelism * 10).rounded() / 10)"))
      }
      let path = graph.realisedPath
      pairs.append(("of the slowest chain ran", Self.percent(path[.run], of: path.total)))
      let profile = graph.parallelism
      pairs.append(("workers had jobs", Self.percent(profile.occupied, of: profile.capacity)))
      pairs.append(
        ("idle although work was ready", Self.percent(profile.schedulerIdle, of: profile.capacity)))
      pairs.append(
        ("idle, nothing was ready", Self.percent(profile.graphIdle, of: profile.capacity)))
      pairs.append(("ready waits together", graph.causes.total.total.duration))
    }
    return .array(
      pairs.map { .object([("name", .string($0.name)), ("value", .string($0.value))]) })
  }

  private static func percent(_ part: Int64, of whole: Int64) -> String {
    whole > 0 ? "\((1000 * Double(part) / Double(whole)).rounded() / 10) %" : "–"
  }

  /// For each thread that ran operations its time by what it did.
  var utilisation: JSONValue {
    .array(
      (report.graph?.utilisation.rows ?? []).map { row in
        .object([
          ("thread", .integer(row.thread)),
          (
            "nanoseconds",
            .array(
              [row.run, row.search, row.park, row.blocked, row.displaced, row.other].map {
                .integer(Int($0))
              })
          ),
        ])
      })
  }

  /// What each worker took from each other one, and how often in vain.
  var steals: JSONValue {
    let pairs = (report.graph?.steals.entries ?? []).filter { $0.thief >= 0 && $0.victim >= 0 }
    return .object([
      ("isKnown", .boolean(trace.operations.contains { $0.source != .unknown })),
      (
        "pairs",
        .array(
          pairs.map { entry in
            .object([
              ("thief", .integer(Int(entry.thief))), ("victim", .integer(Int(entry.victim))),
              ("count", .integer(entry.steals)), ("failures", .integer(entry.failures)),
              ("work", .integer(Int(entry.stolenWork))),
            ])
          })
      ),
    ])
  }

  /// What the run would take on other numbers of workers, by formula and by list schedule.
  var projection: JSONValue {
    guard let projection = report.graph?.projection, !isDistorted else { return .array([]) }
    return .array(
      projection.points.map { point in
        .object([
          ("workers", .integer(point.workers)), ("bound", .integer(Int(point.bound))),
          ("scheduled", point.scheduled.map { .integer(Int($0)) } ?? .null),
        ])
      })
  }
}

extension WaitCause {
  /// What a page says of the cause.
  var words: String {
    switch self {
    case .workersBusy: "all workers were busy"
    case .workerHeld: "all busy, one of them with a long job"
    case .nobodyAwake: "a worker slept and nobody woke it"
    case .lookingElsewhere: "a worker looked elsewhere"
    case .wakingUp: "a worker was waking up"
    case .operatingSystem: "a worker waited for a processor"
    case .handingOver: "the scheduler was handing it over"
    case .limit: "its queue was at its limit"
    case .barrier: "a barrier"
    case .suspension: "its queue was suspended"
    case .resource: "a resource was used up"
    case .condition: "a condition was not met"
    case .unknown: "the recording does not tell"
    }
  }
}

extension RealisedPath.Part {
  /// What a page says of a part of the chain.
  var words: String {
    switch self {
    case .run: "running"
    case .suspended: "going on without a thread"
    case .overhead: "the scheduler's own path"
    case .idle: "ready, not begun"
    case .system: "waiting for the operating system"
    case .policy: "held by a limit, barrier or the like"
    case .outside: "not all added yet"
    case .unknown: "unknown"
    }
  }
}

extension Int64 {
  /// Nanoseconds in the unit in which they are easiest to read.
  var duration: String {
    let units: [(size: Double, name: String)] = [(1e9, "s"), (1e6, "ms"), (1e3, "µs")]
    let value = Double(self)
    guard let unit = units.first(where: { abs(value) >= $0.size }) else { return "\(self) ns" }
    let scaled = value / unit.size
    let digits: Double = abs(scaled) >= 100 ? 1 : abs(scaled) >= 10 ? 10 : 100
    return "\((scaled * digits).rounded() / digits) \(unit.name)"
  }
}
