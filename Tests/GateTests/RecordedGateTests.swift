// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
import Glibc
import Results
import Statistics
import Testing

@testable import Gate

/// Gates of pairs that were measured once, of which each side might have been the other.
@Suite("Recorded pairs")
struct RecordedGateTests {
  /// A gate whose sides are exchanged at random in every pair, one of them made so many times as
  /// slow.
  private static func entries(
    _ generator: inout SeededGenerator, slower: Int? = nil, by ratio: Double = 1
  ) throws -> [GateEntry] {
    try RecordedPairs.comparisons.enumerated().map { index, recorded in
      let ratios = recorded.logRatios.map { ratio10000 in
        Double(Bool.random(using: &generator) ? ratio10000 : -ratio10000) / 10_000
          + (index == slower ? log(ratio) : 0)
      }
      let subject = GateSubject(
        workload: recorded.workload, params: RowParameters([]), scheduler: recorded.scheduler,
        figure: FigureKey(.wall, .p50))
      return GateEntry(
        subject: subject, ruling: try #require(Limits.none.ruling(subject)),
        evidence: .pairs(
          PairEvidence(
            logRatios: ratios, candidates: ratios.map { 100 * exp($0) },
            design: .standard.prefix(2))))
    }
  }

  /// `scripts/verdict-rates` has as many as one likes, of pairs of this machine.
  @Test("of 100 gates of the same program twice none is red")
  func neverRed() throws {
    var generator = SeededGenerator(seed: 2026)
    try #require(RecordedPairs.comparisons.count >= 30)
    var red = 0
    for _ in 0..<100 where Gate().judge(try Self.entries(&generator)).verdict == .regression {
      red += 1
    }
    print("the same program twice: \(red) of 100 gates red")
    #expect(red == 0)
  }

  @Test("and a slow-down of one comparison among the same noise is, and it alone")
  func findsOne() throws {
    var generator = SeededGenerator(seed: 2027)
    for slower in RecordedPairs.comparisons.indices {
      let result = Gate().judge(try Self.entries(&generator, slower: slower, by: 2))
      let recorded = RecordedPairs.comparisons[slower]
      #expect(
        result.regressions.map(\.subject.workload) == [recorded.workload]
          && result.regressions.first?.subject.scheduler == recorded.scheduler)
    }
  }
}
