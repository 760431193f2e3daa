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

  /// The scheduler that nobody who is ranked beats by a metric, round by round; nil when there is
  /// none, or when there are too few rounds to say.
  package func best(_ metric: Metric) -> ContestantResult? {
    contestants.first { $0.comparisons[metric] == .best }
  }

  /// Who may be the best.
  var ranked: [ContestantResult] {
    contestants.filter { $0.contestant.isRanked && $0.failure == nil }
  }

  /// How many times the best's p99 is as large as the least p99 of those ranked; nil when that is
  /// less than twice.
  ///
  /// A latency has two ends: who is first by p50 and late in one of a hundred is not the fastest.
  var tail: (factor: Double, least: ContestantResult)? {
    guard group.primaryMetric == .latency, let best = best(.latency),
      let own = best.figure(.latency, .p99)?.value
    else { return nil }
    let others = ranked.compactMap { other in
      other.figure(.latency, .p99).map { (other, $0.value) }
    }
    guard let least = others.min(by: { $0.1 < $1.1 }), least.1 > 0, own >= 2 * least.1 else {
      return nil
    }
    return (own / least.1, least.0)
  }

  /// Compares everybody with the best, round by round; lower is better for every metric compared.
  ///
  /// The ratios that decide who is best are the ones that are shown, so that nobody who is ranked
  /// is below 1.
  private mutating func compare(_ metric: Metric) {
    guard let best = bestIndex(metric) else { return }
    contestants[best].comparisons[metric] = .best
    for index in contestants.indices
    where index != best && contestants[index].contestant.isCompared(by: metric) {
      guard let ratio = ratio(of: index, to: best, by: metric) else { continue }
      contestants[index].comparisons[metric] = Self.comparison(ratio)
    }
  }

  private func bestIndex(_ metric: Metric) -> Int? {
    let candidates = contestants.indices.filter {
      contestants[$0].contestant.isRanked && contestants[$0].failure == nil
    }
    guard
      candidates.allSatisfy({
        contestants[$0].byRound(metric).count >= Orchestrator.leastRoundsForInterval
      })
    else { return nil }
    return candidates.first { candidate in
      candidates.allSatisfy { other in
        guard other != candidate else { return true }
        guard let ratio = ratio(of: other, to: candidate, by: metric) else { return false }
        return ratio.interval != nil && ratio.ratio >= 1
      }
    }
  }

  /// The ratio of two contestants over the rounds in which both have a figure; nil when there is
  /// none.
  private func ratio(of index: Int, to anchor: Int, by metric: Metric) -> PairedRatio? {
    guard contestants[index].failure == nil else { return nil }
    let anchors = contestants[anchor].byRound(metric)
    let logRatios = contestants[index].byRound(metric).sorted { $0.key < $1.key }
      .compactMap { round, value -> Double? in
        guard let other = anchors[round], value > 0, other > 0 else { return nil }
        // The difference of logarithms, which changes nothing but its sign when the two change
        // places.
        return log(value) - log(other)
      }
    return logRatios.isEmpty ? nil : PairedRatio.estimate(logRatios: logRatios, level: 0.95)
  }

  private static func comparison(_ ratio: PairedRatio) -> Comparison {
    guard ratio.interval != nil else { return .tooFewRounds(ratio) }
    return ratio.isEstablished ? .established(ratio) : .notEstablished(ratio)
  }
}
