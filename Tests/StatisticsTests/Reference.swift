// SPDX-License-Identifier: Apache-2.0

import Testing

/// The rows of `referenceValues`, which `scripts/statistics-reference` makes with SciPy.
enum Reference {
  struct Row: Sendable {
    let given: [Double]
    let expected: [Double]
    let bytes: [UInt8]
  }

  /// The rows of one name; a name without rows is a mistake of the test.
  static func rows(_ name: String) throws -> [Row] {
    try #require(all[name], "no reference values are called \(name)")
  }

  private static let all: [String: [Row]] = {
    var rows: [String: [Row]] = [:]
    for line in referenceValues.split(separator: "\n") {
      let fields = line.split(separator: "|", omittingEmptySubsequences: false)
      rows[String(fields[0]), default: []].append(
        Row(
          given: figures(fields[1]), expected: figures(fields[2]),
          bytes: fields.count > 3 ? bytes(fields[3]) : []))
    }
    return rows
  }()

  private static func figures(_ field: Substring) -> [Double] {
    // A figure that does not parse becomes one that equals nothing.
    field.split(separator: " ").map { Double($0) ?? .nan }
  }

  private static func bytes(_ field: Substring) -> [UInt8] {
    let digits = field.utf8.map { $0 < 0x3a ? $0 - 0x30 : $0 - 0x57 }
    return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
  }
}

/// Whether two figures differ by at most a share of the second; 0 must be met exactly or nearly.
func agrees(_ figure: Double, _ expected: Double, within share: Double = 1e-12) -> Bool {
  (figure - expected).magnitude <= share * max(expected.magnitude, 1e-300)
    || figure == expected
}
