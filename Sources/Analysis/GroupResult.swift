// SPDX-License-Identifier: Apache-2.0

package import Results

/// What is compared with each other: one benchmark at one point of its axes with one worker count.
package struct GroupResult: Sendable {
  /// `core` for built-in workloads, `replay` for graph files.
  package let suite: String
  package let benchmark: String
  /// Sizes and settings, sorted by name; the fingerprint of a graph is none.
  package let sizes: [(name: String, value: String)]
  /// Worker count asked for.
  package let workers: Int
  /// CPUs that every process was pinned to; nil when it was not.
  package let cpus: Int?
  /// The metric the table shows and ratios are told of: what this benchmark is about.
  package let primaryMetric: Metric
  /// Who took part, in the order of the rows.
  package private(set) var contestants: [ContestantResult]
  /// Why nobody is best, by metric; nothing where somebody is, or where there is no ratio.
  package private(set) var undecided: [Metric: Undecided] = [:]

  /// Compares contestants that share a point.
  init(point: GroupPoint, contestants: [ContestantResult]) {
    suite = contestants[0].id.suite
    benchmark = contestants[0].id.benchmark
    sizes = point.sizes(of: contestants)
    workers = point.workers ?? contestants.map(\.workers).max() ?? 0
    cpus = point.cpus.flatMap { Int($0) }
    self.contestants = contestants
    primaryMetric = .primary(
      among: Set(contestants.flatMap { $0.rows.map(\.subject.metric) }))
    for metric in comparedMetrics { compare(metric) }
  }

  /// Every metric that gets a ratio to the best of the group, or to its base.
  package var comparedMetrics: [Metric] {
    switch primaryMetric {
    case .latency: [.wall, .latency]
    // Fewer instructions are not faster.
    case .instructions: []
    default: [primaryMetric]
    }
  }

  /// The scheduler that nobody who is ranked beats by a metric, round by round; nil when there is
  /// none, or when there are too few rounds to say.
  package func best(_ metric: Metric) -> ContestantResult? {
    contestants.first { $0.comparisons[metric] == .best }
  }

  /// With whom the others are compared by a metric where nobody is best: who trails the others
  /// least, of those that nobody is established to beat if there are any.
  package func base(_ metric: Metric) -> ContestantResult? {
    contestants.first { $0.comparisons[metric] == .base }
  }

  /// Who may be the best; nobody where counts alone are told.
  package var ranked: [ContestantResult] {
    guard !comparedMetrics.isEmpty else { return [] }
    return contestants.filter { $0.isRanked && $0.failure == nil }
  }

  /// How many times the best's p99 is as large as the least p99 of those ranked; nil when that is
  /// less than twice.
  ///
  /// A latency has two ends: who is first by p50 and late in one of a hundred is not the fastest.
  package var tail: (factor: Double, least: ContestantResult)? {
    guard primaryMetric == .latency, let best = best(.latency),
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

  /// True when the best is established against every other scheduler that has a figure, by p50 and
  /// p99 alike where latencies are compared.
  package var isSettled: Bool {
    guard best(primaryMetric) != nil, tail == nil else { return false }
    return ranked.allSatisfy { contestant in
      switch contestant.comparisons[primaryMetric] {
      case .best: true
      case .established(let ratio): ratio.ratio >= 1
      case .base, .tooFewRounds, .notEstablished, nil: false
      }
    }
  }

  /// Compares everybody with the best, round by round, or with the base where nobody is best.
  ///
  /// The ratios that decide who is best are the ones that are shown, so that nobody who is ranked
  /// is below 1 to the best.
  private mutating func compare(_ metric: Metric) {
    let figures = contestants.map { $0.failure == nil ? $0.byRound(metric) : [:] }
    let candidates = contestants.indices.filter {
      contestants[$0].isRanked && contestants[$0].failure == nil
    }
    guard let ranking = Ranking(candidates.map { figures[$0] }, metric) else { return }
    let first = candidates[ranking.first]
    undecided[metric] = ranking.undecided
    contestants[first].comparisons[metric] = ranking.undecided == nil ? .best : .base
    for index in contestants.indices
    where index != first && contestants[index].isCompared(by: metric) {
      guard let ratio = Ranking.ratio(of: figures[index], to: figures[first], metric) else {
        continue
      }
      contestants[index].comparisons[metric] = Comparison(ratio)
    }
  }
}
