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
    return try walk(try File.source(path), path: path) { _ in }
  }

  /// Checks a results file whose content is at hand; `path` is for messages.
  package static func check(_ bytes: [UInt8], path: String) -> [Finding] {
    walk(bytes, path: path) { _ in }
  }

  /// Reads the rows of a sound results file, or those of them that are wanted; `path` is for
  /// messages.
  ///
  /// Throws the first of what `check` finds, or why the bytes do not come: whoever makes something
  /// of the rows may take for granted that they are of one run and fit together.
  package static func rows(
    _ source: ByteSource, path: String, where isWanted: (ResultRow) -> Bool = { _ in true }
  ) throws(ReadingError) -> [ResultRow] {
    var rows: [ResultRow] = []
    let findings: [Finding]
    do throws(FileError) {
      findings = try walk(source, path: path) { if isWanted($0) { rows.append($0) } }
    } catch {
      throw .file(error)
    }
    if let finding = findings.first { throw .content(CSVError(finding: finding)) }
    return rows
  }

  private static func walk(_ bytes: [UInt8], path: String, _ take: (ResultRow) -> Void)
    -> [Finding]
  {
    do throws(FileError) { return try walk(ByteSource(bytes), path: path, take) } catch {
      fatalError("SchemaCheck: \(error) from memory; a bug in ByteSource")
    }
  }

  /// Checks the content and hands over the rows that can be read, in their order.
  private static func walk(_ source: ByteSource, path: String, _ take: (ResultRow) -> Void)
    throws(FileError) -> [Finding]
  {
    var start = try source.piece()
    while !start.contains(0x0A), start.count < mostOfFirstLine {
      let piece = try source.piece()
      if piece.isEmpty { break }
      start += piece
    }
    do throws(ReadingError) {
      return try walkRows(ByteSource(start, then: source), path: path, take)
    } catch {
      switch error {
      case .file(let error): throw error
      case .content(let error): return [findingOfFirstLine(start, path: path) ?? error.finding]
      }
    }
  }

  private static func walkRows(_ source: ByteSource, path: String, _ take: (ResultRow) -> Void)
    throws(ReadingError) -> [Finding]
  {
    // Under another header every row would only repeat the same finding.
    var rows = try RowReader(source, path: path)
    var book = RowBook(path: path)
    var row: ResultRow?
    var isEmpty = true
    while try rows.next(&row) {
      isEmpty = false
      book.enter(row, of: rows)
      if let row { take(row) }
    }
    guard isEmpty else { return book.close() }
    return [
      Finding(
        path: path, line: 1, finding: "no rows behind the header",
        expectation: "at least one row", nextStep: "measure something")
    ]
  }

  /// More bytes than any header has.
  private static let mostOfFirstLine = 1 << 16

  /// What is wrong with the header: of a file of another kind that says more than where its form
  /// fails.
  private static func findingOfFirstLine(_ bytes: [UInt8], path: String) -> Finding? {
    let line = bytes.prefix { $0 != UInt8(ascii: "\n") } + [UInt8(ascii: "\n")]
    let records = try? CSVRecordReader.records(Array(line), path: path)
    guard let header = records?.first else { return nil }
    do throws(CSVError) { _ = try CSVLayout(header: header.fields, path: path) } catch {
      return error.finding
    }
    return nil
  }
}

/// What has been seen of a file so far, to find rows that contradict each other.
private struct RowBook {
  /// Rows that an aggregate row sums up.
  private struct Group: Hashable {
    let contestant: Int
    let figure: FigureKey
    let role: Role?
  }

  /// Where the rows of a group are.
  private struct Place {
    /// The largest key so far.
    var last: Key?
    var hasAggregate = false
    /// The first row that came before an aggregate of its group.
    var unsummed: Int?
  }

  /// What may occur once in a group, in the order in which files have it.
  private struct Key: Hashable, Comparable {
    let process: OptionalCount
    let pairID: OptionalCount

    static func < (left: Key, right: Key) -> Bool {
      (left.pairID, left.process) < (right.pairID, right.process)
    }
  }

  /// A row that was taken in.
  private struct Entry {
    let group: Int
    let key: Key
    let line: Int
  }

  /// The lines of entries, for a file whose rows are out of order.
  private struct Index {
    private struct Name: Hashable {
      let group: Int
      let key: Key
    }

    private var lines: [Name: Int] = [:]

    init(_ entries: [Entry]) {
      for entry in entries { _ = enter(entry) }
    }

    /// Takes an entry in; the line of the one before that has the same key, if there is one.
    mutating func enter(_ entry: Entry) -> Int? {
      lines.updateValue(entry.line, forKey: Name(group: entry.group, key: entry.key))
    }
  }

  private let path: String
  private var findings: [Finding] = []
  private var first: (row: ResultRow, line: Int)?
  private var groups: [Group: Int] = [:]
  private var places: [Place] = []
  /// Of the row before, which is of the same group more often than not.
  private var last: (group: Group, index: Int)?
  /// Every row, for as long as the keys of each group rise, which rules out that one comes twice.
  private var entries: [Entry] = []
  /// Every row, from the first key that did not rise.
  private var index: Index?
  /// After an unreadable row nobody can tell whose aggregate it was.
  private var sawUnreadableRow = false

  init(path: String) { self.path = path }

  /// Takes a row in, as its reader just gave it; nil for one that could not be read.
  mutating func enter(_ row: ResultRow?, of reader: borrowing RowReader) {
    guard let row else {
      findings += reader.findings
      sawUnreadableRow = true
      return
    }
    let line = reader.line
    checkRun(row, line: line)
    let group = index(
      of: Group(contestant: reader.contestant, figure: row.subject.key, role: row.role))
    let key = Key(process: OptionalCount(row.process), pairID: OptionalCount(row.pairID))
    if let earlier = lineBefore(Entry(group: group, key: key, line: line)) {
      report(
        line, nil, "the same subject, process and pair as in line \(earlier)",
        "each of them once", "remove one of the lines")
    }
    if row.process == nil && row.pairID == nil {
      places[group].hasAggregate = true
    } else if !places[group].hasAggregate && places[group].unsummed == nil {
      places[group].unsummed = line
    }
  }

  /// Takes an entry in; the line of the last one that has the same key, if there is one.
  private mutating func lineBefore(_ entry: Entry) -> Int? {
    if index == nil {
      guard let last = places[entry.group].last, last >= entry.key else {
        places[entry.group].last = entry.key
        entries.append(entry)
        return nil
      }
      index = Index(entries)
      entries = []
    }
    return index?.enter(entry)
  }

  private mutating func index(of group: Group) -> Int {
    if let last, last.group == group { return last.index }
    let index = groups[group] ?? places.count
    if index == places.count {
      groups[group] = index
      places.append(Place())
    }
    last = (group, index)
    return index
  }

  consuming func close() -> [Finding] {
    if !sawUnreadableRow {
      for (group, index) in groups {
        guard let line = places[index].unsummed else { continue }
        let name = "\(group.figure.metric.rawValue) \(group.figure.statistic.rawValue)"
        let isLate = places[index].hasAggregate
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
    guard !row.hasSameOrigin(as: first.row), row.run != first.row.run else { return }
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
