// SPDX-License-Identifier: Apache-2.0

internal import Statistics

/// How long one phase took the operations of a group.
package struct PhaseSummary: Sendable, Equatable {
  /// How many operations had the phase, with both of its ends known.
  package let count: Int
  /// Of those, how many ends lay before their begin, since clocks differ; they count as they are.
  package let negativeCount: Int
  /// The sum, ns.
  package let totalNanoseconds: Int64
  /// Durations of nearest rank, ns; nil where too few operations support the quantile.
  package let p50: Int64?
  package let p90: Int64?
  package let p99: Int64?
  package let p999: Int64?
  /// The longest, ns; nil without any.
  package let maximum: Int64?

  /// Sums up durations, in any order.
  ///
  /// O(n log n).
  init(_ durations: [Int64]) {
    let sorted = durations.sorted()
    count = sorted.count
    negativeCount = sorted.prefix { $0 < 0 }.count
    totalNanoseconds = sorted.reduce(0, +)
    func quantile(_ p: Double) -> Int64? {
      Percentile.isSupported(p, sampleCount: sorted.count)
        ? Percentile.nearestRank(p, ofSorted: sorted) : nil
    }
    p50 = quantile(0.5)
    p90 = quantile(0.9)
    p99 = quantile(0.99)
    p999 = quantile(0.999)
    maximum = sorted.last
  }

  /// The mean, ns; nil without any.
  package var mean: Double? { count == 0 ? nil : Double(totalNanoseconds) / Double(count) }
}
