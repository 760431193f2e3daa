// SPDX-License-Identifier: Apache-2.0

internal import Results
internal import Statistics

/// JSON of the Java Microbenchmark Harness: one entry per case, its time first, all else beside it.
///
/// Visualisers split `benchmark` at points, blanks and equals signs, so suite and workload are
/// names. No entry is a throughput, since github-action-benchmark takes every JMH score for smaller
/// is better; throughput is a secondary metric. What JMH cannot compute it writes as `"NaN"`, and
/// so does this: the error of a figure without an interval, and percentiles that its processes are
/// too few for. Pure functions; any thread.
enum JMHExport {
  /// JMH's percentiles, as their keys.
  private static let percentiles = [
    ("0.0", 0), ("50.0", 0.5), ("90.0", 0.9), ("95.0", 0.95), ("99.0", 0.99), ("99.9", 0.999),
    ("99.99", 0.9999), ("99.999", 0.99999), ("99.9999", 0.999999), ("100.0", 1),
  ]

  static func export(_ run: ExportedRun) throws(ExportFailure) -> Export {
    var entries: [JSONValue] = []
    var omissions: [Omission] = []
    var names = ClaimedNames(.jmh)
    for group in run.groups {
      guard let time = group.time else {
        omissions += group.series.map { Omission($0, reason: .noTime) }
        continue
      }
      let subject = group.benchmarkCase
      let name = [subject.suite, subject.benchmark].map { nameReplacingOthers(in: $0) }
      let params = parameters(of: subject)
      // Visualisers tell entries apart by name and parameters.
      _ = try names.claim(
        ([name.joined(separator: ".")] + params.map { "\($0.name)=\($0.value)" })
          .joined(separator: " "))
      var secondary: [(name: String, value: JSONValue)] = []
      for series in group.others {
        secondary.append((series.label, metric(series)))
      }
      entries.append(
        .object([
          ("benchmark", .string(name.joined(separator: "."))),
          // A makespan is of a single shot; other times are averages over operations.
          ("mode", .string(time.isOf(.makespan, .p50) ? "ss" : "avgt")),
          ("threads", .integer(subject.workers)),
          ("forks", .integer(time.processCount ?? time.figures.count)),
          ("measurementIterations", .integer(time.iterationsPerProcess)),
          ("params", .object(params.map { ($0.name, .string($0.value)) })),
          ("primaryMetric", metric(time)),
          ("secondaryMetrics", .object(secondary)),
        ]))
    }
    return Export(text: JSONValue.array(entries).document, omissions: omissions)
  }

  /// The parameters, the system among them.
  private static func parameters(of subject: BenchmarkCase) -> [(name: String, value: String)] {
    let own = subject.params.entries.map { (name: $0.name, value: $0.value) }
    let system = [
      (name: "scheduler", value: subject.scheduler), (name: "allocator", value: subject.allocator),
    ]
    return own + system + (subject.role.map { [(name: "role", value: $0.rawValue)] } ?? [])
  }

  private static func metric(_ series: Series) -> JSONValue {
    let bounds = series.interval.map { [$0.low, $0.high] } ?? [.nan, .nan]
    return .object([
      ("score", .number(series.value)),
      ("scoreError", number(series.halfWidth ?? .nan)),
      ("scoreConfidence", .array(bounds.map(number))),
      ("scorePercentiles", .object(percentiles(of: series))),
      ("scoreUnit", .string(unit(of: series))),
      // One figure per process, so one array each.
      ("rawData", .array(series.figures.map { .array([.number($0)]) })),
    ])
  }

  private static func percentiles(of series: Series) -> [(name: String, value: JSONValue)] {
    let sorted = series.figures.sorted()
    return percentiles.map { key, share in
      let isKnown = Percentile.isSupported(share, sampleCount: sorted.count)
      return (key, number(isKnown ? Percentile.value(share, ofSorted: sorted) : .nan))
    }
  }

  /// The unit as JMH writes it; its own consumers refuse a time that is not of an operation.
  private static func unit(of series: Series) -> String {
    switch series.subject.measure {
    case .nanoseconds: "ns/op"
    case .perSecond: "ops/s"
    case .perOperation: "#/op"
    case .nanosecondsPerOperation, .bytes, .bytesPerOperation, .one: series.unit
    }
  }

  private static func number(_ number: Double) -> JSONValue {
    number.isNaN ? .string("NaN") : .number(number)
  }
}
