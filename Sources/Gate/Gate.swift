// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Results
internal import Statistics

/// Decides whether a candidate is worse than its base.
///
/// Pairs are judged as one family: however many there are, a gate of sides that are equal is red
/// with probability `alpha` at most. Counts are no matter of chance and stand outside the family.
/// Pure; any thread. O(pairs²) for every subject measured in pairs.
package struct Gate: Sendable {
  /// The probability of a false alarm of the whole gate.
  package let alpha: Double

  /// Stops the process unless `alpha` is above 0 and at most one half.
  package init(alpha: Double = GateFamily.gateAlpha) {
    guard alpha > 0, alpha <= 0.5 else {
      fatalError("Gate: alpha \(alpha); expected more than 0 and at most 0.5")
    }
    self.alpha = alpha
  }

  /// What the family judges.
  private struct Pending {
    let entry: GateEntry
    let rule: GateMember.Rule
    let logRatios: [Double]
    let design: SequentialDesign
  }

  /// Judges everything that was measured.
  ///
  /// Stops the process when a log ratio is not finite.
  package func judge(_ entries: [GateEntry]) -> GateResult {
    var members: [GateMember] = []
    var pending: [Pending] = []
    var exclusions: [(subject: GateSubject, reason: GateExclusion)] = []
    var failures: [(subject: GateSubject, story: String)] = []
    for entry in entries {
      if let line = entry.ruling.offLine {
        exclusions.append((entry.subject, .off(line: line)))
        continue
      }
      guard entry.ruling.gates else {
        exclusions.append((entry.subject, .informational))
        continue
      }
      switch entry.evidence {
      case .excluded(let reason): exclusions.append((entry.subject, reason))
      case .failed(let story): failures.append((entry.subject, story))
      case .counts(let base, let candidate):
        let own = Self.members(entry, base: base, candidate: candidate)
        if own.isEmpty { exclusions.append((entry.subject, .noBase)) }
        members += own
      case .pairs(let evidence):
        for rule in entry.ruling.questions {
          pending.append(
            Pending(
              entry: entry, rule: rule, logRatios: Self.worsening(evidence, rule, entry.subject),
              design: evidence.design))
        }
      }
    }
    members += zip(pending, judge(pending)).map { item, member in
      GateMember(
        subject: item.entry.subject, gateClass: item.entry.ruling.gateClass, rule: item.rule,
        standing: GateMember.standing(
          member, rule: item.rule, firstLook: item.design.looks[0]),
        grounds: .pairs(member))
    }
    return GateResult(members: members, exclusions: exclusions, failures: failures)
  }

  /// Judges the pairs as one family, in whose terms each member goes from look to look: one that is
  /// worse by itself alone, which raises no alarm, is not settled by it.
  private func judge(_ pending: [Pending]) -> [GateFamily.Member] {
    struct Terms: Hashable {
      let design: SequentialDesign
      let tolerance: Tolerance
    }
    var comparisons: [Terms: PairedComparison] = [:]
    return GateFamily.judge(
      pending.map { item in
        let terms = Terms(design: item.design, tolerance: GateMember.tolerance(item.rule))
        let comparison =
          comparisons[terms]
          ?? PairedComparison(
            design: terms.design, members: pending.count, familyAlpha: alpha,
            tolerance: terms.tolerance)
        comparisons[terms] = comparison
        return (comparison: comparison, logRatios: item.logRatios)
      }, alpha: alpha)
  }

  /// One natural logarithm per pair: how many times as bad as the base, or as the limit.
  private static func worsening(
    _ evidence: PairEvidence, _ rule: GateMember.Rule, _ subject: GateSubject
  ) -> [Double] {
    let sign: Double = subject.figure.metric.direction == .higher ? -1 : 1
    switch rule {
    case .tolerance: return evidence.logRatios.map { sign * $0 }
    case .limit(let limit): return evidence.candidates.map { sign * log($0 / limit) }
    }
  }

  private static func members(
    _ entry: GateEntry, base: OperationCounts.Count?, candidate: OperationCounts.Count
  ) -> [GateMember] {
    entry.ruling.questions.compactMap { rule in
      let standing: GateMember.Standing?
      switch rule {
      case .tolerance(let fraction):
        standing = base.flatMap { base in
          GateMember.standing(
            entry.subject.figure.metric, base: base, candidate: candidate, tolerance: fraction)
        }
      case .limit(let limit): standing = GateMember.standing(candidate, limit: limit)
      }
      return standing.map {
        GateMember(
          subject: entry.subject, gateClass: entry.ruling.gateClass, rule: rule, standing: $0,
          grounds: .counts(base: base, candidate: candidate))
      }
    }
  }
}
