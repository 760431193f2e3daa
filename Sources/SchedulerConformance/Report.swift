// SPDX-License-Identifier: Apache-2.0

extension SchedulerConformance {
  /// What a scheduler keeps and what not, by statement.
  public struct Report: Sendable, CustomStringConvertible {
    /// What became of a statement.
    public enum Verdict: Hashable, Sendable {
      /// Every check of it passed, with every number of workers.
      case passed
      /// What its checks found, each with its claim and number of workers.
      case failed([String])
      /// The scheduler does not keep it, for this reason.
      case skipped(String)
      /// No check of it was run, for this reason.
      case notRun(String)
    }

    /// The name from the options.
    public let name: String
    /// Every statement that has a check, protocol first, then by number, with its verdict.
    public let verdicts: [(statement: Statement, verdict: Verdict)]
    /// What came of every check.
    package let results: [CheckResult]

    package init(name: String, exceptions: [Exception] = [], results: [CheckResult]) {
      self.name = name
      self.results = results
      let statements = Set(results.flatMap { $0.check.statements }).sorted()
      verdicts = statements.map { statement in
        if let exception = exceptions.first(where: { $0.statement == statement }) {
          return (statement, .skipped(exception.reason))
        }
        return (statement, Self.verdict(results.filter { $0.check.statements.contains(statement) }))
      }
    }

    /// True when nothing failed and everything was run that is not an exception.
    public var isPassing: Bool {
      verdicts.allSatisfy { verdict in
        switch verdict.verdict {
        case .passed, .skipped: true
        case .failed, .notRun: false
        }
      }
    }

    /// The verdict of one statement; nil when no check shows it.
    public subscript(statement: Statement) -> Verdict? {
      verdicts.first { $0.statement == statement }?.verdict
    }

    private static func verdict(_ results: [CheckResult]) -> Verdict {
      var findings: [(claim: String, finding: String, workers: [Int])] = []
      var skipped: [String] = []
      var notRun: String?
      var hasPassed = false
      for result in results {
        let claim = result.check.claim
        for finding in result.findings {
          // What is the same with several numbers of workers is said once.
          let index = findings.firstIndex { $0.claim == claim && $0.finding == finding }
          if let index, findings[index].workers.last != result.workers {
            findings[index].workers.append(result.workers)
          } else if index == nil {
            findings.append((claim, finding, [result.workers]))
          }
        }
        switch result.outcome {
        case .passed: hasPassed = true
        case .skipped(let reason):
          if !skipped.contains(reason.text) { skipped.append(reason.text) }
        case .notRun(let reason): notRun = reason
        case .failed, .hung: break
        }
      }
      if !findings.isEmpty {
        return .failed(
          findings.map { "\($0.claim), \(CheckResult.inWords($0.workers)): \($0.finding)" })
      }
      if let notRun { return .notRun(notRun) }
      if !skipped.isEmpty, !hasPassed { return .skipped(skipped.joined(separator: "; ")) }
      return .passed
    }

    /// A line that counts the checks that were skipped because they rest on the promise; none when there are none.
    private func whatRests(on statement: Statement) -> [String] {
      guard case .seam(let promise) = statement else { return [] }
      let checks = results.filter { result in
        guard case .skipped(.restsOn(promise, _)) = result.outcome else { return false }
        return true
      }.map(\.check)
      let names = Set(checks.map(\.name))
      guard !names.isEmpty else { return [] }
      let shown = Set(checks.flatMap(\.statements)).sorted().map(\.name).joined(separator: ", ")
      let count = names.count == 1 ? "1 check that rests" : "\(names.count) checks that rest"
      return ["  skipped with it: \(count) on it, of \(shown)"]
    }

    /// First the verdict, then what failed and how, what was skipped and why, what was not run.
    public var description: String {
      var failed: [String] = []
      var skipped: [String] = []
      var notRun: [(reason: String, count: Int)] = []
      var passed = 0
      for (statement, verdict) in verdicts {
        switch verdict {
        case .passed: passed += 1
        case .failed(let findings):
          let alternative = statement.alternative.map { " (\($0))" } ?? ""
          failed += ["FAILED \(statement)\(alternative)"] + findings.map { "  \($0)" }
          failed += whatRests(on: statement)
        case .skipped(let reason):
          skipped.append("skipped \(statement.name) (\(statement.text)): \(reason)")
          skipped += whatRests(on: statement)
        case .notRun(let reason):
          if notRun.last?.reason != reason { notRun.append((reason, 0)) }
          notRun[notRun.count - 1].count += 1
        }
      }
      let headline = "\(name): \(passed) of \(verdicts.count) statements hold"
      let unknown = notRun.map { "not run, \($0.count) statements: \($0.reason)" }
      return ([headline] + failed + skipped + unknown).joined(separator: "\n")
    }
  }
}
