// SPDX-License-Identifier: Apache-2.0

/// What came of one check with one number of workers.
package struct CheckResult: Sendable {
  package enum Outcome: Sendable {
    case passed
    case failed([SchedulerConformance.Failure])
    /// Took longer than the limit, and what it was waiting for then.
    case hung(Duration, waitingFor: [String], failures: [SchedulerConformance.Failure])
    /// The scheduler is not asked.
    case skipped(SkipReason)
    /// The run had ended before.
    case notRun(String)

    /// Whether something was found.
    var isFailure: Bool {
      switch self {
      case .failed, .hung: true
      case .passed, .skipped, .notRun: false
      }
    }
  }

  package let check: Check
  package let workers: Int
  package let outcome: Outcome

  /// "1 worker", "1, 2, 8 workers".
  static func inWords(_ workers: [Int]) -> String {
    workers == [1]
      ? "1 worker" : workers.map { "\($0)" }.joined(separator: ", ") + " workers"
  }

  /// Something that was found.
  struct Finding {
    /// Equal for what was found by the same line of the same check or instrument, with whatever
    /// numbers.
    let cause: String
    /// One line.
    let text: String

    init(_ failure: SchedulerConformance.Failure) {
      cause = failure.place
      text = failure.description
    }

    init(cause: String, text: String) {
      self.cause = cause
      self.text = text
    }
  }

  /// What was found; nothing when it passed or was skipped.
  var findings: [Finding] {
    switch outcome {
    case .passed, .skipped, .notRun: return []
    case .failed(let failures): return failures.map(Finding.init)
    case .hung(let limit, let waitingFor, let failures):
      let place =
        waitingFor.isEmpty ? "" : ", waiting for " + waitingFor.joined(separator: " and for ")
      let hung = Finding(
        cause: "\(check.name) hung", text: "hung: it had not ended after \(limit)\(place)")
      return [hung] + failures.map(Finding.init)
    }
  }
}
