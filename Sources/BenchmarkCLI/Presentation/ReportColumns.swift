// SPDX-License-Identifier: Apache-2.0

internal import Analysis
internal import Results
internal import Statistics

/// The columns of a group's table: what is shown of wall time, of latencies and of replays.
enum ReportColumns {
  /// Headings with their alignment.
  static func headings(of result: GroupResult) -> [(String, TextTable.Alignment)] {
    var headings: [(String, TextTable.Alignment)] = [("scheduler", .left)]
    if showsWorkers(of: result) { headings.append(("workers", .right)) }
    switch result.primaryMetric {
    case .latency:
      headings += [("p50", .right), ("p99", .right), ("max", .right)]
    case .makespan:
      headings += [
        ("makespan", .right), ("efficiency", .right), ("ideal", .right), ("delay", .right),
      ]
    case .instructions:
      headings += [("instructions", .right), ("rmw", .right), ("allocations", .right)]
    case .wall: headings += [("wall/op", .right), ("interval", .left)]
    default: headings += [(result.primaryMetric.rawValue, .right), ("interval", .left)]
    }
    if let ratios = ratioHeading(of: result, result.primaryMetric) {
      headings += [(ratios, .right), ("interval", .left)]
    }
    return headings + [("", .left)]
  }

  /// With whom the others are compared; nil where nobody has a ratio.
  static func ratioHeading(of group: GroupResult, _ metric: Metric) -> String? {
    if group.best(metric) != nil { return "× best" }
    return group.base(metric) != nil ? "× base" : nil
  }

  /// Whether somebody has another number of workers than the block's title says; a baseline always
  /// has its own.
  private static func showsWorkers(of group: GroupResult) -> Bool {
    group.contestants.contains { !$0.system.isSerialBaseline && $0.workers != group.workers }
  }

  /// One row.
  static func cells(of result: ContestantResult, in group: GroupResult) -> [TextTable.Cell] {
    let isBest = result.comparisons[group.primaryMetric] == .best
    var head: [TextTable.Cell] = [.init(result.label, isBest ? .strong : .plain)]
    if showsWorkers(of: group) { head.append(.init(String(result.workers))) }
    let comparison = comparisonCells(of: result, metric: group.primaryMetric)
    return head + figureCells(of: result, in: group)
      + (ratioHeading(of: group, group.primaryMetric) == nil
        ? comparison.suffix(1) : comparison[...])
  }

  private static func figureCells(of result: ContestantResult, in group: GroupResult)
    -> [TextTable.Cell]
  {
    switch group.primaryMetric {
    case .latency:
      return [
        cell(result, .latency, .p50), cell(result, .latency, .p99), cell(result, .latency, .max),
      ]
    case .makespan:
      return [
        cell(result, .makespan), cell(result, .efficiency), cell(result, .efficiencyIdeal),
        cell(result, .queueDelay, .p99),
      ]
    case .instructions:
      return [
        cell(result, .instructions), cell(result, .readModifyWrites), cell(result, .allocations),
      ]
    default:
      let metric = group.primaryMetric
      let interval = result.figure(metric)?.interval
      return [
        cell(result, metric), .init(interval.map { text($0, unit: metric.unit) } ?? ""),
      ]
    }
  }

  private static func cell(
    _ result: ContestantResult, _ metric: Metric, _ statistic: Statistic = .p50
  ) -> TextTable.Cell {
    guard let figure = result.figure(metric, statistic) else { return .init("–", .faint) }
    return .init(UnitFormatter.text(figure.value, unit: metric.unit))
  }

  private static func comparisonCells(of result: ContestantResult, metric: Metric)
    -> [TextTable.Cell]
  {
    if let failure = result.failure { return ["–", "", .init(failure.text, .bad)] }
    let serial = TextTable.Cell(result.system.isSerialBaseline ? "serial" : "", .faint)
    guard let comparison = result.comparisons[metric] else { return ["", "", serial] }
    let ratio = TextTable.Cell(UnitFormatter.significant(comparison.ratio))
    let interval = TextTable.Cell(comparison.interval.map { text($0, unit: "1") } ?? "")
    switch comparison {
    case .best: return [.init("best", .good), "", ""]
    case .base: return ["base", "", ""]
    case .tooFewRounds: return [ratio, interval, .init("few rounds", .doubtful)]
    case .notEstablished where result.isRanked:
      return [ratio, interval, .init("open", .doubtful)]
    case .notEstablished, .established: return [ratio, interval, serial]
    }
  }

  /// `149–158 ns`, or with both units where they differ.
  static func text(_ interval: Interval, unit: String) -> String {
    let low = UnitFormatter.text(interval.low, unit: unit)
    let high = UnitFormatter.text(interval.high, unit: unit)
    let lowParts = low.split(separator: " ")
    let highParts = high.split(separator: " ")
    if lowParts.count == 2, highParts.count == 2, lowParts[1] == highParts[1] {
      return "\(lowParts[0])–\(high)"
    }
    return "\(low)–\(high)"
  }
}
