// SPDX-License-Identifier: Apache-2.0

internal import Glibc
package import Results
internal import Statistics

/// What the rows of a comparison in pairs say: a verdict for every candidate and judged metric.
///
/// Built from rows alone, so that a comparison that has just ended and a file of it say the same.
/// All verdicts of the rows are one family: slower and faster are said at its error. Pure; any
/// thread. O(rows), and O(n log² n) in the pairs of each verdict.
package struct PairedAnalysis: Sendable {
  /// The comparisons, in the order of the rows.
  package let results: [PairedResult]
  /// The rows, with the ratios as they were judged.
  package let rows: [ResultRow]

  /// Whether rows are those of a comparison in pairs.
  package static func isPaired(_ rows: [ResultRow]) -> Bool {
    rows.contains { $0.design != nil }
  }

  /// - Parameters:
  ///   - rows: of one run: the sides of a group one after the other, its base first.
  ///   - roster: what is known of the systems that they name.
  package init(rows: [ResultRow], roster: Roster) {
    let sides = Self.sides(rows, roster)
    var members: [Member] = []
    var base: ContestantResult?
    for side in sides {
      if side.role == .a {
        base = side.contestant
      } else if let base {
        members += Self.members(side.contestant, base: base)
      }
    }
    let count = members.count
    let measured = members.indices.filter { !members[$0].logRatios.isEmpty }
    let judged = GateFamily.judge(
      measured.map { index in
        let design = members[index].design
        return (
          PairedComparison(
            design: design.looks, members: count, familyAlpha: GateFamily.reportAlpha,
            tolerance: design.tolerance),
          members[index].logRatios
        )
      })
    var verdicts: [Int: GateFamily.Member] = [:]
    for (index, member) in zip(measured, judged) { verdicts[index] = member }
    results = members.enumerated().map { index, member in
      PairedResult(member, judged: verdicts[index], family: count)
    }
    self.rows = Self.filled(rows, results)
  }

  /// The candidate of one verdict with its log ratios, which are turned round where more is better.
  struct Member {
    let base: ContestantResult
    let candidate: ContestantResult
    let metric: Metric
    let design: ComparisonDesign
    var logRatios: [Double] = []
    /// Pairs in which a side has no figure above 0.
    var withoutFigure = 0
    let failure: QualityFlag?
  }

  private static func sides(
    _ rows: [ResultRow], _ roster: Roster
  ) -> [(role: Role, contestant: ContestantResult)] {
    var sides: [(role: Role, contestant: ContestantResult)] = []
    var start = 0
    for index in rows.indices {
      let next = index + 1
      let isLast =
        next == rows.count || rows[next].role != rows[start].role
        || ContestantID(rows[next]) != ContestantID(rows[start])
      guard isLast else { continue }
      if let role = rows[start].role {
        let id = ContestantID(rows[start])
        sides.append(
          (
            role,
            ContestantResult(
              id: id, system: roster.system(named: id.scheduler), rows: Array(rows[start..<next]))
          ))
      }
      start = next
    }
    return sides
  }

  private static func members(
    _ candidate: ContestantResult, base: ContestantResult
  ) -> [Member] {
    candidate.rows.compactMap { row in
      guard let design = row.design else { return nil }
      let metric = row.subject.metric
      var member = Member(
        base: base, candidate: candidate, metric: metric, design: design,
        failure: row.quality.first(where: \.isFailure))
      guard member.failure == nil else { return member }
      let figures = base.byPair(metric)
      for (pair, value) in candidate.byPair(metric).sorted(by: { $0.key < $1.key }) {
        guard let other = figures[pair], other > 0, value > 0 else {
          member.withoutFigure += 1
          continue
        }
        let logRatio = log(value) - log(other)
        member.logRatios.append(metric.direction == .higher ? -logRatio : logRatio)
      }
      return member
    }
  }

  /// The rows with the figures of the ratios.
  private static func filled(_ rows: [ResultRow], _ results: [PairedResult]) -> [ResultRow] {
    rows.map { row in
      guard row.design != nil,
        let result = results.first(where: {
          $0.candidate.id == ContestantID(row) && $0.metric == row.subject.metric
        })
      else { return row }
      var filled = row
      filled.value = result.ratio?.ratio
      filled.interval = result.ratio?.interval
      if result.ratio == nil, !row.quality.isFailure {
        filled.quality.insert(.unavailable(reason: "no-figure"))
      }
      return filled
    }
  }
}
