// SPDX-License-Identifier: Apache-2.0

import Analysis
import Glibc
import Results
import Statistics

/// The figures of both sides of a comparison, pair by pair.
struct RecordedPairs {
  /// What was measured, as the table names it.
  let name: String
  /// What the candidate has that the base has not; nil where both sides ran the same.
  let handicap: String?
  /// How the sides of a pair were measured.
  let pairing: ComparisonDesign.Pairing
  /// Natural logarithms of the two figures, in the order of the pairs.
  let pairs: [(a: Double, b: Double)]

  /// The comparisons in the rows of a file.
  static func read(_ rows: [ResultRow]) -> [RecordedPairs] {
    PairedAnalysis(rows: rows, roster: Roster()).results.map { result in
      let a = result.base.byPair(result.metric)
      let b = result.candidate.byPair(result.metric)
      let numbers = a.keys.filter { b[$0] != nil }.sorted()
      let id = result.candidate.id
      return RecordedPairs(
        name: "\(id.benchmark) \(id.scheduler) \(result.metric.rawValue)",
        handicap: handicap(of: id, base: result.base.id),
        pairing: result.design.pairing,
        pairs: numbers.compactMap { number in
          guard let one = a[number], let other = b[number], one > 0, other > 0 else { return nil }
          return (log(one), log(other))
        })
    }
  }

  /// The parameters of a candidate that are not those of its base.
  private static func handicap(of candidate: ContestantID, base: ContestantID) -> String? {
    let known = Set(base.params.text.split(separator: ";"))
    let own = candidate.params.text.split(separator: ";").filter { !known.contains($0) }
    return own.isEmpty ? nil : own.joined(separator: " ")
  }

  /// So many consecutive pairs as they were measured, from a random one on and round to the first.
  func measured(_ count: Int, _ generator: inout TrialGenerator) -> [Double] {
    let start = generator.index(below: pairs.count)
    return (0..<count).map { offset in
      let pair = pairs[(start + offset) % pairs.count]
      return pair.b - pair.a
    }
  }

  /// The median ratio of candidate to base.
  var ratio: Double {
    let ratios = pairs.map { $0.b - $0.a }.sorted()
    return exp(ratios[ratios.count / 2])
  }

  /// So many consecutive pairs, from a random one on and round to the first, the sides of each
  /// exchanged at random, side B slowed down by a factor.
  ///
  /// The sides ran the same, so that which of them was called B was a toss; another toss makes
  /// another comparison of equal sides with the same noise.
  func comparison(
    _ count: Int, slowdown: Double = 1, _ generator: inout TrialGenerator
  ) -> [Double] {
    let start = generator.index(below: pairs.count)
    let shift = log(slowdown)
    return (0..<count).map { offset in
      let pair = pairs[(start + offset) % pairs.count]
      return (generator.toss() ? pair.b - pair.a : pair.a - pair.b) + shift
    }
  }

  /// Two samples measured one after the other, as tools without pairs measure them: figures of one
  /// side from a random pair on, and those that follow.
  func blocks(
    _ count: Int, _ generator: inout TrialGenerator
  ) -> (base: [Double], candidate: [Double]) {
    let start = generator.index(below: pairs.count - 2 * count + 1)
    let isA = generator.toss()
    let figures = pairs[start..<start + 2 * count].map { exp(isA ? $0.a : $0.b) }
    return (Array(figures.prefix(count)), Array(figures.suffix(count)))
  }
}
