// SPDX-License-Identifier: Apache-2.0

import Statistics
import Testing

/// The rows of `referenceValues`, which `scripts/statistics-reference` makes with hdrhistogram.
struct Reference {
  let given: [Double]
  let expected: [Double]
  let text: String
  /// The rows called `line` that follow, each without the point that ends it.
  private(set) var lines: [String] = []

  /// The rows of one name; a name without rows is a mistake of the test.
  static func rows(_ name: String) throws -> [Reference] {
    var rows: [(name: String, row: Reference)] = []
    for line in referenceValues.split(separator: "\n") {
      let fields = line.split(separator: "|", omittingEmptySubsequences: false).map(String.init)
      let text = fields.count > 3 ? fields[3] : ""
      if fields[0] == "line" {
        rows[rows.count - 1].row.lines.append(String(text.dropLast()))
      } else {
        let figures = fields[1...2].map { field in
          // A figure that does not parse becomes one that equals nothing.
          field.split(separator: " ").map { Double($0) ?? .nan }
        }
        rows.append((fields[0], Reference(given: figures[0], expected: figures[1], text: text)))
      }
    }
    let named = rows.filter { $0.name == name }.map(\.row)
    try #require(!named.isEmpty, "no reference values are called \(name)")
    return named
  }

  /// The histogram of a row: lowest, highest, digits, then figures with their counts.
  func histogram() throws -> HdrHistogram {
    let layout = try #require(
      HdrHistogram.Layout(
        lowestDiscernible: Int64(given[0]), highestTrackable: Int64(given[1]),
        significantDigits: Int(given[2])))
    var histogram = HdrHistogram(layout: layout)
    for place in stride(from: 3, to: given.count, by: 2) {
      try histogram.record(Int64(given[place]), count: Int64(given[place + 1]))
    }
    return histogram
  }
}
