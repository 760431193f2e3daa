// SPDX-License-Identifier: Apache-2.0

internal import Glibc
package import Results
internal import Statistics

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

  /// Every metric that gets a ratio to the best of the group.
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
      case .best, .established: true
      case .tooFewRounds, .notEstablished, nil: false
      }
    }
  }

  /// Compares everybody with the best, round by round.
  ///
  /// The ratios that decide who is best are the ones that are shown, so that nobody who is ranked
  /// is below 1.
  private mutating func compare(_ metric: Metric) {
    let figures = contestants.map { $0.failure == nil ? $0.byRound(metric) : [:] }
    guard let best = bestIndex(figures, metric) else { return }
    contestants[best].comparisons[metric] = .best
    for index in contestants.indices
    where index != best && contestants[index].isCompared(by: metric) {
      guard let ratio = Self.ratio(of: figures[index], to: figures[best], metric) else { continue }
      contestants[index].comparisons[metric] = Comparison(ratio)
    }
  }

  private func bestIndex(_ figures: [[Int: Double]], _ metric: Metric) -> Int? {
    let candidates = contestants.indices.filter {
      contestants[$0].isRanked && contestants[$0].failure == nil
    }
    guard candidates.allSatisfy({ figures[$0].count >= PairedRatio.leastPairs }) else { return nil }
    return candidates.first { candidate in
      candidates.allSatisfy { other in
        guard other != candidate else { return true }
        guard let ratio = Self.ratio(of: figures[other], to: figures[candidate], metric) else {
          return false
        }
        return ratio.interval != nil && ratio.ratio >= 1
      }
    }
  }

  /// How many times as bad the figures are, over the rounds in which both have one; nil when there
  /// is none.
  private static func ratio(
    of figures: [Int: Double], to anchors: [Int: Double], _ metric: Metric
  ) -> PairedRatio? {
    let logRatios = figures.sorted { $0.key < $1.key }.compactMap { round, value -> Double? in
      guard let other = anchors[round], value > 0, other > 0 else { return nil }
      // The difference of logarithms, which changes nothing but its sign when the two change
      // places.
      return metric.direction == .higher ? log(other) - log(value) : log(value) - log(other)
    }
    return logRatios.isEmpty ? nil : PairedRatio.estimate(logRatios: logRatios, level: 0.95)
  }
}
