// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Statistics

@Suite("Wilcoxon signed-rank test")
struct SignedRankTests {
  /// The figure `(i + 1) / 100`, negative where the square of `i` leaves 1 or 2 modulo 7.
  private func signedSteps(_ count: Int) -> [Double] {
    (0..<count).map { i in
      let magnitude = Double(i + 1) / 100
      return [1, 2].contains(i * i % 7) ? -magnitude : magnitude
    }
  }

  @Test("agrees with SciPy's exact test on eight figures")
  func agreesOnEightPairs() {
    // scipy.stats.wilcoxon(x, method='exact') 1.17.1: statistic 4, p 0.0546875.
    let test = SignedRank(
      differences: [0.031, -0.012, 0.054, 0.018, -0.007, 0.042, 0.009, 0.027])
    #expect(test.count == 8)
    #expect(test.positiveRankSum == 32)
    #expect(test.pValue == 0.0546875)
  }

  /// `scipy.stats.wilcoxon(x, method='exact')` 1.17.1; the last row `method='asymptotic'` with
  /// continuity correction, since it lies beyond the exact limit.
  @Test(
    "agrees with SciPy on growing series without shared ranks",
    arguments: [
      (10, 28, 1), (40, 334, 0.3138070678778604), (50, 561, 0.46647302992520423),
      (60, 784, 0.3367084672934234),
    ])
  func agreesOnSteps(count: Int, positiveRankSum: Double, pValue: Double) {
    let test = SignedRank(differences: signedSteps(count))
    #expect(test.positiveRankSum == positiveRankSum)
    #expect((test.pValue - pValue).magnitude < 1e-12)
  }

  @Test("shared ranks stay exact, zeros are dropped")
  func sharesRanksExactly() {
    // All 2^11 sign patterns enumerated with itertools; SciPy's exhaustive PermutationMethod
    // agrees.
    let test = SignedRank(differences: [1, 2, -2, 3, 3, -1, 4, 5, 0, 2, -3, 6])
    #expect(test.count == 11)
    #expect(test.positiveRankSum == 53.5)
    #expect(test.pValue == 0.076171875)
  }

  @Test("shared ranks correct the normal approximation")
  func correctsTies() {
    // scipy.stats.wilcoxon(x, method='asymptotic', correction=True) 1.17.1 on the same 60 figures.
    let figures = (0..<60).map { i in
      let thousandths = (i * 37) % 101 - 44
      return thousandths == 0 ? 0.0005 : Double(thousandths) / 1000
    }
    #expect((SignedRank(differences: figures).pValue - 0.16078035146824698).magnitude < 1e-12)
  }

  @Test("the sign of all differences does not change the p-value")
  func isSymmetric() {
    for count in [7, 23, 49, 80] {
      let figures = signedSteps(count)
      let mirrored = SignedRank(differences: figures.map { -$0 })
      #expect(SignedRank(differences: figures).pValue == mirrored.pValue)
    }
  }

  @Test("no difference at all is no evidence")
  func acceptsZeros() {
    #expect(SignedRank(differences: []).pValue == 1)
    #expect(SignedRank(differences: [0, 0, 0]).pValue == 1)
  }

  @Test("probabilities of rank sums add up to one")
  func conservesProbability() {
    for count in [1, 2, 8, 50] {
      let masses = rankSumMasses(ranks: Array(1...count))
      #expect((masses.reduce(0, +) - 1).magnitude < 1e-12)
      #expect(masses.count == count * (count + 1) / 2 + 1)
    }
  }
}
