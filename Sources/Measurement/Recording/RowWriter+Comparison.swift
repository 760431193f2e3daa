// SPDX-License-Identifier: Apache-2.0

internal import Machine
package import Results
internal import Statistics

extension RowWriter {
  /// What every pair has in its rows, beside what is judged.
  static let pairFigures: [FigureKey] = [
    FigureKey(.wall, .p50), FigureKey(.cpu, .p50), FigureKey(.voluntarySwitches, .p50),
    FigureKey(.involuntarySwitches, .p50), FigureKey(.latency, .p50), FigureKey(.latency, .p99),
    FigureKey(.makespan, .p50), FigureKey(.efficiency, .p50), FigureKey(.queueDelay, .p50),
    FigureKey(.queueDelay, .p99),
  ]

  /// The rows of a comparison: per side every aggregate, each followed by its pairs, the base of a
  /// group before its candidates, and behind a candidate one row per verdict, whose ratio is left
  /// to whoever judges the rows.
  package func rows(_ record: ComparisonRecord) -> [ResultRow] {
    record.groups.indices.flatMap { group in
      record.plan.groups[group].point.contestants.indices.flatMap { side in
        ComparedSide(record: record, group: group, side: side).rows(self)
      }
    }
  }

  /// Every group that failed: a row of the side that did, or of the base, and what happened, with
  /// the build that it happened to.
  package func failures(_ record: ComparisonRecord) -> [(row: ResultRow, story: String)] {
    record.groups.indices.compactMap { group in
      let planned = record.plan.groups[group]
      let point = planned.point
      return record.groups[group].failure.map { failure in
        let build = planned.build(of: failure.side).map { ", in \($0)" } ?? ""
        return (
          row(of: point.contestants[failure.side ?? 0], in: point), "\(failure.failure)\(build)"
        )
      }
    }
  }
}

/// One side of a group with all its pairs.
private struct ComparedSide {
  let record: ComparisonRecord
  let group: Int
  let side: Int

  private var point: MeasurementGroup { record.plan.groups[group].point }
  private var judged: [Metric] { record.plan.judgedMetrics(of: group) }
  private var pairs: [(number: Int, figures: SideFigures)] {
    record.groups[group].pairs.compactMap { pair in
      pair.sides.first { $0.side == side }.map { (pair.number, $0) }
    }
  }

  /// Why the side has no figure, or its comparison no verdict; nil when they may have one.
  private var failure: MeasurementFailure? {
    let ended = record.groups[group].failure
    if let ended, [nil, side].contains(ended.side) || (ended.side == 0 && !pairs.isEmpty) {
      return ended.failure
    }
    guard pairs.isEmpty else { return nil }
    return ended == nil
      ? .interrupted : .unavailable(reason: "other-side", detail: "the other side failed")
  }

  func rows(_ writer: RowWriter) -> [ResultRow] {
    let own = pairs
    var keys = RowWriter.pairFigures
    let asked =
      judged.map { FigureKey($0, .p50) } + record.plan.groups[group].further.map(\.key)
    for key in asked where !keys.contains(key) { keys.append(key) }
    var rows: [ResultRow] = []
    for key in keys {
      let values = own.compactMap { $0.figures.figures.values[key] }
      guard !values.isEmpty else { continue }
      var aggregate = row(writer, key)
      aggregate.value = median(values)
      aggregate.interval = medianInterval(values, level: 0.95)
      count(&aggregate, own.map(\.figures))
      aggregate.quality = writer.buildFlags.union(disturbances(own.map(\.figures), writer))
      rows.append(aggregate)
      rows += own.compactMap { pair in
        pair.figures.figures.values[key].map { pairRow(writer, key, $0, pair) }
      }
    }
    if rows.isEmpty {
      var empty = row(writer, FigureKey(point.primaryMetric, .p50))
      empty.quality = writer.buildFlags.union(writer.flags(of: failure))
      rows.append(empty)
    }
    return rows + (side == 0 ? [] : verdictRows(writer))
  }

  private func verdictRows(_ writer: RowWriter) -> [ResultRow] {
    judged.map { metric in
      var row = row(writer, FigureKey(metric, .ratio))
      row.quality = writer.buildFlags.union(writer.flags(of: failure))
      row.design = ComparisonDesign(
        pairing: record.plan.pairing, looks: record.groups[group].looks ?? .standard,
        tolerance: record.plan.tolerance(of: group))
      count(&row, pairs.map(\.figures))
      return row
    }
  }

  private func pairRow(
    _ writer: RowWriter, _ key: FigureKey, _ value: Double,
    _ pair: (number: Int, figures: SideFigures)
  ) -> ResultRow {
    var row = row(writer, key)
    row.value = value
    row.pairID = pair.number
    row.process = pair.figures.process
    count(&row, [pair.figures])
    row.quality = writer.buildFlags.union(disturbances([pair.figures], writer))
    return row
  }

  private func row(_ writer: RowWriter, _ key: FigureKey) -> ResultRow {
    var row = writer.row(of: point.contestants[side], in: point)
    (row.subject.metric, row.subject.statistic) = (key.metric, key.statistic)
    row.role = side == 0 ? .a : .b
    return row
  }

  /// What is behind the figure; empty cells where nothing is.
  private func count(_ row: inout ResultRow, _ figures: [SideFigures]) {
    guard !figures.isEmpty else { return }
    row.processCount = figures.count
    row.iterationCount = figures.reduce(0) { $0 + $1.figures.iterationCount }
    row.operationCount = figures.reduce(0) { $0 + $1.figures.operationCount }
  }

  private func disturbances(_ figures: [SideFigures], _ writer: RowWriter) -> Set<QualityFlag> {
    var flags = writer.flags(of: figures.map { ($0.disturbance, $0.elapsedNanoseconds) })
    if figures.count == 1, figures[0].involuntarySwitches > mostSwitches {
      flags.insert(.preempted)
    }
    return flags
  }

  /// Above this many involuntary switches in all samples of a pair it counts as disturbed.
  private var mostSwitches: Int64 {
    let counts = pairs.map { Double($0.figures.involuntarySwitches) }
    return counts.isEmpty ? 0 : 8 + Int64(4 * median(counts))
  }
}
