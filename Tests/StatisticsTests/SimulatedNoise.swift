// SPDX-License-Identifier: Apache-2.0

@testable import Statistics

/// The log ratios of pairs on noise as this project sees it.
///
/// Skewed, bimodal, and drifting from pair to pair. The second side is slower by `shift`.
func simulatedPairs(_ count: Int, shift: Double, _ generator: inout SplitMix64) -> [Double] {
  (0..<count).map { i in
    let drift = Double(i) * 0.05
    return (logFigure(&generator) + drift + shift) - (logFigure(&generator) + drift)
  }
}

/// One log figure: a skewed body, and in a third of the cases a slow regime far away.
private func logFigure(_ generator: inout SplitMix64) -> Double {
  let uniform = Double.random(in: 0..<1, using: &generator)
  let regime = Int.random(in: 0..<3, using: &generator) == 0 ? 0.5 : 0
  return uniform * uniform * uniform * 0.3 + regime
}

/// The log ratios of pairs on normal noise.
func normalPairs(
  _ count: Int, shift: Double, deviation: Double, _ generator: inout SplitMix64
) -> [Double] {
  (0..<count).map { _ in shift + deviation * generator.normal() }
}

/// Series without change, of the kinds that histories show.
enum FlatNoise: Sendable {
  case normal, outliers, bimodal, autocorrelated

  func series(_ count: Int, _ generator: inout SplitMix64) -> [Double] {
    if self == .autocorrelated {
      return autoregressiveSeries(count: count, correlation: 0.5, generator: &generator)
        .map { 100 + 2 * $0 }
    }
    return (0..<count).map { _ in
      let figure = 100 + 2 * generator.normal()
      switch self {
      case .outliers: return generator.uniform() < 0.05 ? figure + 30 : figure
      case .bimodal: return generator.uniform() < 0.3 ? figure + 20 : figure
      case .normal, .autocorrelated: return figure
      }
    }
  }
}
