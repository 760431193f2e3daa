// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Statistics

@Suite("State of a series and warm-up")
struct SeriesStateTests {
  /// The labels of many series of one kind, of which one may be wrong.
  private func labels(
    count: Int, rounds: Int = 20, _ figure: (Int, inout SplitMix64) -> Double
  ) -> [SeriesState: Int] {
    var labeller = SeriesLabeller(seed: 1)
    var generator = SplitMix64(seed: 2)
    var found: [SeriesState: Int] = [:]
    for _ in 0..<rounds {
      found[labeller.label((0..<count).map { figure($0, &generator) }), default: 0] += 1
    }
    return found
  }

  @Test("independent figures are steady")
  func labelsSteady() {
    #expect(labels(count: 60) { 100 + $1.normal() + 0 * Double($0) }[.steady, default: 0] >= 19)
    var labeller = SeriesLabeller(seed: 1)
    #expect(labeller.label(Array(repeating: 3, count: 50)) == .steady)
  }

  @Test("trends and steps are drifting")
  func labelsDrifting() {
    let trend = labels(count: 60) { 100 + Double($0) / 6 + $1.normal() }
    #expect(trend[.drifting, default: 0] >= 19)
    let step = labels(count: 60) { ($0 < 15 ? 110 : 100) + $1.normal() }
    #expect(step[.drifting, default: 0] >= 19)
  }

  @Test("alternations, waves and regular outliers are cyclic")
  func labelsCyclic() {
    for period in [2, 5, 12] {
      let square = labels(count: 120) { ($0 % period < period / 2 ? 105 : 100) + $1.normal() }
      #expect(square[.cyclic, default: 0] >= 19, "period \(period)")
    }
    let spikes = labels(count: 240) { ($0 % 10 == 0 ? 110 : 100) + $1.normal() }
    #expect(spikes[.cyclic, default: 0] >= 19)
  }

  @Test("short series and wandering ones are unknown")
  func labelsUnknown() {
    var labeller = SeriesLabeller(seed: 1)
    #expect(labeller.label(Array(repeating: 3, count: 19)) == .unknown)
    var generator = SplitMix64(seed: 5)
    let wandering = (0..<10).map { _ in
      labeller.label(
        autoregressiveSeries(count: 100, correlation: 0.9, generator: &generator)
          .map { 100 + 2 * $0 })
    }
    #expect(wandering.count { $0 == .unknown || $0 == .drifting } >= 9)
  }

  @Test("a change of level below one percent does not matter, whatever the unit")
  func ignoresSmallDrift() {
    var labeller = SeriesLabeller(seed: 1)
    var generator = SplitMix64(seed: 6)
    let noise = (0..<60).map { _ in generator.normal() }
    for (height, expected) in [(0.5, SeriesState.steady), (3, .drifting)] {
      let series = noise.enumerated().map { ($0 < 30 ? 100 : 100 + height) + 0.05 * $1 }
      #expect(labeller.label(series) == expected)
      #expect(labeller.label(series.map { 1e6 * $0 }) == expected)
    }
  }

  @Test("the warm-up ends at the power of two after the last change that matters")
  func findsWarmUp() {
    var labeller = SeriesLabeller(seed: 1)
    var generator = SplitMix64(seed: 7)
    let noise = (0..<100).map { _ in generator.normal() }
    #expect(labeller.warmUpIterations(noise.map { 100 + $0 }) == 0)
    let warm = noise.enumerated().map { ($0 < 13 ? 140 : 100) + $1 }
    #expect(labeller.warmUpIterations(warm) == 16)
    let twice = noise.enumerated().map { ($0 < 6 ? 200 : $0 < 30 ? 140 : 100) + $1 }
    #expect(labeller.warmUpIterations(twice) == 32)
    #expect(labeller.label((0..<100).map { 100 + Double($0) }) == .drifting)
    let never = noise.enumerated().map { 100 + 3 * Double($0) + $1 }
    #expect(labeller.warmUpIterations(never) == nil)
    #expect(labeller.warmUpIterations([1, 2, 3]) == nil)
  }
}
