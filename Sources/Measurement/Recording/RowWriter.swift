// SPDX-License-Identifier: Apache-2.0

internal import CSystemShims
package import Harness
internal import Machine
package import Results
internal import Statistics

/// Turns what a run has measured into rows of a results file.
package struct RowWriter: Sendable {
  let run: RunIdentity
  let code: CodeIdentity
  let allocator: String
  /// What is wrong with every figure of this build: `debug`, `sanitized`.
  let buildFlags: Set<QualityFlag>
  let cpuCount: Int

  /// - Parameters:
  ///   - run: what all rows have in common.
  ///   - code: who contestants are that name no code of their own.
  ///   - allocator: name of the children's allocator.
  ///   - buildFlags: what is wrong with every figure of this build.
  ///   - cpuCount: CPUs of the machine, to judge what the host took away.
  package init(
    run: RunIdentity, code: CodeIdentity = CodeIdentity(), allocator: String,
    buildFlags: Set<QualityFlag> = [], cpuCount: Int
  ) {
    self.run = run
    self.code = code
    self.allocator = allocator
    self.buildFlags = buildFlags
    self.cpuCount = cpuCount
  }

  /// For what a session measures, on the CPUs that it may use.
  package init(_ session: RunSession, allocator: Allocator, buildFlags: Set<QualityFlag>) {
    self.init(
      run: session.identity, code: session.code, allocator: allocator.rawValue,
      buildFlags: buildFlags, cpuCount: Int(shim_usable_cpus()))
  }

  /// Above this quotient of an interval's limits a figure is called noisy.
  package static let noisyQuotient = 1.5
  /// Above this share of the CPUs' time taken by the host a figure is marked `steal`.
  package static let stealShare = 0.05
  /// Above this share of the CPUs' time used by other programs a figure is marked `busy`.
  package static let busyShare = 0.05

  /// The rows of a run: per contestant every aggregate, each followed by its processes.
  ///
  /// What compares contestants is not among them: that is said of rows, whoever wrote them.
  package func rows(_ record: RunRecord) -> [ResultRow] {
    var labeller = SeriesLabeller(seed: record.plan.seed)
    return record.plan.groups.indices.flatMap { index in
      let group = record.plan.groups[index]
      return group.contestants.indices.flatMap { contestant in
        rows(
          of: ContestantFigures(
            contestant: group.contestants[contestant],
            processes: record.processes[index][contestant],
            failure: record.failure(group: index, contestant: contestant)?.1,
            labeller: &labeller),
          in: group)
          + allocationRows(
            record.allocationCounts[index][contestant], of: group.contestants[contestant],
            in: group)
      }
    }
  }

  /// Every contestant that failed, with its empty row and the failure, in the order of the plan.
  package func failures(_ record: RunRecord) -> [(row: ResultRow, failure: MeasurementFailure)] {
    record.plan.groups.indices.flatMap { index in
      let group = record.plan.groups[index]
      return group.contestants.indices.compactMap { contestant in
        record.failure(group: index, contestant: contestant).map {
          (row(of: group.contestants[contestant], in: group), $0.1)
        }
      }
    }
  }

  /// A row of a contestant, with the figure that its failure leaves empty.
  func row(of contestant: Contestant, in group: MeasurementGroup) -> ResultRow {
    ResultRow(
      run: run, code: contestant.code ?? code,
      subject: Subject(
        suite: group.suite, benchmark: group.benchmark,
        params: group.rowParameters(of: contestant), scheduler: contestant.name,
        allocator: allocator, metric: group.primaryMetric, statistic: .p50),
      value: nil)
  }

  private func rows(of result: ContestantFigures, in group: MeasurementGroup) -> [ResultRow] {
    guard result.failure == nil else { return failureRows(of: result, in: group) }
    var rows: [ResultRow] = []
    for (key, figure) in result.aggregates {
      var aggregate = row(result, group, key)
      aggregate.value = figure.value
      aggregate.interval = figure.interval
      let complete = result.figures.filter { $0.values[key] != nil }
      count(&aggregate, result.figures.filter { $0.missing[key.metric] == nil })
      aggregate.state = result.state
      aggregate.quality = aggregateQuality(result, figure)
      rows.append(aggregate)
      for process in complete { rows.append(processRow(result, group, key, process)) }
      rows += missingRows(of: result, in: group, key)
      if key == FigureKey(group.primaryMetric, .p50) {
        rows += incompleteRows(of: result, in: group)
      }
    }
    for metric in Metric.ofHardware where result.figures.allSatisfy({ $0.missing[metric] != nil }) {
      var row = row(result, group, FigureKey(metric, .p50))
      row.quality = buildFlags.union(
        result.figures.compactMap { missing(metric, of: $0) })
      rows.append(row)
    }
    return rows
  }

  /// One row without a figure for every process that has none of a metric which others have.
  private func missingRows(
    of result: ContestantFigures, in group: MeasurementGroup, _ key: FigureKey
  ) -> [ResultRow] {
    result.figures.compactMap { process in
      missing(key.metric, of: process).map {
        var row = row(result, group, key)
        row.process = process.round + 1
        row.quality = buildFlags.union([$0])
        return row
      }
    }
  }

  /// Why a process has no figure of a metric; nil where nobody said so.
  private func missing(_ metric: Metric, of process: ProcessFigures) -> QualityFlag? {
    process.missing[metric].map { .unavailable(reason: nameReplacingOthers(in: $0)) }
  }

  /// What a child counted, or why it could not; none where there was no such child.
  private func allocationRows(
    _ outcome: MeasurementOutcome?, of contestant: Contestant, in group: MeasurementGroup
  ) -> [ResultRow] {
    guard let outcome else { return [] }
    return Metric.ofCountingChild.map { metric in
      var row = row(of: contestant, in: group)
      row.subject.metric = metric
      row.quality = buildFlags
      guard let value = outcome.metrics[metric]?.first, outcome.isComplete else {
        row.quality.formUnion(
          flags(of: outcome.failure ?? .unavailable(reason: "allocation-counter", detail: "")))
        return row
      }
      row.value = value
      row.processCount = 1
      row.iterationCount = outcome.iterationCount
      row.operationCount = outcome.operationCount
      return row
    }
  }

  /// A contestant that failed: its aggregate without a figure, and every process with what it has.
  private func failureRows(of result: ContestantFigures, in group: MeasurementGroup)
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
  private func incompleteRows(of result: ContestantFigures, in group: MeasurementGroup)
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
    _ result: ContestantFigures, _ group: MeasurementGroup, _ key: FigureKey,
    _ process: ProcessFigures
  ) -> ResultRow {
    var row = row(result, group, key)
    row.value = process.values[key]
    row.process = process.round + 1
    row.state = result.states[process.round]
    count(&row, [process])
    let outcome = result.processes.first { $0.round == process.round }?.outcome
    row.quality = buildFlags.union(disturbances(outcome.map { [$0] } ?? []))
    return row
  }

  private func row(_ result: ContestantFigures, _ group: MeasurementGroup, _ key: FigureKey)
    -> ResultRow
  {
    var row = row(of: result.contestant, in: group)
    (row.subject.metric, row.subject.statistic) = (key.metric, key.statistic)
    return row
  }

  /// What is behind the figure; empty cells where nothing is.
  private func count(_ row: inout ResultRow, _ figures: [ProcessFigures]) {
    guard !figures.isEmpty else { return }
    row.processCount = figures.count
    row.iterationCount = figures.reduce(0) { $0 + $1.iterationCount }
    row.operationCount = figures.reduce(0) { $0 + $1.operationCount }
  }

  /// The word of a failure.
  func flags(of failure: MeasurementFailure?) -> Set<QualityFlag> {
    guard let word = failure?.qualityWord else { return [] }
    return [QualityFlag(text: word) ?? .unavailable(reason: nameReplacingOthers(in: word))]
  }

  private func aggregateQuality(_ result: ContestantFigures, _ figure: AggregateFigure)
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
    flags(of: outcomes.map { ($0.disturbance, $0.elapsedNanoseconds) })
  }

  /// What disturbed stretches of so many nanoseconds.
  func flags(of stretches: [(disturbance: Disturbance, nanoseconds: UInt64)]) -> Set<QualityFlag> {
    var flags: Set<QualityFlag> = []
    let throttled = stretches.reduce(0) { $0 + ($1.disturbance.throttledPeriods ?? 0) }
    if throttled > 0 { flags.insert(.throttled) }
    let ticks = stretches.reduce(0) { $0 + ($1.disturbance.stealTicks ?? 0) }
    let elapsed = stretches.reduce(0.0) { $0 + Double($1.nanoseconds) }
    let (tick, available) = (
      Double(DisturbanceProbe.nanosecondsPerTick), elapsed * Double(cpuCount)
    )
    if Double(ticks) * tick > available * Self.stealShare { flags.insert(.steal) }
    let foreign = stretches.reduce(0) { $0 + ($1.disturbance.foreignNanoseconds ?? 0) }
    // Each CPU rounds the time of each stretch to ticks.
    let doubtful = Double(stretches.count * cpuCount) * tick
    if Double(foreign) - doubtful > available * Self.busyShare { flags.insert(.busy) }
    return flags
  }
}
