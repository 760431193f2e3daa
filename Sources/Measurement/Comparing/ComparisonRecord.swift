// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Machine
package import Results
package import Statistics

/// One side of one pair, as numbers.
package struct SideFigures: Sendable {
  /// 0 for the base.
  package let side: Int
  /// The number of its process, counted from 1 over the whole comparison.
  package let process: Int
  /// One number per metric and statistic.
  let figures: ProcessFigures
  /// How often its threads were taken off their CPU in all samples together.
  let involuntarySwitches: Int64
  /// What disturbed the machine while the pair ran.
  let disturbance: Disturbance
  /// What the pair took.
  let elapsedNanoseconds: UInt64

  /// A figure; nil when the side has none.
  package func value(_ key: FigureKey) -> Double? { figures.values[key] }
}

/// One complete pair.
package struct PairRecord: Sendable {
  /// Counted from 1 over the whole comparison.
  package let number: Int
  /// The base first.
  package let sides: [SideFigures]

  /// The log ratio of a candidate to the base by a metric; nil without a figure above 0 on both.
  package func logRatio(_ candidate: Int, _ metric: Metric) -> Double? {
    logRatio(candidate, FigureKey(metric, .p50))
  }

  /// The log ratio of a candidate to the base, or to a limit; nil without figures above 0.
  func logRatio(_ candidate: Int, _ key: FigureKey, limit: Double? = nil) -> Double? {
    guard let base = limit ?? sides.first(where: { $0.side == 0 })?.value(key), base > 0,
      let other = sides.first(where: { $0.side == candidate })?.value(key), other > 0
    else { return nil }
    return log(other) - log(base)
  }

  /// Whether the candidate has that figure.
  func has(_ key: FigureKey, _ candidate: Int) -> Bool {
    sides.contains { $0.side == candidate && $0.value(key) != nil }
  }
}

/// What was measured of one group.
package struct GroupRecord: Sendable {
  /// Its looks, fixed before its first pair; nil when it did not get that far.
  package var looks: SequentialDesign?
  package var calibration: Calibration?
  package var pairs: [PairRecord] = []
  /// What ended it early; nil when nothing did.
  package var failure: PairFailure?

  package init() {}
}

/// What a comparison has measured so far.
package struct ComparisonRecord: Sendable {
  /// What was to be measured.
  package let plan: ComparisonPlan
  package var groups: [GroupRecord]
  /// True when the user ended it.
  package var wasInterrupted = false
  /// True when the time was over before every group had its pairs.
  package var ranOutOfTime = false
  /// Allocator and version that the first child proved to have.
  package var allocatorProof: String?
  /// Nanoseconds that one refresh of jemalloc's statistics took; nil without jemalloc.
  package var jemallocEpochNanoseconds: Int64?

  package init(plan: ComparisonPlan) {
    self.plan = plan
    groups = plan.groups.map { _ in GroupRecord() }
  }

  /// True when nothing was measured.
  package var isEmpty: Bool { groups.allSatisfy { $0.pairs.isEmpty && $0.failure == nil } }

  /// True when some group failed.
  package var hasFailures: Bool { groups.contains { $0.failure != nil } }

  /// Timed iterations of all complete pairs, whose answers were right.
  package var iterationCount: Int {
    groups.flatMap(\.pairs).reduce(0) { sum, pair in
      sum + pair.sides.reduce(0) { $0 + $1.figures.iterationCount }
    }
  }

  /// Complete pairs of all groups.
  package var pairCount: Int { groups.reduce(0) { $0 + $1.pairs.count } }
}
