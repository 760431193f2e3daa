// SPDX-License-Identifier: Apache-2.0

package import TaskGraphFiles

/// Why a build gives no graph: place, finding, expectation and next step.
package struct RecordingFailure: Error, Sendable, Equatable {
  /// What kind of failure it is.
  package enum Cause: Sendable, Equatable {
    /// The command is none that can be recorded.
    case command
    /// The program is not there.
    case missing
    /// The program, or what it needs, cannot be started or made.
    case system
    /// A file of the build cannot be read as such.
    case input
    /// The build ran nothing.
    case nothing
  }

  package let cause: Cause
  package let place: String
  package let finding: String
  package let expectation: String
  package let nextStep: String

  init(
    _ cause: Cause, place: String, finding: String, expectation: String, nextStep: String
  ) {
    self.cause = cause
    self.place = place
    self.finding = finding
    self.expectation = expectation
    self.nextStep = nextStep
  }

  /// What a file of the build has against being read.
  package init(_ error: TaskGraphError) {
    var place = error.path
    if let line = error.line { place += ":\(line)" }
    if let column = error.column { place += ":\(column)" }
    if let path = error.codingPath { place += ": \(path)" }
    self.init(
      .input, place: place, finding: error.finding, expectation: error.expectation,
      nextStep: error.remedy)
  }
}
