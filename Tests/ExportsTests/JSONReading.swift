// SPDX-License-Identifier: Apache-2.0

import Exports
import Foundation
import Results
import Testing

/// JSON as a consumer reads it.
enum JSONReading {
  /// The export of the rows as an array of objects.
  static func array(_ format: ExportFormat, _ rows: [ResultRow]) throws -> [[String: Any]] {
    try #require(try read(format, rows) as? [[String: Any]])
  }

  /// The export of the rows as an object.
  static func object(_ format: ExportFormat, _ rows: [ResultRow]) throws -> [String: Any] {
    try #require(try read(format, rows) as? [String: Any])
  }

  private static func read(_ format: ExportFormat, _ rows: [ResultRow]) throws -> Any {
    let text = try format.export(ExportedRun(rows: rows)).text
    return try JSONSerialization.jsonObject(with: Data(text.utf8))
  }
}
