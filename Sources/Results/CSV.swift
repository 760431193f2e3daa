// SPDX-License-Identifier: Apache-2.0

/// Results files: RFC 4180, UTF-8, line feeds, decimal points, a missing value is an empty cell.
///
/// Pure functions; any thread. O(bytes).
package enum CSV {
  /// Writes the header and all rows.
  ///
  /// Stops the process when a row has a figure that is not finite, or a text that no reader would
  /// take back: rows are the program's own.
  package static func encode(_ rows: [ResultRow]) -> [UInt8] {
    var text = Column.header + "\n"
    for row in rows {
      let record = CSVRecord(line: 0, fields: Column.allCases.map { row.text(of: $0) })
      let line = csvLine(record.fields)
      if let finding = RowReader(path: "row", record: record).read().findings.first {
        fatalError("CSV.encode: \(finding); the row is \(line)")
      }
      text += line
    }
    return Array(text.utf8)
  }

  /// Reads a results file whose content is at hand; `path` is for messages.
  ///
  /// Throws the first finding about the form of the file, the header or a cell. Whether the rows
  /// fit together is for `SchemaCheck` to say.
  package static func decode(_ bytes: [UInt8], path: String) throws(CSVError) -> [ResultRow] {
    let records = try CSVRecordReader.records(bytes, path: path)
    if let finding = headerFinding(records.first, path: path) { throw CSVError(finding: finding) }
    var rows: [ResultRow] = []
    for record in records.dropFirst() {
      let result = RowReader(path: path, record: record).read()
      if let finding = result.findings.first { throw CSVError(finding: finding) }
      if let row = result.row { rows.append(row) }
    }
    return rows
  }

  /// What is wrong with the first record of a results file; nil when it is the header.
  static func headerFinding(_ record: CSVRecord?, path: String) -> Finding? {
    let names = Column.allCases.map(\.rawValue)
    let fields = record?.fields ?? []
    guard fields != names else { return nil }
    let index = zip(fields, names).enumerated().first { $1.0 != $1.1 }?.offset
    let place = index ?? min(fields.count, names.count)
    let found = place < fields.count ? quoted(fields[place]) : "nothing"
    let wanted = place < names.count ? names[place] : "the end of the line"
    return Finding(
      path: path, line: 1, column: place < names.count ? names[place] : nil,
      finding: "\(found) in place \(place + 1) of the header", expectation: wanted,
      nextStep: "use the header that `bench schema` lists")
  }
}
