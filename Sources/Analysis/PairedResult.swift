// SPDX-License-Identifier: Apache-2.0

internal import Glibc
package import Results
package import Statistics

/// The verdict on one metric of a candidate against its base.
package struct PairedResult: Sendable {
  package let base: ContestantResult
  package let candidate: ContestantResult
  package let metric: Metric
  /// How it was planned.
  package let design: ComparisonDesign
  /// The verdict at the error of the family; nil when there is no figure.
  package let verdict: Verdict?
  /// What its pairs say, less being better; nil when there is no figure.
  package let outcome: PairedOutcome?
  /// The p-value of a difference beyond the tolerance, corrected for the family.
  package let adjustedPValue: Double?
  /// Verdicts of the family.
  package let family: Int
  /// Pairs in which a side has no figure above 0, which do not count.
  package let pairsWithoutFigure: Int
  /// Why there is no figure; nil when there is.
  package let failure: QualityFlag?

  init(_ member: PairedAnalysis.Member, judged: GateFamily.Member?, family: Int) {
    base = member.base
    candidate = member.candidate
    metric = member.metric
    design = member.design
    outcome = judged?.outcome
    // One that stands alone has its own error, which is stricter.
    verdict = judged.map { family > 1 ? $0.verdict : $0.outcome.verdict }
    adjustedPValue = judged?.adjustedPValue
    self.family = family
    pairsWithoutFigure = member.withoutFigure
    failure =
      member.failure ?? (judged == nil ? QualityFlag.unavailable(reason: "no-figure") : nil)
  }

  /// The ratio of the candidate's figure to the base's, with its plain interval of 95 %.
  package var ratio: PairedRatio? {
    outcome.map { metric.direction == .higher ? $0.ratio.inverse : $0.ratio }
  }

  /// The processes that took part, of both sides together.
  package var processes: Int {
    Set(
      (base.rows + candidate.rows).filter { pairs.contains($0.pairID ?? -1) }.compactMap(\.process)
    )
    .count
  }

  /// Pairs of the candidate that something disturbed, by what it was.
  package var disturbed: [(flag: QualityFlag, pairs: Int)] {
    let numbers = pairs
    var seen: [QualityFlag: Set<Int>] = [:]
    for row in base.rows + candidate.rows {
      guard let pair = row.pairID, numbers.contains(pair) else { continue }
      for flag in row.quality where !flag.isOfBuild && !flag.isFailure {
        seen[flag, default: []].insert(pair)
      }
    }
    return seen.map { ($0.key, $0.value.count) }.sorted { $0.flag.text < $1.flag.text }
  }

  private var pairs: Set<Int> { Set(candidate.rows.compactMap(\.pairID)) }

  /// Whether the sides differ in the code that was measured, and not only in what it was told.
  package var isOfRevisions: Bool { base.id.code != candidate.id.code }
}
