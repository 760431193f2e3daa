// SPDX-License-Identifier: Apache-2.0

package import Statistics

/// How a contestant compares with the best of its group, or with its base where nobody is best.
package enum Comparison: Sendable, Equatable {
  /// It is the best.
  case best
  /// Nobody is best, and the others are compared with it.
  case base
  /// There are too few rounds to tell a difference.
  case tooFewRounds(PairedRatio)
  /// The interval of the ratio contains 1.
  case notEstablished(PairedRatio)
  /// The interval of the ratio excludes 1.
  case established(PairedRatio)

  /// What a ratio says.
  init(_ ratio: PairedRatio) {
    if ratio.interval == nil {
      self = .tooFewRounds(ratio)
    } else {
      self = ratio.isEstablished ? .established(ratio) : .notEstablished(ratio)
    }
  }

  /// The ratio to the best or the base; 1 for these themselves.
  package var ratio: Double {
    switch self {
    case .best, .base: 1
    case .tooFewRounds(let ratio), .notEstablished(let ratio), .established(let ratio):
      ratio.ratio
    }
  }

  /// The interval of the ratio, if there is one.
  package var interval: Interval? {
    switch self {
    case .best, .base: nil
    case .tooFewRounds(let ratio), .notEstablished(let ratio), .established(let ratio):
      ratio.interval
    }
  }
}
