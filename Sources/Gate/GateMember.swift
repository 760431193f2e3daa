// SPDX-License-Identifier: Apache-2.0

package import Results
package import Statistics

/// What a gate says of one subject under one rule.
///
/// A plain value; any thread.
package struct GateMember: Sendable {
  /// What the subject was held to.
  package enum Rule: Sendable, Hashable {
    /// Worse than the base by this fraction at most.
    case tolerance(Double)
    /// No worse than this value in the unit of the metric.
    case limit(Double)
  }

  /// How it stands.
  package enum Standing: String, Sendable, CaseIterable {
    /// Worse than the rule allows; established.
    case regression
    /// Neither is established.
    case open
    /// Better than the base by more than the tolerance; established.
    case improvement
    /// Established not to be worse than the margin of the rule.
    case held
  }

  /// What the standing rests on.
  package enum Grounds: Sendable {
    /// Pairs, judged within the family of the gate. Ratios are those of worse to better: above 1
    /// the candidate is worse, whichever way its metric is better.
    case pairs(GateFamily.Member)
    /// Counts; `base` is nil under a limit.
    case counts(base: OperationCounts.Count?, candidate: OperationCounts.Count)
  }

  package let subject: GateSubject
  package let gateClass: GateClass
  package let rule: Rule
  package let standing: Standing
  package let grounds: Grounds

  /// How many times as bad as the base, or as the limit; nil where that is 0.
  package var ratio: Double? {
    switch grounds {
    case .pairs(let member): return member.outcome.ratio.ratio
    case .counts(let base, let candidate):
      let reference: Double
      switch rule {
      case .tolerance: reference = base?.value ?? 0
      case .limit(let limit): reference = limit
      }
      return reference > 0 ? candidate.value / reference : nil
    }
  }

  /// The relative worsening that the evidence does not exclude; nil when it has no bound.
  package var couldHide: Double? {
    switch grounds {
    case .pairs(let member): return member.outcome.ownInterval.map { $0.high - 1 }
    case .counts(let base, let candidate):
      switch rule {
      case .tolerance:
        return base.flatMap { $0.least > 0 ? candidate.most / $0.least - 1 : nil }
      case .limit(let limit): return candidate.most / limit - 1
      }
    }
  }
}

extension GateMember {
  /// What pairs are held to under a rule.
  package static func tolerance(_ rule: Rule) -> Tolerance {
    switch rule {
    case .tolerance(let fraction): Tolerance(gating: fraction)
    case .limit: Tolerance(gating: 0)
    }
  }

  /// What pairs say, judged within their family; `firstLook` is the least number that may say it.
  static func standing(_ member: GateFamily.Member, rule: Rule, firstLook: Int) -> Standing {
    switch member.verdict {
    case .slower: return .regression
    case .faster:
      if case .limit = rule { return .held }
      return .improvement
    case .equivalent, .inconclusive:
      guard let interval = member.outcome.ownInterval else { return .open }
      // Who is at a limit is neither below nor above it.
      let margin: Double =
        if case .limit = rule { 0 } else { tolerance(rule).equivalence }
      return member.outcome.pairs >= firstLook && interval.high < 1 + margin ? .held : .open
    }
  }

  /// What counts say against those of the base; nil where these cannot be told apart from nothing.
  static func standing(
    _ metric: Metric, base: OperationCounts.Count, candidate: OperationCounts.Count,
    tolerance: Double
  ) -> Standing? {
    let difference: CountsComparison.Difference
    let least = CountsTolerance()
    switch metric {
    case .instructions:
      guard base.value > 0 else { return nil }
      difference = .init(instructionsBefore: base, after: candidate, tolerance: tolerance)
    case .readModifyWrites:
      difference = .init(
        before: base, after: candidate, tolerance: least.readModifyWrites, fraction: tolerance)
    default:
      difference = .init(
        before: base, after: candidate, tolerance: least.allocations, fraction: tolerance)
    }
    return switch difference.verdict {
    case .more: .regression
    case .fewer: .improvement
    case .same: .held
    case .noisy: .open
    }
  }

  /// What counts say against a bound that has no spread.
  static func standing(_ candidate: OperationCounts.Count, limit: Double) -> Standing {
    if candidate.least > limit { return .regression }
    return candidate.most <= limit ? .held : .open
  }
}

extension OperationCounts.Count {
  /// Median less and more half of the range: where the repetitions may lie about.
  fileprivate var least: Double { max(0, value - spread / 2) }
  fileprivate var most: Double { value + spread / 2 }
}

extension Tolerance {
  /// A difference that is allowed, with the margin inside which nothing is worse: three times as
  /// wide, as 3 % to 1 %, and 2 % at least, which pairs can still settle.
  package init(gating fraction: Double) {
    self.init(difference: fraction, equivalence: max(0.02, 3 * fraction))
  }
}
