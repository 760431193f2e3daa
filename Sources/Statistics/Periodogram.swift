// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// The share of the variance of a series at each whole number of cycles.
///
/// A plain value; any thread. Source for the test: Fisher, Tests of Significance in Harmonic
/// Analysis, Proceedings of the Royal Society A 125, 1929.
struct Periodogram: Sendable {
  /// The shares for 1, 2, … cycles over the whole series; none when all figures are equal.
  let shares: [Double]

  /// O(n²) by direct summation: series are thousands of figures at most.
  init(_ figures: [Double]) {
    let count = figures.count
    let mean = figures.isEmpty ? 0 : figures.reduce(0, +) / Double(count)
    let deviations = figures.map { $0 - mean }
    let angles = (0..<count).map { 2 * .pi * Double($0) / Double(count) }
    let cosines = angles.map { cos($0) }
    let sines = angles.map { sin($0) }
    var powers: [Double] = []
    for cycles in stride(from: 1, through: count / 2, by: 1) {
      var real = 0.0
      var imaginary = 0.0
      var phase = 0
      for deviation in deviations {
        real += deviation * cosines[phase]
        imaginary += deviation * sines[phase]
        phase += cycles
        if phase >= count { phase -= count }
      }
      // The highest frequency of an even count has no sine: half of it is comparable to the others.
      let isHighest = 2 * cycles == count
      powers.append((real * real + imaginary * imaginary) / (isHighest ? 2 : 1))
    }
    let total = powers.reduce(0, +)
    shares = total > 0 ? powers.map { $0 / total } : []
  }

  /// The pattern that repeats most clearly, at least `fewest` times over the series.
  ///
  /// Looks at each number of cycles by itself and together with its multiples, since a pattern that
  /// is no sine, such as a slow iteration now and then, spreads over them. Nil when all figures are
  /// equal, there are too few, or slow change over the whole series outweighs every pattern.
  func strongestCycle(fewest: Int) -> Cycle? {
    let slow = shares.prefix(fewest - 1).reduce(0, +)
    var best: Cycle?
    for cycles in stride(from: fewest, through: shares.count, by: 1) {
      var multiples = 0
      var share = 0.0
      for multiple in stride(from: cycles, through: shares.count, by: cycles) {
        multiples += 1
        share += shares[multiple - 1]
        // Alone, and with all multiples.
        guard multiples == 1 || multiple + cycles > shares.count, share > slow else { continue }
        let cycle = cycle(cycles, share: share, ordinates: multiples)
        if best.map({ cycle.pValue < $0.pValue }) ?? true { best = cycle }
      }
    }
    return best
  }

  /// A pattern that repeats.
  struct Cycle: Sendable {
    /// How often it repeats over the series.
    let cycles: Int
    /// Its share of the variance beyond what noise would give it.
    let excessShare: Double
    /// The probability that the clearest pattern of a series of independent normal figures is as
    /// clear, or a little more: an upper bound.
    let pValue: Double
  }

  private func cycle(_ cycles: Int, share: Double, ordinates: Int) -> Cycle {
    let rest = shares.count - ordinates
    // Shares of independent ordinates are uniform on all ways to split one: sums follow a beta law.
    let tail =
      rest > 0
      ? incompleteBeta(a: Double(ordinates), b: Double(rest), x: min(1, share)).upper : 1
    return Cycle(
      cycles: cycles, excessShare: share - Double(ordinates) / Double(shares.count),
      pValue: min(1, tail * Double(2 * shares.count)))
  }
}
