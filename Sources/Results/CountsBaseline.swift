// SPDX-License-Identifier: Apache-2.0

/// What one operation of a contestant costs in counts, and how far repetitions were apart.
package struct OperationCounts: Sendable, Hashable {
  /// A count per operation: the median of repetitions and their range, largest less smallest.
  package struct Count: Sendable, Hashable {
    /// The median; finite, 0 or more.
    package var value: Double
    /// The range; finite, 0 or more.
    package var spread: Double

    /// A count; see the properties.
    package init(_ value: Double, spread: Double = 0) {
      self.value = value
      self.spread = spread
    }
  }

  /// Instructions of all threads.
  package var instructions: Count
  /// Atomic read-modify-writes: instructions that lock the bus.
  package var readModifyWrites: Count
  /// Calls of malloc or one of its kin.
  package var allocations: Count

  /// Counts; see the properties.
  package init(instructions: Count, readModifyWrites: Count, allocations: Count) {
    self.instructions = instructions
    self.readModifyWrites = readModifyWrites
    self.allocations = allocations
  }
}

/// Who was counted: one contestant at one point of its axes.
package struct CountsKey: Sendable, Hashable {
  /// The workload's name.
  package var benchmark: String
  /// As in a results file, workers included.
  package var params: RowParameters
  /// The scheduler's name.
  package var scheduler: String

  /// A key; see the properties.
  package init(benchmark: String, params: RowParameters, scheduler: String) {
    self.benchmark = benchmark
    self.params = params
    self.scheduler = scheduler
  }
}

/// One row of a stored baseline of counts.
package struct CountsBaselineRow: Sendable, Hashable {
  /// Who was counted.
  package var key: CountsKey
  /// What it cost.
  package var counts: OperationCounts
  /// What the counts depend on besides the source: compiler, libraries, processor, counter.
  ///
  /// Counts of another one are not comparable.
  package var toolchain: String
  /// The commit that was counted, 40 hexadecimal digits; nil when it was not known.
  package var commit: String?

  /// A row; see the properties.
  package init(key: CountsKey, counts: OperationCounts, toolchain: String, commit: String?) {
    self.key = key
    self.counts = counts
    self.toolchain = toolchain
    self.commit = commit
  }
}

/// Counts that later ones are compared with, as a file: RFC 4180, one row per contestant and
/// toolchain.
///
/// One file may hold the counts of several machines: a reader takes those of its own toolchain.
package struct CountsBaseline: Sendable, Hashable {
  /// The columns, in order.
  package enum Column: String, CaseIterable, Sendable {
    case benchmark, params, scheduler
    case instructions = "instructions_per_op"
    case instructionsSpread = "instructions_spread"
    case readModifyWrites = "rmw_per_op"
    case readModifyWritesSpread = "rmw_spread"
    case allocations = "allocations_per_op"
    case allocationsSpread = "allocations_spread"
    case toolchain, commit
  }

  /// In the order of the file; each key and toolchain once.
  package private(set) var rows: [CountsBaselineRow] = []

  /// An empty baseline.
  package init() {}

  /// The rows of one toolchain.
  package func rows(of toolchain: String) -> [CountsBaselineRow] {
    rows.filter { $0.toolchain == toolchain }
  }

  /// Every toolchain, in the order of the file.
  package var toolchains: [String] {
    rows.reduce(into: []) { if !$0.contains($1.toolchain) { $0.append($1.toolchain) } }
  }

  /// Takes a row in, in the place of the one with its key and toolchain if there is one.
  package mutating func record(_ row: CountsBaselineRow) {
    let same = rows.firstIndex { $0.key == row.key && $0.toolchain == row.toolchain }
    if let same { rows[same] = row } else { rows.append(row) }
  }

  /// The file's bytes; `init(csv:path:)` reads the same baseline back, to four decimal places.
  package var csv: [UInt8] {
    let lines = rows.map { row in csvLine(Column.allCases.map { Self.text(of: $0, in: row) }) }
    return Array((csvLine(Column.allCases.map(\.rawValue)) + lines.joined()).utf8)
  }

  /// Reads a file whose content is at hand; `path` is for messages.
  ///
  /// Throws the first of what is wrong with it. O(bytes + rows²).
  package init(csv bytes: [UInt8], path: String) throws(CSVError) {
    let records = try CSVRecordReader.records(bytes, path: path)
    let header = Column.allCases.map(\.rawValue)
    guard records.first?.fields == header else {
      throw CSVError(
        finding: Finding(
          path: path, line: 1, finding: "the first line is not the header of a baseline of counts",
          expectation: csvLine(header).filter { $0 != "\n" },
          nextStep: "name a file that `bench counts --record` wrote"))
    }
    for record in records.dropFirst() {
      let row = try Self.row(record, path: path)
      if rows.contains(where: { $0.key == row.key && $0.toolchain == row.toolchain }) {
        throw CSVError(
          finding: Finding(
            path: path, line: record.line,
            finding: "\(row.key.benchmark) \(row.key.params.text) on \(row.key.scheduler) again",
            expectation: "every contestant once per toolchain", nextStep: "remove one of the lines"
          ))
      }
      rows.append(row)
    }
  }

  private static func text(of column: Column, in row: CountsBaselineRow) -> String {
    switch column {
    case .benchmark: row.key.benchmark
    case .params: row.key.params.text
    case .scheduler: row.key.scheduler
    case .instructions: decimal(row.counts.instructions.value)
    case .instructionsSpread: decimal(row.counts.instructions.spread)
    case .readModifyWrites: decimal(row.counts.readModifyWrites.value)
    case .readModifyWritesSpread: decimal(row.counts.readModifyWrites.spread)
    case .allocations: decimal(row.counts.allocations.value)
    case .allocationsSpread: decimal(row.counts.allocations.spread)
    case .toolchain: row.toolchain
    case .commit: row.commit ?? ""
    }
  }

  /// Four decimal places at the most, far below what a count varies by.
  private static func decimal(_ number: Double) -> String {
    ((number * 10_000).rounded() / 10_000).description
  }

  private static func row(_ record: CSVRecord, path: String) throws(CSVError) -> CountsBaselineRow {
    guard record.fields.count == Column.allCases.count else {
      throw CSVError(
        finding: Finding(
          path: path, line: record.line, finding: "\(record.fields.count) fields",
          expectation: "\(Column.allCases.count), as in the header",
          nextStep: "record the baseline again"))
    }
    let cells = Cells(path: path, record: record)
    return CountsBaselineRow(
      key: CountsKey(
        benchmark: try cells.name(.benchmark), params: try cells.parameters(),
        scheduler: try cells.name(.scheduler)),
      counts: OperationCounts(
        instructions: try cells.count(.instructions, .instructionsSpread),
        readModifyWrites: try cells.count(.readModifyWrites, .readModifyWritesSpread),
        allocations: try cells.count(.allocations, .allocationsSpread)),
      toolchain: try cells.text(.toolchain), commit: try cells.commit())
  }
}

/// The cells of one record, each checked as it is read.
private struct Cells {
  let path: String
  let record: CSVRecord

  func text(_ column: CountsBaseline.Column) throws(CSVError) -> String {
    let text = raw(column)
    guard !text.isEmpty else { throw error(column, "a text that is not empty") }
    return text
  }

  func name(_ column: CountsBaseline.Column) throws(CSVError) -> String {
    guard isName(raw(column)) else { throw error(column, "a name of A-Z a-z 0-9 _ -") }
    return raw(column)
  }

  func parameters() throws(CSVError) -> RowParameters {
    guard let parameters = RowParameters(text: raw(.params)) else {
      throw error(.params, "name:value joined by ; and sorted by name")
    }
    return parameters
  }

  func commit() throws(CSVError) -> String? {
    guard raw(.commit).isEmpty || isHexadecimal(raw(.commit), digits: 40) else {
      throw error(.commit, "40 hexadecimal digits, or nothing")
    }
    return raw(.commit).isEmpty ? nil : raw(.commit)
  }

  func count(
    _ value: CountsBaseline.Column, _ spread: CountsBaseline.Column
  ) throws(CSVError) -> OperationCounts.Count {
    OperationCounts.Count(try number(value), spread: try number(spread))
  }

  private func number(_ column: CountsBaseline.Column) throws(CSVError) -> Double {
    guard let number = Double(raw(column)), number.isFinite, number >= 0 else {
      throw error(column, "a number, 0 or more")
    }
    return number
  }

  private func raw(_ column: CountsBaseline.Column) -> String {
    record.fields[CountsBaseline.Column.allCases.firstIndex(of: column) ?? 0]
  }

  private func error(_ column: CountsBaseline.Column, _ expectation: String) -> CSVError {
    CSVError(
      finding: Finding(
        path: path, line: record.line, column: column.rawValue,
        finding: quoted(raw(column)), expectation: expectation,
        nextStep: "record the baseline again with `bench counts --record`"))
  }
}
