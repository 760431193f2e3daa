// SPDX-License-Identifier: Apache-2.0

/// How `bench` ends; the numbers are part of the command line's contract.
package enum ExitCode: Int32, Sendable {
  /// Done.
  case success = 0
  /// A benchmark failed, or `doctor` found something, or a checked file is not valid, or a count is
  /// more than before.
  case findings = 1
  /// Something got worse.
  case regression = 2
  /// Nothing was judged, or not everything is settled and the user asked for that.
  case inconclusive = 3
  /// Something got better, and the user asked to hear of it.
  case improvement = 4
  /// A baseline is missing, or is of another machine.
  case noBaseline = 5
  /// The command line cannot be understood.
  case usage = 64
  /// An input file is malformed.
  case malformedInput = 65
  /// Nothing matched the filter.
  case nothingMatched = 69
  /// A fault of the tool itself.
  case internalFault = 70
  /// A program that is needed is not installed.
  case missing = 72
  /// An output file cannot be created.
  case cannotCreate = 73
  /// Reading or writing failed.
  case inputOutput = 74
  /// Ended by Ctrl-C after writing what was complete.
  case interrupted = 130
}

/// An error the user sees: where, what was found, what was expected, and what to do next.
package struct ToolFailure: Error, Equatable, CustomStringConvertible {
  /// How the process ends.
  package let code: ExitCode
  /// Option, file or verb the finding belongs to.
  package let place: String
  /// What was found.
  package let finding: String
  /// What would have been right; may be empty.
  package let expectation: String
  /// What the user can do; may be empty.
  package let nextStep: String

  package init(
    _ code: ExitCode, place: String, finding: String, expectation: String = "",
    nextStep: String = ""
  ) {
    self.code = code
    self.place = place
    self.finding = finding
    self.expectation = expectation
    self.nextStep = nextStep
  }

  /// A usage error: exit code 64.
  package static func usage(
    _ place: String, _ finding: String, expected: String = "", next: String = ""
  ) -> ToolFailure {
    ToolFailure(.usage, place: place, finding: finding, expectation: expected, nextStep: next)
  }

  /// `place: finding; expected …; next step`.
  package var description: String {
    var text = "\(place): \(finding)"
    if !expectation.isEmpty { text += "; expected \(expectation)" }
    if !nextStep.isEmpty { text += "; \(nextStep)" }
    return text
  }
}
