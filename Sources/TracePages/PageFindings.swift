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

  /// The largest cause of each operation's wait, by index in `WaitCause.allCases`.
  var causeOfOperation: [Int64?] {
    guard let causes = report.graph?.causes else {
      return Array(repeating: nil, count: trace.operations.count)
    }
    return causes.largest.map { $0.map { Int64($0.rawValue) } }
  }

  /// Why there are no findings about the whole graph.
  var refusal: String? {
    switch report.refusal {
    case nil: nil
    case .droppedEvents(let count, let needed):
      "\(count) events were overwritten, so nothing is said of the whole run; "
        + "record again with room for \(needed) events per thread"
    case .latencyDetail:
      "Only ready, start and finish were recorded, so nothing is said of the whole run; "
        + "record again with full detail"
    case .cycle(let operations):
      "The recorded edges make a cycle around \(operations) operations, which no run can have"
    case .nothingFinished: "No operation finished"
    }
  }

  /// What stands on top: where the time of the chain went, and why ready operations waited.
  var sentence: String {
    guard let graph = report.graph else {
      return (refusal ?? "Nothing is said of the whole run") + "."
    }
    let path = graph.realisedPath
    func percent(_ part: Int64, _ whole: Int64) -> String {
      whole > 0 ? "\(Int((100 * Double(part) / Double(whole)).rounded())) %" : "nothing"
    }
    let chain = "The slowest chain spent \(percent(path[.run], path.total)) of its time running"
    let waits = graph.causes.total
    guard let cause = waits.largest else { return chain + "; no ready operation waited." }
    return chain
      + "; of the time that ready operations waited, \(percent(waits[cause], waits.total)) "
      + "is because \(cause.clause)."
  }

  /// The causes of ready waits with whose doing each is.
  var causes: JSONValue {
    guard let total = report.graph?.causes.total else { return .array([]) }
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
      let path = graph.realisedPath
      let share = path.total > 0 ? 100 * Double(path[.run]) / Double(path.total) : 0
      pairs.append(("of the slowest chain spent running", "\(Int(share.rounded())) %"))
      let total = graph.causes.total
      pairs.append(("ready waits together", total.total.duration))
    }
    return .array(
      pairs.map { .object([("name", .string($0.name)), ("value", .string($0.value))]) })
  }
}

extension WaitCause {
  /// The cause as the end of a sentence.
  fileprivate var clause: String {
    switch self {
    case .workerHeld: "all workers were busy, one of them with a long job"
    case .barrier: "a barrier held them"
    default: words
    }
  }

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
    case .outside: "not added yet"
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
