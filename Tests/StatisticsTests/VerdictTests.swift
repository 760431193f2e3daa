// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Statistics

@Suite("Verdicts of paired comparisons")
struct VerdictTests {
  private static let comparison = PairedComparison(alpha: 0.05)

  private func interval(_ low: Double, _ high: Double) -> Interval {
    Interval(low: low, high: high, level: 0.95)
  }

  @Test("the place of the interval decides, a difference before equivalence")
  func readsIntervals() {
    let expected: [(Double, Double, Verdict)] = [
      (1.011, 1.5, .slower), (1.01, 1.5, .inconclusive), (1.011, 1.02, .slower),
      (0.5, 0.99, .faster), (0.5, 0.991, .inconclusive), (0.98, 1.02, .equivalent),
      (0.972, 1.029, .equivalent), (0.97, 1.029, .inconclusive), (0.98, 1.03, .inconclusive),
      (1.005, 1.02, .equivalent), (0.5, 2, .inconclusive),
    ]
    for (low, high, verdict) in expected {
      #expect(Tolerance.timing.verdict(of: interval(low, high)) == verdict, "\(low) to \(high)")
    }
    #expect(Tolerance.timing.verdict(of: nil) == .inconclusive)
  }

  @Test("the comparison stops at the first conclusive look")
  func stopsEarly() {
    var generator = SplitMix64(seed: 1)
    let clear = normalPairs(80, shift: 0.5, deviation: 0.05, &generator)
    let slower = Self.comparison.outcome(logRatios: clear)
    #expect(slower.verdict == .slower && slower.pairs == 20)
    #expect(slower.decidingInterval?.level == 1 - Self.comparison.levels[0])
    #expect(slower.ratio.interval?.level == 0.95)
    let calm = normalPairs(79, shift: 0, deviation: 0.015, &generator)
    let equivalent = Self.comparison.outcome(logRatios: calm)
    #expect(equivalent.verdict == .equivalent && equivalent.pairs <= 40)
    #expect(equivalent.pairsToSettle == nil)
  }

  @Test("between looks the last one reached counts, before the first none does")
  func judgesAtLooksOnly() throws {
    var generator = SplitMix64(seed: 2)
    let noisy = normalPairs(79, shift: 0.01, deviation: 0.3, &generator)
    let outcome = Self.comparison.outcome(logRatios: noisy)
    #expect(outcome.verdict == .inconclusive && outcome.pairs == 40)
    #expect(try #require(outcome.pairsToSettle) > 40)
    let few = Self.comparison.outcome(logRatios: Array(repeating: 0.7, count: 19))
    #expect(few.verdict == .inconclusive && few.pairs == 19)
    #expect(Self.comparison.exceedance(logRatios: Array(repeating: 0.7, count: 19)).pValue == 1)
  }

  @Test("the test beyond the tolerance and the interval say the same")
  func agreesWithItsTest() {
    var generator = SplitMix64(seed: 3)
    var alarms = 0
    for round in 0..<60 {
      let shift = Double(round % 13 - 6) / 100
      let pairs = normalPairs(80, shift: shift, deviation: 0.06, &generator)
      let exceedance = Self.comparison.exceedance(logRatios: pairs)
      let looks = Self.comparison.design.looks.enumerated().map { look, count in
        let ratio = PairedRatio.estimate(
          logRatios: Array(pairs.prefix(count)), level: 1 - Self.comparison.levels[look])
        return Tolerance.timing.verdict(of: ratio.interval)
      }
      let isAlarm = looks.contains(.slower) || looks.contains(.faster)
      #expect((exceedance.pValue <= 0.05) == isAlarm, "round \(round)")
      if isAlarm {
        alarms += 1
        #expect(looks.contains(exceedance.verdict))
      }
    }
    #expect(alarms > 10 && alarms < 50)
  }

  @Test("exchanging the sides mirrors verdict, ratio and interval")
  func mirrors() throws {
    var generator = SplitMix64(seed: 4)
    for round in 0..<12 {
      let pairs = normalPairs(
        80, shift: Double(round - 6) / 60, deviation: 0.05, &generator)
      let there = Self.comparison.outcome(logRatios: pairs)
      let back = Self.comparison.outcome(logRatios: pairs.map { -$0 })
      let mirrored: [Verdict: Verdict] = [.slower: .faster, .faster: .slower]
      #expect(back.verdict == mirrored[there.verdict] ?? there.verdict)
      #expect(back.pairs == there.pairs && back.pValue == there.pValue)
      #expect(agrees(back.ratio.ratio, 1 / there.ratio.ratio))
      let interval = try #require(there.ratio.interval)
      #expect(agrees(try #require(back.ratio.interval).low, 1 / interval.high))
    }
  }

  @Test("a family needs more evidence than one comparison, and keeps its order")
  func correctsFamilies() {
    let gate = GateFamily(alpha: 0.01, comparison: Self.comparison)
    var generator = SplitMix64(seed: 5)
    var members = (0..<39).map { _ in normalPairs(80, shift: 0, deviation: 0.05, &generator) }
    let weak = normalPairs(80, shift: 0.028, deviation: 0.05, &generator)
    members.insert(weak, at: 7)
    #expect(Self.comparison.outcome(logRatios: weak).verdict == .slower)
    let alone = gate.judge([weak])[0]
    let among = gate.judge(members)[7]
    #expect(alone.adjustedPValue < among.adjustedPValue)
    #expect(among.verdict == .inconclusive)
    members[7] = normalPairs(80, shift: 0.1, deviation: 0.05, &generator)
    members[31] = normalPairs(40, shift: -0.2, deviation: 0.05, &generator)
    let judged = gate.judge(members)
    #expect(judged.indices.filter { judged[$0].verdict == .slower } == [7])
    #expect(judged.indices.filter { judged[$0].verdict == .faster } == [31])
    #expect(gate.judge([]).isEmpty)
  }

  @Test("planning follows the normal rule of the method page")
  func plansPairs() {
    // Deviation 15.4 %: 1972, 223 and 82 pairs for 1, 3 and 5 % at 80 % power, by the rule
    // 1.05 (2.8 s / log(1 + effect))² with 1.05 and 2.8 written out in full.
    let pairs = [0.01, 0.03, 0.05].map { PairPlanning.pairs(toFind: $0, deviation: 0.154) }
    #expect(pairs == [1969, 224, 82])
  }

  @Test("the effect that the interval can detect shrinks with pairs and grows with the tolerance")
  func statesDetectableEffects() {
    let wide = PairPlanning.minimumDetectableEffect(interval(0.9, 1.1))
    let narrow = PairPlanning.minimumDetectableEffect(interval(0.95, 1.05))
    #expect(narrow < wide)
    // Half width 0.1003 in logs is 1.96 errors; 1.96 + 0.84 errors are 0.1434, as a ratio 1.1542.
    #expect((wide - 0.1542).magnitude < 0.0001)
    #expect(PairPlanning.minimumDetectableEffect(interval(0.95, 1.05), tolerance: 0.01) > narrow)
  }

  @Test("pairs to settle are more than at hand, and none when it is settled")
  func statesPairsToSettle() throws {
    let tolerance = Tolerance.timing
    for (low, high) in [(0.9, 1.2), (1.009, 1.2), (0.96, 1.02), (0.99, 1.031)] {
      let ratio = (low * high).squareRoot()
      let pairs = try #require(
        PairPlanning.pairsToSettle(
          ratio: ratio, interval: interval(low, high), pairs: 40, tolerance: tolerance))
      #expect(pairs > 40)
    }
    // A skewed interval that only just reaches the tolerance: by the rule 23 pairs would do.
    #expect(
      PairPlanning.pairsToSettle(
        ratio: 1.06, interval: interval(1.0099, 1.062), pairs: 40, tolerance: tolerance) == 41)
    #expect(
      PairPlanning.pairsToSettle(
        ratio: 1, interval: interval(0.99, 1.01), pairs: 40, tolerance: tolerance) == nil)
  }

  @Test("tolerances that make no sense stop the process")
  func refusesTolerances() async {
    await #expect(processExitsWith: .failure) { _ = Tolerance(difference: 0.03, equivalence: 0.01) }
    await #expect(processExitsWith: .failure) { _ = Tolerance(difference: -0.1, equivalence: 0.01) }
  }
}
