// SPDX-License-Identifier: Apache-2.0

/// Welch's t test of two independent samples: a rule of other tools, kept for comparison.
///
/// It takes iterations for independent, which those of a scheduler are not: no verdict of this
/// project rests on it. A plain value; any thread.
/// Source: Welch, Biometrika 34, 1947.
package struct WelchTest: Sendable, Equatable {
  /// The difference of the means, first minus second, in standard errors.
  package let statistic: Double
  /// The degrees of freedom by Welch and Satterthwaite's formula.
  package let degreesOfFreedom: Double
  /// The two-sided p-value.
  package let pValue: Double

  /// Tests two samples against equal means.
  ///
  /// Nil when a sample has fewer than two figures, a figure is not finite, or neither sample
  /// varies. O(n).
  package init?(_ first: [Double], _ second: [Double]) {
    guard let one = SampleMean(first), let other = SampleMean(second) else { return nil }
    let squared = one.squaredError + other.squaredError
    guard squared > 0, squared.isFinite else { return nil }
    statistic = (one.mean - other.mean) / squared.squareRoot()
    degreesOfFreedom =
      squared * squared
      / (one.squaredError * one.squaredError / Double(first.count - 1)
        + other.squaredError * other.squaredError / Double(second.count - 1))
    let square = statistic * statistic
    pValue =
      incompleteBeta(
        a: degreesOfFreedom / 2, b: 0.5, x: degreesOfFreedom / (degreesOfFreedom + square)
      ).lower
  }
}

/// The mean of a sample with the square of its standard error.
struct SampleMean {
  let mean: Double
  let squaredError: Double

  init?(_ figures: [Double]) {
    guard figures.count >= 2, figures.allSatisfy(\.isFinite) else { return nil }
    let count = Double(figures.count)
    let mean = figures.reduce(0, +) / count
    let squares = figures.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
    self.mean = mean
    squaredError = squares / (count - 1) / count
  }
}
