// SPDX-License-Identifier: Apache-2.0

package import Results

/// One run as every export sees it: series by benchmark case, in the order of the rows.
///
/// Made from rows once, whatever the format. A plain value; any thread.
package struct ExportedRun: Sendable {
  /// Nil when there was no row.
  package let identity: RunIdentity?
  /// The code that all rows are of.
  package let code: CodeIdentity
  package let environment: EnvironmentRecord
  package let groups: [SeriesGroup]
  /// Figures that no format can show, since there are none.
  package let omissions: [Omission]

  /// Takes the rows of one run and, where it is known, its environment.
  ///
  /// Throws when the rows are of several runs or of several revisions, or hold an aggregate twice.
  /// O(rows).
  package init(rows: [ResultRow], environment: EnvironmentRecord = EnvironmentRecord())
    throws(ExportFailure)
  {
    identity = rows.first?.run
    code = rows.first?.code ?? CodeIdentity()
    self.environment = environment
    var figures: [Figure] = []
    var places: [Figure.Key: Int] = [:]
    for row in rows {
      if let identity, row.run.runID != identity.runID {
        throw .severalRuns(identity.runID, row.run.runID)
      }
      if row.code != code { throw .severalRevisions(code.name, row.code.name) }
      // Rows of one figure stand together, and a comparison costs less than a hash.
      var place = figures.count - 1
      if figures.isEmpty || !figures[place].key.isOf(row) {
        let key = Figure.Key(subject: row.subject, role: row.role)
        place = places[key] ?? figures.count
        if place == figures.count {
          places[key] = place
          figures.append(Figure(key: key))
        }
      }
      guard figures[place].take(row) else {
        throw .repeatedFigure(Omission.name(of: row.subject, role: row.role))
      }
    }
    var groups: [SeriesGroup] = []
    var groupPlaces: [BenchmarkCase: Int] = [:]
    var omissions: [Omission] = []
    var missedAlone = Missed()
    for figure in figures {
      let series: Series
      switch figure.series {
      case .success(let known): series = known
      case .failure(let omission):
        if figure.key.subject.metric.isMissedAlone {
          missedAlone.take(omission, figure.key.subject.metric)
        } else {
          omissions.append(omission)
        }
        continue
      }
      let benchmarkCase = BenchmarkCase(figure.key.subject, role: figure.key.role)
      let place = groupPlaces[benchmarkCase] ?? groups.count
      if place == groups.count {
        groupPlaces[benchmarkCase] = place
        groups.append(SeriesGroup(benchmarkCase: benchmarkCase, series: []))
      }
      groups[place].series.append(series)
    }
    self.groups = groups
    self.omissions = omissions + missedAlone.omissions
  }

  /// Every series with its case, in order.
  var series: [(benchmarkCase: BenchmarkCase, series: Series)] {
    groups.flatMap { group in group.series.map { (group.benchmarkCase, $0) } }
  }
}

/// Figures that most machines do not have, told once each and last: they would hide the others.
private struct Missed {
  private struct Key: Hashable {
    let metric: Metric
    let reason: Omission.Reason
  }

  private var order: [Key] = []
  private var found: [Key: [Omission]] = [:]

  mutating func take(_ omission: Omission, _ metric: Metric) {
    let key = Key(metric: metric, reason: omission.reason)
    if found[key] == nil { order.append(key) }
    found[key, default: []].append(omission)
  }

  var omissions: [Omission] {
    order.compactMap { key in
      guard let all = found[key], let first = all.first, all.count > 1 else {
        return found[key]?.first
      }
      return Omission(
        figure: "\(key.metric.rawValue) of \(all.count) cases", reason: first.reason)
    }
  }
}

/// The rows of one figure, as far as they have come.
private struct Figure {
  struct Key: Hashable {
    let subject: Subject
    let role: Role?

    func isOf(_ row: ResultRow) -> Bool { row.role == role && row.subject == subject }
  }

  let key: Key
  private var aggregate: ResultRow?
  private var samples: [Series.Sample] = []

  init(key: Key) { self.key = key }

  /// Takes a row; false for a second aggregate.
  ///
  /// A process without a figure is no sample.
  mutating func take(_ row: ResultRow) -> Bool {
    if row.process == nil, row.pairID == nil {
      guard aggregate == nil else { return false }
      aggregate = row
    } else if let value = row.value, value.isFinite {
      samples.append(Series.Sample(value: value, process: row.process))
    }
    return true
  }

  var series: Result<Series, Omission> {
    guard let aggregate else { return .failure(omission(.noAggregate)) }
    guard let value = aggregate.value else {
      return .failure(omission(.noFigure(quality: aggregate.quality.text)))
    }
    guard value.isFinite else { return .failure(omission(.notFinite)) }
    return .success(Series(aggregate: aggregate, value: value, samples: samples))
  }

  private func omission(_ reason: Omission.Reason) -> Omission {
    Omission(figure: Omission.name(of: key.subject, role: key.role), reason: reason)
  }
}
