// SPDX-License-Identifier: Apache-2.0

/// How a child process ended.
package enum Termination: Hashable, Sendable, CustomStringConvertible {
  /// It exited with that code.
  case exited(Int32)
  /// A signal of that number ended it.
  case signalled(Int32)
  /// It exited, but its results cannot be read; why.
  case incomprehensible(String)

  /// Text for people.
  package var description: String {
    switch self {
    case .exited(let code): "exit code \(code)"
    case .signalled(let number): "signal \(number) (\(signalName(number)))"
    case .incomprehensible(let why): "unreadable results: \(why)"
    }
  }
}

/// Why a measurement has no figure.
package enum MeasurementFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// The child died before it was done; with the end of what it wrote on stderr.
  case crashed(Termination, standardError: String)
  /// The child was not done at its deadline and was killed; with the end of what it wrote on stderr.
  case hung(deadline: Duration, standardError: String)
  /// An iteration computed something else than the serial reference.
  case wrongAnswer(String)
  /// It cannot be measured here: a word for the `quality` column, and the whole story.
  case unavailable(reason: String, detail: String)
  /// The user asked to stop.
  case interrupted

  /// The word for the `quality` column.
  package var qualityWord: String {
    switch self {
    case .crashed: "crashed"
    case .hung: "hung"
    case .wrongAnswer: "wrong-answer"
    case .unavailable(let reason, _): "unavailable:\(reason)"
    case .interrupted: "interrupted"
    }
  }

  /// Text for people, several lines where the child wrote something on stderr.
  package var description: String {
    switch self {
    case .crashed(let how, let text): withOutput("crashed: \(how)", text)
    case .hung(let deadline, let text): withOutput("hung: killed after \(deadline)", text)
    case .wrongAnswer(let message): "wrong answer: \(message)"
    case .unavailable(_, let detail): "unavailable: \(detail)"
    case .interrupted: "interrupted"
    }
  }

  private func withOutput(_ summary: String, _ output: String) -> String {
    output.isEmpty ? summary : summary + "; its last output:\n" + output
  }
}
