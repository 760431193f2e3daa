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
      var skipped: [String] = []
      var notRun: String?
      var hasPassed = false
      for result in results {
        switch result.outcome {
        case .passed: hasPassed = true
        case .skipped(let reason):
          if !skipped.contains(reason.text) { skipped.append(reason.text) }
        case .notRun(let reason): notRun = reason
        case .failed, .hung: break
        }
      }
      let findings = groups(results)
      if !findings.isEmpty { return .failed(findings.map(\.description)) }
      if let notRun { return .notRun(notRun) }
      if !skipped.isEmpty, !hasPassed { return .skipped(skipped.joined(separator: "; ")) }
      return .passed
    }

    /// A line that counts the checks that were skipped because they rest on the promise; none when
    /// there are none.
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

    /// First how many hold, failed, are excepted or were not run, then what failed and how, what
    /// was skipped and why.
    ///
    /// What several statements failed by is said with the first of them.
    public var description: String {
      var failed: [String] = []
      var said: Set<String> = []
      var failures = 0
      var skipped: [String] = []
      var notRun: [(reason: String, count: Int)] = []
      var passed = 0
      for (statement, verdict) in verdicts {
        switch verdict {
        case .passed: passed += 1
        case .failed:
          failures += 1
          failed += lines(of: statement, said: &said) + whatRests(on: statement)
        case .skipped(let reason):
          skipped.append("skipped \(statement.name) (\(statement.text)): \(reason)")
          skipped += whatRests(on: statement)
        case .notRun(let reason):
          if notRun.last?.reason != reason { notRun.append((reason, 0)) }
          notRun[notRun.count - 1].count += 1
        }
      }
      let exceptions = verdicts.count {
        if case .skipped = $0.verdict { true } else { false }
      }
      let counts = [
        (passed, "hold"), (failures, "failed"), (exceptions, "skipped"),
        (notRun.reduce(0) { $0 + $1.count }, "not run"),
      ].filter { $0.0 > 0 || $0.1 == "hold" }.map { "\($0.0) \($0.1)" }
      let headline = "\(name): of \(verdicts.count) statements \(counts.joined(separator: ", "))"
      let unknown = notRun.map { "not run, \($0.count) statements: \($0.reason)" }
      return ([headline] + failed + skipped + unknown).joined(separator: "\n")
    }
  }
}
