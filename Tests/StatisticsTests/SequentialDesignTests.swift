// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Statistics

@Suite("Sequential design")
struct SequentialDesignTests {
  @Test("the levels of the looks spend exactly the stated error", arguments: [0.05, 0.01, 0.00025])
  func spendsAlpha(alpha: Double) {
    for looks in 1...3 {
      let design = SequentialDesign.standard.prefix(looks)
      let levels = design.levels(alpha: alpha)
      #expect(agrees(design.crossingProbability(levels: levels), alpha, within: 1e-10))
      #expect(levels.allSatisfy { $0 <= alpha * (1 + 1e-12) })
      #expect(levels == levels.sorted())
    }
  }

  @Test("one look alone has the plain level")
  func reducesToOneLook() {
    let design = SequentialDesign(looks: [40], proportions: [1])
    #expect(agrees(design.levels(alpha: 0.05)[0], 0.05, within: 1e-10))
    #expect(agrees(design.pValue(nominal: [0.03]), 0.03, within: 1e-10))
  }

  @Test("equally spaced looks reproduce O'Brien and Fleming's published levels")
  func reproducesPublishedLevels() {
    // Jennison and Turnbull, table 2.3: three looks at 5 % have the constant 2.004.
    let bounds = [2.004 * 3.0.squareRoot(), 2.004 * 1.5.squareRoot(), 2.004]
    let design = SequentialDesign(looks: [1, 2, 3], proportions: [1, 1, 1])
    let crossing = design.crossingProbability(levels: bounds.map { 2 * upperNormalTail($0) })
    #expect((crossing - 0.05).magnitude < 0.0001)
  }

  @Test("the overall p-value reaches alpha exactly when a look reaches its level")
  func matchesItsLevels() {
    let design = SequentialDesign.standard
    for alpha in [0.05, 0.002] {
      let levels = design.levels(alpha: alpha)
      for look in levels.indices {
        var nominal = [Double](repeating: 1, count: look + 1)
        nominal[look] = levels[look] * 0.999
        #expect(design.pValue(nominal: nominal) < alpha)
        nominal[look] = levels[look] * 1.001
        #expect(design.pValue(nominal: nominal) > alpha)
      }
    }
  }

  @Test("the overall p-value grows with every nominal one and is never below the smallest")
  func growsWithEvidence() {
    let design = SequentialDesign.standard
    var last = 0.0
    for p in [0, 1e-9, 1e-4, 0.01, 0.2, 0.8, 1] {
      let overall = design.pValue(nominal: [1, 1, p])
      #expect(overall >= last && overall >= p)
      #expect(design.pValue(nominal: [1, p, p]) >= overall)
      last = overall
    }
    #expect(design.pValue(nominal: []) == 1)
  }

  @Test("designs and levels that make no sense stop the process")
  func refusesNonsense() async {
    await #expect(processExitsWith: .failure) {
      _ = SequentialDesign(looks: [40, 20], proportions: [0.5, 1])
    }
    await #expect(processExitsWith: .failure) {
      _ = SequentialDesign(looks: [20, 40], proportions: [1, 0.5])
    }
    await #expect(processExitsWith: .failure) {
      _ = SequentialDesign.standard.levels(alpha: 0.6)
    }
    await #expect(processExitsWith: .failure) {
      _ = SequentialDesign.standard.pValue(nominal: [1, 1, 1, 1])
    }
  }
}
