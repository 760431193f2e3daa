// SPDX-License-Identifier: Apache-2.0

/// Why a graph file cannot be used: place, finding, expectation and next step.
package struct TaskGraphError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The file at fault, as the caller named it.
  package var path: String

  /// Line, counted from 1, when the fault has a place in the text.
  package var line: Int?

  /// Column in characters, counted from 1.
  package var column: Int?

  /// Where in the document, for example `workflow.execution.tasks[3].runtimeInSeconds`.
  package var codingPath: String?

  /// What is there.
  package var finding: String

  /// What should be there; reads on after "expected".
  package var expectation: String

  /// What to do about it.
  package var remedy: String

  /// One line: `path:line:column: coding path: finding; expected …; remedy`.
  package var description: String { "\(place): \(finding); expected \(expectation); \(remedy)" }

  /// `path:line:column: coding path`, as far as the fault has them.
  package var place: String {
    var place = path
    if let line { place += ":\(line)" }
    if let column { place += ":\(column)" }
    if let codingPath { place += ": \(codingPath)" }
    return place
  }

  init(
    path: String, line: Int? = nil, column: Int? = nil, codingPath: String? = nil,
    finding: String, expectation: String, remedy: String
  ) {
    self.path = path
    self.line = line
    self.column = column
    self.codingPath = codingPath
    self.finding = finding
    self.expectation = expectation
    self.remedy = remedy
  }
}
