// SPDX-License-Identifier: Apache-2.0

/// The check of a whole results file: form, header, every cell, and how the rows fit together.
///
/// Any thread. Reads files, writes nothing. O(bytes).
package enum SchemaCheck {
  /// Checks the file; no findings means that it is a sound results file.
  ///
  /// Throws when the file cannot be read at all, or is no regular file. The path `-` is standard
  /// input.
  package static func check(path: String) throws(FileError) -> [Finding] {
    if path == "-" { return check(try File.readStandardInput(), path: "standard input") }
    return check(try File.read(path), path: path)
  }

  /// Checks a results file whose content is at hand; `path` is for messages.
  package static func check(_ bytes: [UInt8], path: String) -> [Finding] {
    walk(bytes, path: path) { _ in }
  }

  /// Reads the rows of a sound results file whose content is at hand; `path` is for messages.
  ///
  /// Throws the first of what `check` finds: whoever makes something of the rows may take for
  /// granted that they are of one run and fit together.
  package static func rows(_ bytes: [UInt8], path: String) throws(CSVError) -> [ResultRow] {
    var rows: [ResultRow] = []
    let findings = walk(bytes, path: path) { rows.append($0) }
    if let finding = findings.first { throw CSVError(finding: finding) }
    return rows
  }

  /// Checks the content and hands over the rows that can be read, in their order.
  private static func walk(_ bytes: [UInt8], path: String, _ take: (ResultRow) -> Void)
    -> [Finding]
  {
    let records: [CSVRecord]
    do throws(CSVError) {
      records = try CSVRecordReader.records(bytes, path: path)
    } catch {
      return [findingOfFirstLine(bytes, path: path) ?? error.finding]
    }
    // Under another header every row would only repeat the same finding.
    let layout: CSVLayout
    do throws(CSVError) { layout = try CSVLayout(header: records.first, path: path) } catch {
      return [error.finding]
    }
    guard records.count > 1 else {
      return [
        Finding(
          path: path, line: 1, finding: "no rows behind the header",
          expectation: "at least one row", nextStep: "measure something")
      ]
    }
    var book = RowBook(path: path, layout: layout)
    for record in records.dropFirst() {
      if let row = book.enter(record) { take(row) }
    }
    return book.close()
  }

  /// What is wrong with the header: of a file of another kind that says more than where its form
  /// fails.
  private static func findingOfFirstLine(_ bytes: [UInt8], path: String) -> Finding? {
    let line = bytes.prefix { $0 != UInt8(ascii: "\n") } + [UInt8(ascii: "\n")]
    let records = try? CSVRecordReader.records(Array(line), path: path)
    guard let header = records?.first else { return nil }
    do throws(CSVError) { _ = try CSVLayout(header: header, path: path) } catch {
      return error.finding
    }
    return nil
  }
}

/// What has been seen of a file so far, to find rows that contradict each other.
private struct RowBook {
  /// Rows that an aggregate row sums up.
  private struct Group: Hashable {
    let code: CodeIdentity
    let subject: Subject
    let role: Role?
  }

  /// What may occur once.
  private struct Key: Hashable {
    let group: Group
    let process: Int?
    let pairID: Int?
  }

  private let path: String
  private let layout: CSVLayout
  private var findings: [Finding] = []
  private var first: (row: ResultRow, line: Int)?
  private var lineOfKey: [Key: Int] = [:]
  private var groupsWithAggregate: Set<Group> = []
  private var unsummed: [Group: Int] = [:]
  /// After an unreadable row nobody can tell whose aggregate it was.
  private var sawUnreadableRow = false

  init(path: String, layout: CSVLayout) {
    self.path = path
    self.layout = layout
  }

  /// Takes a record in; its row, where it can be read.
  mutating func enter(_ record: CSVRecord) -> ResultRow? {
    let result = RowReader(path: path, record: record, layout: layout).read()
    findings += result.findings
    guard let row = result.row else {
      sawUnreadableRow = true
      return nil
    }
    checkRun(row, line: record.line)
    let group = Group(code: row.code, subject: row.subject, role: row.role)
    let key = Key(group: group, process: row.process, pairID: row.pairID)
    if let earlier = lineOfKey[key] {
      report(
        record.line, nil, "the same subject, process and pair as in line \(earlier)",
        "each of them once", "remove one of the lines")
    }
    lineOfKey[key] = record.line
    if row.process == nil && row.pairID == nil {
      groupsWithAggregate.insert(group)
    } else if !groupsWithAggregate.contains(group) && unsummed[group] == nil {
      unsummed[group] = record.line
    }
    return row
  }

  consuming func close() -> [Finding] {
    if !sawUnreadableRow {
      for (group, line) in unsummed {
        let name = "\(group.subject.metric.rawValue) \(group.subject.statistic.rawValue)"
        let isLate = groupsWithAggregate.contains(group)
        report(
          line, .process, "\(name) of one process \(isLate ? "before" : "without") its aggregate",
          "a row with an empty process before it",
          isLate ? "move the aggregate row up" : "add the aggregate row")
      }
    }
    return findings.sorted { $0.line < $1.line }
  }

  private mutating func checkRun(_ row: ResultRow, line: Int) {
    guard let first else {
      self.first = (row, line)
      return
    }
    guard row.run != first.row.run else { return }
    for column in [Column.time, .runID, .machineID] {
      let (text, wanted) = (row.text(of: column), first.row.text(of: column))
      guard text != wanted else { continue }
      report(
        line, column, quoted(text), "\(quoted(wanted)) as in line \(first.line)",
        "keep one run per file")
    }
  }

  private mutating func report(
    _ line: Int, _ column: Column?, _ finding: String, _ expectation: String, _ nextStep: String
  ) {
    findings.append(
      Finding(
        path: path, line: line, column: column?.rawValue, finding: finding,
        expectation: expectation, nextStep: nextStep))
  }
}
