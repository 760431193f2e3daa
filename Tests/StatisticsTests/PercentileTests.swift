// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Statistics

@Suite("Percentiles")
struct PercentileTests {
  /// Sorted; reference values below from `numpy.quantile(..., method=)` 2.x on the same figures.
  let sorted = [1.2, 2.8, 3.1, 4.7, 5.5, 7.3, 9.9]

  @Test(
    "interpolation follows NumPy's default",
    arguments: [
      (0, 1.2), (0.1, 2.16), (0.25, 2.95), (0.5, 4.7), (0.9, 8.34), (0.99, 9.744), (1, 9.9),
    ])
  func interpolates(p: Double, expected: Double) {
    #expect((Percentile.value(p, ofSorted: sorted) - expected).magnitude < 1e-12)
  }

  @Test(
    "nearest rank follows NumPy's inverted_cdf",
    arguments: [
      (0, 1.2), (0.1, 1.2), (0.25, 2.8), (0.5, 4.7), (0.9, 9.9), (0.99, 9.9), (1, 9.9),
    ])
  func takesNearestRank(p: Double, expected: Double) {
    #expect(Percentile.nearestRank(p, ofSorted: sorted) == expected)
  }

  @Test(
    "nearest rank is not pushed up by rounding of the product",
    arguments: [(0.999, 1000), (0.99, 700), (0.9, 70), (0.999, 10_000_000), (0.07, 100)])
  func ranksExactly(p: Double, count: Int) {
    let thousandths = Int((p * 1000).rounded())
    let rank = (thousandths * count + 999) / 1000
    #expect(Percentile.nearestRank(p, ofSorted: Array(1...count)) == rank)
  }

  @Test("interpolation between equal figures returns exactly that figure")
  func keepsEqualFigures() {
    #expect(Percentile.value(0.3, ofSorted: [0.1, 0.1, 0.1]) == 0.1)
    #expect(Percentile.value(0.5, ofSorted: [0.1, 0.1]) == 0.1)
  }

  @Test(
    "a tail quantile needs ten samples beyond it",
    arguments: [
      (0.5, 1, true), (0.5, 0, false), (0.9, 99, false), (0.9, 100, true), (0.99, 999, false),
      (0.99, 1000, true), (0.999, 9999, false), (0.999, 10_000, true), (1, 1, true), (0, 1, true),
    ])
  func supportsTails(p: Double, count: Int, expected: Bool) {
    #expect(Percentile.isSupported(p, sampleCount: count) == expected)
  }

  @Test("a percent where a fraction belongs stops the process")
  func refusesPercent() async {
    await #expect(processExitsWith: .failure) {
      _ = Percentile.value(99, ofSorted: [1, 2, 3])
    }
  }

  @Test("no figures at all stops the process")
  func refusesNothing() async {
    await #expect(processExitsWith: .failure) {
      _ = Percentile.nearestRank(0.5, ofSorted: [Int]())
    }
  }
}
