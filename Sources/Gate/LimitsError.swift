// SPDX-License-Identifier: Apache-2.0

/// What is wrong at one place of a limits file.
package struct LimitsError: Error, Sendable, Hashable, CustomStringConvertible {
  package let path: String
  /// Counted from 1.
  package let line: Int
  /// The character in the line, counted from 1.
  package let column: Int
  package let finding: String
  package let expectation: String
  package let nextStep: String

  /// `file:line:column`.
  package var place: String { "\(path):\(line):\(column)" }

  /// Place, finding, expectation and next step, on one line.
  package var description: String {
    "\(place): \(finding); expected \(expectation); \(nextStep)"
  }
}
