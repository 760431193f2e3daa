// SPDX-License-Identifier: Apache-2.0

/// What a gate found.
///
/// A plain value; any thread.
package struct GateResult: Sendable {
  /// What was judged, the worst first.
  package let members: [GateMember]
  /// What was not, and why.
  package let exclusions: [(subject: GateSubject, reason: GateExclusion)]
  /// What could not be measured, and what happened.
  package let failures: [(subject: GateSubject, story: String)]

  init(
    members: [GateMember], exclusions: [(subject: GateSubject, reason: GateExclusion)],
    failures: [(subject: GateSubject, story: String)]
  ) {
    let order = GateMember.Standing.allCases
    self.members = members.enumerated().sorted { first, second in
      let places = [first, second].map { order.firstIndex(of: $0.element.standing) ?? order.count }
      if places[0] != places[1] { return places[0] < places[1] }
      let ratios = [first, second].map { $0.element.ratio ?? .infinity }
      return ratios[0] != ratios[1] ? ratios[0] > ratios[1] : first.offset < second.offset
    }.map(\.element)
    self.exclusions = exclusions
    self.failures = failures
  }

  /// The answer of the whole gate.
  package enum Verdict: String, Sendable, CaseIterable {
    /// Something is worse than its rule allows; established.
    case regression
    /// Nothing is, but something could not be measured.
    case failed
    /// Nothing was judged: neither red nor green.
    case unjudged
    /// Nothing is established to be worse, and something is not settled, or the time did not reach
    /// it.
    case inconclusive
    /// Everything is settled, and something is better.
    case improvement
    /// Everything is settled.
    case held
  }

  /// The answer of the whole gate.
  ///
  /// What is judged decides; a gate that judged nothing is not green.
  package var verdict: Verdict {
    if !regressions.isEmpty { return .regression }
    if !failures.isEmpty { return .failed }
    if members.isEmpty { return .unjudged }
    if unreached > 0 || members.contains(where: { $0.standing == .open }) { return .inconclusive }
    return members.contains { $0.standing == .improvement } ? .improvement : .held
  }

  /// How many comparisons the time was over for before their first pair.
  package var unreached: Int { exclusions.count { $0.reason == .noTime } }

  /// What is worse than its rule allows, the worst first.
  package var regressions: [GateMember] { members.filter { $0.standing == .regression } }
}
