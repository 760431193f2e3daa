// SPDX-License-Identifier: Apache-2.0

internal import Traces

/// The tables of a profile.
enum ProfileTables {
  /// Lines of tables whose rows have a name and a sentence.
  private static let wideLine = 100
  /// How much of an operation's name is shown: the end, which tells paths apart.
  private static let shownName = 40

  /// The phases of all operations, and of each priority where there are several.
  static func latency(_ latency: LatencyBreakdown) -> TextTable {
    var table = TextTable(columns: [
      ("priority", .left), ("phase", .left), ("operations", .right), ("total", .right),
      ("median", .right), ("p99", .right), ("longest", .right),
    ])
    var groups = [("all", latency.all)]
    if latency.byPriority.count > 1 {
      groups += latency.byPriority.map { ("\($0.priority)", $0.group) }
    }
    for (name, group) in groups {
      for phase in LatencyBreakdown.Phase.allCases where group[phase].count > 0 {
        let summary = group[phase]
        table.rows.append([
          .init(name), .init(self.name(phase)), .init("\(summary.count)"),
          .init(ProfileText.time(summary.totalNanoseconds)), .init(time(summary.p50)),
          .init(time(summary.p99)), .init(time(summary.maximum)),
        ])
      }
    }
    return table
  }

  /// The causes of ready wait, the largest first; they sum to 100 %.
  static func causes(_ causes: WaitCauses) -> TextTable {
    var table = TextTable(columns: [("cause", .left), ("time", .right), ("share", .right)])
    table.mostWidth = wideLine
    let total = causes.total
    for cause in WaitCause.allCases.sorted(by: { total[$0] > total[$1] }) where total[cause] > 0 {
      table.rows.append([
        .init(ProfileSentence.name(cause)), .init(ProfileText.time(total[cause])),
        .init(UnitFormatter.percent(total.share(of: cause))),
      ])
    }
    return table
  }

  /// What the realised path was spent on.
  static func path(_ path: RealisedPath) -> TextTable {
    var table = TextTable(columns: [("part", .left), ("time", .right), ("share", .right)])
    for part in RealisedPath.Part.allCases where path[part] > 0 {
      table.rows.append([
        .init(ProfileSentence.label(part)), .init(ProfileText.time(path[part])),
        .init(UnitFormatter.percent(Double(path[part]) / Double(max(path.total, 1)))),
      ])
    }
    return table
  }

  /// The chain of dependencies with the longest bodies, by its first and last names; nil for chains
  /// of one, and where one on it has no name.
  static func chain(_ work: WorkAndSpan, _ trace: Trace) -> String? {
    let path = work.criticalPath
    guard path.count > 1, path.allSatisfy({ trace.operations[Int($0)].name != 0 }) else {
      return nil
    }
    let shown = 6
    let names = path.map { shortName(Int($0), trace) }
    let middle = path.count > shown ? ["… \(path.count - shown + 1) more …"] : []
    let ends =
      middle.isEmpty
      ? names : names.prefix(shown / 2) + middle + names.suffix(shown / 2 - 1)
    return "the span is the chain " + ends.joined(separator: " → ")
  }

  /// The run on other numbers of workers: by a list schedule with the overhead seen, and by work
  /// and burdened span, which no scheduler of that kind should exceed.
  static func projection(_ projection: Projection) -> TextTable {
    let isScheduled = projection.points.contains { $0.scheduled != nil }
    var table = TextTable(columns: [("workers", .right)])
    if isScheduled { table.columns.append(("list schedule", .right)) }
    table.columns.append(("by work and span", .right))
    for point in projection.points {
      table.rows.append(
        [.init("\(point.workers)")] + (isScheduled ? [.init(time(point.scheduled))] : [])
          + [.init(ProfileText.time(point.bound))])
    }
    return table
  }

  /// The operations that waited longest, and where causes are named the largest one of each.
  static func offenders(_ trace: Trace, _ causes: WaitCauses, namesCauses: Bool) -> TextTable {
    var table = TextTable(columns: [("operation", .left), ("waited", .right)])
    table.mostWidth = wideLine
    if namesCauses { table.columns.append(("mostly", .left)) }
    for offender in causes.longest.prefix(5) {
      // The table of causes says why a cause is unknown.
      let cause = offender.shares.largest.map {
        $0 == .unknown ? "unknown" : ProfileSentence.name($0)
      }
      table.rows.append(
        [
          .init(shortName(Int(offender.operation), trace)),
          .init(ProfileText.time(offender.shares.total)),
        ] + (namesCauses ? [.init(cause ?? "")] : []))
    }
    return table
  }

  /// The operations that differ most.
  static func difference(_ difference: TraceDifference, _ trace: Trace) -> TextTable {
    var table = TextTable(columns: [
      ("operation", .left), ("ready wait", .right), ("run", .right),
    ])
    table.mostWidth = wideLine
    for row in difference.largest {
      table.rows.append([
        .init(shortName(Int(row.first), trace)), .init(ProfileText.change(row.readyWait)),
        .init(ProfileText.change(row.run)),
      ])
    }
    return table
  }

  /// What an operation is called: its name, else its class, with its number.
  static func name(_ operation: Int, _ trace: Trace) -> String {
    let row = trace.operations[operation]
    let name = trace.names[Int(row.name)]
    return "\(name.isEmpty ? trace.names[Int(row.kind)] : name) #\(operation)"
  }

  private static func shortName(_ operation: Int, _ trace: Trace) -> String {
    let name = name(operation, trace)
    return name.count <= shownName ? name : "…" + name.suffix(shownName - 1)
  }

  private static func name(_ phase: LatencyBreakdown.Phase) -> String {
    switch phase {
    case .dependencyWait: "waits for dependencies"
    case .readyWait: "is ready"
    case .run: "runs"
    case .suspended: "goes on without a thread"
    }
  }

  private static func time(_ nanoseconds: Int64?) -> String {
    nanoseconds.map(ProfileText.time) ?? ""
  }
}
