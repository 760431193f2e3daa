// SPDX-License-Identifier: Apache-2.0

package import Results

/// What a comparison of files takes from the rows of a run: the figures of its processes.
///
/// A comparison of two builds has two codes; those of its candidate count, which is the build that
/// was asked about. Where a scheduler stands on both sides of a pair, the base counts, since two
/// figures of one process are not two draws. A plain value; any thread.
package struct RunFigures: Sendable {
  /// The medians of the processes of one contestant by one metric.
  struct Sample: Sendable {
    var values: [Double] = []
    /// Why a process has none; nil when all have one.
    var failure: QualityFlag?
  }

  /// A system at one point, whatever its code.
  struct Contestant: Sendable {
    let id: ContestantID
    let role: Role?
    var samples: [Metric: Sample] = [:]
  }

  /// Which run it is.
  package let run: RunIdentity
  /// The code that was measured.
  package let code: CodeIdentity
  /// What spoils the figures of its build.
  package private(set) var buildFlags: Set<QualityFlag> = []
  /// Whether there are figures of another code, which are left out.
  package let leavesOutCode: Bool
  /// In the order of the rows.
  private(set) var contestants: [Contestant] = []

  /// Takes the figures of the rows of one run, at least one row.
  ///
  /// O(rows).
  package init(_ rows: [ResultRow]) {
    guard let first = rows.first else {
      fatalError("RunFigures: no rows; expected those of a run; refuse an empty file")
    }
    run = first.run
    let codes = Self.codes(rows)
    code = codes.candidate ?? first.code
    leavesOutCode = codes.count > 1
    var places: [ContestantID: Int] = [:]
    var last: (row: ResultRow, place: Int?)?
    for row in rows where Self.takes(row) {
      let isKnown =
        last.map {
          row.role == $0.row.role && row.subject.isOfSameSystem(as: $0.row.subject)
            && row.hasSameOrigin(as: $0.row)
        } == true
      let place = isKnown ? last?.place : admit(row, &places)
      if !isKnown { last = (row, place) }
      guard let place else { continue }
      if !row.quality.isEmpty { buildFlags.formUnion(row.quality.filter(\.isOfBuild)) }
      take(row, place)
    }
  }

  /// Whether a row has what files are compared by: a large file is mostly others.
  package static func takes(_ row: ResultRow) -> Bool {
    guard row.subject.statistic == .p50 else { return false }
    switch row.subject.metric {
    case .makespan, .latency, .wall, .instructions, .cpu: return true
    default: return false
    }
  }

  /// How many codes there are, and that of the candidates.
  private static func codes(_ rows: [ResultRow]) -> (count: Int, candidate: CodeIdentity?) {
    var codes: Set<CodeIdentity> = []
    var candidate: CodeIdentity?
    var last: ResultRow?
    for row in rows {
      if let last, last.role == row.role, row.hasSameOrigin(as: last) { continue }
      last = row
      codes.insert(row.code)
      if row.role == .b { candidate = candidate ?? row.code }
    }
    return (codes.count, candidate)
  }

  /// The place of the contestant of a row; nil when its figures do not count.
  private mutating func admit(_ row: ResultRow, _ places: inout [ContestantID: Int]) -> Int? {
    guard row.code == code else { return nil }
    let id = ContestantID(row).ofAnyCode
    if let place = places[id] { return contestants[place].role == row.role ? place : nil }
    places[id] = contestants.count
    contestants.append(Contestant(id: id, role: row.role))
    return contestants.count - 1
  }

  private mutating func take(_ row: ResultRow, _ place: Int) {
    let metric = row.subject.metric
    if row.process != nil, let value = row.value {
      contestants[place].samples[metric, default: Sample()].values.append(value)
    } else if row.value == nil {
      contestants[place].samples[metric, default: Sample()].failure =
        row.quality.first(where: \.isFailure)
    }
  }
}
