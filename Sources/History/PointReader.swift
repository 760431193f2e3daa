// SPDX-License-Identifier: Apache-2.0

internal import Results
internal import Statistics

/// Reads one record of a history file as a point, or says what is wrong with it first.
struct PointReader {
  let path: String
  let record: CSVRecord

  func read() throws(HistoryFailure) -> HistoryPoint {
    let wanted = HistoryColumn.allCases.count
    guard record.fields.count == wanted else { throw wrongCount(wanted) }
    let metric = try cell(.metric, "a metric of `bench schema`", Metric.init(rawValue:))
    let value = try number(.value, from: 0)
    let ratio = try ratio(mayBeEmpty: metric.isExact)
    return HistoryPoint(
      added: try moment(.added), committed: try moment(.committed), commit: try commit(.commit),
      branch: try branch(), machineID: try cell(.machineID, Self.id) { MachineID(text: $0) },
      subject: try subject(metric), ratio: ratio, interval: try interval(around: ratio),
      pairs: try cell(.pairs, "a whole number from 1 up") { text in
        wholeNumber(text).flatMap { $0 >= 1 ? $0 : nil }
      }, value: value, reference: try commit(.reference),
      runID: try cell(.runID, "26 characters such as \(Column.runID.example)") {
        RunID(text: $0)
      })
  }

  private static let id = "an id such as \(Column.machineID.example)"

  private func wrongCount(_ wanted: Int) -> HistoryFailure {
    let first = record.fields.first ?? ""
    if ["<<<<<<<", "=======", ">>>>>>>"].contains(where: first.hasPrefix) {
      return malformed(
        nil, "a mark of a merge that is not settled", "points alone",
        "keep the lines of both sides, sorted by their first column, and remove the marks")
    }
    return malformed(
      nil, "\(record.fields.count) fields", "\(wanted), as in the header",
      "the line may be cut off: remove it and add that run again")
  }

  private func subject(_ metric: Metric) throws(HistoryFailure) -> Subject {
    let names = metric.statistics.filter { $0 != .ratio }.map(\.rawValue)
    let statistic = try cell(.stat, "one of " + names.joined(separator: ", ")) { text in
      names.contains(text) ? Statistic(rawValue: text) : nil
    }
    let params = RowParameters(text: text(.params))
    guard let params else {
      throw malformed(
        .params, quoted(text(.params)), "name:value joined by ; and sorted by name", Self.restore)
    }
    return Subject(
      suite: try name(.suite), benchmark: try name(.benchmark), params: params,
      scheduler: try name(.scheduler), allocator: try name(.allocator), metric: metric,
      statistic: statistic)
  }

  private func ratio(mayBeEmpty: Bool) throws(HistoryFailure) -> Double? {
    if mayBeEmpty, text(.ratio).isEmpty { return nil }
    let ratio = try number(.ratio, from: 0)
    guard ratio > 0 else {
      throw malformed(.ratio, text(.ratio), "a number above 0", Self.restore)
    }
    return ratio
  }

  private func interval(around ratio: Double?) throws(HistoryFailure) -> Interval? {
    let columns: [HistoryColumn] = [.ciLow, .ciHigh, .ciLevel]
    let empty = columns.filter { text($0).isEmpty }
    guard empty.isEmpty else {
      guard empty.count == columns.count else {
        throw malformed(
          empty[0], "empty beside the others", "ci_low, ci_high and ci_level, or none",
          Self.restore)
      }
      return nil
    }
    let (low, high) = (try number(.ciLow, from: 0), try number(.ciHigh, from: 0))
    let level = try number(.ciLevel, from: 0)
    guard level > 0, level < 1 else {
      throw malformed(.ciLevel, text(.ciLevel), "more than 0 and less than 1", Self.restore)
    }
    guard low <= high, let ratio, (low...high).contains(ratio) else {
      throw malformed(
        .ciLow, "\(text(.ciLow)) to \(text(.ciHigh)) around the ratio \(quoted(text(.ratio)))",
        "ci_low <= ratio <= ci_high", Self.restore)
    }
    return Interval(low: low, high: high, level: level)
  }

  private func branch() throws(HistoryFailure) -> String? {
    text(.branch).isEmpty ? nil : text(.branch)
  }

  // MARK: - Single cells

  private static let restore = "bring the line back from git, or remove it and add that run again"

  private func text(_ column: HistoryColumn) -> String { record.fields[column.index] }

  private func cell<Value>(
    _ column: HistoryColumn, _ expectation: String, _ parse: (String) -> Value?
  ) throws(HistoryFailure) -> Value {
    guard let value = parse(text(column)) else {
      let found = text(column).isEmpty ? "empty" : quoted(text(column))
      throw malformed(column, found, expectation, Self.restore)
    }
    return value
  }

  private func moment(_ column: HistoryColumn) throws(HistoryFailure) -> Timestamp {
    try cell(column, "a moment such as \(Column.time.example)") { Timestamp(text: $0) }
  }

  private func commit(_ column: HistoryColumn) throws(HistoryFailure) -> String {
    try cell(column, "40 hexadecimal digits") { isHexadecimal($0, digits: 40) ? $0 : nil }
  }

  private func name(_ column: HistoryColumn) throws(HistoryFailure) -> String {
    try cell(column, "one or more of A-Z a-z 0-9 _ -") { isName($0) ? $0 : nil }
  }

  private func number(_ column: HistoryColumn, from least: Double) throws(HistoryFailure)
    -> Double
  {
    try cell(column, "a finite decimal number from \(Int(least)) up") { text in
      decimalNumber(text).flatMap { $0 >= least ? $0 : nil }
    }
  }

  private func malformed(
    _ column: HistoryColumn?, _ finding: String, _ expectation: String, _ nextStep: String
  ) -> HistoryFailure {
    .malformed(
      Finding(
        path: path, line: record.line, column: column?.rawValue, finding: finding,
        expectation: expectation, nextStep: nextStep))
  }
}
