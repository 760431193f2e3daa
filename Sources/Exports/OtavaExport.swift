// SPDX-License-Identifier: Apache-2.0

package import History
internal import Results

/// Histories as Apache Otava takes them: wide tables, and the configuration that names them.
///
/// A table has a line per commit and a column per series, and no empty cell: Otava gives up on a
/// table that has one, and still exits with 0. So series of the same commits share a table, and
/// others get one of their own. It has no column of branches, of which Otava wants one chosen. A
/// plain value; any thread.
package struct OtavaExport: Sendable {
  /// The name of the configuration file.
  package static let configuration = "otava.yaml"

  /// The files by name, the configuration first.
  package let files: [(name: String, text: String)]
  /// The tests that the configuration names.
  package let tests: [String]
  /// Series of which neither way is better, which Otava has no word for.
  package let omissions: [String]
  /// The moment of the earliest commit: Otava looks at the last year alone unless told.
  package let since: String

  /// Makes the files of all series.
  package init(_ series: [HistorySeries]) {
    let taken = series.filter { $0.key.subject.direction != .none }
    omissions = series.filter { $0.key.subject.direction == .none }.map(\.name)
    var tables: [Table] = []
    for series in taken {
      let commits = series.points.map(\.commit)
      let place = tables.firstIndex { $0.accepts(series, commits) }
      if let place {
        tables[place].series.append(series)
      } else {
        tables.append(Table(commits: commits, series: [series]))
      }
    }
    var numbers: [String: Int] = [:]
    var files: [(name: String, text: String)] = []
    var tests: [(String, JSONValue)] = []
    for table in tables {
      let stem = table.stem
      numbers[stem, default: 0] += 1
      let name = "\(stem)-\(numbers[stem, default: 1])"
      files.append(("\(name).csv", table.text))
      tests.append((name, table.configuration(file: "\(name).csv")))
    }
    self.tests = tests.map(\.0)
    // YAML takes JSON as it is.
    let document = JSONValue.object([("tests", .object(tests.map { (name: $0.0, value: $0.1) }))])
    self.files = [(Self.configuration, document.document)] + files
    since = taken.flatMap(\.points).map(\.committed).min()?.text ?? ""
  }
}

/// Series of the same commits on one machine against one reference.
private struct Table {
  let commits: [String]
  var series: [HistorySeries]

  func accepts(_ other: HistorySeries, _ commits: [String]) -> Bool {
    let key = series[0].key
    return key.machineID == other.key.machineID && key.reference == other.key.reference
      && self.commits == commits
  }

  /// Machine and reference, in letters that every file system and shell takes.
  var stem: String {
    nameReplacingOthers(in: series[0].key.machineID.text) + "-" + short(series[0].key.reference)
  }

  var text: String {
    let header = ["time", "commit", "run_id"] + series.map(\.name)
    return csvLine(header)
      + series[0].points.indices.map { place in
        let point = series[0].points[place]
        return csvLine(
          [point.committed.text, point.commit, point.runID.text]
            + series.map { $0.points[place].figure.description })
      }.joined()
  }

  func configuration(file: String) -> JSONValue {
    .object([
      ("type", .string("csv")), ("file", .string(file)), ("time_column", .string("time")),
      ("attributes", .array([.string("commit"), .string("run_id")])),
      (
        "metrics",
        .object(
          series.map { series in
            let direction = series.key.subject.direction == .higher ? 1 : -1
            return (
              name: series.name,
              value: .object([
                ("column", .string(series.name)), ("direction", .integer(direction)),
                ("scale", .integer(1)),
              ])
            )
          })
      ),
    ])
  }
}
