// SPDX-License-Identifier: Apache-2.0

/// Counts of whole figures, such as nanoseconds, in buckets of bounded relative width.
///
/// The bucket layout of HdrHistogram: below `2 * 10^digits` units every figure has a bucket of its
/// own unit, beyond that the width doubles with every power of two, so that a figure is kept to
/// `significantDigits` decimal digits over the whole range. Recording is O(1) and allocates
/// nothing; what looks at all counts is O(buckets). A value: one thread records, others get copies.
/// Figures carry no unit of their own.
/// Source: the layout as documented by HdrHistogram, https://hdrhistogram.org.
package struct HdrHistogram: Sendable, Hashable {
  /// The range and precision.
  package let layout: Layout
  /// How many figures were recorded.
  package private(set) var totalCount: Int64 = 0

  /// The counts by index of `layout`.
  private(set) var counts: [Int64]

  /// Makes an empty histogram.
  package init(layout: Layout) {
    self.layout = layout
    counts = Array(repeating: 0, count: layout.bucketCount)
  }

  /// Makes a histogram from decoded counts, as many as the layout has at most.
  init(layout: Layout, counts: [Int64], totalCount: Int64) {
    self.layout = layout
    self.counts = counts + Array(repeating: 0, count: layout.bucketCount - counts.count)
    self.totalCount = totalCount
  }

  /// Counts a figure `count` times.
  ///
  /// Throws `Failure.outOfRange` for a figure below 0 or beyond the layout, and `Failure.overflow`
  /// when the total would exceed 64 bits; the histogram is then unchanged. Stops the process when
  /// `count` is negative. O(1).
  package mutating func record(_ figure: Int64, count: Int64 = 1) throws(Failure) {
    guard count >= 0 else {
      fatalError("HdrHistogram: count \(count); expected 0 or more")
    }
    guard let index = layout.index(of: figure) else { throw .outOfRange(figure) }
    let (total, overflows) = totalCount.addingReportingOverflow(count)
    guard !overflows else { throw .overflow }
    counts[index] += count
    totalCount = total
  }

  /// Adds all counts of another histogram, whatever its layout.
  ///
  /// With equal layouts nothing is lost; otherwise a figure counts as the lowest one of its bucket.
  /// Throws as `record` does, and is then unchanged. O(buckets).
  package mutating func merge(_ other: HdrHistogram) throws(Failure) {
    var merged = self
    for (index, count) in other.counts.enumerated() where count > 0 {
      try merged.record(other.layout.lowestFigure(at: index), count: count)
    }
    self = merged
  }

  /// The lowest figure of the first bucket in use, nil when nothing was recorded.
  package var minimum: Int64? {
    counts.firstIndex { $0 > 0 }.map { layout.lowestFigure(at: $0) }
  }

  /// The highest figure of the last bucket in use, nil when nothing was recorded.
  package var maximum: Int64? {
    counts.lastIndex { $0 > 0 }.map { layout.highestFigure(at: $0) }
  }

  /// The mean of the middles of the buckets, nil when nothing was recorded.
  package var mean: Double? {
    guard totalCount > 0 else { return nil }
    var sum = 0.0
    for (index, count) in counts.enumerated() where count > 0 {
      sum += Double(layout.middleFigure(at: index)) * Double(count)
    }
    return sum / Double(totalCount)
  }

  /// The standard deviation of the middles of the buckets, nil when nothing was recorded.
  package var standardDeviation: Double? {
    guard let mean else { return nil }
    var sum = 0.0
    for (index, count) in counts.enumerated() where count > 0 {
      let deviation = Double(layout.middleFigure(at: index)) - mean
      sum += deviation * deviation * Double(count)
    }
    return (sum / Double(totalCount)).squareRoot()
  }

  /// The highest figure of the bucket that holds the `p` quantile by nearest rank.
  ///
  /// `p` is a fraction: 0.99 for p99. At 0 it is the lowest figure of its bucket. Nil when nothing
  /// was recorded. Stops the process when `p` is not a fraction. O(buckets).
  package func value(_ p: Double) -> Int64? {
    guard totalCount > 0 else { return nil }
    let rank = Percentile.rank(p, count: Int(totalCount))
    var reached: Int64 = 0
    for (index, count) in counts.enumerated() where count > 0 {
      reached += count
      if reached >= rank {
        return p == 0 ? layout.lowestFigure(at: index) : layout.highestFigure(at: index)
      }
    }
    fatalError("HdrHistogram: \(reached) counts, total \(totalCount); expected equal")
  }

  /// The `p` quantile if so many figures support a statement about it, else nil.
  ///
  /// A tail quantile needs `Percentile.samplesRequiredBeyond` figures beyond it.
  package func supportedValue(_ p: Double) -> Int64? {
    Percentile.isSupported(p, sampleCount: Int(totalCount)) ? value(p) : nil
  }

  /// How many figures fell into the bucket of this one, 0 beyond the layout.
  package func count(at figure: Int64) -> Int64 {
    layout.index(of: figure).map { counts[$0] } ?? 0
  }

  /// Why figures were not counted.
  package enum Failure: Error, Hashable {
    /// The figure is negative or beyond the highest one of the layout.
    case outOfRange(Int64)
    /// The total would exceed 64 bits.
    case overflow
  }
}
