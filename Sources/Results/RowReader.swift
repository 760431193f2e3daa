// SPDX-License-Identifier: Apache-2.0

internal import Statistics

/// Reads one record as a row and says everything that is wrong with it on its own.
struct RowReader {
  private let path: String
  private let record: CSVRecord
  private let layout: CSVLayout
  private var findings: [Finding] = []

  init(path: String, record: CSVRecord, layout: CSVLayout = .current) {
    self.path = path
    self.record = layout.completed(record)
    self.layout = layout
  }

  /// Returns the row when there are no findings, and else the findings, in the order of the
  /// columns.
  consuming func read() -> (row: ResultRow?, findings: [Finding]) {
    let wanted = Column.allCases.count
    guard record.fields.count == wanted else {
      let finding = Finding(
        path: path, line: record.line,
        finding: "\(record.fields.count) fields",
        expectation: "\(layout.columns.count), as in the header",
        nextStep: "the line may be cut off: write the file again")
      return (nil, [finding])
    }
    checkSchemaVersion()
    let run = readRun()
    let code = readCode()
    let subject = readSubject()
    let figure = readFigure()
    let counts = (
      nProc: readCount(.nProc, from: 1), nIter: readCount(.nIter, from: 1),
      nOp: readCount(.nOp, from: 1)
    )
    let process = readCount(.process, from: 1)
    let role = optional(.role, Self.words(Role.self), Role.init(rawValue:))
    let pairID = readCount(.pairID)
    let state = optional(.state, Self.words(WarmUpState.self), WarmUpState.init(rawValue:))
    let quality = readQuality()
    checkFigure(figure, quality)
    guard findings.isEmpty, let run, let subject, let quality else {
      return (nil, findings.sorted { Self.position($0) < Self.position($1) })
    }
    let row = ResultRow(
      run: run, code: code, subject: subject, value: figure.value, interval: figure.interval,
      processCount: counts.nProc, iterationCount: counts.nIter, operationCount: counts.nOp,
      process: process, role: role, pairID: pairID, state: state, quality: quality)
    return (row, [])
  }

  private static func position(_ finding: Finding) -> Int {
    finding.column.flatMap(Column.init(rawValue:))?.index ?? 0
  }

  private static func words<Word: CaseIterable & RawRepresentable<String>>(
    _ type: Word.Type
  ) -> String {
    "one of " + type.allCases.map(\.rawValue).joined(separator: ", ")
  }
}

// MARK: - Groups of columns

extension RowReader {
  private mutating func checkSchemaVersion() {
    guard
      let version = required(.schema, "a whole number", wholeNumber),
      !(1...layout.newestVersion).contains(version)
    else { return }
    report(
      .schema, "version \(version)", "version 1 to \(layout.newestVersion)",
      "read it with a `bench` whose `schema` lists that version")
  }

  private mutating func readRun() -> RunIdentity? {
    let time = required(.time, "a moment such as \(Column.time.example)") { Timestamp(text: $0) }
    let runID = required(.runID, "26 characters such as \(Column.runID.example)") {
      RunID(text: $0)
    }
    let machineID = required(.machineID, "an id such as \(Column.machineID.example)") {
      MachineID(text: $0)
    }
    guard let time, let runID, let machineID else { return nil }
    return RunIdentity(time: time, runID: runID, machineID: machineID)
  }

  private mutating func readCode() -> CodeIdentity {
    let commit = optional(.commit, "40 hexadecimal digits, or nothing") {
      isHexadecimal($0, digits: 40) ? $0 : nil
    }
    let branch = optional(.branch, "a branch name on one line", Self.line)
    let isDirty = optional(.dirty, "0, 1 or nothing") { ["0": false, "1": true][$0] }
    let binary = optional(.binary, "a hash such as \(Column.binary.example), or nothing") {
      CodeIdentity.isBinaryHash($0) ? $0 : nil
    }
    let toolchain = optional(.toolchain, "a compiler's name on one line", Self.line)
    return CodeIdentity(
      commit: commit, branch: branch, isDirty: isDirty, binary: binary, toolchain: toolchain)
  }

  private static func line(_ text: String) -> String? {
    text.unicodeScalars.contains { $0.properties.generalCategory == .control } ? nil : text
  }

  private mutating func readSubject() -> Subject? {
    let suite = readName(.suite)
    let benchmark = readName(.benchmark)
    let params = RowParameters(text: text(.params))
    if params == nil {
      report(
        .params, quoted(text(.params)), "name:value joined by ; and sorted by name, each name once",
        "sort them, and keep to A-Za-z0-9_- and in values . and +")
    }
    let scheduler = readName(.scheduler)
    let allocator = readName(.allocator)
    let metric = required(.metric, "a metric of the registry", Metric.init(rawValue:))
    let statistic = required(.stat, Self.words(Statistic.self), Statistic.init(rawValue:))
    guard let metric, let statistic else { return nil }
    if !metric.statistics.contains(statistic) {
      report(
        .stat, "\(quoted(statistic.rawValue)) of \(metric.rawValue)",
        "one of " + metric.statistics.map(\.rawValue).joined(separator: ", "), Self.seeSchema)
    }
    require(.unit, statistic.unit(of: metric))
    require(.direction, metric.direction.rawValue)
    guard let suite, let benchmark, let params, let scheduler, let allocator else { return nil }
    return Subject(
      suite: suite, benchmark: benchmark, params: params, scheduler: scheduler,
      allocator: allocator, metric: metric, statistic: statistic)
  }

  private mutating func readFigure() -> (value: Double?, interval: Interval?) {
    let value = readNumber(.value)
    let bounds = (low: readNumber(.ciLow), high: readNumber(.ciHigh), level: readNumber(.ciLevel))
    if let value, value < 0 {
      report(.value, "\(value)", "0 or more", Self.measureAgain)
    }
    guard let low = bounds.low, let high = bounds.high, let level = bounds.level else {
      let cells: [Column] = [.ciLow, .ciHigh, .ciLevel]
      if let given = cells.first(where: { !text($0).isEmpty }),
        let missing = cells.first(where: { text($0).isEmpty })
      {
        report(
          missing, "empty beside a \(given.rawValue)", "ci_low, ci_high and ci_level, or none",
          "fill or empty all three")
      }
      return (value, nil)
    }
    guard level > 0, level < 1 else {
      report(.ciLevel, "\(level)", "more than 0 and less than 1, such as 0.95", "write a fraction")
      return (value, nil)
    }
    guard low <= high else {
      report(.ciLow, "\(low) above ci_high \(high)", "at most ci_high", "exchange the bounds")
      return (value, nil)
    }
    if let value, !(low...high).contains(value) {
      let column: Column = value < low ? .ciLow : .ciHigh
      report(column, "value \(value) outside", "ci_low <= value <= ci_high", Self.measureAgain)
    }
    return (value, Interval(low: low, high: high, level: level))
  }

  private mutating func readQuality() -> Set<QualityFlag>? {
    let known = QualityFlag.plain.map(\.word).joined(separator: ", ")
    return required(.quality, "ok, or without repetition \(known), unavailable:<reason>") {
      Set(text: $0)
    }
  }

  private mutating func checkFigure(
    _ figure: (value: Double?, interval: Interval?), _ quality: Set<QualityFlag>?
  ) {
    guard let quality else { return }
    if quality.isFailure {
      for column in [Column.value, .ciLow] where !text(column).isEmpty {
        report(
          column, "\(quoted(text(column))) beside quality \(quality.text)",
          "an empty cell, since the measurement failed", "empty it, or correct the quality")
      }
    } else if text(.value).isEmpty {
      report(
        .value, "empty for \(text(.metric)) \(text(.stat)) with quality \(quality.text)",
        "a figure, or a quality that says why there is none", Self.measureAgain)
    }
  }
}

// MARK: - Single cells

extension RowReader {
  private static let seeSchema = "see `bench schema`"
  private static let measureAgain = "measure again, or correct the cell"

  private func text(_ column: Column) -> String { record.fields[column.index] }

  private mutating func report(
    _ column: Column, _ finding: String, _ expectation: String, _ nextStep: String
  ) {
    findings.append(
      Finding(
        path: path, line: record.line, column: column.rawValue, finding: finding,
        expectation: expectation, nextStep: nextStep))
  }

  private mutating func required<Value>(
    _ column: Column, _ expectation: String, _ parse: (String) -> Value?
  ) -> Value? {
    guard text(column).isEmpty else { return optional(column, expectation, parse) }
    report(column, "empty", expectation, Self.seeSchema)
    return nil
  }

  private mutating func optional<Value>(
    _ column: Column, _ expectation: String, _ parse: (String) -> Value?
  ) -> Value? {
    guard !text(column).isEmpty else { return nil }
    let value = parse(text(column))
    if value == nil { report(column, quoted(text(column)), expectation, Self.seeSchema) }
    return value
  }

  private mutating func require(_ column: Column, _ wanted: String) {
    guard text(column) != wanted else { return }
    let metric = "\(text(.metric)) \(text(.stat))"
    report(column, quoted(text(column)), "\(wanted), which belongs to \(metric)", Self.seeSchema)
  }

  private mutating func readName(_ column: Column) -> String? {
    required(column, "one or more of A-Z a-z 0-9 _ -") { isName($0) ? $0 : nil }
  }

  private mutating func readCount(_ column: Column, from least: Int = 0) -> Int? {
    optional(column, "a whole number of \(least) or more, or nothing") { text in
      wholeNumber(text).flatMap { $0 < least ? nil : $0 }
    }
  }

  private mutating func readNumber(_ column: Column) -> Double? {
    optional(column, "a finite decimal number with a point, or nothing") {
      decimalNumber($0)
    }
  }
}
