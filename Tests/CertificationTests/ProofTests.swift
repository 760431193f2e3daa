// SPDX-License-Identifier: Apache-2.0

import Machine
import Results
import Testing

@testable import Certification

@Suite("Proofs of a certificate") struct ProofTests {
  /// A clock that moves by these steps, again and again.
  private func clock(_ steps: [Int]) -> () -> UInt64 {
    var (now, turn) = (1_000_000, 0)
    return {
      now += steps[turn % steps.count]
      turn += 1
      return UInt64(now)
    }
  }

  @Test(arguments: [1, 7, 250]) func theStepAndTheCostOfAClockAreThose(step: Int) {
    // Three reads of four show no difference.
    #expect(MachineFigures.clockStep(clock([0, 0, 0, step])) == UInt64(step))
    let cost = MachineFigures.clockCost(clock([step]))
    #expect(abs(cost - Double(step)) < 0.001 * Double(step), "\(cost)")
  }

  @Test func aClockThatGoesBackIsNoClock() {
    #expect(Proofs.clock(clock([5]), reads: 1000).holds)
    let broken = Proofs.clock(clock([5, 5, 5, -1]), reads: 1000)
    #expect(!broken.holds)
    #expect(broken.evidence.contains("went back 250 times"), "\(broken.evidence)")
  }

  @Test func anAllocationThatIsNotCountedIsFound() {
    #expect(Proofs.allocationCounter([(10_000, 10_000), (10_001, 10_001)]).holds)
    #expect(!Proofs.allocationCounter([(10_000, 10_000), (10_001, 10_000)]).holds)
    #expect(!Proofs.allocationCounter([(10_000, 10_001), (10_001, 10_002)]).holds)
    #expect(!Proofs.allocationCounter([]).holds)
  }

  @Test func aBodyThatIsGoneIsFound() {
    func growth(_ name: String, _ nanoseconds: Double) -> WorkGrowth {
      WorkGrowth(
        benchmark: name, less: .init(operations: 200, nanoseconds: 20_000),
        more: .init(operations: 10_200, nanoseconds: nanoseconds))
    }
    #expect(Proofs.bodies([growth("chain", 520_000)]).holds)
    let empty = Proofs.bodies([growth("chain", 520_000), growth("fan", 20_500)])
    #expect(!empty.holds)
    #expect(empty.evidence.hasPrefix("fan "), "\(empty.evidence)")
    #expect(!Proofs.bodies([]).holds)
  }

  @Test func aWrongAnswerIsFound() {
    #expect(Proofs.answers(iterations: 5, failures: []).holds)
    #expect(!Proofs.answers(iterations: 0, failures: []).holds)
    let wrong = Proofs.answers(iterations: 5, failures: ["chain: wrong\nmore", "fan: hung"])
    #expect(wrong == .init(name: "answers", holds: false, evidence: "chain: wrong; and 1 more"))
  }

  @Test(arguments: [
    (40, 2, 0, true), (40, 7, 0, true), (40, 8, 0, false), (40, 2, 1, true), (40, 2, 3, true),
    (40, 2, 4, false),
    (40, 40, 40, false), (1, 0, 0, true),
  ]) func equalSidesMayDifferAsOftenAsChanceAllows(
    comparisons: Int, below: Int, verdicts: Int, holds: Bool
  ) {
    let alarms = Certificate.Alarms(
      comparisons: comparisons, belowFivePercent: below, verdicts: verdicts)
    #expect(Proofs.equalSides(alarms).holds == holds)
  }

  @Test func withoutPairsNothingIsProvedOfEqualSides() {
    #expect(!Proofs.equalSides(nil).holds)
  }

  /// Values of `scipy.stats.binom.sf`.
  @Test func theTailOfTheBinomialDistributionIsThat() {
    #expect(Proofs.binomialTail(0, of: 40, rate: 0.05) == 1)
    #expect(abs(Proofs.binomialTail(7, of: 40, rate: 0.05) - 0.0033919) < 1e-6)
    #expect(abs(Proofs.binomialTail(3, of: 40, rate: 0.005) - 0.0010754) < 1e-6)
  }
}
