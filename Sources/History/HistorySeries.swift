// SPDX-License-Identifier: Apache-2.0

package import Results

/// One figure from commit to commit, on one machine against one reference.
///
/// A plain value; any thread.
package struct HistorySeries: Sendable {
  package let key: SeriesKey
  /// In the order in which the commits were made; those of one second as they were added.
  package let points: [HistoryPoint]
  /// How it continues an earlier series; nil for the first one of a figure.
  package let link: SeriesLink?

  /// The figure's name, the same for every machine and reference.
  package var name: String { key.subject.historyName }

  /// Whether every difference is a change.
  package var isExact: Bool { key.subject.metric.isExact }

  /// What a change of the figure is looked for in, in the order of the points.
  package var figures: [Double] { points.map(\.figure) }

  /// All series of the points, by machine and name; those of one figure as they were begun.
  package static func all(of points: [HistoryPoint]) -> [HistorySeries] {
    var order: [SeriesKey] = []
    var byKey: [SeriesKey: [HistoryPoint]] = [:]
    for point in points {
      if byKey[point.key] == nil { order.append(point.key) }
      byKey[point.key, default: []].append(point)
    }
    var earlier: [SeriesKey: HistorySeries] = [:]
    let series = order.map { key in
      // The sort is stable, so that commits of one second keep their order.
      let points = (byKey[key] ?? []).sorted { $0.committed < $1.committed }
      let figure = SeriesKey(machineID: key.machineID, subject: key.subject, reference: "")
      let link = earlier[figure].flatMap { SeriesLink(from: $0, to: key.reference, points) }
      let series = HistorySeries(key: key, points: points, link: link)
      earlier[figure] = series
      return series
    }
    return series.enumerated().sorted { one, other in
      let names = [one, other].map { ($0.element.key.machineID.text, $0.element.name) }
      return names[0] == names[1] ? one.offset < other.offset : names[0] < names[1]
    }.map(\.element)
  }
}

/// What joins a series to the one before it, against another reference.
package struct SeriesLink: Sendable, Equatable {
  /// The reference of the earlier series.
  package let reference: String
  /// The commit that was measured against both; it may be the later reference itself.
  package let commit: String
  /// What a ratio of the later series is multiplied by to become one of the earlier; nil for a
  /// figure that has no ratio.
  package let factor: Double?

  init?(from earlier: HistorySeries, to reference: String, _ points: [HistoryPoint]) {
    self.reference = earlier.key.reference
    if let point = earlier.points.first(where: { $0.commit == reference }) {
      (commit, factor) = (reference, point.ratio)
      return
    }
    for point in points {
      guard let other = earlier.points.first(where: { $0.commit == point.commit }) else {
        continue
      }
      commit = point.commit
      factor = point.ratio.flatMap { own in other.ratio.map { $0 / own } }
      return
    }
    return nil
  }
}

extension Subject {
  /// Suite, benchmark, parameters, scheduler, allocator, metric and statistic as one word.
  package var historyName: String {
    "\(suite)/\(benchmark)[\(params.text)]/\(scheduler)/\(allocator):\(metric.rawValue):"
      + statistic.rawValue
  }
}
