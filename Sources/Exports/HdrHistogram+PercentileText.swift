// SPDX-License-Identifier: Apache-2.0

package import Statistics

/// The percentile distribution of HdrHistogram's tools, a `.hgrm` file, which their plotter reads.
///
/// Pure functions; any thread. Source: outputPercentileDistribution of HdrHistogram,
/// https://hdrhistogram.org.
extension HdrHistogram {
  /// How often the distance to 100 % is reported before it halves, as the plotter's examples have
  /// it.
  package static let percentileTicks = 5

  /// Returns the distribution, one line per percentile, then mean, maximum and size.
  ///
  /// Figures are divided by `valueScale`: 1000 shows nanoseconds as microseconds. Stops the process
  /// unless the scale is 1 or more. O(buckets + lines).
  package func percentileText(valueScale: Double = 1000) -> String {
    guard valueScale >= 1 else {
      fatalError("percentileText: scale \(valueScale); expected 1 or more, such as 1000")
    }
    func value(_ figure: Double) -> String {
      fixedDecimal(figure / valueScale, decimals: layout.significantDigits, width: 12)
    }
    var text = "\(padded("Value", width: 12)) \(padded("Percentile", width: 14)) "
    text += "\(padded("TotalCount", width: 10)) \(padded("1/(1-Percentile)", width: 14))\n\n"
    for line in percentileLines() {
      let share = line.percentile / 100
      text += "\(value(Double(line.figure))) \(fixedDecimal(share, decimals: 12)) "
      text += padded(String(line.count), width: 10)
      if line.percentile < 100 {
        text += " " + fixedDecimal(1 / (1 - share), decimals: 2, width: 14)
      }
      text += "\n"
    }
    text += "#[Mean    = \(value(mean ?? 0)), StdDeviation   = \(value(standardDeviation ?? 0))]\n"
    text += "#[Max     = \(value(Double(maximum ?? 0))), "
    text += "Total count    = \(padded(String(totalCount), width: 12))]\n"
    text += "#[Buckets = \(padded(String(layout.doublingCount), width: 12)), "
    return text + "SubBuckets     = \(padded(String(layout.subBucketCount), width: 12))]\n"
  }

  /// A line of the distribution: so many counts lie at or below the figure, at least the percentile
  /// of all.
  private struct Line {
    let figure: Int64
    let percentile: Double
    let count: Int64
  }

  private func percentileLines() -> [Line] {
    var lines: [Line] = []
    var level = 0.0
    var reached: Int64 = 0
    for index in 0..<layout.bucketCount where reached < totalCount {
      let count = count(at: layout.lowestFigure(at: index))
      guard count > 0 else { continue }
      reached += count
      let figure = layout.highestFigure(at: index)
      let percentile = 100 * Double(reached) / Double(totalCount)
      // Nothing lies beyond the last bucket in use: one line at the level reached, and one for all.
      let isLast = reached == totalCount
      while percentile >= level {
        lines.append(Line(figure: figure, percentile: level, count: reached))
        level = Self.percentile(after: level)
        if isLast { break }
      }
      if isLast { lines.append(Line(figure: figure, percentile: 100, count: reached)) }
    }
    return lines
  }

  /// The next level: `percentileTicks` steps of equal size between two halvings of the distance to
  /// 100 %.
  private static func percentile(after level: Double) -> Double {
    let distance = 100 - level
    guard distance > 0 else { return .infinity }
    let halvings = Int((100 / distance).exponent) + 1
    let ticks = Double(percentileTicks) * Double(sign: .plus, exponent: halvings, significand: 1)
    return level + 100 / ticks
  }
}
