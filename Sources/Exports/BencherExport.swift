// SPDX-License-Identifier: Apache-2.0

internal import Results

/// Bencher Metric Format, version 0: a case maps to its measures, a measure to figure and bounds.
///
/// The bounds are those of the interval, never of the samples. `latency` and `throughput` are the
/// two measures that every project at Bencher has, in nanoseconds and operations per second: they
/// are the time of an operation and its throughput. Other measures are named after metric and
/// statistic, so that none takes these two names. Pure functions; any thread.
/// Source: https://bencher.dev/docs/reference/bencher-metric-format.
enum BencherExport {
  /// The bytes that Bencher takes for the name of a benchmark.
  private static let nameLimit = 1024
  /// The bytes that Bencher takes for a slug of a measure.
  private static let measureLimit = 64

  static func export(_ run: ExportedRun) throws(ExportFailure) -> Export {
    var benchmarks: [(name: String, value: JSONValue)] = []
    var names = ClaimedNames(.bmf, limit: nameLimit)
    for group in run.groups {
      var measures: [(name: String, value: JSONValue)] = []
      var slugs = ClaimedNames(.bmf, limit: measureLimit)
      for series in group.series {
        var figures: [(name: String, value: JSONValue)] = [("value", .number(series.value))]
        if let interval = series.interval {
          figures += [
            ("lower_value", .number(interval.low)), ("upper_value", .number(interval.high)),
          ]
        }
        measures.append((try slugs.claim(measure(of: series)), .object(figures)))
      }
      benchmarks.append((try names.claim(group.benchmarkCase.name), .object(measures)))
    }
    return Export(text: JSONValue.object(benchmarks).document)
  }

  private static func measure(of series: Series) -> String {
    if series.isOf(.wall, .p50) { return "latency" }
    if series.isOf(.throughput, .p50) { return "throughput" }
    return slug(series.label)
  }

  /// Lower-case letters, digits and single hyphens between them.
  private static func slug(_ text: String) -> String {
    let words = nameReplacingOthers(in: text).lowercased().split { $0 == "-" || $0 == "_" }
    return words.joined(separator: "-")
  }
}
