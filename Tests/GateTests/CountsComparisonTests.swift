// SPDX-License-Identifier: Apache-2.0

import Results
import Testing

@testable import Gate

@Suite("Verdicts of counts") struct CountsComparisonTests {
  private func counts(
    _ instructions: Double, spread: Double = 0, atomics: Double = 10, allocations: Double = 1,
    apart: Double = 0
  ) -> OperationCounts {
    OperationCounts(
      instructions: .init(instructions, spread: spread), readModifyWrites: .init(atomics),
      allocations: .init(allocations, spread: apart))
  }

  @Test(arguments: [
    (1000, 0, CountsVerdict.same), (1004, 0, .same), (1006, 0, .more), (1010, 0, .more),
    (996, 0, .same), (994, 0, .fewer),
    // Two ranges of 4 are 0.4 % of wobble together, of which half counts on each side.
    (1006, 2, .same), (1008, 2, .more), (1020, 6, .noisy), (1000, 6, .noisy),
    // Far beyond what the repetitions leave open.
    (1030, 6, .more), (1500, 6, .more), (500, 6, .noisy),
  ])
  func instructionsMayGrowByHalfAPercentAndWhatRepetitionsLeaveOpen(
    after: Double, spread: Double, expected: CountsVerdict
  ) {
    let comparison = CountsComparison(
      before: counts(1000, spread: spread), after: counts(after, spread: spread))
    #expect(comparison.instructions.verdict == expected)
    #expect(comparison.verdict == expected)
  }

  /// Whatever is judged at all: 1 % more is more, though both medians are as far off as they may
  /// be.
  @Test func whatIsJudgedIsAlwaysFound() {
    for spread in stride(from: 0.0, through: 10, by: 0.25) {
      let worst = 1010 - spread
      let comparison = CountsComparison(
        before: counts(1000, spread: spread), after: counts(worst, spread: spread))
      #expect(
        comparison.instructions.verdict == (spread < 2.5 ? .more : .noisy), "spread \(spread)")
      let unchanged = CountsComparison(
        before: counts(1000, spread: spread), after: counts(1000 + spread, spread: spread))
      #expect(unchanged.instructions.verdict != .more, "spread \(spread)")
    }
  }

  @Test(arguments: [
    (1.009, 0, CountsVerdict.same), (1.011, 0, .more), (0.98, 0, .fewer), (2, 0.4, .more),
    (1.3, 0.4, .same), (2, 0.6, .noisy),
  ])
  func anAllocationMoreIsARegression(after: Double, apart: Double, expected: CountsVerdict) {
    let comparison = CountsComparison(
      before: counts(1000, apart: apart), after: counts(1000, allocations: after, apart: apart))
    #expect(comparison.allocations.verdict == expected)
    #expect(comparison.verdict == expected)
  }

  @Test func aReadModifyWriteMoreIsARegression() {
    let comparison = CountsComparison(before: counts(1000), after: counts(1000, atomics: 10.06))
    #expect(comparison.readModifyWrites.verdict == .more)
    #expect(comparison.verdict == .more)
  }

  @Test func theGravestDecides() {
    let fewer = CountsComparison(before: counts(1000), after: counts(500, allocations: 2))
    #expect(fewer.verdict == .more)
    let noisy = CountsComparison(
      before: counts(1000), after: counts(1000, spread: 10, allocations: 0.5))
    #expect(noisy.verdict == .noisy)
    #expect(CountsComparison(before: counts(1000), after: counts(900)).verdict == .fewer)
  }
}
