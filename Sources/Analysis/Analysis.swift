// SPDX-License-Identifier: Apache-2.0

package import Results

/// What the rows of a run say: who took part in which group, and who is better than whom.
///
/// Built from rows alone, so that a run that has just ended and a file of it say the same. Ratios
/// among the rows are computed anew from the figures of the processes. Pure; any thread. O(rows),
/// and for every group O(contestants² · rounds²).
package struct Analysis: Sendable {
  /// What was compared, in the order of the rows.
  package let groups: [GroupResult]
  /// Rounds that every contestant has complete that did not fail by itself.
  package let rounds: Int

  /// - Parameters:
  ///   - rows: of one run, the aggregate of a figure before its processes, as `SchemaCheck` asks
  ///     for.
  ///   - roster: what is known of the systems that they name.
  package init(rows: [ResultRow], roster: Roster) {
    groups = Self.groups(Self.contestants(rows, roster), roster)
    let counted = groups.flatMap(\.contestants).filter {
      $0.failure == nil || $0.failure == .interrupted
    }
    rounds = counted.map(\.rounds).min() ?? 0
  }

  /// The rows, each contestant's ratios to the best or the base of its group behind its figures.
  package var rows: [ResultRow] {
    groups.flatMap { group in
      group.contestants.flatMap { $0.rows(withRatiosOf: group.comparedMetrics) }
    }
  }

  private static func contestants(_ rows: [ResultRow], _ roster: Roster) -> [ContestantResult] {
    var contestants: [ContestantResult] = []
    var current: [ResultRow] = []
    var seen: Set<FigureKey> = []
    var id: ContestantID?
    func close() {
      guard let id, !current.isEmpty else { return }
      contestants.append(
        ContestantResult(id: id, system: roster.system(named: id.scheduler), rows: current))
    }
    var last: ResultRow?
    for row in rows where row.subject.statistic != .ratio {
      // Rows of one file know without a look at their texts.
      let isKnown =
        last.map { row.subject.isOfSameSystem(as: $0.subject) && row.hasSameOrigin(as: $0) } == true
      let own = isKnown ? id : ContestantID(row)
      // A second aggregate of the same figure is the same system in another group.
      let isSecond = row.process == nil && seen.contains(row.subject.key)
      if !isKnown && own != id || isSecond {
        close()
        (id, current, seen) = (own, [], [])
      }
      if !isKnown { last = row }
      if row.process == nil { seen.insert(row.subject.key) }
      current.append(row)
    }
    close()
    return contestants
  }

  private static func groups(_ contestants: [ContestantResult], _ roster: Roster) -> [GroupResult] {
    var groups: [GroupResult] = []
    var members: [ContestantResult] = []
    var point = GroupPoint()
    func close() {
      if !members.isEmpty { groups.append(GroupResult(point: point, contestants: members)) }
    }
    for contestant in contestants {
      let place = roster.place(of: contestant.name)
      if !point.admit(contestant, place: place) {
        close()
        (members, point) = ([], GroupPoint())
        // An empty point admits whoever comes.
        _ = point.admit(contestant, place: place)
      }
      members.append(contestant)
    }
    close()
    return groups
  }
}
