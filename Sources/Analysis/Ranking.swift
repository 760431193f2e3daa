// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Results
internal import Statistics

/// Why nobody of a group is best by a metric, although all were compared.
package enum Undecided: Sendable, Equatable {
  /// No difference between any two is established.
  case nothingEstablished
  /// Each one trails another, and somebody by differences that are not established alone.
  case leadersOpen
  /// Each one is beaten by another, and that is established.
  case everyoneBeaten
}

/// With whom those that may be the best of a group are compared, and whether it is the best.
///
/// The ratios that decide are the ones that are shown. Pure; any thread.
struct Ranking {
  /// Whom the others are compared with: the best, or else who trails the others least.
  let first: Int
  /// Why it is not the best; nil when it is.
  let undecided: Undecided?

  /// Ranks by figures of rounds; nil when nobody can be compared with every other.
  ///
  /// O(contestants² · rounds²).
  init?(_ figures: [[Int: Double]], _ metric: Metric) {
    guard figures.allSatisfy({ $0.count >= PairedRatio.leastPairs }) else { return nil }
    // For each, the ratios of all others to it; nil where one is without an interval.
    let ratios = figures.indices.map { own -> [PairedRatio]? in
      let others = figures.indices.filter { $0 != own }
      let all = others.compactMap { Self.ratio(of: figures[$0], to: figures[own], metric) }
      return all.count == others.count && all.allSatisfy { $0.interval != nil } ? all : nil
    }
    func least(_ index: Int) -> Double { ratios[index]?.map(\.ratio).min() ?? 1 }
    let compared = figures.indices.filter { ratios[$0] != nil }
    if let best = compared.first(where: { least($0) >= 1 }) {
      (first, undecided) = (best, nil)
      return
    }
    let unbeaten = compared.filter { own in
      ratios[own]?.allSatisfy { !$0.isEstablished || $0.ratio >= 1 } == true
    }
    let leaders = unbeaten.isEmpty ? compared : unbeaten
    guard let base = leaders.max(by: { least($0) < least($1) }) else { return nil }
    first = base
    if unbeaten.isEmpty {
      // Whether somebody beats one that was not compared with all is not known.
      undecided = compared.count == figures.count ? .everyoneBeaten : .leadersOpen
    } else {
      let isAny = ratios.contains { $0?.contains(where: \.isEstablished) == true }
      undecided = isAny ? .leadersOpen : .nothingEstablished
    }
  }

  /// How many times as bad the figures are, over the rounds in which both have one; nil when there
  /// is none.
  static func ratio(
    of figures: [Int: Double], to anchors: [Int: Double], _ metric: Metric
  ) -> PairedRatio? {
    let logRatios = figures.sorted { $0.key < $1.key }.compactMap { round, value -> Double? in
      guard let other = anchors[round], value > 0, other > 0 else { return nil }
      // The difference of logarithms, which changes nothing but its sign when the two change
      // places.
      return metric.direction == .higher ? log(other) - log(value) : log(value) - log(other)
    }
    return logRatios.isEmpty ? nil : PairedRatio.estimate(logRatios: logRatios, level: 0.95)
  }
}
