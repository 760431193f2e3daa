// SPDX-License-Identifier: Apache-2.0

internal import Results

/// OpenMetrics text: a gauge per metric and statistic, its labels the case.
///
/// Times are in seconds, as the format wants its base units, and a family that declares a unit ends
/// with it. An interval is two more families, `…_ci_low` and `…_ci_high`. No sample has a time of
/// its own, since collectors of text files refuse them: the start of the run is a gauge. Pure
/// functions; any thread. Source: https://prometheus.io/docs/specs/om/open_metrics_spec/.
enum OpenMetricsExport {
  static func export(_ run: ExportedRun) throws(ExportFailure) -> Export {
    var families = Families()
    if let identity = run.identity {
      var labels = [
        (name: "run_id", value: identity.runID.text),
        (name: "machine", value: identity.machineID.text),
      ]
      if let commit = identity.commit { labels.append((name: "commit", value: commit)) }
      if let branch = identity.branch { labels.append((name: "branch", value: branch)) }
      try families.add(
        "bench_run", type: "info", help: "Which run the figures are of.", sample: "bench_run_info",
        labels: try labelText(labels), value: 1)
      try families.add(
        "bench_run_start_seconds", unit: "seconds", help: "Start of the run, in Unix time.",
        labels: "", value: Double(identity.time.unixSeconds))
    }
    for (benchmarkCase, series) in run.series {
      let labels = try labelText(benchmarkCase.tags)
      let (unit, scale) = baseUnit(of: series.unit)
      let suffix = unit.map { "_\($0)" } ?? ""
      let stem = "bench_\(word(series.metric))_\(word(series.statistic))"
      let help = "\(series.subject.metric.summary); \(series.subject.statistic.summary)."
      try families.add(
        stem + suffix, unit: unit, help: help, labels: labels, value: series.value / scale)
      guard let interval = series.interval else { continue }
      for (side, bound, words) in [
        ("low", interval.low, "Lower"), ("high", interval.high, "Upper"),
      ] {
        try families.add(
          "\(stem)_ci_\(side)\(suffix)", unit: unit,
          help: "\(words) bound of the interval of \(stem)\(suffix).", labels: labels,
          value: bound / scale)
      }
    }
    return Export(text: families.text)
  }

  /// The base unit as the end of a name, and what of ours makes one of it.
  private static func baseUnit(of unit: String) -> (unit: String?, scale: Double) {
    switch unit {
    case "ns", "ns/op": ("seconds", 1e9)
    case "B": ("bytes", 1)
    case "1/s": ("per_second", 1)
    case "1/op": ("per_operation", 1)
    case "1", "": (nil, 1)
    default: (word(unit.split(separator: "/").joined(separator: "_per_")), 1)
    }
  }

  /// The text with `_` for every character that names of metrics and labels cannot have.
  private static func word(_ text: String) -> String {
    String(nameReplacingOthers(in: text).map { $0 == "-" ? "_" : $0 })
  }

  /// The labels in braces; throws when two get the same name.
  private static func labelText(_ labels: [(name: String, value: String)])
    throws(ExportFailure) -> String
  {
    var names = ClaimedNames(.openMetrics)
    var pairs: [String] = []
    for label in labels {
      pairs.append("\(try names.claim(word(label.name)))=\"\(escaped(label.value))\"")
    }
    return "{" + pairs.joined(separator: ",") + "}"
  }

  /// Label values and help texts have three characters to escape.
  fileprivate static func escaped(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\\": result += "\\\\"
      case "\"": result += "\\\""
      case "\n": result += "\\n"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}

/// Families in the order of their first sample; the samples of each must stand together.
private struct Families {
  private var order: [String] = []
  private var texts: [String: String] = [:]
  private var samples = ClaimedNames(.openMetrics)

  /// Adds a sample to a family, and the family's heading before its first one.
  mutating func add(
    _ family: String, type: String = "gauge", unit: String? = nil, help: String,
    sample: String? = nil, labels: String, value: Double
  ) throws(ExportFailure) {
    let name = try samples.claim((sample ?? family) + labels)
    if texts[family] == nil {
      order.append(family)
      texts[family, default: ""] += "# TYPE \(family) \(type)\n"
      if let unit { texts[family, default: ""] += "# UNIT \(family) \(unit)\n" }
      let line = "# HELP \(family) \(OpenMetricsExport.escaped(help))\n"
      texts[family, default: ""] += line
    }
    texts[family, default: ""] += "\(name) \(value)\n"
  }

  /// All families and the end mark, without which a reader takes the text for cut off.
  var text: String { order.map { texts[$0, default: ""] }.joined() + "# EOF\n" }
}
