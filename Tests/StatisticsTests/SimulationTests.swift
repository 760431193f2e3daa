// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing

@testable import Statistics

/// Error rates and power of the whole method on simulated noise, printed with their intervals.
///
/// `STATISTICS_SIMULATIONS` in the environment multiplies the rounds; 20 makes 4,000 and more
/// comparisons of each kind and takes minutes in a debug build. A rate fails when its exact 99.9 %
/// interval excludes the goal, so that a larger run is a stricter one.
@Suite("Error rates and power of the method")
struct SimulationTests {
  private static let factor: Int = {
    // SAFETY: getenv returns null or a terminated string; nobody changes the environment here.
    guard let text = unsafe getenv("STATISTICS_SIMULATIONS") else { return 1 }
    guard let factor = unsafe Int(String(cString: text)), factor >= 1 else {
      fatalError("STATISTICS_SIMULATIONS is no positive whole number; expected one, such as 20")
    }
    return factor
  }()
  private static let comparison = PairedComparison()

  /// Counts the rounds in which something happens and compares the rate with its goal.
  private func expectRate(
    _ name: String, rounds: Int, in goal: ClosedRange<Double>,
    sourceLocation: SourceLocation = #_sourceLocation, _ happens: () -> Bool
  ) {
    let cases = rounds * Self.factor
    let successes = (0..<cases).reduce(0) { count, _ in count + (happens() ? 1 : 0) }
    let shown = BinomialRate(successes: successes, cases: cases)
    print(
      "\(name): \(percent(shown.rate)) of \(cases), 95 % interval \(percent(shown.interval.low)) to "
        + "\(percent(shown.interval.high)), goal \(percent(goal.lowerBound)) to "
        + "\(percent(goal.upperBound))")
    let strict = BinomialRate(successes: successes, cases: cases, level: 0.999).interval
    #expect(
      strict.low <= goal.upperBound && strict.high >= goal.lowerBound, "\(name)",
      sourceLocation: sourceLocation)
  }

  private func percent(_ rate: Double) -> String {
    "\((rate * 10_000).rounded() / 100) %"
  }

  @Test("equal sides: the raw test, the three looks and the verdict keep their errors")
  func keepsErrors() {
    // Without tolerance an alarm is an interval that excludes 1; nothing is ever equivalent.
    let bare = PairedComparison(
      alpha: 0.05, tolerance: Tolerance(difference: 0, equivalence: 1e-12))
    var generator = SplitMix64(seed: 101)
    for (name, deviation) in [("calm", 0.04), ("noisy", 0.15)] {
      expectRate("A/A \(name), raw p < 0.05 at 40 pairs", rounds: 400, in: 0.04...0.06) {
        let pairs = normalPairs(40, shift: 0, deviation: deviation, &generator)
        return SignedRank(differences: pairs).pValue < 0.05
      }
    }
    expectRate("A/A skewed, any of three looks", rounds: 250, in: 0.04...0.055) {
      let outcome = bare.outcome(logRatios: simulatedPairs(80, shift: 0, &generator))
      return outcome.verdict != .inconclusive
    }
    // The noisier, the less the tolerance helps: these deviations are beyond any workload measured.
    expectRate("A/A skewed, verdict slower or faster", rounds: 200, in: 0...0.005) {
      let pairs = simulatedPairs(80, shift: 0, &generator)
      let verdict = Self.comparison.outcome(logRatios: pairs).verdict
      return verdict == .slower || verdict == .faster
    }
  }

  @Test("equal sides: a gate of 40 comparisons raises an alarm in one run of a hundred at most")
  func keepsTheGate() {
    // Without tolerance, Holm's correction raises an alarm exactly when some member crosses a level
    // of its looks at the error of the family divided by the members.
    let members = 40
    let design = SequentialDesign.standard
    let levels = design.levels(alpha: 0.01 / Double(members))
    var generator = SplitMix64(seed: 102)
    expectRate("A/A gate of 40, any alarm", rounds: 40, in: 0...0.01) {
      (0..<members).contains { _ in
        let pairs = normalPairs(80, shift: 0, deviation: 0.1, &generator)
        return zip(design.looks, levels).contains { look, level in
          SignedRank(differences: Array(pairs.prefix(look))).pValue <= level
        }
      }
    }
  }

  @Test("the interval shown when the comparison stops covers the true ratio")
  func coversTheTruth() {
    var generator = SplitMix64(seed: 103)
    for shift in [0, 0.04] {
      expectRate("coverage at shift \(shift)", rounds: 150, in: 0.94...0.96) {
        let pairs = simulatedPairs(80, shift: shift, &generator)
        let outcome = Self.comparison.outcome(logRatios: pairs)
        return outcome.ratio.interval?.contains(exp(shift)) ?? true
      }
    }
  }

  @Test("injected slow-downs are found, by the raw test and by the verdict")
  func findsSlowDowns() {
    // Deviations of pairs inside one process and of two live processes, as measured for fan-out.
    let inProcess = PairedComparison(design: .standard.prefix(2))
    var generator = SplitMix64(seed: 104)
    expectRate("3 % in 40 pairs, deviation 3.7 %, raw test", rounds: 200, in: 0.9...1) {
      let pairs = normalPairs(40, shift: log(1.03), deviation: 0.037, &generator)
      return SignedRank(differences: pairs).pValue < 0.05
    }
    expectRate("4 % in 40 pairs, deviation 3.7 %, verdict", rounds: 150, in: 0.9...1) {
      let pairs = normalPairs(40, shift: log(1.04), deviation: 0.037, &generator)
      return inProcess.outcome(logRatios: pairs).verdict == .slower
    }
    expectRate("6 % in 80 pairs, deviation 8.6 %, verdict", rounds: 100, in: 0.9...1) {
      let pairs = normalPairs(80, shift: log(1.06), deviation: 0.086, &generator)
      return Self.comparison.outcome(logRatios: pairs).verdict == .slower
    }
  }

  @Test("the minimum detectable effect is found in four of five comparisons")
  func statesPowerTruly() throws {
    var generator = SplitMix64(seed: 105)
    let pairs = 40
    let deviation = 0.05
    let comparison = PairedComparison(
      design: SequentialDesign(looks: [pairs], proportions: [1]))
    let stated = try (0..<40).map { _ in
      let outcome = comparison.outcome(
        logRatios: normalPairs(pairs, shift: 0, deviation: deviation, &generator))
      return try #require(outcome.minimumDetectableEffect)
    }
    let effect = median(stated)
    expectRate("minimum detectable effect, verdict", rounds: 200, in: 0.74...0.86) {
      let ratios = normalPairs(pairs, shift: log(1 + effect), deviation: deviation, &generator)
      return comparison.outcome(logRatios: ratios).verdict == .slower
    }
  }

  @Test("flat series of independent figures seldom change")
  func keepsFlatSeriesFlat() {
    let isLarge = Self.factor > 1
    // References cost most, so that a small run takes shorter ones; a large run takes the defaults.
    var detector =
      isLarge
      ? ChangePointDetector(seed: 1) : ChangePointDetector(permutations: 1_250, seed: 1)
    var generator = SplitMix64(seed: 106)
    let count = isLarge ? 200 : 100
    for noise in [FlatNoise.normal, .outliers, .bimodal] {
      expectRate("change in flat series of \(count), \(noise)", rounds: 200, in: 0...0.01) {
        Self.changes(noise.series(count, &generator), by: &detector)
      }
    }
  }

  @Test("flat series of dependent figures seldom change")
  func keepsDependentSeriesFlat() {
    let isLarge = Self.factor > 1
    var detector =
      isLarge
      ? ChangePointDetector(seed: 1)
      : ChangePointDetector(alpha: 0.02, permutations: 500, seed: 1)
    var generator = SplitMix64(seed: 108)
    let count = isLarge ? 200 : 100
    expectRate("change in flat series of \(count), autocorrelated", rounds: 200, in: 0...0.05) {
      Self.changes(FlatNoise.autocorrelated.series(count, &generator), by: &detector)
    }
  }

  private static func changes(_ series: [Double], by detector: inout ChangePointDetector) -> Bool {
    guard let change = detector.strongestChange(in: series) else { return false }
    return change.pValue <= detector.alpha
  }

  @Test("a shift of two deviations after 60 flat figures is found within 8 figures")
  func findsShiftsSoon() {
    let isLarge = Self.factor > 1
    var detector =
      isLarge
      ? ChangePointDetector(seed: 1) : ChangePointDetector(permutations: 1_250, seed: 1)
    // A history is scanned after each new figure; a small run scans after some of them.
    let delays = isLarge ? Array(3...8) : [5, 8]
    var generator = SplitMix64(seed: 107)
    expectRate("shift of 2 deviations found within 8 figures", rounds: 150, in: 0.9...1) {
      var series = FlatNoise.normal.series(68, &generator)
      for index in 60..<68 { series[index] += 4 }
      return delays.contains { Self.changes(Array(series.prefix(60 + $0)), by: &detector) }
    }
  }

  @Test("the rules of other tools call one process slower than itself in every third comparison")
  func showsOtherRules() {
    var generator = SplitMix64(seed: 109)
    expectRate("A/A percentile limits of 5 %", rounds: 200, in: 0.33...1) {
      let (base, candidate) = Self.processes(&generator)
      return PercentileThreshold.verdict(base: base, candidate: candidate) != .equivalent
    }
    expectRate("A/A Welch's test", rounds: 200, in: 0.33...1) {
      let (base, candidate) = Self.processes(&generator)
      return (WelchTest(base, candidate)?.pValue ?? 1) < 0.05
    }
    expectRate("A/A bootstrap with a noise threshold of 1 %", rounds: 50, in: 0.33...1) {
      let (base, candidate) = Self.processes(&generator)
      let comparison = BootstrapComparison(
        base: base, candidate: candidate, seed: generator.next(), resamples: 200)
      return comparison.map { $0.verdict != .inconclusive } ?? false
    }
  }

  /// Thirty iterations of each of two processes of one binary: what differs is the process.
  ///
  /// Spreads as measured for fan-out: 19 % between processes, 17 % within.
  private static func processes(_ generator: inout SplitMix64) -> ([Double], [Double]) {
    func process() -> [Double] {
      let level = 0.19 * generator.normal()
      return (0..<30).map { _ in exp(level + 0.17 * generator.normal()) }
    }
    return (process(), process())
  }
}
