// SPDX-License-Identifier: Apache-2.0

internal import Gate
internal import Results

extension GateReport {
  /// The answer and what it rests on, for a script.
  var json: String {
    JSONValue.object([
      ("verdict", .string(result.verdict.rawValue)), ("headline", .string(headline)),
      ("base", .string(base)), ("certificate", .string(certificate)),
      ("comparisons", .array(result.members.map(json))),
      (
        "not_judged",
        .array(
          result.exclusions.map { json($0.subject, reason: Self.text($0.reason)) })
      ),
      ("failed", .array(result.failures.map { json($0.subject, reason: $0.story) })),
      ("notes", .array(notes.map(JSONValue.string))),
    ]).document
  }

  private func json(_ subject: GateSubject, reason: String) -> JSONValue {
    .object(who(subject) + [("reason", .string(reason))])
  }

  private func who(_ subject: GateSubject) -> [(name: String, value: JSONValue)] {
    [
      ("benchmark", .string(subject.workload)), ("scheduler", .string(subject.scheduler)),
      ("params", .string(subject.params.text)),
      ("metric", .string(subject.figure.metric.rawValue)),
      ("stat", .string(subject.figure.statistic.rawValue)),
    ]
  }

  private func json(_ member: GateMember) -> JSONValue {
    func number(_ value: Double?) -> JSONValue { value.map { .number($0) } ?? .null }
    var members = who(member.subject)
    members += [
      ("class", .string(member.gateClass.rawValue)),
      ("standing", .string(member.standing.rawValue)),
    ]
    switch member.rule {
    case .tolerance(let fraction): members.append(("tolerance", .number(fraction)))
    case .limit(let limit): members.append(("limit", .number(limit)))
    }
    // How many times as bad: above 1 is worse, whichever way the metric is better.
    members.append(("worsening", number(member.ratio)))
    switch member.grounds {
    case .pairs(let judged):
      members += [
        ("ci_low", number(judged.outcome.ratio.interval?.low)),
        ("ci_high", number(judged.outcome.ratio.interval?.high)),
        ("pairs", .integer(judged.outcome.pairs)),
        ("p_value_in_family", .number(judged.adjustedPValue)),
        ("minimum_detectable_effect", number(judged.outcome.minimumDetectableEffect)),
        ("pairs_to_settle", judged.outcome.pairsToSettle.map { .integer($0) } ?? .null),
      ]
    case .counts(let base, let candidate):
      members += [("base_count", number(base?.value)), ("count", .number(candidate.value))]
    }
    return .object(members + [("sentence", .string(sentence(member).text))])
  }
}
