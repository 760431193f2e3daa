// SPDX-License-Identifier: Apache-2.0

/// Rows in the forms that standard output can take besides CSV.
///
/// Pure functions; any thread. Both end with a line feed.
package enum RowEncodings {
  /// An array of one object per row, its members named and ordered as the columns.
  ///
  /// Numbers are numbers, a missing value is null, `dirty` is a boolean, `params` an object whose
  /// whole numbers are numbers, and `quality` an array of words.
  package static func json(_ rows: [ResultRow]) -> String {
    JSONText.lines(
      rows.map { row in
        JSONText.object(Column.allCases.map { ($0.rawValue, value(of: $0, in: row)) })
      })
  }

  /// The columns of a Markdown table: what differs between the rows of one run.
  package static let markdownColumns: [Column] = [
    .benchmark, .params, .scheduler, .allocator, .metric, .stat, .unit, .value, .ciLow, .ciHigh,
    .nProc, .process, .quality,
  ]

  /// A table in the dialect of GitHub, numbers aligned to the right.
  package static func markdown(_ rows: [ResultRow]) -> String {
    let head = markdownColumns.map(\.rawValue)
    let rule = markdownColumns.map { column in
      switch column.kind {
      case .integer, .number: "---:"
      case .text, .timestamp: "---"
      }
    }
    let body = rows.map { row in markdownColumns.map { markdownCell(row.text(of: $0)) } }
    return ([head, rule] + body).map { "| " + $0.joined(separator: " | ") + " |\n" }.joined()
  }

  private static func value(of column: Column, in row: ResultRow) -> String {
    let text = row.text(of: column)
    switch column {
    case .params:
      return JSONText.object(
        row.subject.params.entries.map { entry in
          let isNumber = Int(entry.value).map(String.init) == entry.value
          return (entry.name, isNumber ? entry.value : JSONText.string(entry.value))
        })
    case .quality:
      return JSONText.array(text.split(separator: ";").map { JSONText.string(String($0)) })
    case .dirty:
      return row.run.isDirty.map(\.description) ?? "null"
    default:
      if text.isEmpty { return "null" }
      switch column.kind {
      case .integer, .number: return text
      case .text, .timestamp: return JSONText.string(text)
      }
    }
  }

  private static func markdownCell(_ text: String) -> String {
    String(text.map { $0 == "|" ? "\\|" : String($0) }.joined())
  }
}
