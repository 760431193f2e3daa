// SPDX-License-Identifier: Apache-2.0

internal import Harness
internal import Results
internal import Statistics

/// What one complete child says: one number per metric and statistic.
struct ProcessFigures: Sendable {
  /// Metrics that every iteration has.
  static let iterationMetrics: [Metric] = [
    .wall, .build, .run, .release, .throughput, .cpu, .voluntarySwitches, .involuntarySwitches,
  ]
  /// Statistics of metrics that have many samples in an iteration.
  static let sampleStatistics: [Statistic] = [.p50, .p90, .p99, .p999, .max]

  let round: Int
  let iterationCount: Int
  let operationCount: Int
  private(set) var values: [FigureKey: Double] = [:]
  /// Why metrics have no value, a word each.
  let missing: [Metric: String]

  /// The figures of a complete outcome.
  init(_ process: ProcessRecord) {
    let outcome = process.outcome
    round = process.round
    missing = outcome.missing
    iterationCount = outcome.iterationCount
    operationCount = outcome.operationCount
    for metric in Self.iterationMetrics {
      let perIteration = outcome.iterations.compactMap { Self.value(of: metric, in: $0) }
      if !perIteration.isEmpty { values[FigureKey(metric, .p50)] = median(perIteration) }
    }
    if let bytes = outcome.peakRSS { values[FigureKey(.peakRSS, .max)] = Double(bytes) }
    for (metric, samples) in outcome.samples {
      for (statistic, value) in Self.statistics(of: samples) {
        values[FigureKey(metric, statistic)] = value
      }
    }
    for (metric, reported) in outcome.metrics where !reported.isEmpty {
      values[FigureKey(metric, .p50)] = median(reported)
    }
  }

  /// The statistics of samples, without those that so few samples do not support.
  static func statistics(of samples: [UInt64]) -> [(Statistic, Double)] {
    let sorted = samples.sorted()
    return sampleStatistics.compactMap { statistic in
      guard let quantile = statistic.quantile,
        Percentile.isSupported(quantile, sampleCount: sorted.count)
      else { return nil }
      return (statistic, Double(Percentile.nearestRank(quantile, ofSorted: sorted)))
    }
  }

  /// The value of one of `iterationMetrics`; nil for any other.
  private static func value(of metric: Metric, in sample: IterationSample) -> Double? {
    switch metric {
    case .wall: sample.perOperation(sample.wallNanoseconds)
    case .build: sample.perOperation(sample.buildNanoseconds)
    case .run: sample.perOperation(sample.runNanoseconds)
    case .release: sample.perOperation(sample.releaseNanoseconds)
    case .throughput:
      sample.runNanoseconds > 0
        ? Double(sample.operations) * 1e9 / Double(sample.runNanoseconds) : nil
    case .cpu: sample.perOperation(sample.cpuNanoseconds)
    case .voluntarySwitches: sample.perOperation(sample.voluntarySwitches)
    case .involuntarySwitches: sample.perOperation(sample.involuntarySwitches)
    default: nil
    }
  }
}
