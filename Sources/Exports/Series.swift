// SPDX-License-Identifier: Apache-2.0

package import Results
package import Statistics

/// One figure of a benchmark case, with those of the processes behind it.
///
/// Every number in it is finite. A plain value; any thread.
package struct Series: Sendable, Hashable {
  /// The figure of one process, or of one pair of a comparison.
  package struct Sample: Sendable, Hashable {
    package let value: Double
    package let process: Int?
  }

  package let subject: Subject
  package let role: Role?
  /// The figure over all processes, in `unit`.
  package let value: Double
  /// Its interval, nil where there is none with finite bounds.
  package let interval: Interval?
  /// In the order of the rows; empty where only the aggregate is known.
  package let samples: [Sample]
  package let processCount: Int?
  package let iterationCount: Int?
  package let quality: Set<QualityFlag>

  init(aggregate row: ResultRow, value: Double, samples: [Sample]) {
    subject = row.subject
    role = row.role
    self.value = value
    interval = row.interval.flatMap { $0.low.isFinite && $0.high.isFinite ? $0 : nil }
    self.samples = samples
    processCount = row.processCount
    iterationCount = row.iterationCount
    quality = row.quality
  }

  package var metric: String { subject.metric.rawValue }
  package var statistic: String { subject.statistic.rawValue }
  package var unit: String { subject.unit }
  package var direction: Direction { subject.direction }

  /// Metric and statistic in one word: `latency-p99.9`.
  package var label: String { "\(metric)-\(statistic)" }

  /// The figures of the processes, or the one over all where no process is known.
  var figures: [Double] { samples.isEmpty ? [value] : samples.map(\.value) }

  /// Half the width of the interval.
  var halfWidth: Double? { interval.map { ($0.high - $0.low) / 2 } }

  /// The timed iterations of one process, 1 where they are not known.
  var iterationsPerProcess: Int {
    guard let iterationCount, let processCount, processCount > 0 else { return 1 }
    return max(1, iterationCount / processCount)
  }

  /// Whether it is this figure.
  func isOf(_ metric: Metric, _ statistic: Statistic) -> Bool {
    subject.metric == metric && subject.statistic == statistic
  }
}

/// All series of one benchmark case.
package struct SeriesGroup: Sendable, Hashable {
  package let benchmarkCase: BenchmarkCase
  package var series: [Series]

  /// The time that stands for the case in formats that know one figure: of an operation, or of a
  /// whole replayed graph.
  var time: Series? {
    series.first { $0.isOf(.wall, .p50) } ?? series.first { $0.isOf(.makespan, .p50) }
  }

  /// All series but that of the time.
  var others: [Series] {
    let time = time?.subject
    return series.filter { $0.subject != time }
  }
}
