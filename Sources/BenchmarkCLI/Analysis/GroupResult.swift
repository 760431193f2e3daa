// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Harness
package import Results
internal import Statistics

/// Everything that a run says about one group.
package struct GroupResult: Sendable {
  /// What was compared.
  package let group: MeasurementGroup
  /// Who took part, in the order of the suite.
  package private(set) var contestants: [ContestantResult]

  /// What the record says about a group.
  package init(_ record: RunRecord, group index: Int) {
    group = record.plan.groups[index]
    contestants = group.contestants.indices.map { contestant in
      ContestantResult(
        contestant: record.plan.groups[index].contestants[contestant],
        processes: record.processes[index][contestant],
        failure: record.failure(group: index, contestant: contestant)?.1)
    }
    for metric in group.comparedMetrics { compare(metric) }
  }

  /// Results of every group of a run.
  package static func all(_ record: RunRecord) -> [GroupResult] {
    record.plan.groups.indices.map { GroupResult(record, group: $0) }
  }

  /// The scheduler with the best median of a metric, of those that are ranked by it.
  package func best(_ metric: Metric) -> ContestantResult? {
    bestIndex(metric).map { contestants[$0] }
  }

  private func bestIndex(_ metric: Metric) -> Int? {
    let values = contestants.indices.compactMap { index in
      contestants[index].contestant.isRanked(by: metric)
        ? contestants[index].figure(metric).map { (index, $0.value) } : nil
    }
    return values.min { $0.1 < $1.1 }?.0
  }

  /// Compares everybody with the best, round by round; lower is better for every metric compared.
  private mutating func compare(_ metric: Metric) {
    guard let bestIndex = bestIndex(metric) else { return }
    let best = contestants[bestIndex].byRound(metric)
    for index in contestants.indices
    where contestants[index].failure == nil && contestants[index].contestant.isCompared(by: metric)
    {
      if index == bestIndex {
        contestants[index].comparisons[metric] = .best
        continue
      }
      let logRatios = contestants[index].byRound(metric).sorted { $0.key < $1.key }
        .compactMap { round, value -> Double? in
          guard let other = best[round], value > 0, other > 0 else { return nil }
          return log(value / other)
        }
      guard !logRatios.isEmpty else { continue }
      let ratio = PairedRatio.estimate(logRatios: logRatios, level: 0.95)
      contestants[index].comparisons[metric] = Self.comparison(ratio)
    }
  }

  private static func comparison(_ ratio: PairedRatio) -> Comparison {
    guard ratio.interval != nil else { return .tooFewRounds(ratio) }
    return ratio.isEstablished ? .established(ratio) : .notEstablished(ratio)
  }
}
