// SPDX-License-Identifier: Apache-2.0

internal import Results
internal import Traces

/// What the smaller analyses of a recording say: a sentence of each that has something to tell.
struct ProfileFindings {
  /// One analysis.
  struct Row {
    let subject: String
    let text: String
  }

  let trace: Trace
  let report: TraceReport

  /// In the order in which one asks: who had work, what edges and operations cost, who woke, stole
  /// and moved, who was passed over or cancelled, and whether the recording agrees with itself.
  var rows: [Row] {
    var rows: [Row] = []
    func add(_ subject: String, _ text: String?) {
      if let text { rows.append(Row(subject: subject, text: text)) }
    }
    if let graph = report.graph {
      add("workers", workers(graph))
      add("burdened span", burdenedSpan(graph.burdenedSpan))
      add("grain", grain(graph.grain))
      add("wake-ups", wakes(graph.wakes))
      add("steals", steals(graph.steals))
      add("locality", locality(graph.locality))
      add("priorities", inversions(graph.inversions))
    }
    add("cancellation", cancellation(report.cancellation))
    add("Little's law", little(report.little))
    return rows
  }

  /// The rows below a headline; nothing where there are none.
  func section(_ style: TerminalStyle) -> [String] {
    let lines = rows.flatMap { row in
      HelpText.wrap("\(row.subject): \(row.text)", width: HelpText.width - 4).enumerated().map {
        ($0.offset == 0 ? "  " : "    ") + $0.element
      }
    }
    return lines.isEmpty ? [] : ["", style.paint("and besides", .faint)] + lines
  }

  private func workers(_ graph: TraceReport.WholeGraph) -> String? {
    let profile = graph.parallelism
    guard profile.capacity > 0 else { return nil }
    func share(_ time: Int64) -> String {
      UnitFormatter.percent(Double(time) / Double(profile.capacity))
    }
    var text =
      "had jobs for \(share(profile.occupied)) of their time, none while work was ready for "
      + "\(share(profile.schedulerIdle)), none while nothing was for \(share(profile.graphIdle))"
    if profile.policyIdle > 0 {
      text += ", none while all that was ready was held back for \(share(profile.policyIdle))"
    }
    if let imbalance = graph.utilisation.imbalance, trace.header.workers > 1 {
      text += "; the busiest ran ×\(UnitFormatter.significant(imbalance)) of the mean"
    }
    return text
  }

  private func burdenedSpan(_ burdened: BurdenedSpan) -> String? {
    guard let parallelism = burdened.parallelism else { return nil }
    var parts: [String] = []
    if burdened.handingOver > 0 { parts.append("\(time(burdened.handingOver)) to hand over") }
    if burdened.parkToWake > 0 {
      parts.append("\(time(burdened.parkToWake)) to a sleeping worker")
    }
    if burdened.spinToTake > 0 { parts.append("\(time(burdened.spinToTake)) to one awake") }
    let span =
      "\(time(burdened.span)), parallelism \(UnitFormatter.significant(parallelism))"
    return parts.isEmpty
      ? span : "\(span), with what each edge costs: \(parts.joined(separator: ", "))"
  }

  private func grain(_ grain: GrainVerdict) -> String? {
    guard let overhead = grain.overheadPerOperation, let below = grain.shareBelow else {
      return nil
    }
    var text =
      "an operation costs \(time(overhead)) beside its body; "
      + "\(UnitFormatter.percent(below)) of the bodies are shorter"
    if let group = grain.merge.first, group.merge > 1 {
      text +=
        "; \(group.merge) of `\(name(group.name))`, \(time(Int64(group.meanRun.rounded()))) each, "
        + "should be one"
    }
    return text
  }

  private func wakes(_ wakes: WakeEconomy) -> String? {
    guard wakes.wakes + wakes.parks > 0, let each = wakes.wakesPerOperation else { return nil }
    var text = "\(UnitFormatter.significant(each)) an operation"
    if wakes.unparks > 0 { text += ", \(wakes.spurious) of \(wakes.unparks) for nothing" }
    if wakes.longestChain > 1 {
      text += ", up to \(wakes.longestChain) in a row before one ran anything"
    }
    if let median = wakes.latency.p50 { text += "; \(time(median)) until awake (median)" }
    return text
  }

  private func steals(_ steals: StealMatrix) -> String? {
    guard let ratio = steals.failRatio else { return nil }
    let work = steals.entries.reduce(0) { $0 + $1.stolenWork }
    return "\(steals.steals), with \(time(work)) of bodies; \(UnitFormatter.percent(ratio)) of the "
      + "attempts in vain"
  }

  private func locality(_ locality: Locality) -> String? {
    guard let share = locality.share else { return nil }
    return "\(UnitFormatter.percent(share)) of the operations ran on the thread that released "
      + "them; threads changed their processor \(locality.threadMigrations) times"
  }

  private func inversions(_ inversions: PriorityInversions) -> String? {
    guard let worst = inversions.worst.first else { return nil }
    let operations = inversions.count == 1 ? "operation" : "operations"
    return "\(inversions.count) \(operations) waited on while one of a lower priority started, "
      + "\(time(inversions.totalNanoseconds)) in all; longest: "
      + "\(ProfileTables.name(Int(worst.operation), trace)), \(time(worst.nanoseconds)) behind "
      + ProfileTables.name(Int(worst.overtaker), trace)
  }

  private func cancellation(_ report: CancellationReport) -> String? {
    guard report.count > 0 else { return nil }
    var text =
      "of \(report.count) operations, \(report[.pending]) before they were ready, "
      + "\(report[.ready]) ready, \(report[.running]) running; \(report.startedAfterRequest) began "
      + "afterwards"
    if let seen = report.requestToObserved.p50 { text += "; seen after \(time(seen)) (median)" }
    if let quiet = report.requestToQuiescent { text += "; all over after \(time(quiet))" }
    return text + "; \(time(report.wastedRun)) run in vain"
  }

  private func little(_ check: LittleCheck) -> String? {
    guard !check.rows.isEmpty else { return nil }
    guard let row = check.rows.first(where: { !$0.holds }) else {
      return "holds: the depth of every queue is its rate times the time in it"
    }
    let told = name(trace.queues[row.queue].name)
    return "does not hold for queue `\(told)`: a mean depth of "
      + "\(UnitFormatter.significant(row.meanDepth)), by rate and time "
      + "\(UnitFormatter.significant(row.expectedDepth)); operations or events are missing"
  }

  private func name(_ index: UInt32) -> String { trace.names[Int(index)] }
  private func time(_ nanoseconds: Int64) -> String { ProfileText.time(nanoseconds) }
}

extension ProfileFindings {
  /// What the analyses found, as members of an object; times in nanoseconds.
  var members: [(name: String, value: JSONValue)] {
    let cancelled = report.cancellation
    var members: [(name: String, value: JSONValue)] = [
      (
        "cancellation",
        .object([
          ("operations", .integer(cancelled.count)),
          ("pending", .integer(cancelled[.pending])), ("ready", .integer(cancelled[.ready])),
          ("running", .integer(cancelled[.running])),
          ("startedAfterRequest", .integer(cancelled.startedAfterRequest)),
          ("observed", number(cancelled.requestToObserved.p50)),
          ("quiescence", number(cancelled.requestToQuiescent)),
          ("wastedRun", .integer(Int(cancelled.wastedRun))),
        ])
      ), ("littleHolds", .boolean(report.little.holds)),
    ]
    guard let graph = report.graph else { return members }
    let parallelism = graph.parallelism
    members += [
      (
        "workerTime",
        .object([
          ("occupied", .integer(Int(parallelism.occupied))),
          ("schedulerIdle", .integer(Int(parallelism.schedulerIdle))),
          ("policyIdle", .integer(Int(parallelism.policyIdle))),
          ("graphIdle", .integer(Int(parallelism.graphIdle))),
        ])
      ), ("burdenedSpan", .integer(Int(graph.burdenedSpan.span))),
      (
        "grain",
        .object([
          ("overhead", number(graph.grain.overheadPerOperation)),
          ("below", .integer(graph.grain.belowCount)), ("count", .integer(graph.grain.count)),
        ])
      ),
      (
        "wakeUps",
        .object([
          ("wakes", .integer(graph.wakes.wakes)), ("spurious", .integer(graph.wakes.spurious)),
          ("longestChain", .integer(graph.wakes.longestChain)),
          ("latency", number(graph.wakes.latency.p50)),
        ])
      ),
      (
        "steals",
        .object([
          ("steals", .integer(graph.steals.steals)),
          ("failures", .integer(graph.steals.failures)),
        ])
      ),
      (
        "locality",
        .object([
          ("pairs", .integer(graph.locality.pairs)),
          ("sameThread", .integer(graph.locality.sameThread)),
          ("threadMigrations", .integer(graph.locality.threadMigrations)),
        ])
      ),
      (
        "inversions",
        .object([
          ("operations", .integer(graph.inversions.count)),
          ("total", .integer(Int(graph.inversions.totalNanoseconds))),
        ])
      ),
    ]
    return members
  }

  private func number(_ value: Int64?) -> JSONValue { value.map { .integer(Int($0)) } ?? .null }
}
