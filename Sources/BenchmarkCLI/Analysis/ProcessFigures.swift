// SPDX-License-Identifier: Apache-2.0

internal import Harness
internal import Statistics

/// Names a figure: which metric, and which statistic of it.
struct FigureKey: Hashable, Sendable {
  let metric: String
  let stat: String
}

/// The percentiles that are told of sampled metrics, as fractions by the name of the statistic.
enum SampledStatistics {
  static let all: [(stat: String, fraction: Double)] = [
    ("p50", 0.5), ("p90", 0.9), ("p99", 0.99), ("p99.9", 0.999), ("max", 1),
  ]

  /// The statistic of sorted samples, or nil when there are too few for it.
  static func value(_ fraction: Double, ofSorted samples: [UInt64]) -> Double? {
    guard !samples.isEmpty, Percentile.isSupported(fraction, sampleCount: samples.count) else {
      return nil
    }
    return Double(Percentile.nearestRank(fraction, ofSorted: samples))
  }
}

/// What one complete child says about every metric: one number per statistic.
struct ProcessFigures: Sendable {
  /// Metrics that every child reports, in the order in which they are written.
  static let commonMetrics = [
    "wall", "build", "run", "release", "throughput", "cpu", "voluntary-switches",
    "involuntary-switches",
  ]

  let round: Int
  let iterationCount: Int
  let operationCount: Int
  private(set) var values: [FigureKey: Double] = [:]

  /// The figures of a complete outcome.
  init(_ process: ProcessRecord) {
    let outcome = process.outcome
    round = process.round
    iterationCount = outcome.iterations.count
    operationCount = outcome.iterations.reduce(0) { $0 + $1.operations }
    for metric in Self.commonMetrics {
      let perIteration = outcome.iterations.compactMap { Self.value(of: metric, in: $0) }
      if !perIteration.isEmpty { set(metric, "p50", median(perIteration)) }
    }
    if let bytes = outcome.peakRSS { set("peak-rss", "max", Double(bytes)) }
    for (metric, samples) in [
      ("latency", outcome.latencies), ("queue-delay", outcome.queueDelays),
    ] where !samples.isEmpty {
      let sorted = samples.sorted()
      for (stat, fraction) in SampledStatistics.all {
        if let value = SampledStatistics.value(fraction, ofSorted: sorted) {
          set(metric, stat, value)
        }
      }
    }
    for (metric, reported) in outcome.metrics {
      let finite = reported.filter(\.isFinite)
      if !finite.isEmpty { set(metric, "p50", median(finite)) }
    }
  }

  private mutating func set(_ metric: String, _ stat: String, _ value: Double) {
    values[FigureKey(metric: metric, stat: stat)] = value
  }

  private static func value(of metric: String, in sample: IterationSample) -> Double? {
    switch metric {
    case "wall": sample.perOperation(sample.wallNanoseconds)
    case "build": sample.perOperation(sample.buildNanoseconds)
    case "run": sample.perOperation(sample.runNanoseconds)
    case "release": sample.perOperation(sample.releaseNanoseconds)
    case "throughput":
      sample.runNanoseconds > 0
        ? Double(sample.operations) * 1e9 / Double(sample.runNanoseconds) : nil
    case "cpu": sample.perOperation(sample.cpuNanoseconds)
    case "voluntary-switches": sample.perOperation(sample.voluntarySwitches)
    case "involuntary-switches": sample.perOperation(sample.involuntarySwitches)
    default: nil
    }
  }
}
