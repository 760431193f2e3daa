// SPDX-License-Identifier: Apache-2.0

/// Why a program of the system did not do what it was started for.
package struct ProgramFailure: Error, Hashable, Sendable {
  /// What kept it.
  package enum Cause: Hashable, Sendable {
    /// It could not be started; the errno.
    case notStarted(Int32)
    /// It ran and failed: its exit code, and the first line that it said, or nothing.
    case ended(code: Int32, said: String)
  }

  /// What was run: its name and, where it ran, its arguments.
  package let command: String
  package let cause: Cause

  package init(_ command: String, _ cause: Cause) {
    self.command = command
    self.cause = cause
  }
}

extension ExternalProgram.Outcome {
  /// Why it is no success; nil when it is one.
  ///
  /// - Parameter words: its name and arguments.
  package func failure(of words: [String]) -> ProgramFailure? {
    if let startError { return ProgramFailure(words[0], .notStarted(startError)) }
    guard code != 0 else { return nil }
    let said = transcript.split(separator: "\n").first.map(String.init) ?? ""
    return ProgramFailure(words.joined(separator: " "), .ended(code: code, said: said))
  }
}
