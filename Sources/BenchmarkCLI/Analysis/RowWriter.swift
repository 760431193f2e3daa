// SPDX-License-Identifier: Apache-2.0

internal import Harness
package import Results

/// Turns results into rows of the CSV.
package struct RowWriter: Sendable {
  let run: RunIdentity
  let allocator: String
  /// What is wrong with every figure of this build: `debug`, `sanitized`.
  let buildFlags: Set<QualityFlag>
  let cpuCount: Int

  /// - Parameters:
  ///   - run: what all rows have in common.
  ///   - allocator: name of the children's allocator.
  ///   - buildFlags: what is wrong with every figure of this build.
  ///   - cpuCount: CPUs of the machine, to judge what the host took away.
  package init(
    run: RunIdentity, allocator: String, buildFlags: Set<QualityFlag> = [], cpuCount: Int
  ) {
    self.run = run
    self.allocator = allocator
    self.buildFlags = buildFlags
    self.cpuCount = cpuCount
  }

  /// Above this quotient of an interval's limits a figure is called noisy.
  package static let noisyQuotient = 1.5
  /// Above this share of the CPUs' time taken by the host a figure is marked `steal`.
  package static let stealShare = 0.05

  /// The rows of a run: per contestant every aggregate, each followed by its processes.
  package func rows(_ results: [GroupResult]) -> [ResultRow] {
    results.flatMap { result in
      result.contestants.flatMap { rows(of: $0, in: result.group) }
    }
  }

  private func rows(of result: ContestantResult, in group: MeasurementGroup) -> [ResultRow] {
    guard result.failure == nil else { return failureRows(of: result, in: group) }
    var rows: [ResultRow] = []
    for (key, figure) in result.aggregates {
      var aggregate = row(result, group, key)
      aggregate.value = figure.value
      aggregate.interval = figure.interval
      let complete = result.figures.filter { $0.values[key] != nil }
      count(&aggregate, result.figures)
      aggregate.quality = aggregateQuality(result, figure)
      rows.append(aggregate)
      for process in complete { rows.append(processRow(result, group, key, process)) }
      if key == FigureKey(group.primaryMetric, .p50) {
        rows += incompleteRows(of: result, in: group)
      }
    }
    for metric in group.comparedMetrics {
      if let row = ratioRow(of: result, in: group, metric: metric) { rows.append(row) }
    }
    return rows
  }

  /// A contestant that failed: its aggregate without a figure, and every process with what it has.
  private func failureRows(of result: ContestantResult, in group: MeasurementGroup)
    -> [ResultRow]
  {
    let key = FigureKey(group.primaryMetric, .p50)
    var aggregate = row(result, group, key)
    aggregate.quality = buildFlags.union(flags(of: result.failure))
    count(&aggregate, result.figures)
    return [aggregate]
      + result.figures.filter { $0.values[key] != nil }.map {
        processRow(result, group, key, $0)
      } + incompleteRows(of: result, in: group)
  }

  /// One row without a figure for every process that has none.
  private func incompleteRows(of result: ContestantResult, in group: MeasurementGroup)
    -> [ResultRow]
  {
    result.processes.filter { !$0.outcome.isComplete }.map { process in
      var row = row(result, group, FigureKey(group.primaryMetric, .p50))
      row.process = process.round + 1
      row.quality = buildFlags.union(flags(of: process.outcome.failure))
      return row
    }
  }

  private func processRow(
    _ result: ContestantResult, _ group: MeasurementGroup, _ key: FigureKey,
    _ process: ProcessFigures
  ) -> ResultRow {
    var row = row(result, group, key)
    row.value = process.values[key]
    row.process = process.round + 1
    count(&row, [process])
    let outcome = result.processes.first { $0.round == process.round }?.outcome
    row.quality = buildFlags.union(disturbances(outcome.map { [$0] } ?? []))
    return row
  }

  private func ratioRow(
    of result: ContestantResult, in group: MeasurementGroup, metric: Metric
  ) -> ResultRow? {
    guard let comparison = result.comparisons[metric] else { return nil }
    var row = row(result, group, FigureKey(metric, .ratio))
    row.value = comparison.ratio
    row.interval = comparison.interval
    count(&row, result.figures)
    row.quality = buildFlags
    return row
  }

  private func row(_ result: ContestantResult, _ group: MeasurementGroup, _ key: FigureKey)
    -> ResultRow
  {
    ResultRow(
      run: run,
      subject: Subject(
        suite: group.suite, benchmark: group.benchmark,
        params: Self.params(of: result.contestant, in: group), scheduler: result.contestant.name,
        allocator: allocator, metric: key.metric, statistic: key.statistic),
      value: nil)
  }

  /// What is behind the figure; empty cells where nothing is.
  private func count(_ row: inout ResultRow, _ figures: [ProcessFigures]) {
    guard !figures.isEmpty else { return }
    row.processCount = figures.count
    row.iterationCount = figures.reduce(0) { $0 + $1.iterationCount }
    row.operationCount = figures.reduce(0) { $0 + $1.operationCount }
  }

  /// Sizes, worker count, knobs that the user set, caps, CPUs and settings of a contestant.
  package static func params(of contestant: Contestant, in group: MeasurementGroup)
    -> RowParameters
  {
    var pairs = contestant.parameters.entries.map { ($0.name, String($0.value)) }
    pairs.append(("workers", String(contestant.workers)))
    pairs += contestant.knobs.entries.map { ($0.name, $0.value.description) }
    pairs += contestant.caps.map { ("cap-\($0.key)", String($0.value)) }
    if let cpus = group.cpus { pairs.append(("cpus", String(cpus))) }
    pairs += group.settings.map { ($0.key, $0.value) }
    return RowParameters(pairs)
  }

  private func flags(of failure: MeasurementFailure?) -> Set<QualityFlag> {
    guard let word = failure?.qualityWord else { return [] }
    return [QualityFlag(text: word) ?? .unavailable(reason: nameReplacingOthers(in: word))]
  }

  private func aggregateQuality(_ result: ContestantResult, _ figure: AggregateFigure)
    -> Set<QualityFlag>
  {
    var flags = buildFlags.union(
      disturbances(result.processes.map(\.outcome).filter(\.isComplete)))
    if let interval = figure.interval, interval.high > interval.low * Self.noisyQuotient {
      flags.insert(.noisy)
    }
    return flags
  }

  private func disturbances(_ outcomes: [MeasurementOutcome]) -> Set<QualityFlag> {
    var flags: Set<QualityFlag> = []
    let throttled = outcomes.reduce(0) { $0 + ($1.disturbance.throttledPeriods ?? 0) }
    if throttled > 0 { flags.insert(.throttled) }
    let ticks = outcomes.reduce(0) { $0 + ($1.disturbance.stealTicks ?? 0) }
    let elapsed = outcomes.reduce(0.0) { $0 + Double($1.elapsedNanoseconds) }
    // A tick is a hundredth of a second.
    if Double(ticks) * 1e7 > elapsed * Double(cpuCount) * Self.stealShare { flags.insert(.steal) }
    return flags
  }
}
