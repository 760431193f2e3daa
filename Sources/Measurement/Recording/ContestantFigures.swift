// SPDX-License-Identifier: Apache-2.0

internal import Harness
internal import Results
internal import Statistics

/// A figure over all processes of a contestant.
struct AggregateFigure: Sendable {
  let value: Double
  /// The interval of the median; nil for pooled samples and below 6 processes.
  let interval: Interval?
}

/// Everything that a run says about one contestant of a group.
struct ContestantFigures: Sendable {
  /// Whom it is about.
  let contestant: Contestant
  /// Its children, complete or not.
  let processes: [ProcessRecord]
  /// Why it has no aggregate figure; nil when it has.
  let failure: MeasurementFailure?
  /// Aggregates in the order in which they are written.
  private(set) var aggregates: [(key: FigureKey, figure: AggregateFigure)] = []
  /// Figures of the complete processes.
  let figures: [ProcessFigures]
  /// How the iteration times of these processes behaved, by round.
  let states: [Int: WarmUpState]

  /// - Parameters:
  ///   - failure: the contestant's own failure, if it has one.
  ///   - labeller: of the run, since what it remembers serves many series.
  init(
    contestant: Contestant, processes: [ProcessRecord], failure: MeasurementFailure?,
    labeller: inout SeriesLabeller
  ) {
    self.contestant = contestant
    self.processes = processes
    figures = processes.filter(\.outcome.isComplete).map(ProcessFigures.init)
    states = processes.filter(\.outcome.isComplete).reduce(into: [:]) { states, process in
      states[process.round] = WarmUpState(of: process.outcome, labeller: &labeller)
    }
    self.failure = failure ?? (figures.isEmpty ? .interrupted : nil)
    guard self.failure == nil else { return }
    for metric in Metric.allCases { aggregate(metric) }
    let reported = Set(figures.flatMap { $0.values.keys.map(\.metric) })
    for metric in reported.subtracting(Metric.allCases).sorted(by: { $0.rawValue < $1.rawValue }) {
      aggregate(metric)
    }
  }

  /// Steady where every process is, else the worst label of one; nil without processes.
  var state: WarmUpState? {
    [.drifting, .cyclic, .unknown, .steady].first { states.values.contains($0) }
  }

  private mutating func aggregate(_ metric: Metric) {
    switch metric {
    case _ where metric.hasManySamples: pool(metric)
    case .peakRSS:
      if let most = values(FigureKey(metric, .max)).max() { add(metric, .max, most, nil) }
    default:
      let medians = values(FigureKey(metric, .p50))
      guard !medians.isEmpty else { return }
      add(metric, .p50, median(medians), medianInterval(medians, level: 0.95))
    }
  }

  /// Percentiles of every sample of every process, without an interval: the samples of a process
  /// are not independent.
  private mutating func pool(_ metric: Metric) {
    let pooled = processes.filter(\.outcome.isComplete).flatMap { $0.outcome.samples[metric] ?? [] }
    for (statistic, value) in ProcessFigures.statistics(of: pooled) {
      add(metric, statistic, value, nil)
    }
  }

  private mutating func add(
    _ metric: Metric, _ statistic: Statistic, _ value: Double, _ interval: Interval?
  ) {
    let figure = AggregateFigure(value: value, interval: interval)
    aggregates.append((FigureKey(metric, statistic), figure))
  }

  private func values(_ key: FigureKey) -> [Double] { figures.compactMap { $0.values[key] } }
}
