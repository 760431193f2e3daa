// SPDX-License-Identifier: Apache-2.0

internal import Results
internal import Statistics

/// A place where a figure changes from one commit to the next that was measured.
package struct HistoryChange: Sendable, Hashable {
  /// The last point before it.
  package let before: HistoryPoint
  /// The first point after it.
  package let after: HistoryPoint
  /// The level after it divided by the level before; nil where that was 0.
  package let ratio: Double?
  /// How likely a flat series looks like this; nil for an exact figure, whose change is certain.
  package let pValue: Double?

  /// Whether the figure became worse; nil where neither way is better.
  package var isWorse: Bool? {
    let rises = ratio.map { $0 > 1 } ?? true
    switch after.subject.metric.direction {
    case .lower: return rises
    case .higher: return !rises
    case .none: return nil
    }
  }
}

/// Looks for changes in series: by a permutation test, or, of an exact figure, by comparing.
///
/// What the test finds is a suspicion. Remembers references, so that many series of one length cost
/// one permutation test. One thread at a time.
package struct HistoryScan {
  /// Points from which a series is scanned: the fewest on either side of a change, twice.
  package static let leastPoints = 2 * ChangePointDetector.margin

  private var detector: ChangePointDetector

  /// - Parameter seed: of the permutations; the same seed finds the same changes.
  package init(seed: UInt64) { detector = ChangePointDetector(seed: seed) }

  /// The probability that a series without change is suspected.
  package var alpha: Double { detector.alpha }

  /// The changes of a series, in its order.
  package mutating func changes(in series: HistorySeries) -> [HistoryChange] {
    let (points, figures) = (series.points, series.figures)
    if series.isExact {
      return zip(points, points.dropFirst()).filter { $0.value != $1.value }.map { before, after in
        HistoryChange(
          before: before, after: after,
          ratio: before.value > 0 ? after.value / before.value : nil, pValue: nil)
      }
    }
    let found = detector.changePoints(in: figures)
    let bounds = [0] + found.map(\.index) + [points.count]
    return found.indices.map { place in
      let (start, change, end) = (bounds[place], bounds[place + 1], bounds[place + 2])
      return HistoryChange(
        before: points[change - 1], after: points[change],
        ratio: median(Array(figures[change..<end])) / median(Array(figures[start..<change])),
        pValue: found[place].pValue)
    }
  }
}
