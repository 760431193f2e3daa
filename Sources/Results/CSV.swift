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
    var writer = RowEncoder(rowCount: rows.count)
    for row in rows { writer.append(row) }
    do throws(CSVError) { try read(writer.bytes, path: "row") { _ in } } catch {
      let place = error.finding.line - 2
      var culprit = RowEncoder(rowCount: 1)
      if rows.indices.contains(place) { culprit.append(rows[place]) }
      fatalError(
        "CSV.encode: \(error.finding); the row is "
          + String(decoding: culprit.bytes.dropFirst(Column.header.utf8.count + 1), as: UTF8.self))
    }
    return writer.bytes
  }

  /// Reads a results file whose content is at hand; `path` is for messages.
  ///
  /// Throws the first finding about the form of the file, the header or a cell. Whether the rows
  /// fit together is for `SchemaCheck` to say.
  package static func decode(_ bytes: [UInt8], path: String) throws(CSVError) -> [ResultRow] {
    var rows: [ResultRow] = []
    try read(bytes, path: path) { rows.append($0) }
    return rows
  }

  private static func read(_ bytes: [UInt8], path: String, _ take: (ResultRow) -> Void)
    throws(CSVError)
  {
    do throws(ReadingError) {
      var reader = try RowReader(ByteSource(bytes), path: path)
      var first: Finding?
      var row: ResultRow?
      // To the end in any case: the form of the file counts before what its cells say.
      while try reader.next(&row) {
        first = first ?? reader.findings.first
        if let row { take(row) }
      }
      if let first { throw ReadingError.content(CSVError(finding: first)) }
    } catch { throw error.content }
  }
}

/// Writes rows as lines of a results file.
private struct RowEncoder {
  /// The header, and the rows so far.
  private(set) var bytes: [UInt8]
  /// The row whose cells up to the metric are `lead`, commas included.
  private var leader: ResultRow?
  private var lead: [UInt8] = []

  private static let leading = Array(Column.allCases.prefix { $0 != .metric })
  private static let following = Array(Column.allCases.drop { $0 != .metric })

  init(rowCount: Int) {
    bytes = Array((Column.header + "\n").utf8)
    // Room that is not used is never touched.
    bytes.reserveCapacity((rowCount + 1) * 320)
  }

  mutating func append(_ row: ResultRow) {
    if leader.map({ $0.hasSameOrigin(as: row) && $0.subject.isOfSameSystem(as: row.subject) })
      != true
    {
      leader = row
      lead.removeAll(keepingCapacity: true)
      for column in Self.leading {
        appendCSVCell(row.text(of: column), to: &lead)
        lead.append(UInt8(ascii: ","))
      }
    }
    bytes += lead
    for column in Self.following {
      if column != .metric { bytes.append(UInt8(ascii: ",")) }
      appendCSVCell(row.text(of: column), to: &bytes)
    }
    bytes.append(0x0A)
  }
}
