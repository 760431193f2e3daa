// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Results
internal import Statistics

/// How fine a difference pairs show.
enum DetectableEffect {
  /// The relative slow-down that `Certificate.pairs` pairs find in four of five tests at 5 %.
  ///
  /// From the interval of the pairs at hand, whose width shrinks with the root of their number.
  /// Nil for fewer than `PairedRatio.leastPairs`. O(n log² n).
  static func reckoned(fromPairs logRatios: [Double]) -> Double? {
    guard let interval = PairedRatio.estimate(logRatios: logRatios).interval else { return nil }
    let reach = log1p(PairPlanning.minimumDetectableEffect(interval))
    return expm1(reach * (Double(logRatios.count) / Double(Certificate.pairs)).squareRoot())
  }
}
