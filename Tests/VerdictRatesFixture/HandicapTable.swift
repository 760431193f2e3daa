// SPDX-License-Identifier: Apache-2.0

import Statistics

/// How often a handicap that was measured is found.
struct HandicapTable {
  /// Pairs of a comparison, as `RateTable` has them in one process.
  private static let count = 40

  let rates: [Rate]

  /// - Parameters:
  ///   - recorded: comparisons of a scheduler with itself under a handicap.
  ///   - cases: comparisons drawn from each.
  init(_ recorded: [RecordedPairs], cases: Int, seed: UInt64) {
    let comparison = PairedComparison(design: .standard.prefix(2))
    var generator = TrialGenerator(seed: seed)
    rates = recorded.filter { $0.pairs.count >= Self.count }.map { one in
      let hundredths = Int(((one.ratio - 1) * 1000).rounded())
      let name = "\(one.handicap ?? "") \(one.name) \(hundredths / 10).\(abs(hundredths) % 10) %"
      return Rate(name, goal: 0.9...1, cases: cases) {
        comparison.outcome(logRatios: one.measured(Self.count, &generator)).verdict == .slower
      }
    }
  }

  /// The table.
  var text: String {
    "Handicaps, \(Self.count) pairs, verdict slower; median difference of all pairs\n"
      + rates.map(\.line).joined(separator: "\n") + "\n"
  }
}
