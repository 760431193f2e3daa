// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
import Glibc
import Results
import Statistics

@testable import Gate

/// Pairs of made-up noise, and entries of a gate made of them.
struct MadeUpPairs {
  private var generator: SeededGenerator

  init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

  /// Log ratios of pairs whose second side takes `ratio` times as long, drift shared by both.
  ///
  /// Each side is skewed and has a slow regime in one of five samples, as processes have.
  mutating func logRatios(_ count: Int, ratio: Double = 1, noise: Double = 0.05) -> [Double] {
    (0..<count).map { _ in side(noise) - side(noise) + log(ratio) }
  }

  private mutating func side(_ noise: Double) -> Double {
    let uniform = Double.random(in: 0..<1, using: &generator)
    let regime = Int.random(in: 0..<5, using: &generator) == 0 ? noise * 3 : 0
    return noise * 2 * uniform * uniform + regime
  }

  /// An entry by the defaults of the metric's class.
  mutating func entry(
    _ number: Int = 0, metric: Metric = .wall, pairs: Int = 80, ratio: Double = 1,
    noise: Double = 0.05, limits: Limits = .none, candidate: Double = 100
  ) -> GateEntry {
    let subject = GateSubject(
      workload: "chain", params: RowParameters([("n", String(number))]),
      scheduler: "work-stealing", figure: FigureKey(metric, .p50))
    guard let ruling = limits.ruling(subject) else { fatalError("\(metric) gates nothing") }
    let ratios = logRatios(pairs, ratio: ratio, noise: noise)
    return GateEntry(
      subject: subject, ruling: ruling,
      evidence: .pairs(
        PairEvidence(
          logRatios: ratios, candidates: ratios.map { candidate * exp($0) }, design: .standard)))
  }

  /// An entry without figures.
  func entry(_ evidence: GateEntry.Evidence, limits: Limits = .none) -> GateEntry {
    let subject = LimitsTests.subject(.allocations)
    guard let ruling = limits.ruling(subject) else { fatalError("no ruling") }
    return GateEntry(subject: subject, ruling: ruling, evidence: evidence)
  }
}
