// SPDX-License-Identifier: Apache-2.0

/// Finds the places where the level or shape of a series changes.
///
/// The statistic is the maximum of the energy distance over all splits of the normal scores. Its
/// p-value is that of a test of the maximum, so that having searched for the best place is paid
/// for. Where neighbours are independent, the reference is seeded random permutations of the
/// series. Where the lag-1 autocorrelation, measured after the change is taken away, exceeds
/// `dependenceLimit`, it is simulated first-order autoregressive series of that correlation.
/// Permuted blocks are no alternative: a recent shift fills one block, which a random order of
/// eight puts at an end in one case of four. What is found splits the series, and both parts are
/// searched in turn.
///
/// A change point is a suspicion to be confirmed by measuring, not a regression. Each scan has the
/// stated error; scanning again after every new figure spends it again. Of dependent series the
/// error holds from about 100 figures on: of 30 figures the correlation itself is hardly known.
///
/// A value that remembers its references, so that many series of one length cost one permutation
/// test; the answer does not depend on what was asked before. One thread at a time.
/// Source: Matteson and James, Journal of the American Statistical Association 109, 2014.
package struct ChangePointDetector: Sendable {
  /// The fewest figures on either side of a change.
  package static let margin = 3
  /// The lag-1 autocorrelation above which neighbours count as dependent.
  package static let dependenceLimit = 0.2

  /// The probability that a series without change is said to have one.
  package let alpha: Double
  /// How many permutations or simulated series make up the reference.
  package let permutations: Int
  /// The seed of the permutations.
  package let seed: UInt64

  private var references: [Reference: [Double]] = [:]

  /// Sets the error, the size of the reference and its seed.
  ///
  /// Stops the process unless alpha lies strictly between 0 and 1 and the permutations can reach
  /// it: ten times 1 / alpha of them at least.
  package init(alpha: Double = 0.008, permutations: Int = 10_000, seed: UInt64) {
    requireLevel(alpha)
    guard Double(permutations) * alpha >= 10 else {
      fatalError(
        "ChangePointDetector: \(permutations) permutations at alpha \(alpha); expected at least "
          + "\((10 / alpha).rounded(.up))")
    }
    self.alpha = alpha
    self.permutations = permutations
    self.seed = seed
  }

  /// The change points of a series, by index.
  ///
  /// Empty below 2 * `margin` figures. Stops the process when a figure is not a number.
  /// O(permutations * n log n) for each new length, else O(n log n).
  package mutating func changePoints(in series: [Double]) -> [ChangePoint] {
    requireNumbers(series)
    var found: [ChangePoint] = []
    var segments = [series.indices]
    while let segment = segments.popLast() {
      guard let change = strongestChange(in: Array(series[segment])), change.pValue <= alpha else {
        continue
      }
      let index = segment.lowerBound + change.index
      found.append(ChangePoint(index: index, pValue: change.pValue))
      segments.append(segment.lowerBound..<index)
      segments.append(index..<segment.upperBound)
    }
    return Self.relocated(found.sorted { $0.index < $1.index }, in: series)
  }

  /// The best split of a series with its p-value, significant or not.
  ///
  /// Nil below 2 * `margin` figures. Stops the process when a figure is not a number.
  package mutating func strongestChange(in series: [Double]) -> ChangePoint? {
    requireNumbers(series)
    guard series.count >= 2 * Self.margin else { return nil }
    let scores = normalScores(series)
    let split = EnergyStatistic(figures: scores)
      .bestSplit(ranks: EnergyStatistic.ranks(scores), margin: Self.margin)
    let reference = reference(of: scores, split: split.index)
    return ChangePoint(
      index: split.index, pValue: Self.pValue(split.distance, ascending: reference))
  }

  /// Moves each change to the best split between its neighbours.
  ///
  /// A split is found while later changes still lie in its part, which may pull it aside.
  private static func relocated(_ found: [ChangePoint], in series: [Double]) -> [ChangePoint] {
    var changes = found
    for place in changes.indices {
      let start = place > 0 ? changes[place - 1].index : 0
      let end = place + 1 < changes.count ? changes[place + 1].index : series.count
      guard end - start >= 2 * margin else { continue }
      let scores = normalScores(Array(series[start..<end]))
      let split = EnergyStatistic(figures: scores)
        .bestSplit(ranks: EnergyStatistic.ranks(scores), margin: margin)
      changes[place] = ChangePoint(index: start + split.index, pValue: changes[place].pValue)
    }
    return changes
  }

  /// The share of reference maxima at least as large, the series itself counted among them.
  private static func pValue(_ distance: Double, ascending reference: [Double]) -> Double {
    // What rounding tells apart is the same order of the same scores.
    let threshold = distance * (1 - 1e-12)
    var low = 0
    var high = reference.count
    while low < high {
      let middle = (low + high) / 2
      if reference[middle] < threshold { low = middle + 1 } else { high = middle }
    }
    return Double(1 + reference.count - low) / Double(1 + reference.count)
  }

  private mutating func reference(of scores: [Double], split: Int) -> [Double] {
    let steps = Self.dependenceSteps(scores, split: split)
    // Shared ranks change the scores, and with them the reference.
    let hasTies = zip(scores.sorted(), scores.sorted().dropFirst()).contains { $0 == $1 }
    if hasTies, steps == 0 { return permuted(scores) }
    let key = Reference(count: scores.count, dependenceSteps: steps)
    if let known = references[key] { return known }
    let maxima =
      steps == 0
      ? permuted(normalScores((0..<scores.count).map { Double($0) })) : simulated(key)
    references[key] = maxima
    return maxima
  }

  private func permuted(_ scores: [Double]) -> [Double] {
    var generator = SplitMix64(seed: seed, stream: UInt64(scores.count))
    let statistic = EnergyStatistic(figures: scores)
    var ranks = Array(scores.indices)
    return (0..<permutations).map { _ in
      generator.shuffle(&ranks)
      return statistic.bestSplit(ranks: ranks, margin: Self.margin).distance
    }.sorted()
  }

  private func simulated(_ key: Reference) -> [Double] {
    var generator = SplitMix64(
      seed: seed, stream: UInt64(key.count) << 16 | UInt64(key.dependenceSteps))
    let statistic = EnergyStatistic(
      figures: normalScores((0..<key.count).map { Double($0) }))
    let correlation = min(0.99, Double(key.dependenceSteps) * Reference.stepSize)
    return (0..<permutations).map { _ in
      let series = autoregressiveSeries(
        count: key.count, correlation: correlation, generator: &generator)
      return statistic.bestSplit(ranks: EnergyStatistic.ranks(series), margin: Self.margin)
        .distance
    }.sorted()
  }

  /// The autocorrelation within both parts in whole steps, rounded up; 0 for independence.
  private static func dependenceSteps(_ scores: [Double], split: Int) -> Int {
    let parts = [scores[..<split], scores[split...]]
    let residuals = parts.flatMap { part in
      let mean = part.reduce(0, +) / Double(part.count)
      return part.map { $0 - mean }
    }
    let raw = lagOneAutocorrelation(residuals)
    guard raw > dependenceLimit else { return 0 }
    // Taking away the means of both parts pulls the correlation down by about this much.
    let correlation = raw + 2 * (1 + 3 * raw) / Double(scores.count)
    return Int((correlation / Reference.stepSize).rounded(.up))
  }

  private func requireNumbers(_ series: [Double]) {
    guard !series.contains(where: \.isNaN) else {
      fatalError("ChangePointDetector: a figure is not a number; expected finite figures")
    }
  }

  /// What a reference distribution depends on.
  private struct Reference: Hashable {
    static let stepSize = 0.1

    let count: Int
    let dependenceSteps: Int
  }
}

/// A place where a series changes.
package struct ChangePoint: Sendable, Hashable {
  /// The index of the first figure after the change.
  package let index: Int
  /// The p-value of the test that found it, within the stretch of the series that was searched.
  package let pValue: Double
}

/// A stationary first-order autoregressive series with standard normal figures.
func autoregressiveSeries(
  count: Int, correlation: Double, generator: inout SplitMix64
) -> [Double] {
  let innovation = (1 - correlation * correlation).squareRoot()
  var current = generator.normal()
  return (0..<count).map { _ in
    defer { current = correlation * current + innovation * generator.normal() }
    return current
  }
}
