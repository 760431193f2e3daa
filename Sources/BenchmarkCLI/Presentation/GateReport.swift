// SPDX-License-Identifier: Apache-2.0

internal import Gate
internal import Results

/// What a gate shows to a person: red or green in one sentence, a table, and what it did not judge.
struct GateReport {
  let result: GateResult
  /// What it was measured against: `main at 1a2b3c4d5`.
  let base: String
  /// What there is by way of a certificate of the machine, in one line.
  let certificate: String
  /// What to know besides, one sentence each.
  let notes: [String]
  /// The user ended it before its time.
  var wasInterrupted = false

  /// The answer: red or green, which, by how much, how sure.
  var headline: String {
    let family = result.members.count
    let what = "\(family) comparison\(family == 1 ? "" : "s") with \(base)"
    guard !wasInterrupted || result.verdict == .regression else {
      return "INTERRUPTED: of \(what) none is established to be worse so far."
    }
    switch result.verdict {
    case .regression:
      let count = result.regressions.count
      let worst = sentence(result.regressions[0]).text
      return count == 1 ? "RED: \(worst)." : "RED: \(count) of \(what) are worse; worst \(worst)."
    case .failed:
      let count = result.failures.count
      return "FAILED: \(count) could not be measured, first \(result.failures[0].subject.text); "
        + "of \(what) none is established to be worse."
    case .unjudged:
      return "NOT JUDGED: nothing is left to judge, so this is neither red nor green."
    case .inconclusive:
      let open = result.members.filter { $0.standing == .open }
      let unsettled =
        open.isEmpty ? [] : ["\(open.count) \(open.count == 1 ? "is" : "are") not settled"]
      let unreached =
        result.unreached > 0 ? ["the time did not reach \(result.unreached) more"] : []
      let widest = widest(open).map { "; widest \(sentence($0).text)" } ?? ""
      return "OPEN: of \(what) none is established to be worse, but "
        + (unsettled + unreached).joined(separator: " and ") + "\(widest)."
    case .improvement, .held:
      let better = result.members.filter { $0.standing == .improvement }
      let best = better.last.map { "; best \(sentence($0).text)" } ?? ""
      return "GREEN: of \(what) none is worse than allowed\(certainty)\(best)."
    }
  }

  /// The whole report as text for a terminal; ends with a newline.
  func text(style: TerminalStyle) -> String {
    var lines = HelpText.wrap(headline, width: HelpText.width).map {
      style.paint($0, Self.emphasis(of: result.verdict))
    }
    lines.append(style.paint(certificate, .faint))
    if !result.members.isEmpty { lines += [""] + table.lines(style: style) }
    for detail in details {
      lines += HelpText.wrap(detail, width: HelpText.width - 2).enumerated().map {
        ($0.offset == 0 ? "- " : "  ") + $0.element
      }
    }
    lines += notes.flatMap { HelpText.wrap($0, width: HelpText.width) }.map {
      style.paint($0, .faint)
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// The whole report in GitHub's Markdown, for a comment on a pull request.
  var markdown: String {
    var parts = ["**\(headline)**\n", certificate + "\n"]
    if !result.members.isEmpty { parts.append(table.markdown) }
    if !details.isEmpty { parts.append(details.map { "- \($0)\n" }.joined()) }
    if !notes.isEmpty { parts.append(notes.map { $0 + "\n" }.joined(separator: "\n")) }
    return parts.joined(separator: "\n")
  }

  func sentence(_ member: GateMember) -> GateSentence {
    GateSentence(member: member, family: family)
  }

  /// Comparisons whose error is kept together: counts are no matter of chance.
  private var family: Int {
    result.members.count { if case .pairs = $0.grounds { true } else { false } }
  }

  /// What was not judged, and why.
  var details: [String] {
    result.failures.map { "failed: \($0.subject.text): \($0.story)" }
      + result.exclusions.map { "not judged: \($0.subject.text): \(Self.text($0.reason))" }
  }

  static func text(_ exclusion: GateExclusion) -> String {
    switch exclusion {
    case .off(let line): "line \(line) of the limits file"
    case .informational: "informational, and the limits file gives it no tolerance"
    case .tooNoisy(let detectable):
      "too noisy on this machine, whose certificate says that pairs as planned show nothing below "
        + UnitFormatter.percent(detectable)
    case .noTime: "the time was over before its first pair; raise it with --budget"
    case .noBase: "the baseline has no count of it"
    case .lacking: "one of the builds does not have it"
    case .fewBeyond(let operations):
      "\(operations) operations lie beyond the percentile, and it gates from "
        + "\(GateClass.leastBeyond) on; name a lower one in the limits file, or take larger sizes "
        + "with --where"
    }
  }

  /// What would have been seen, had it been there.
  private var certainty: String {
    let hidden = result.members.compactMap(\.couldHide).max()
    return hidden.map { ", and none can hide more than \(UnitFormatter.percent(max(0, $0)))" } ?? ""
  }

  private func widest(_ open: [GateMember]) -> GateMember? {
    open.max { ($0.couldHide ?? .infinity) < ($1.couldHide ?? .infinity) }
  }

  private var table: TextTable {
    var table = TextTable(columns: [
      ("", .left), ("scheduler", .left), ("figure", .left), ("", .left), ("change", .right),
      ("95 % interval", .right), ("allowed", .right), ("pairs", .right),
    ])
    table.rows = result.members.map { member in
      let sentence = sentence(member)
      let pairs: String =
        if case .pairs(let judged) = member.grounds { String(judged.outcome.pairs) } else { "–" }
      return [
        .init(member.subject.workload, .strong), .init(member.subject.scheduler),
        .init(member.subject.figure.gateName),
        .init(member.standing.rawValue, Self.emphasis(of: member.standing)),
        .init(sentence.change), .init(sentence.interval), .init(sentence.allowed), .init(pairs),
      ]
    }
    return table
  }

  private static func emphasis(of standing: GateMember.Standing) -> Emphasis {
    switch standing {
    case .regression: .bad
    case .open: .doubtful
    case .improvement: .good
    case .held: .plain
    }
  }

  private static func emphasis(of verdict: GateResult.Verdict) -> Emphasis {
    switch verdict {
    case .regression, .failed: .bad
    case .unjudged, .inconclusive: .doubtful
    case .improvement, .held: .good
    }
  }
}
