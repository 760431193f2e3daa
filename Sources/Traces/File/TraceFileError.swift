// SPDX-License-Identifier: Apache-2.0

internal import Results

/// Why a file is no recording that can be used: place, finding, expectation and next step.
package struct TraceFileError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The file at fault, as the caller named it.
  package var path: String
  /// The byte at fault, counted from 0; nil where the file could not be read at all.
  package var offset: Int?
  /// What is there.
  package var finding: String
  /// What should be there.
  package var expectation: String
  /// What to do about it.
  package var nextStep: String
  /// Whether the file could not be read, rather than what is in it.
  package var isUnreadable: Bool { offset == nil }

  init(path: String, offset: Int?, finding: String, expectation: String, nextStep: String) {
    self.path = path
    self.offset = offset
    self.finding = finding
    self.expectation = expectation
    self.nextStep = nextStep
  }

  init(reading error: FileError) {
    self.init(
      path: error.path, offset: nil, finding: "cannot be read: \(error.finding)",
      expectation: "a recording", nextStep: "name a file that is there and may be read")
  }

  /// Where it is: the path, and the byte.
  package var place: String { path + (offset.map { ": byte \($0)" } ?? "") }

  /// One line: place, finding, expectation, next step.
  package var description: String {
    "\(place): \(finding); expected \(expectation); \(nextStep)"
  }
}
