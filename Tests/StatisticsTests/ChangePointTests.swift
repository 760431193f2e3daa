// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Statistics

@Suite("Change points")
struct ChangePointTests {
  private func steps(_ lengths: [Int], by height: Double, seed: UInt64) -> [Double] {
    var generator = SplitMix64(seed: seed)
    return lengths.enumerated().flatMap { part, length in
      (0..<length).map { _ in 100 + height * Double(part) + 2 * generator.normal() }
    }
  }

  @Test("steps are found where they are")
  func findsSteps() {
    var detector = ChangePointDetector(permutations: 1_500, seed: 1)
    let series = steps([30, 25, 30], by: 12, seed: 2)
    #expect(detector.changePoints(in: series).map(\.index) == [30, 55])
    #expect(detector.changePoints(in: []) == [])
    #expect(detector.changePoints(in: [1, 2, 3, 4, 5]) == [])
    #expect(detector.changePoints(in: Array(repeating: 7, count: 40)) == [])
  }

  @Test("a change of spread without a change of level is found too")
  func findsSpread() {
    var generator = SplitMix64(seed: 3)
    let series = (0..<100).map { 100 + ($0 < 50 ? 1 : 20) * generator.normal() }
    var detector = ChangePointDetector(permutations: 1_500, seed: 1)
    #expect(detector.changePoints(in: series).contains { (45...55).contains($0.index) })
  }

  @Test("the answer depends on seed and series alone, and on ranks alone")
  func isReproducible() {
    let series = steps([30, 20], by: 3, seed: 4)
    var fresh = ChangePointDetector(permutations: 1_500, seed: 9)
    let first = fresh.strongestChange(in: series)
    var used = ChangePointDetector(permutations: 1_500, seed: 9)
    _ = used.strongestChange(in: steps([20, 20], by: 0, seed: 5))
    #expect(used.strongestChange(in: series) == first)
    #expect(used.strongestChange(in: series.map { 1000 * $0 }) == first)
    #expect(used.strongestChange(in: series.map { $0 * $0 * $0 }) == first)
  }

  @Test("the series backwards changes at the mirrored place")
  func mirrors() {
    var detector = ChangePointDetector(permutations: 1_500, seed: 6)
    let series = steps([22, 18], by: 9, seed: 7)
    let there = detector.strongestChange(in: series)
    let back = detector.strongestChange(in: series.reversed())
    #expect(there?.index == 22 && back?.index == 18)
    #expect(there?.pValue == back?.pValue)
  }

  @Test("figures on a coarse grid, with many ties, are judged by their own permutations")
  func handlesTies() {
    var generator = SplitMix64(seed: 8)
    var detector = ChangePointDetector(permutations: 1_500, seed: 1)
    let flat = (0..<60).map { _ in Double(generator.index(below: 3)) }
    #expect(detector.changePoints(in: flat).isEmpty)
    let step = flat.enumerated().map { $0 < 30 ? $1 : $1 + 2 }
    let found = detector.changePoints(in: step)
    #expect(found.count == 1 && found.allSatisfy { (27...33).contains($0.index) })
  }

  @Test("too few permutations for the error, or a figure that is no number, stop the process")
  func refusesNonsense() async {
    await #expect(processExitsWith: .failure) {
      _ = ChangePointDetector(alpha: 0.001, permutations: 1_000, seed: 1)
    }
    await #expect(processExitsWith: .failure) {
      var detector = ChangePointDetector(permutations: 1_500, seed: 1)
      _ = detector.changePoints(in: [1, .nan, 2])
    }
  }
}
