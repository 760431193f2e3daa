// SPDX-License-Identifier: Apache-2.0

internal import Results

/// The history of one machine as its file tells it: one line per commit and series, in the order
/// in which they were added.
///
/// Lines are only ever added at the end, so that a change shows what is new, and git merges two
/// branches line by line. A plain value; any thread.
struct HistoryFile: Sendable {
  /// Every point, in the order of the file.
  private(set) var points: [HistoryPoint] = []

  /// Where a point of a series and commit stands.
  private var places: [Place: Int] = [:]
  private var commitTimes: [String: Int] = [:]
  /// The reference of the latest point of every figure, and those before it.
  private var references: [Figure: [String]] = [:]

  private struct Place: Hashable {
    let key: SeriesKey
    let commit: String
  }

  private struct Figure: Hashable {
    let machineID: MachineID
    let subject: Subject
  }

  /// A history without points.
  init() {}

  /// Reads a file whose content is at hand.
  ///
  /// Throws the first thing that is wrong with it. O(bytes).
  /// - Parameters:
  ///   - path: for messages.
  ///   - machine: whose history it should be.
  init(_ bytes: [UInt8], path: String, machine: MachineID) throws(HistoryFailure) {
    let records = try Self.records(bytes, path: path)
    let header = records.first?.fields ?? []
    guard header == HistoryColumn.allCases.map(\.rawValue) else {
      let names = HistoryColumn.allCases.map(\.rawValue)
      let place = names.indices.first { $0 >= header.count || header[$0] != names[$0] }
      let found = place.flatMap { $0 < header.count ? quoted(header[$0]) : nil } ?? "another length"
      throw Self.malformed(
        path, 1, place.map { names[$0] }, "\(found) in the header",
        "\(HistoryColumn.header)", "bring the first line back")
    }
    for record in records.dropFirst() {
      let point = try PointReader(path: path, record: record).read()
      guard point.machineID == machine else {
        throw Self.malformed(
          path, record.line, "machine_id", "another machine, \(point.machineID.text)",
          machine.text, "move the line to the file of that machine")
      }
      if let fault = fault(of: point) {
        throw Self.malformed(
          path, record.line, fault.column?.rawValue, fault.finding, fault.expectation,
          fault.nextStep)
      }
      append(point, line: record.line)
    }
  }

  private static func records(_ bytes: [UInt8], path: String) throws(HistoryFailure)
    -> [CSVRecord]
  {
    guard let last = bytes.last else {
      throw malformed(
        path, 1, nil, "an empty file", "a header and points",
        "remove the file, or bring it back from git")
    }
    guard last == UInt8(ascii: "\n") else {
      let line = bytes.reduce(1) { $0 + ($1 == UInt8(ascii: "\n") ? 1 : 0) }
      throw malformed(
        path, line, nil, "the last line is cut off", "every line to end with a line feed",
        "remove the line and add that run again")
    }
    do throws(CSVError) { return try CSVRecordReader.records(bytes, path: path) } catch {
      throw .malformed(error.finding)
    }
  }

  /// Why a point cannot follow those that are there.
  struct Fault {
    let column: HistoryColumn?
    let finding: String
    let expectation: String
    let nextStep: String
  }

  /// What is wrong with a point after those that are there; nil when it may follow.
  func fault(of point: HistoryPoint) -> Fault? {
    if let last = points.last, point.added < last.added {
      return Fault(
        column: .added, finding: "\(point.added.text) after \(last.added.text)",
        expectation: "lines in the order in which they were added",
        nextStep: "sort the lines below the header by their first column")
    }
    if let line = places[Place(key: point.key, commit: point.commit)] {
      return Fault(
        column: .commit, finding: "the same series and commit as in line \(line)",
        expectation: "each of them once", nextStep: "remove one of the lines")
    }
    if let line = commitTimes[point.commit], let first = self.point(atLine: line),
      first.committed != point.committed
    {
      return Fault(
        column: .committed,
        finding: "\(point.committed.text) of a commit of \(first.committed.text)",
        expectation: "one moment per commit, as in line \(line)",
        nextStep: "correct one of the lines")
    }
    let past = references[Figure(machineID: point.machineID, subject: point.subject)] ?? []
    if past.dropLast().contains(point.reference) {
      return Fault(
        column: .reference,
        finding: "\(short(point.reference)) again after \(short(past[past.count - 1]))",
        expectation: "one reference after the other, never mixed",
        nextStep: "remove the line, and add the commit measured against the later reference")
    }
    if let previous = past.last, previous != point.reference, link(to: point) == nil {
      return Fault(
        column: .reference,
        finding: "the series against \(short(point.reference)) begins without a link to that "
          + "against \(short(previous))",
        expectation: "the new reference, or the first commit measured against it, to be a point "
          + "of the earlier series",
        nextStep: "measure a commit of the earlier series against the new reference first")
    }
    return nil
  }

  /// The point of the series before that `point`, which begins one, shares a commit with.
  ///
  /// The reference of a series is itself a commit, of ratio 1.
  private func link(to point: HistoryPoint) -> Int? {
    guard
      let past = references[Figure(machineID: point.machineID, subject: point.subject)]?.last
    else { return nil }
    let earlier = SeriesKey(machineID: point.machineID, subject: point.subject, reference: past)
    return places[Place(key: earlier, commit: point.commit)]
      ?? places[Place(key: earlier, commit: point.reference)]
  }

  /// The line of the point of the same series and commit; nil when there is none.
  func line(like point: HistoryPoint) -> Int? {
    places[Place(key: point.key, commit: point.commit)]
  }

  /// The point in a line of a file without quoted line breaks, as this room writes it.
  func point(atLine line: Int) -> HistoryPoint? {
    points.indices.contains(line - 2) ? points[line - 2] : nil
  }

  /// Adds a point that has no fault.
  mutating func append(_ point: HistoryPoint) { append(point, line: points.count + 2) }

  private mutating func append(_ point: HistoryPoint, line: Int) {
    points.append(point)
    places[Place(key: point.key, commit: point.commit)] = line
    if commitTimes[point.commit] == nil { commitTimes[point.commit] = line }
    let figure = Figure(machineID: point.machineID, subject: point.subject)
    if references[figure]?.last != point.reference {
      references[figure, default: []].append(point.reference)
    }
  }

  /// The file.
  func encoded() -> [UInt8] {
    var text = HistoryColumn.header + "\n"
    for point in points { text += csvLine(HistoryColumn.allCases.map(point.text(of:))) }
    return Array(text.utf8)
  }

  private static func malformed(
    _ path: String, _ line: Int, _ column: String?, _ finding: String, _ expectation: String,
    _ nextStep: String
  ) -> HistoryFailure {
    .malformed(
      Finding(
        path: path, line: line, column: column, finding: finding, expectation: expectation,
        nextStep: nextStep))
  }
}

/// A commit as people say it.
package func short(_ commit: String) -> String { String(commit.prefix(10)) }
