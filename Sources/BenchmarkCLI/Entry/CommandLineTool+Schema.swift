// SPDX-License-Identifier: Apache-2.0

internal import Results

extension CommandLineTool {
  /// `bench schema`: prints the registry, or checks a file.
  func schema(_ parsed: ParsedArguments) throws(ToolFailure) -> ExitCode {
    guard let path = parsed.text(.check) else {
      try console.out(SchemaText.text)
      return .success
    }
    let findings: [Finding]
    do throws(FileError) { findings = try SchemaCheck.check(path: path) } catch {
      throw ToolFailure(.malformedInput, place: "--check", finding: "\(error)")
    }
    for finding in findings { try console.out("\(finding)\n") }
    if findings.isEmpty { try console.out("\(path): valid, schema \(Column.schemaVersion)\n") }
    return findings.isEmpty ? .success : .findings
  }
}

/// What `bench schema` prints, made from the registry.
enum SchemaText {
  /// Columns, metrics, statistics and words of `quality`.
  static var text: String {
    var lines = ["CSV schema \(Column.schemaVersion): one row per figure", "", "columns"]
    for column in Column.allCases {
      lines += HelpText.entry(
        left: column.rawValue,
        summary: "\(column.kind.rawValue)\(column.mayBeEmpty ? ", may be empty" : ""); "
          + "\(column.summary)")
    }
    lines += ["", "metrics (name, unit, better)"]
    for metric in Metric.allCases {
      let statistics = metric.statistics.map(\.rawValue).joined(separator: " ")
      lines += HelpText.entry(
        left: metric.rawValue,
        summary: "\(metric.unit), \(metric.direction.rawValue); \(metric.summary); \(statistics)")
    }
    lines += HelpText.entry(
      left: "\(OwnMetric.prefix)NAME",
      summary: "1, \(Direction.none.rawValue); \(OwnMetric.summary)")
    lines += ["", "statistics"]
    for statistic in Statistic.allCases {
      lines += HelpText.entry(left: statistic.rawValue, summary: statistic.summary)
    }
    lines += ["", "words of quality, ok or joined by ;"]
    let flags = QualityFlag.plain.map(\.flag) + [.unavailable(reason: "reason")]
    for flag in flags { lines += HelpText.entry(left: flag.text, summary: flag.summary) }
    lines += ["", "columns of the environment file beside it"]
    lines += Self.names(EnvironmentColumn.self)
    lines += ["", "columns of the samples file beside it, which run --samples writes"]
    lines += Self.names(SampleColumn.self)
    return lines.joined(separator: "\n") + "\n"
  }

  private static func names<Column: CaseIterable & RawRepresentable<String>>(
    _ columns: Column.Type
  ) -> [String] {
    let names = columns.allCases.map(\.rawValue).joined(separator: ", ")
    return HelpText.wrap(names, width: HelpText.width - 2).map { "  \($0)" }
  }
}
