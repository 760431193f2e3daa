// SPDX-License-Identifier: Apache-2.0

/// The verdicts of comparisons that one gate judges together.
///
/// Slower and faster are said at the error of the whole family, by Holm's correction of the overall
/// p-values; equivalent, which raises no alarm, at the error of each comparison. The probability
/// that a family without any true difference beyond its tolerance contains a slower or faster is
/// at most `alpha`. A plain value; any thread.
/// Source: Maurer and Bretz, Statistics in Biopharmaceutical Research 5(4), 2013.
package struct GateFamily: Sendable {
  /// The family-wise error of a report: slower or faster is wrongly said in one of a hundred.
  package static let reportAlpha = 0.01
  /// The family-wise error of a gate: one of a thousand is wrongly red.
  ///
  /// A gate runs with every change, unasked, and after a few wrong alarms nobody believes it.
  package static let gateAlpha = 0.001

  /// The family-wise error.
  package let alpha: Double
  /// The comparison of each member: its looks, its own error for equivalence, its tolerance.
  package let comparison: PairedComparison

  /// Stops the process unless `alpha` lies strictly between 0 and 1.
  package init(alpha: Double = reportAlpha, comparison: PairedComparison) {
    requireLevel(alpha)
    self.alpha = alpha
    self.comparison = comparison
  }

  /// Judges one array of log ratios per member.
  ///
  /// Members may have stopped at different looks. Pairs beyond a member's last look do not count.
  /// Stops the process when a member has no pair or a log ratio that is not finite.
  package func judge(_ members: [[Double]]) -> [Member] {
    Self.judge(members.map { (comparison, $0) }, alpha: alpha)
  }

  /// Judges members that have a comparison each: looks and a tolerance of their own.
  ///
  /// Stops the process when a member has no pair or a log ratio that is not finite.
  package static func judge(
    _ members: [(comparison: PairedComparison, logRatios: [Double])], alpha: Double = reportAlpha
  ) -> [Member] {
    let exceedances = members.map { $0.comparison.exceedance(logRatios: $0.logRatios) }
    let adjusted = MultipleTesting.holm(exceedances.map(\.pValue))
    return members.indices.map { index in
      let outcome = members[index].comparison.outcome(logRatios: members[index].logRatios)
      let isAlarm = adjusted[index] <= alpha
      let isEquivalent = outcome.verdict == .equivalent
      return Member(
        verdict: isAlarm
          ? exceedances[index].verdict : isEquivalent ? .equivalent : .inconclusive,
        adjustedPValue: adjusted[index], outcome: outcome)
    }
  }

  /// The verdict of one member within its family.
  package struct Member: Sendable, Equatable {
    /// The verdict at the error of the family.
    package let verdict: Verdict
    /// The overall p-value of a difference beyond the tolerance, corrected for the family.
    package let adjustedPValue: Double
    /// What the comparison says by itself.
    package let outcome: PairedOutcome
  }
}
