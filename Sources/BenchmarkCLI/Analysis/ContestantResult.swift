// SPDX-License-Identifier: Apache-2.0

package import Harness
package import Results
package import Statistics

/// A figure over all processes of a contestant.
package struct AggregateFigure: Sendable, Equatable {
  package let value: Double
  /// The interval of the median; nil for pooled samples and below 6 processes.
  package let interval: Interval?
}

/// How a contestant compares with the best of its group.
package enum Comparison: Sendable, Equatable {
  /// It is the best.
  case best
  /// There are too few rounds to tell a difference.
  case tooFewRounds(PairedRatio)
  /// The interval of the ratio contains 1.
  case notEstablished(PairedRatio)
  /// The interval of the ratio excludes 1.
  case established(PairedRatio)

  /// The ratio to the best; 1 for the best itself.
  package var ratio: Double {
    switch self {
    case .best: 1
    case .tooFewRounds(let ratio), .notEstablished(let ratio), .established(let ratio):
      ratio.ratio
    }
  }

  /// The interval of the ratio, if there is one.
  package var interval: Interval? {
    switch self {
    case .best: nil
    case .tooFewRounds(let ratio), .notEstablished(let ratio), .established(let ratio):
      ratio.interval
    }
  }
}

/// Everything that a run says about one contestant of a group.
package struct ContestantResult: Sendable {
  /// Whom it is about.
  package let contestant: Contestant
  /// Its children, complete or not.
  package let processes: [ProcessRecord]
  /// Why it has no aggregate figure; nil when it has.
  package let failure: MeasurementFailure?
  /// Aggregates in the order in which they are written.
  package private(set) var aggregates: [(key: FigureKey, figure: AggregateFigure)] = []
  /// Comparison with the best of the group, by metric.
  package var comparisons: [Metric: Comparison] = [:]
  /// Figures of the complete processes.
  let figures: [ProcessFigures]

  /// - Parameter failure: the contestant's own failure, if it has one.
  init(contestant: Contestant, processes: [ProcessRecord], failure: MeasurementFailure?) {
    self.contestant = contestant
    self.processes = processes
    figures = processes.filter(\.outcome.isComplete).map(ProcessFigures.init)
    self.failure = failure ?? (figures.isEmpty ? .interrupted : nil)
    guard self.failure == nil else { return }
    for metric in Metric.allCases { aggregate(metric) }
  }

  /// An aggregate, or nil when there is none.
  package func figure(_ metric: Metric, _ statistic: Statistic = .p50) -> AggregateFigure? {
    aggregates.first { $0.key == FigureKey(metric, statistic) }?.figure
  }

  /// The process figures of a metric by round.
  func byRound(_ metric: Metric) -> [Int: Double] {
    figures.reduce(into: [:]) { $0[$1.round] = $1.values[FigureKey(metric, .p50)] }
  }

  private mutating func aggregate(_ metric: Metric) {
    switch metric {
    case .latency: pool(metric, \.latencies)
    case .queueDelay: pool(metric, \.queueDelays)
    case .peakRSS:
      if let most = values(FigureKey(metric, .max)).max() { add(metric, .max, most, nil) }
    default:
      let medians = values(FigureKey(metric, .p50))
      guard !medians.isEmpty else { return }
      add(metric, .p50, median(medians), medianInterval(medians, level: 0.95))
    }
  }

  /// Percentiles of every sample of every process, without an interval: the samples of a process are not independent.
  private mutating func pool(_ metric: Metric, _ samples: (MeasurementOutcome) -> [UInt64]) {
    let pooled = processes.filter(\.outcome.isComplete).flatMap { samples($0.outcome) }
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
