// SPDX-License-Identifier: Apache-2.0

extension SchedulerConformance.Report {
  /// What one line of a check found, with whatever numbers of workers and however often.
  struct FindingGroup {
    let claim: String
    let cause: String
    /// The first that was found.
    let text: String
    var workers: [Int]
    /// Different words of the same line: what was found differed.
    var others: Set<String> = []

    /// "claim, 1, 2 workers: finding (place), and 3 like it".
    var description: String {
      let more = others.isEmpty ? "" : ", and \(others.count) like it"
      return "\(claim), \(CheckResult.inWords(workers)): \(text)\(more)"
    }
  }

  /// What checks found, in the order of first findings: the same line of a check is said once.
  static func groups(_ results: [CheckResult]) -> [FindingGroup] {
    var groups: [FindingGroup] = []
    for result in results {
      let claim = result.check.claim
      for finding in result.findings {
        guard
          let index = groups.firstIndex(where: {
            $0.claim == claim && $0.cause == finding.cause
          })
        else {
          groups.append(
            FindingGroup(
              claim: claim, cause: finding.cause, text: finding.text, workers: [result.workers]))
          continue
        }
        if groups[index].workers.last != result.workers {
          groups[index].workers.append(result.workers)
        }
        if finding.text != groups[index].text { groups[index].others.insert(finding.text) }
      }
    }
    return groups
  }

  /// The lines of a failed statement; `said` are the causes that lines before have told.
  func lines(of failed: SchedulerConformance.Statement, said: inout Set<String>) -> [String] {
    let groups = Self.groups(results.filter { $0.check.statements.contains(failed) })
    let fresh = groups.filter { !said.contains($0.cause) }
    said.formUnion(groups.map(\.cause))
    var head = "FAILED \(failed)" + (failed.alternative.map { " (\($0))" } ?? "")
    if fresh.count < groups.count { head += fresh.isEmpty ? " As above." : " As above, and:" }
    return [head] + fresh.map { "  \($0.description)" }
  }
}
