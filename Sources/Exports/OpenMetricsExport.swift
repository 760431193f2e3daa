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
      if let commit = run.code.commit { labels.append((name: "commit", value: commit)) }
      if let branch = run.code.branch { labels.append((name: "branch", value: branch)) }
      families.add(
        "bench_run", type: "info", help: "Which run the figures are of.", sample: "bench_run_info",
        labels: try labelText(labels), value: 1)
      families.add(
        "bench_run_start_seconds", unit: "seconds", help: "Start of the run, in Unix time.",
        labels: "", value: Double(identity.time.unixSeconds))
    }
    var cases = ClaimedNames(.openMetrics)
    for group in run.groups {
      let labels = try cases.claim(labelText(group.benchmarkCase.tags))
      var names = ClaimedNames(.openMetrics)
      for series in group.series {
        for family in try gauges(of: series, &names) {
          families.add(
            family.name, unit: family.unit, help: family.help, labels: labels, value: family.value)
        }
      }
    }
    return Export(text: families.text)
  }

  /// The gauge of a figure and those of its interval; throws when the case has one of them already.
  private static func gauges(
    of series: Series, _ names: inout ClaimedNames
  ) throws(ExportFailure) -> [(name: String, unit: String?, help: String, value: Double)] {
    let base = series.subject.measure.base
    let (unit, scale) = (base.map { word($0.words) }, base?.count ?? 1)
    let suffix = unit.map { "_\($0)" } ?? ""
    let stem = "bench_\(word(series.metric))_\(word(series.statistic))"
    let name = try names.claim(stem + suffix)
    let help = "\(series.subject.metric.summary); \(series.subject.statistic.summary)."
    guard let interval = series.interval else { return [(name, unit, help, series.value / scale)] }
    return [
      (name, unit, help, series.value / scale),
      (
        try names.claim("\(stem)_ci_low\(suffix)"), unit, "Lower bound of the interval of \(name).",
        interval.low / scale
      ),
      (
        try names.claim("\(stem)_ci_high\(suffix)"), unit,
        "Upper bound of the interval of \(name).", interval.high / scale
      ),
    ]
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
  private var texts: [String] = []
  private var places: [String: Int] = [:]

  /// Adds a sample to a family, and the family's heading before its first one.
  mutating func add(
    _ family: String, type: String = "gauge", unit: String? = nil, help: String,
    sample: String? = nil, labels: String, value: Double
  ) {
    let place = places[family] ?? texts.count
    if place == texts.count {
      places[family] = place
      var heading = "# TYPE \(family) \(type)\n"
      if let unit { heading += "# UNIT \(family) \(unit)\n" }
      texts.append(heading + "# HELP \(family) \(OpenMetricsExport.escaped(help))\n")
    }
    texts[place] += "\(sample ?? family)\(labels) \(value)\n"
  }

  /// All families and the end mark, without which a reader takes the text for cut off.
  var text: String { texts.joined() + "# EOF\n" }
}
