// SPDX-License-Identifier: Apache-2.0

internal import Statistics

/// Reads the records of a file as rows and says everything that is wrong with each on its own.
///
/// What many rows have in common is read once: the run, the code and the system at the left, and
/// the four cells that name a figure. Only sound cells are remembered, so that every finding is
/// made anew in its line.
struct RowReader {
  /// What the cells before the metric say.
  private struct Head {
    let origin: Shared<ResultRow.Origin>
    let system: Shared<Subject.System>
    let contestant: Int
  }

  /// Rows of one number are about the same system and of the same code, whatever the run.
  private struct Contestant: Hashable {
    let code: CodeIdentity
    let system: Subject.System
  }

  private let path: String
  private let layout: CSVLayout
  private let tail: Tail
  private var records: CSVRecordReader
  /// What is wrong with the record that was read last, in the order of the columns.
  private(set) var findings: [Finding] = []
  /// The number of the contestant whose row was read last.
  private(set) var contestant = 0

  private var head: Head?
  private var heads = CellCache<Head>()
  private var contestants: [Contestant: Int] = [:]
  private var figures = CellCache<FigureKey>()
  private var roles = CellCache<Role>()
  private var states = CellCache<WarmUpState>()
  private var qualities = CellCache<Set<QualityFlag>>()

  /// Reads the header.
  ///
  /// Throws what is wrong with it, or with the form of what follows it.
  init(_ source: ByteSource, path: String) throws(ReadingError) {
    var records = CSVRecordReader(source, path: path)
    let header = try records.next() ? records.record.fields : []
    do throws(CSVError) { layout = try CSVLayout(header: header, path: path) } catch {
      // The form of the file counts before what it says.
      while try records.next() {}
      throw .content(error)
    }
    tail = Tail(layout)
    records.leading = tail.metric.place
    self.records = records
    self.path = path
  }

  /// The line of the record that was read last.
  var line: Int { records.line }

  /// Reads the next record; false at the end of the file.
  ///
  /// The row is nil when there are findings.
  mutating func next(_ row: inout ResultRow?) throws(ReadingError) -> Bool {
    guard try records.next() else { return false }
    if !findings.isEmpty { findings = [] }
    row = readRow()
    return true
  }

  private mutating func readRow() -> ResultRow? {
    guard records.count == layout.columns.count else {
      head = nil
      findings = [
        Finding(
          path: path, line: line, finding: "\(records.count) fields",
          expectation: "\(layout.columns.count), as in the header",
          nextStep: "the line may be cut off: write the file again")
      ]
      return nil
    }
    if !records.repeatsLead || head == nil { head = readHead() }
    let key = readKey()
    let value = readNumber(tail.value)
    let interval = readInterval(value)
    let counts = (
      nProc: readCount(tail.nProc, from: 1), nIter: readCount(tail.nIter, from: 1),
      nOp: readCount(tail.nOp, from: 1)
    )
    let process = readCount(tail.process, from: 1)
    let role = readRole()
    let pairID = readCount(tail.pairID, from: 0)
    let design = readDesign()
    let state = readState()
    let quality = readQuality()
    checkFigure(quality)
    guard findings.isEmpty, let head, let key, let quality else {
      findings.sort { Self.position($0) < Self.position($1) }
      return nil
    }
    contestant = head.contestant
    return ResultRow(
      origin: head.origin,
      subject: Subject(system: head.system, metric: key.metric, statistic: key.statistic),
      value: value, interval: interval, processCount: counts.nProc, iterationCount: counts.nIter,
      operationCount: counts.nOp, process: process, role: role, pairID: pairID, design: design,
      state: state, quality: quality)
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
  private mutating func readHead() -> Head? {
    let bytes = records.bytes(0..<tail.metric.place)
    if let known = heads.value(of: bytes) { return known }
    let before = findings.count
    checkSchemaVersion()
    let run = readRun()
    let code = readCode()
    let system = readSystem()
    guard findings.count == before, let run, let system else { return nil }
    let contestant = Contestant(code: code, system: system)
    let number = contestants[contestant] ?? contestants.count
    contestants[contestant] = number
    let head = Head(
      origin: Shared(ResultRow.Origin(run: run, code: code)), system: Shared(system),
      contestant: number)
    heads.keep(head, of: records.bytes(0..<tail.metric.place))
    return head
  }

  /// The figure that the cells from the metric to the direction name.
  private mutating func readKey() -> FigureKey? {
    let cells = tail.metric.place..<tail.value.place
    if let known = figures.value(of: records.bytes(cells)) { return known }
    let before = findings.count
    let key = readFigureKey()
    if findings.count == before, let key { figures.keep(key, of: records.bytes(cells)) }
    return key
  }

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

  private mutating func readSystem() -> Subject.System? {
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
    guard let suite, let benchmark, let params, let scheduler, let allocator else { return nil }
    return Subject.System(
      suite: suite, benchmark: benchmark, params: params, scheduler: scheduler,
      allocator: allocator)
  }

  private mutating func readFigureKey() -> FigureKey? {
    let metric = required(
      .metric, "a metric of the registry, or a name that begins with \(OwnMetric.prefix)",
      Metric.init(rawValue:))
    let statistic = required(.stat, Self.words(Statistic.self), Statistic.init(rawValue:))
    guard let metric, let statistic else { return nil }
    if !metric.statistics.contains(statistic) {
      report(
        .stat, "\(quoted(statistic.rawValue)) of \(metric.rawValue)",
        "one of " + metric.statistics.map(\.rawValue).joined(separator: ", "), Self.seeSchema)
    }
    require(.unit, statistic.unit(of: metric))
    require(.direction, metric.direction.rawValue)
    return FigureKey(metric, statistic)
  }

  private mutating func readInterval(_ value: Double?) -> Interval? {
    let bounds = (
      low: readNumber(tail.ciLow), high: readNumber(tail.ciHigh), level: readNumber(tail.ciLevel)
    )
    if let value, value < 0 {
      report(.value, "\(value)", "0 or more", Self.measureAgain)
    }
    guard let low = bounds.low, let high = bounds.high, let level = bounds.level else {
      let cells = [tail.ciLow, tail.ciHigh, tail.ciLevel]
      if let given = cells.first(where: { !records.isEmpty($0.place) })?.column,
        let missing = cells.first(where: { records.isEmpty($0.place) })?.column
      {
        report(
          missing, "empty beside a \(given.rawValue)", "ci_low, ci_high and ci_level, or none",
          "fill or empty all three")
      }
      return nil
    }
    guard level > 0, level < 1 else {
      report(.ciLevel, "\(level)", "more than 0 and less than 1, such as 0.95", "write a fraction")
      return nil
    }
    guard low <= high else {
      report(.ciLow, "\(low) above ci_high \(high)", "at most ci_high", "exchange the bounds")
      return nil
    }
    if let value, !(low...high).contains(value) {
      let column: Column = value < low ? .ciLow : .ciHigh
      report(column, "value \(value) outside", "ci_low <= value <= ci_high", Self.measureAgain)
    }
    return Interval(low: low, high: high, level: level)
  }

  private mutating func readRole() -> Role? {
    guard !records.isEmpty(tail.role.place) else { return nil }
    if let known = roles.value(of: records.bytes(tail.role.place)) { return known }
    let role = optional(.role, Self.words(Role.self), Role.init(rawValue:))
    if let role { roles.keep(role, of: records.bytes(tail.role.place)) }
    return role
  }

  private mutating func readDesign() -> ComparisonDesign? {
    guard let place = tail.design, !records.isEmpty(place) else { return nil }
    let isRatio = text(.stat) == Statistic.ratio.rawValue
    return optional(.design, "beside a ratio, a plan such as \(Column.design.example)") {
      isRatio ? ComparisonDesign(text: $0) : nil
    }
  }

  private mutating func readState() -> WarmUpState? {
    guard !records.isEmpty(tail.state.place) else { return nil }
    if let known = states.value(of: records.bytes(tail.state.place)) { return known }
    let state = optional(.state, Self.words(WarmUpState.self), WarmUpState.init(rawValue:))
    if let state { states.keep(state, of: records.bytes(tail.state.place)) }
    return state
  }

  private mutating func readQuality() -> Set<QualityFlag>? {
    if let known = qualities.value(of: records.bytes(tail.quality.place)) { return known }
    let words = QualityFlag.plain.map(\.word).joined(separator: ", ")
    let quality: Set<QualityFlag>? = required(
      .quality, "ok, or without repetition \(words), unavailable:<reason>"
    ) { Set(text: $0) }
    if let quality { qualities.keep(quality, of: records.bytes(tail.quality.place)) }
    return quality
  }

  private mutating func checkFigure(_ quality: Set<QualityFlag>?) {
    guard let quality else { return }
    if quality.isFailure {
      for cell in [tail.value, tail.ciLow] where !records.isEmpty(cell.place) {
        report(
          cell.column, "\(quoted(text(cell.column))) beside quality \(quality.text)",
          "an empty cell, since the measurement failed", "empty it, or correct the quality")
      }
    } else if records.isEmpty(tail.value.place) {
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

  /// The text of a cell; empty where files of this layout have no such column.
  private func text(_ column: Column) -> String {
    layout.place(of: column).map { records.text($0) } ?? ""
  }

  private mutating func report(
    _ column: Column, _ finding: String, _ expectation: String, _ nextStep: String
  ) {
    findings.append(
      Finding(
        path: path, line: line, column: column.rawValue, finding: finding,
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

  private mutating func readCount(_ cell: Tail.Cell, from least: Int) -> Int? {
    guard !records.isEmpty(cell.place) else { return nil }
    if let count = wholeNumber(records.content(cell.place)), count >= least { return count }
    report(
      cell.column, quoted(records.text(cell.place)),
      "a whole number of \(least) or more, or nothing", Self.seeSchema)
    return nil
  }

  private mutating func readNumber(_ cell: Tail.Cell) -> Double? {
    guard !records.isEmpty(cell.place) else { return nil }
    if let number = decimalNumber(records.content(cell.place)) { return number }
    report(
      cell.column, quoted(records.text(cell.place)),
      "a finite decimal number with a point, or nothing", Self.seeSchema)
    return nil
  }
}
