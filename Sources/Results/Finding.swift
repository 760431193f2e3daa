// SPDX-License-Identifier: Apache-2.0

/// What is wrong at one place of a file, what was expected there, and what to do next.
package struct Finding: Sendable, Hashable, CustomStringConvertible {
  package let path: String
  /// The line, counted from 1; for a record over several lines its first one.
  package let line: Int
  /// The name of the column, nil when the finding is about the whole line.
  package let column: String?
  package let finding: String
  package let expectation: String
  package let nextStep: String

  package init(
    path: String, line: Int, column: String? = nil, finding: String, expectation: String,
    nextStep: String
  ) {
    self.path = path
    self.line = line
    self.column = column
    self.finding = finding
    self.expectation = expectation
    self.nextStep = nextStep
  }

  /// `file:line: column`, or `file:line` alone.
  package var place: String {
    column.map { "\(path):\(line): \($0)" } ?? "\(path):\(line)"
  }

  /// `file:line: column: finding; expected …; next step`, on one line.
  package var description: String {
    "\(place): \(finding); expected \(expectation); \(nextStep)"
  }
}

/// Why a file could not be read as results: its first finding.
package struct CSVError: Error, Sendable, Hashable, CustomStringConvertible {
  package let finding: Finding

  /// The finding, on one line.
  package var description: String { finding.description }
}

/// A text from a file as messages show it: in quotes, short, without control characters.
package func quoted(_ text: String) -> String {
  let limit = 60
  let shown = text.unicodeScalars.prefix(limit).map { scalar in
    scalar.properties.generalCategory == .control ? "\u{FFFD}" : Character(scalar)
  }
  return "\"" + String(shown) + (text.unicodeScalars.count > limit ? "…" : "") + "\""
}
