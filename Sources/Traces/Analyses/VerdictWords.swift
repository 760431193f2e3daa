// SPDX-License-Identifier: Apache-2.0

/// Finds the words and figures of a verdict.
struct VerdictWords {
  private let trace: Trace
  private let graph: TraceReport.WholeGraph
  private let makespan: Int64

  init(_ trace: Trace, graph: TraceReport.WholeGraph, window: RunWindow) {
    self.trace = trace
    self.graph = graph
    makespan = window.makespan
  }

  /// A cause of waiting, with its share, what it cost the workers, and what to try.
  func sentence(for cause: WaitCause) -> String {
    let waits = graph.causes.total
    let share = Self.percent(waits.share(of: cause))
    let lost = graph.parallelism.capacity - graph.parallelism.occupied
    let idle = Self.percent(Double(lost) / Double(max(1, graph.parallelism.capacity)))
    return "\(share) of the waiting is \(Self.description(of: cause)), and workers had no job for"
      + " \(idle) of their time; try \(advice(for: cause))."
  }

  /// Bodies take the time.
  var work: String {
    let profile = graph.parallelism
    let busy = Self.percent(Double(profile.occupied) / Double(max(1, profile.capacity)))
    let start =
      "Workers had jobs for \(busy) of their time, which leaves little to another scheduler; try "
    let less = "less work\(whereMostIs)"
    guard let parallelism = graph.workAndSpan.parallelism else { return start + less + "." }
    let workers = trace.header.workers
    guard parallelism >= Double(workers) * Self.moreWorkersHelp else {
      return start + less + ": the graph has a parallelism of \(Self.number(parallelism)), so that"
        + " more than \(workersText) would change little."
    }
    return start + "more than \(workersText), since the graph has a parallelism of"
      + " \(Self.number(parallelism)), or \(less)."
  }

  private var workersText: String {
    trace.header.workers == 1 ? "1 worker" : "\(trace.header.workers) workers"
  }

  /// From which multiple of the workers on the parallelism of a graph leaves room for more of them.
  private static let moreWorkersHelp = 1.5

  /// The graph leaves workers without anything ready.
  var graphShape: String {
    let profile = graph.parallelism
    let share = Self.percent(Double(profile.graphIdle) / Double(max(1, profile.capacity)))
    let span = Self.percent(Double(graph.workAndSpan.span) / Double(max(1, makespan)))
    let length = graph.workAndSpan.criticalPath.count
    let start = "Workers had no job for \(share) of their time because nothing was ready; try to"
    let outside = graph.realisedPath[.outside]
    guard outside <= graph.workAndSpan.span else {
      let late = Self.percent(Double(outside) / Double(max(1, makespan)))
      return start + " add operations earlier: for \(late) of the run the next one had not been"
        + " added."
    }
    return start + " shorten the chain of \(length) \(length == 1 ? "operation" : "operations")"
      + " that takes \(span) of the run\(longestOnPath)."
  }

  /// A figure with as many digits as it is worth.
  static func number(_ figure: Double) -> String {
    let tenths = (figure * 10).rounded()
    if abs(figure) >= 10 || tenths.truncatingRemainder(dividingBy: 10) == 0 {
      return "\(Int(figure.rounded()))"
    }
    let sign = tenths < 0 ? "-" : ""
    return "\(sign)\(Int(abs(tenths)) / 10).\(Int(abs(tenths)) % 10)"
  }

  private static func percent(_ share: Double) -> String { "\(number(share * 100)) %" }

  private static func description(of cause: WaitCause) -> String {
    switch cause {
    case .workersBusy: "for workers that all ran bodies"
    case .workerHeld: "for workers of which one had the same job for a large part of the run"
    case .nobodyAwake: "behind a worker that slept and that nobody woke"
    case .lookingElsewhere: "behind a worker that was awake and looked where nothing was"
    case .wakingUp: "for a worker that had been woken and did not run yet"
    case .operatingSystem: "for a worker that waited for a processor"
    case .handingOver: "in the scheduler's own path between two operations"
    case .limit: "behind the limit of a queue while a worker was free"
    case .barrier: "behind barriers"
    case .suspension: "in a suspended queue"
    case .resource: "for a resource that was used up"
    case .condition: "for a condition that was not met"
    case .unknown: "of unknown cause, since the scheduler does not tell what its threads do"
    }
  }

  private func advice(for cause: WaitCause) -> String {
    switch cause {
    case .workersBusy: "more than \(workersText)"
    case .workerHeld: "to cut the long job into parts, or to make it asynchronous"
    case .nobodyAwake:
      "a scheduler that wakes a worker for every operation that becomes ready"
    case .lookingElsewhere:
      "a scheduler that asks every worker before it gives up, or larger operations"
    case .wakingUp:
      "a scheduler that lets workers look longer before they sleep, or larger operations (a"
        + " wake-up takes \(wakeLatency))"
    case .operatingSystem: "as many workers as free processors, or an idle machine"
    case .handingOver: grainAdvice
    case .limit: "a higher limit of \(queueName(.limit))"
    case .barrier: "dependencies instead of the barriers of \(queueName(.barrier))"
    case .suspension: "to resume \(queueName(.suspension)) earlier"
    case .resource: "a larger resource, or operations that hold it for a shorter time"
    case .condition: "to meet the condition earlier"
    case .unknown: "a scheduler that reports what its threads do"
    }
  }

  private var grainAdvice: String {
    guard let group = graph.grain.merge.first else { return "larger operations" }
    return "to merge \(group.merge) operations of \(quoted(group.name)) into one each"
  }

  private var wakeLatency: String {
    guard let median = graph.wakes.latency.p50 else { return "a time that is unknown" }
    return "\(Self.number(Double(median) / 1_000)) µs at the median"
  }

  /// The queue with most of a cause.
  private func queueName(_ cause: WaitCause) -> String {
    let shares = graph.causes.byQueue
    guard let queue = shares.indices.max(by: { shares[$0][cause] < shares[$1][cause] }),
      queue < trace.queues.count
    else { return "its queue" }
    return "queue \(quoted(trace.queues[queue].name))"
  }

  /// The kind with most of the run time where there are several; else the longest operation, where
  /// it has a name and is worth one.
  private var whereMostIs: String {
    let work = Double(graph.workAndSpan.work)
    guard work > 0 else { return "" }
    if graph.runByKind.count > 1, let group = graph.runByKind.first, group.kind != 0 {
      let share = Self.percent(min(1, Double(group.run) / work))
      return " in \(quoted(group.kind)), which takes \(share) of it"
    }
    let longest = trace.operations.max { ($0.runTime ?? 0) < ($1.runTime ?? 0) }
    guard let longest, longest.name != 0, let run = longest.runTime,
      Double(run) >= Self.worthNaming * work
    else { return "" }
    return
      ", first of all in \(quoted(longest.name)), which takes \(Self.percent(Double(run) / work))"
      + " of it"
  }

  /// The part of the work from which on a single operation is worth naming.
  private static let worthNaming = 0.1

  private var longestOnPath: String {
    let path = graph.workAndSpan.criticalPath
    let longest = path.max {
      (trace.operations[Int($0)].runTime ?? 0) < (trace.operations[Int($1)].runTime ?? 0)
    }
    guard let longest else { return "" }
    let operation = trace.operations[Int(longest)]
    let name = operation.name != 0 ? operation.name : operation.kind
    return name == 0 ? "" : ", first of all \(quoted(name))"
  }

  private func quoted(_ name: UInt32) -> String {
    let text = Int(name) < trace.names.count ? trace.names[Int(name)] : ""
    return text.isEmpty ? "without a name" : "\"\(text)\""
  }
}
