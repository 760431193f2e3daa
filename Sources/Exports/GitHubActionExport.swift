// SPDX-License-Identifier: Apache-2.0

internal import Results

/// The two custom forms of github-action-benchmark: one list where smaller is better, one where
/// bigger is.
///
/// The action compares each entry with the previous one of the same name and warns above a ratio.
/// So an entry is an estimate, percentile or ratio; minimum, maximum and mean are left out, since a
/// single sample moves them. `range` is half the interval. Pure functions; any thread.
enum GitHubActionExport {
  static func export(_ run: ExportedRun, better: Direction) throws(ExportFailure) -> Export {
    var entries: [JSONValue] = []
    var omissions: [Omission] = []
    var names = ClaimedNames(better == .lower ? .githubSmaller : .githubBigger)
    for (benchmarkCase, series) in run.series {
      guard series.direction != .none else {
        omissions.append(Omission(series, reason: .noDirection))
        continue
      }
      // The other list has it.
      guard series.direction == better else { continue }
      guard isEstimate(series.subject.statistic) else {
        omissions.append(Omission(series, reason: .notAnEstimate))
        continue
      }
      let name = "\(benchmarkCase.name) \(series.metric) \(series.statistic)"
      var members: [(name: String, value: JSONValue)] = [
        ("name", .string(try names.claim(name))), ("unit", .string(series.unit)),
        ("value", .number(series.value)),
      ]
      if let halfWidth = series.halfWidth { members.append(("range", .string("± \(halfWidth)"))) }
      members.append(("extra", .string(extra(series, benchmarkCase, run.identity))))
      entries.append(.object(members))
    }
    return Export(text: JSONValue.array(entries).document, omissions: omissions)
  }

  private static func isEstimate(_ statistic: Statistic) -> Bool {
    switch statistic {
    case .min, .max, .mean: false
    default: true
    }
  }

  /// What the page of the action shows beside a point.
  private static func extra(
    _ series: Series, _ benchmarkCase: BenchmarkCase, _ identity: RunIdentity?
  ) -> String {
    var lines: [String] = []
    if let interval = series.interval {
      lines.append("interval: \(interval.low) to \(interval.high) at \(interval.level)")
    }
    if let count = series.processCount { lines.append("processes: \(count)") }
    if let count = series.iterationCount { lines.append("iterations: \(count)") }
    lines += ["allocator: \(benchmarkCase.allocator)", "quality: \(series.quality.text)"]
    if let identity {
      lines += ["machine: \(identity.machineID.text)", "run: \(identity.runID.text)"]
    }
    return lines.joined(separator: "\n")
  }
}
