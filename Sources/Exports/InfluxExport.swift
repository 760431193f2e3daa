// SPDX-License-Identifier: Apache-2.0

internal import Results

/// Influx line protocol: a line per case, metric and unit; tags say whose, fields are statistics.
///
/// The measurement is `bench_` and the metric, the moment the start of the run in nanoseconds.
/// Field `p50` is the figure, `p50_ci_low` and `p50_ci_high` its interval, `p50_quality` what casts
/// doubt on it. The protocol has no form for a line feed in a tag, so that `\n` stands for it, as
/// in Influx' own clients, and none for a tag that ends with a backslash. Pure functions; any
/// thread.
enum InfluxExport {
  static func export(_ run: ExportedRun) throws(ExportFailure) -> Export {
    guard let identity = run.identity else { return Export(text: "") }
    var text = ""
    for group in run.groups {
      for line in lines(of: group) {
        text += try self.text(of: line, group.benchmarkCase, identity, run.code)
      }
    }
    return Export(text: text)
  }

  /// The statistics of one metric in one unit, in the order of the rows.
  private static func lines(of group: SeriesGroup) -> [[Series]] {
    var lines: [[Series]] = []
    for series in group.series {
      let place = lines.firstIndex { $0[0].metric == series.metric && $0[0].unit == series.unit }
      if let place { lines[place].append(series) } else { lines.append([series]) }
    }
    return lines
  }

  private static func text(
    of line: [Series], _ benchmarkCase: BenchmarkCase, _ identity: RunIdentity,
    _ code: CodeIdentity
  ) throws(ExportFailure) -> String {
    var text = try key("bench_\(line[0].metric)", special: ", ")
    var tags = benchmarkCase.tags
    tags += [("machine", identity.machineID.text), ("unit", line[0].unit)]
    if let branch = code.branch, !branch.isEmpty { tags.append(("branch", branch)) }
    // Influx takes points fastest when their tags are sorted by bytes.
    tags.sort { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    for tag in tags { text += ",\(try key(tag.name))=\(try key(tag.value))" }
    var fields: [String] = []
    for series in line {
      let name = try key(series.statistic)
      // A point in it makes a number a float; `description` has one, or an exponent.
      fields.append("\(name)=\(series.value)")
      if let interval = series.interval {
        fields += ["\(name)_ci_low=\(interval.low)", "\(name)_ci_high=\(interval.high)"]
      }
      if !series.quality.isEmpty { fields.append("\(name)_quality=\(string(series.quality.text))") }
    }
    // Not a tag: every run would be a series of its own.
    fields.append("run_id=\(string(identity.runID.text))")
    if let commit = code.commit { fields.append("commit=\(string(commit))") }
    return "\(text) \(fields.joined(separator: ",")) \(identity.time.unixSeconds)000000000\n"
  }

  /// A name or tag with its special characters escaped.
  private static func key(_ text: String, special: String = ", =") throws(ExportFailure) -> String {
    guard text.utf8.last != UInt8(ascii: "\\") else { throw .unwritableName(.influx, name: text) }
    var escaped = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\n": escaped += "\\n"
      case "\r": escaped += "\\r"
      case "\t": escaped += "\\t"
      default:
        if special.unicodeScalars.contains(scalar) { escaped += "\\" }
        escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }

  /// A string field, in quotation marks.
  private static func string(_ text: String) -> String {
    var quoted = "\""
    for scalar in text.unicodeScalars {
      if scalar == "\"" || scalar == "\\" { quoted += "\\" }
      quoted.unicodeScalars.append(scalar)
    }
    return quoted + "\""
  }
}
