// SPDX-License-Identifier: Apache-2.0

internal import Harness

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
  /// The child was not done at its deadline and was killed; with the end of what it wrote on
  /// stderr.
  case hung(deadline: Duration, standardError: String)
  /// An iteration computed something else than the serial reference.
  case wrongAnswer(String)
  /// It cannot be measured here: a word for the `quality` column, and the whole story.
  case unavailable(reason: String, detail: String)
  /// The program speaks another version of the conversation; nil for one from before there were
  /// versions.
  case otherConversation(version: String?)
  /// The user asked to stop.
  case interrupted

  /// The word for the `quality` column.
  package var qualityWord: String {
    switch self {
    case .crashed: "crashed"
    case .hung: "hung"
    case .wrongAnswer: "wrong-answer"
    case .unavailable(let reason, _): "unavailable:\(reason)"
    case .otherConversation: "unavailable:conversation"
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
    case .otherConversation(let version):
      "unavailable: the program speaks "
        + (version.map { "version \($0) of" } ?? "no version of")
        + " the conversation with measuring processes; expected \(conversationVersion); it can only "
        + "be measured by a `bench` of its own revision"
    case .interrupted: "interrupted"
    }
  }

  /// What a child said of its own failure.
  init(_ failure: ChildFailure, standardError: String) {
    switch failure.kind {
    case .wrongAnswer: self = .wrongAnswer(failure.detail)
    case .unavailable: self = .unavailable(reason: failure.reason, detail: failure.detail)
    case .misunderstood:
      self = .crashed(.incomprehensible(failure.detail), standardError: standardError)
    }
  }

  private func withOutput(_ summary: String, _ output: String) -> String {
    output.isEmpty ? summary : summary + "; its last output:\n" + output
  }
}
