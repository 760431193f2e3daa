// SPDX-License-Identifier: Apache-2.0

extension JSONValue {
  /// The rows of a results file: one object per row, keyed by column; an empty cell is null.
  package static func rows(_ rows: [ResultRow]) -> JSONValue {
    .array(
      rows.map { row in
        .object(Column.allCases.map { ($0.rawValue, cell(row.text(of: $0), of: $0)) })
      })
  }

  private static func cell(_ text: String, of column: Column) -> JSONValue {
    switch column.kind {
    case .integer, .number: text.isEmpty ? .null : .literal(text)
    case .text, .timestamp: text.isEmpty && column.mayBeEmpty ? .null : .string(text)
    }
  }
}
