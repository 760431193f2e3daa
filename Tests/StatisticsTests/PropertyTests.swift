// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Statistics

@Suite("Properties of the statistics")
struct PropertyTests {
  @Test("a Walsh average found by rank is the one at that place of all, sorted")
  func selectsAverages() {
    var generator = SplitMix64(seed: 1)
    for count in [1, 2, 3, 7, 16, 25, 40] {
      for grid in [1_000_000, 3] {
        let figures = (0..<count).map { _ in Double(generator.index(below: grid)) - 1 }.sorted()
        let averages = WalshAverages(ofSorted: figures)
        var all: [Double] = []
        for i in 0..<count { for j in i..<count { all.append((figures[i] + figures[j]) / 2) } }
        all.sort()
        #expect(averages.count == all.count)
        for rank in stride(from: 1, through: all.count, by: max(1, all.count / 40)) {
          #expect(averages.value(rank: rank) == all[rank - 1], "\(count) figures, rank \(rank)")
        }
        #expect(averages.value(rank: all.count) == all[all.count - 1])
        #expect(averages.median() == median(all))
      }
    }
  }

  @Test("thousands of pairs are estimated without forming all averages")
  func estimatesManyPairs() throws {
    var generator = SplitMix64(seed: 2)
    let estimate = PairedRatio.estimate(
      logRatios: normalPairs(3_000, shift: 0.05, deviation: 0.1, &generator))
    #expect((estimate.ratio - 1.0513).magnitude < 0.01)
    let interval = try #require(estimate.interval)
    // 2 * 1.96 * 0.1 / √3000 by the normal rule.
    #expect((interval.high - interval.low - 0.0076).magnitude < 0.001)
  }

  @Test("the order of the pairs changes neither p-value nor ratio")
  func ignoresOrder() {
    var generator = SplitMix64(seed: 3)
    for count in [12, 60] {
      var pairs = simulatedPairs(count, shift: 0.03, &generator)
      let test = SignedRank(differences: pairs)
      let ratio = PairedRatio.estimate(logRatios: pairs)
      for _ in 0..<3 {
        generator.shuffle(&pairs)
        #expect(SignedRank(differences: pairs) == test)
        #expect(PairedRatio.estimate(logRatios: pairs) == ratio)
      }
    }
  }

  @Test("a factor on all figures cancels, and the p-value ignores the scale of log ratios")
  func ignoresScale() {
    var generator = SplitMix64(seed: 4)
    let pairs = simulatedPairs(30, shift: 0.03, &generator)
    let doubled = SignedRank(differences: pairs.map { 4 * $0 })
    #expect(doubled == SignedRank(differences: pairs))
    let ratio = PairedRatio.estimate(logRatios: pairs)
    // Shifting all log ratios multiplies the ratio.
    let shifted = PairedRatio.estimate(logRatios: pairs.map { $0 + 0.6931471805599453 })
    #expect(agrees(shifted.ratio, 2 * ratio.ratio))
  }

  @Test("a higher level never gives a narrower interval, nor a larger shift a larger p-value")
  func isMonotonic() throws {
    var generator = SplitMix64(seed: 5)
    for count in [15, 70] {
      let pairs = simulatedPairs(count, shift: 0, &generator)
      var last = Interval(low: 1, high: 1, level: 0.1)
      for (place, level) in [0.5, 0.8, 0.95, 0.99, 0.999].enumerated() {
        let interval = try #require(
          PairedRatio.estimate(logRatios: pairs, level: level).interval)
        #expect(place == 0 || (interval.low <= last.low && interval.high >= last.high))
        last = interval
      }
      var lastP = 1.0
      for step in 0..<12 {
        let test = SignedRank(differences: pairs.map { $0 + 0.5 + Double(step) / 20 })
        #expect(test.isPositive && test.pValue <= lastP)
        lastP = test.pValue
      }
    }
  }

  @Test("the interval holds exactly the ratios that the test does not reject", arguments: [9, 20])
  func invertsTheTest(count: Int) throws {
    var generator = SplitMix64(seed: 6)
    let pairs = normalPairs(count, shift: 0, deviation: 1, &generator).sorted()
    let interval = try #require(
      PairedRatio.estimate(logRatios: pairs, level: 0.9).interval)
    for step in -30...30 {
      let shift = Double(step) / 20 + 0.001
      let accepted = SignedRank(differences: pairs.map { $0 - shift }).pValue > 0.1
      let ratio = PairedRatio.estimate(logRatios: [shift]).ratio
      #expect(accepted == interval.contains(ratio), "shift \(shift)")
    }
  }

  @Test("streams of one seed differ, and draws cover their range evenly")
  func drawsEvenly() {
    var one = SplitMix64(seed: 1, stream: 1)
    var other = SplitMix64(seed: 1, stream: 2)
    #expect(one.next() != other.next())
    // The first word for seed 1234567, from the published reference implementation.
    var known = SplitMix64(seed: 1_234_567)
    #expect(known.next() == 6_457_827_717_110_365_317)
    var counts = [Int](repeating: 0, count: 5)
    for _ in 0..<5_000 { counts[one.index(below: 5)] += 1 }
    #expect(counts.allSatisfy { (900...1_100).contains($0) })
    let normal = (0..<4_000).map { _ in one.normal() }
    let squares = normal.reduce(0) { $0 + $1 * $1 } / 4_000
    #expect((squares - 1).magnitude < 0.1)
    #expect((normal.reduce(0, +) / 4_000).magnitude < 0.06)
  }

  @Test("corrected p-values are never below the plain ones and keep their order")
  func correctsMonotonically() {
    var generator = SplitMix64(seed: 7)
    let plain = (0..<50).map { _ in generator.uniform() * generator.uniform() }
    for adjusted in [MultipleTesting.holm(plain), MultipleTesting.benjaminiHochberg(plain)] {
      for i in plain.indices {
        #expect(adjusted[i] >= plain[i] && adjusted[i] <= 1)
        for j in plain.indices where plain[i] < plain[j] { #expect(adjusted[i] <= adjusted[j]) }
      }
    }
    let both = zip(MultipleTesting.holm(plain), MultipleTesting.benjaminiHochberg(plain))
    #expect(both.allSatisfy { $0 >= $1 })
  }
}
