// SPDX-License-Identifier: Apache-2.0

internal import Statistics

/// What a whole run says about who is fastest.
package enum RunVerdict: Sendable, Equatable {
  /// Who was measured besides the one who could be ranked.
  package enum Others: Sendable, Equatable { case none, references, baseline }

  /// How many groups somebody leads.
  package struct Tally: Sendable, Equatable {
    /// The contestant's label.
    package let label: String
    /// Groups.
    package internal(set) var count: Int
    /// How many times worse the next one of a group is, from the least to the most: how many times
    /// as long it takes, where times are ranked.
    package internal(set) var lead: ClosedRange<Double>
  }

  /// The run ended before everybody had a figure, and nobody is ranked.
  case endedInFirstRound
  /// In no group were there two to rank.
  case nothingToRank(groups: Int, others: Others)
  /// There are fewer rounds than are ranked.
  case tooFewRounds(Int)
  /// Nobody is established; who leads round by round, most groups first.
  case noneEstablished(leaders: [Tally])
  /// Who is established as fastest, most groups first; open in so many of the groups with two to
  /// rank.
  case established([Tally], open: Int, of: Int)

  /// The verdict of an analysis.
  package init(_ analysis: Analysis) {
    let groups = analysis.groups
    guard !groups.flatMap(\.contestants).contains(where: { $0.failure == .interrupted }) else {
      self = .endedInFirstRound
      return
    }
    let contested = groups.filter { $0.ranked.count > 1 }
    guard !contested.isEmpty else {
      let others = groups.flatMap(\.contestants).filter { !$0.isRanked && $0.failure == nil }
      self = .nothingToRank(
        groups: groups.count,
        others: others.isEmpty || groups.allSatisfy(\.ranked.isEmpty)
          ? .none : others.contains(where: \.system.isReference) ? .references : .baseline)
      return
    }
    guard analysis.rounds >= PairedRatio.leastPairs else {
      self = .tooFewRounds(analysis.rounds)
      return
    }
    let settled = contested.filter(\.isSettled)
    self =
      settled.isEmpty
      ? .noneEstablished(leaders: Self.tally(contested))
      : .established(
        Self.tally(settled), open: contested.count - settled.count, of: contested.count)
  }

  private static func tally(_ groups: [GroupResult]) -> [Tally] {
    var tallies: [Tally] = []
    for group in groups {
      guard let best = group.best(group.primaryMetric) else { continue }
      let others = group.ranked.filter { $0.label != best.label }
      // Whoever is best of several has a ratio to each of them.
      guard let next = others.compactMap({ $0.comparisons[group.primaryMetric]?.ratio }).min()
      else { continue }
      if let index = tallies.firstIndex(where: { $0.label == best.label }) {
        let lead = tallies[index].lead
        tallies[index].lead = min(lead.lowerBound, next)...max(lead.upperBound, next)
        tallies[index].count += 1
      } else {
        tallies.append(Tally(label: best.label, count: 1, lead: next...next))
      }
    }
    return tallies.sorted { $0.count > $1.count }
  }
}
