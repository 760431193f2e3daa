// SPDX-License-Identifier: Apache-2.0

import Glibc
import Results
import Statistics

/// Error rates and power of the method on recorded pairs of equal sides, beside those of rules that
/// other tools use on the same figures.
struct RateTable {
  /// Figures a side of the samples that are judged without pairs.
  private static let block = 40

  let rates: [Rate]
  private let heading: String

  /// - Parameters:
  ///   - recorded: comparisons of equal sides, all measured in the same way; those with too few
  ///     pairs are left out and named.
  ///   - pairing: how they were measured.
  ///   - cases: comparisons of each line; a gate is 40 of them.
  init(
    _ recorded: [RecordedPairs], pairing: ComparisonDesign.Pairing, cases: Int, seed: UInt64
  ) {
    let used = recorded.filter { $0.pairs.count >= 2 * Self.block }
    let left = recorded.filter { $0.pairs.count < 2 * Self.block }.map(\.name)
    heading =
      "Pairs \(pairing.rawValue), from \(used.count) recorded comparisons of equal sides:\n"
      + used.map { "  \($0.name), \($0.pairs.count) pairs\n" }.joined()
      + (left.isEmpty
        ? "" : "left out, since they have fewer than \(2 * Self.block) pairs: \(left)\n")
    guard !used.isEmpty else {
      rates = []
      return
    }
    var generator = TrialGenerator(seed: seed)
    var turn = 0
    /// The recorded comparisons one after the other.
    func next() -> RecordedPairs {
      turn += 1
      return used[turn % used.count]
    }
    // One process answers with 40 pairs what two live ones need 80 for.
    let inProcess = pairing == .alternating
    let count = inProcess ? 40 : 80
    let comparison = PairedComparison(design: inProcess ? .standard.prefix(2) : .standard)
    func isRaw(_ slowdown: Double) -> Bool {
      SignedRank(differences: next().comparison(count, slowdown: slowdown, &generator)).pValue
        < 0.05
    }
    func outcome(_ slowdown: Double) -> PairedOutcome {
      comparison.outcome(logRatios: next().comparison(count, slowdown: slowdown, &generator))
    }
    func isAlarm(_ verdict: Verdict) -> Bool { verdict == .slower || verdict == .faster }

    func oneOf40(_ alpha: Double) -> PairedComparison {
      PairedComparison(
        design: comparison.design, members: 40, familyAlpha: alpha,
        tolerance: comparison.tolerance)
    }
    func family(_ name: String, _ alpha: Double) -> Rate {
      let member = oneOf40(alpha)
      return Rate("equal sides, any alarm in \(name)", goal: 0...0.01, cases: max(100, cases / 10))
      {
        GateFamily.judge(
          (0..<40).map { _ in (member, next().comparison(count, &generator)) }, alpha: alpha
        ).contains { isAlarm($0.verdict) }
      }
    }

    // What must be found is said of pairs of builds that can be steered; older ones find what they
    // do.
    let power: ClosedRange<Double>? = pairing == .processes ? nil : 0.9...1
    let (rawShift, verdictShift) = inProcess ? (1.03, 1.04) : (1.05, 1.06)
    var rates = [
      Rate("equal sides, raw p < 0.05, \(count) pairs", goal: 0.04...0.06, cases: cases) {
        isRaw(1)
      },
      Rate("equal sides, verdict slower or faster", goal: 0...0.005, cases: cases) {
        isAlarm(outcome(1).verdict)
      },
      family("a report of 40", GateFamily.reportAlpha),
      family("a gate of 40", GateFamily.gateAlpha),
      Rate("interval of the ratio covers it, equal sides", goal: 0.94...0.96, cases: cases) {
        outcome(1).ratio.interval?.contains(1) ?? false
      },
      Rate("interval of the ratio covers it, 4 % slower", goal: 0.94...0.96, cases: cases) {
        outcome(1.04).ratio.interval?.contains(1.04) ?? false
      },
    ]
    func shown(_ factor: Double) -> String { "\(Int(((factor - 1) * 100).rounded())) %" }
    rates += [
      Rate("\(shown(rawShift)) slower, raw p < 0.05", goal: power, cases: cases) {
        isRaw(rawShift)
      },
      Rate("\(shown(verdictShift)) slower, verdict slower", goal: power, cases: cases) {
        outcome(verdictShift).verdict == .slower
      },
    ]
    rates.append(
      Rate("the same in a gate of 40, red", goal: nil, cases: max(100, cases / 10)) {
        let member = oneOf40(GateFamily.gateAlpha)
        let slow = next().comparison(count, slowdown: verdictShift, &generator)
        let others = (1..<40).map { _ in next().comparison(count, &generator) }
        return GateFamily.judge(
          ([slow] + others).map { (member, $0) }, alpha: GateFamily.gateAlpha
        ).first?.verdict == .slower
      })
    for one in used {
      rates.append(
        Rate("  of these \(one.name)", goal: nil, cases: max(200, cases / used.count)) {
          comparison.outcome(logRatios: one.comparison(count, slowdown: verdictShift, &generator))
            .verdict == .slower
        })
    }
    func blocks() -> (base: [Double], candidate: [Double]) {
      next().blocks(Self.block, &generator)
    }
    rates += [
      Rate("equal sides one after the other, 5 % rule", goal: nil, cases: cases) {
        let (base, candidate) = blocks()
        return isAlarm(PercentileThreshold.verdict(base: base, candidate: candidate))
      },
      Rate("the same, Welch's t test", goal: nil, cases: cases) {
        let (base, candidate) = blocks()
        return (WelchTest(base, candidate)?.pValue ?? 1) < 0.05
      },
      Rate("the same, bootstrap with 1 % of noise", goal: nil, cases: min(cases, 1000)) {
        let (base, candidate) = blocks()
        return isAlarm(
          BootstrapComparison(
            base: base, candidate: candidate, seed: generator.seed(), resamples: 1000)?.verdict
            ?? .inconclusive)
      },
    ]
    self.rates = rates
  }

  /// The table.
  var text: String { heading + rates.map(\.line).joined(separator: "\n") + "\n" }
}
