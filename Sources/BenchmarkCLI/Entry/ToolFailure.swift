// SPDX-License-Identifier: Apache-2.0

/// How `bench` ends; the numbers are part of the command line's contract.
package struct ExitCode: RawRepresentable, Hashable, Sendable {
  package let rawValue: Int32

  /// Any other code is that of a build that was recorded.
  package init(rawValue: Int32) { self.rawValue = rawValue }

  /// Done.
  package static let success = ExitCode(rawValue: 0)
  /// A benchmark failed, or `doctor` found something, or a checked file is not valid, or a count is
  /// more than before.
  package static let findings = ExitCode(rawValue: 1)
  /// Something got worse.
  package static let regression = ExitCode(rawValue: 2)
  /// Nothing was judged, or not everything is settled and the user asked for that.
  package static let inconclusive = ExitCode(rawValue: 3)
  /// Something got better, and the user asked to hear of it.
  package static let improvement = ExitCode(rawValue: 4)
  /// A baseline is missing, or is of another machine.
  package static let noBaseline = ExitCode(rawValue: 5)
  /// The command line cannot be understood.
  package static let usage = ExitCode(rawValue: 64)
  /// An input file is malformed.
  package static let malformedInput = ExitCode(rawValue: 65)
  /// Nothing matched the filter.
  package static let nothingMatched = ExitCode(rawValue: 69)
  /// A fault of the tool itself.
  package static let internalFault = ExitCode(rawValue: 70)
  /// A program that is needed is not installed.
  package static let missing = ExitCode(rawValue: 72)
  /// An output file cannot be created.
  package static let cannotCreate = ExitCode(rawValue: 73)
  /// Reading or writing failed.
  package static let inputOutput = ExitCode(rawValue: 74)
  /// Ended by Ctrl-C after writing what was complete.
  package static let interrupted = ExitCode(rawValue: 130)
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
