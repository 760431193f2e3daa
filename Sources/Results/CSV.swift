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
    let layout = try CSVLayout(header: records.first, path: path)
    var rows: [ResultRow] = []
    for record in records.dropFirst() {
      let result = RowReader(path: path, record: record, layout: layout).read()
      if let finding = result.findings.first { throw CSVError(finding: finding) }
      if let row = result.row { rows.append(row) }
    }
    return rows
  }
}
