// SPDX-License-Identifier: Apache-2.0

package import Results
package import Statistics

/// A system of some code at one point of its parameters, as its rows name it.
package struct ContestantID: Hashable, Sendable {
  package let suite: String
  package let benchmark: String
  package let scheduler: String
  package let params: RowParameters
  package let allocator: String
  package private(set) var code: CodeIdentity

  /// The same system with its code left open.
  package var ofAnyCode: ContestantID {
    var copy = self
    copy.code = CodeIdentity()
    return copy
  }

  /// Whom a row is about.
  package init(_ row: ResultRow) {
    suite = row.subject.suite
    benchmark = row.subject.benchmark
    scheduler = row.subject.scheduler
    params = row.subject.params
    allocator = row.subject.allocator
    code = row.code
  }
}

/// A figure over all processes of a contestant.
package struct AggregateFigure: Sendable, Equatable {
  package let value: Double
  /// Its interval; nil where there is none.
  package let interval: Interval?
}

/// Everything that rows say about one contestant of a group.
package struct ContestantResult: Sendable {
  /// Whom it is about.
  package let id: ContestantID
  /// What is known of the system.
  package let system: Roster.System
  /// Comparison with the best of the group, or with its base, by metric.
  package internal(set) var comparisons: [Metric: Comparison] = [:]
  /// Why it has no figure; nil when it has.
  package let failure: QualityFlag?
  /// Its rows in their order, without ratios, which are computed anew.
  let rows: [ResultRow]
  private let aggregates: [FigureKey: Int]
  private let processes: [FigureKey: [Int]]

  /// - Parameter rows: the contestant's, at least one.
  init(id: ContestantID, system: Roster.System, rows: [ResultRow]) {
    self.id = id
    self.system = system
    self.rows = rows
    var aggregates: [FigureKey: Int] = [:]
    var processes: [FigureKey: [Int]] = [:]
    for (index, row) in rows.enumerated() {
      if row.process == nil {
        aggregates[row.subject.key] = index
      } else {
        processes[row.subject.key, default: []].append(index)
      }
    }
    self.aggregates = aggregates
    self.processes = processes
    let summed = rows.lazy.filter { $0.process == nil && !$0.subject.metric.isMissedAlone }
    failure =
      summed.contains { $0.value == nil }
      ? summed.flatMap(\.quality).first(where: \.isFailure) : nil
  }

  /// Name of the scheduler or reference.
  package var name: String { id.scheduler }

  /// The name with the knobs that were set: `work-stealing spin-us=5`.
  package var label: String {
    let knobs = id.params.entries.filter { system.knobs.contains($0.name) }
    return ([name] + knobs.map { "\($0.name)=\($0.value)" }).joined(separator: " ")
  }

  /// Its worker count; 0 when the rows do not say.
  package var workers: Int { id.params[RowParameters.workers].flatMap { Int($0) } ?? 0 }

  /// Axes that a reference cut, with the cap.
  package var caps: [(axis: String, cap: String)] {
    id.params.entries.compactMap { entry in
      entry.name.hasPrefix(RowParameters.capPrefix)
        ? (String(entry.name.dropFirst(RowParameters.capPrefix.count)), entry.value) : nil
    }
  }

  /// How its iteration times behaved; nil where the rows do not say.
  package var state: WarmUpState? {
    rows.first { $0.process == nil && $0.state != nil }?.state
  }

  /// The round in which it failed, counted from 1; nil when no process did.
  package var failedRound: Int? {
    guard let failure else { return nil }
    return rows.first { $0.process != nil && $0.quality.contains(failure) }?.process
  }

  /// What its workload reports beyond the registry, by name.
  package var ownFigures: [(metric: Metric, value: Double)] {
    rows.compactMap { row -> (metric: Metric, value: Double)? in
      guard row.process == nil, row.subject.statistic == .p50, case .own = row.subject.metric,
        let value = row.value
      else { return nil }
      return (row.subject.metric, value)
    }.sorted { $0.metric.rawValue < $1.metric.rawValue }
  }

  /// Why a figure that may be missed alone is missing; nil where it is there, or where nobody was
  /// asked to count.
  package func uncounted(_ metric: Metric) -> QualityFlag? {
    guard let index = aggregates[FigureKey(metric, .p50)], rows[index].value == nil else {
      return nil
    }
    return rows[index].quality.first(where: \.isFailure)
  }

  /// Whether it may be the best: a scheduler that is no baseline.
  package var isRanked: Bool { !system.isReference && !system.isSerialBaseline }

  /// Whether it gets a ratio by a metric.
  ///
  /// By latency a serial baseline gets none: no other thread has to take what it submits.
  package func isCompared(by metric: Metric) -> Bool {
    metric != .latency || !system.isSerialBaseline
  }

  /// A figure over all processes, or nil when there is none.
  package func figure(_ metric: Metric, _ statistic: Statistic = .p50) -> AggregateFigure? {
    guard let index = aggregates[FigureKey(metric, statistic)], let value = rows[index].value else {
      return nil
    }
    return AggregateFigure(value: value, interval: rows[index].interval)
  }

  /// The medians of its processes by round.
  func byRound(_ metric: Metric) -> [Int: Double] {
    (processes[FigureKey(metric, .p50)] ?? []).reduce(into: [:]) { figures, index in
      if let round = rows[index].process { figures[round] = rows[index].value }
    }
  }

  /// What its benchmark is about, as far as its rows say.
  package var primaryMetric: Metric {
    .primary(among: Set(rows.map(\.subject.metric)))
  }

  /// The medians of its side by the number of the pair.
  package func byPair(_ metric: Metric) -> [Int: Double] {
    (processes[FigureKey(metric, .p50)] ?? []).reduce(into: [:]) { figures, index in
      if let pair = rows[index].pairID { figures[pair] = rows[index].value }
    }
  }

  /// Rounds in which it has a figure.
  var rounds: Int {
    processes.values.map { $0.count { rows[$0].value != nil } }.max() ?? 0
  }

  /// The rows with a ratio to the best or the base for each of the metrics that have one.
  func rows(withRatiosOf metrics: [Metric]) -> [ResultRow] {
    rows
      + metrics.compactMap { metric in
        guard let comparison = comparisons[metric], let index = aggregates.values.min() else {
          return nil
        }
        var row = rows[index]
        row.subject.metric = metric
        row.subject.statistic = .ratio
        row.value = comparison.ratio
        row.interval = comparison.interval
        row.quality = row.quality.filter(\.isOfBuild)
        return row
      }
  }
}
