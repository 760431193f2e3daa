// SPDX-License-Identifier: Apache-2.0

/// The forms in which other tools take figures.
package enum ExportFormat: String, CaseIterable, Sendable {
  /// JSON of the Java Microbenchmark Harness.
  case jmh
  /// Bencher Metric Format, version 0.
  case bmf
  /// github-action-benchmark, `customSmallerIsBetter`.
  case githubSmaller = "gab-smaller"
  /// github-action-benchmark, `customBiggerIsBetter`.
  case githubBigger = "gab-bigger"
  /// JSON of Google Benchmark.
  case googleBenchmark = "google-benchmark"
  /// Influx line protocol.
  case influx
  /// OpenMetrics text.
  case openMetrics = "openmetrics"

  /// What it is for, in one line.
  package var summary: String {
    switch self {
    case .jmh: "JMH JSON, for visualisers of JMH results; one time per case"
    case .bmf: "Bencher Metric Format, for Bencher's json adapter"
    case .githubSmaller: "github-action-benchmark, customSmallerIsBetter"
    case .githubBigger: "github-action-benchmark, customBiggerIsBetter"
    case .googleBenchmark: "Google Benchmark JSON, for its compare.py"
    case .influx: "Influx line protocol, one line per case and metric"
    case .openMetrics: "OpenMetrics text, gauges in base units"
    }
  }

  /// Writes the run.
  ///
  /// Throws when the format cannot tell two names apart or hold one. Pure; any thread. O(rows).
  package func export(_ run: ExportedRun) throws(ExportFailure) -> Export {
    var export =
      switch self {
      case .jmh: try JMHExport.export(run)
      case .bmf: try BencherExport.export(run)
      case .githubSmaller: try GitHubActionExport.export(run, better: .lower)
      case .githubBigger: try GitHubActionExport.export(run, better: .higher)
      case .googleBenchmark: try GoogleBenchmarkExport.export(run)
      case .influx: try InfluxExport.export(run)
      case .openMetrics: try OpenMetricsExport.export(run)
      }
    export.omissions = run.omissions + export.omissions
    return export
  }
}

/// The text of an export, and what is not in it.
package struct Export: Sendable, Hashable {
  /// Ends with a line feed, unless it is empty.
  package let text: String
  package internal(set) var omissions: [Omission] = []
}
