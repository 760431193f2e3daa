// SPDX-License-Identifier: Apache-2.0

/// What a comparison says about the second side against the first.
///
/// For a figure of which less is better, such as a time. Where more is better, the caller turns the
/// log ratios round before it asks.
package enum Verdict: String, Sendable, CaseIterable {
  /// The whole interval of the ratio lies above the tolerance.
  case slower
  /// The whole interval of the ratio lies below the tolerance.
  case faster
  /// The whole interval of the ratio lies inside the margin of equivalence.
  case equivalent
  /// The pairs at hand do not settle it.
  case inconclusive
}

/// How large a difference must be to matter, and how small to count as none.
///
/// Both are relative differences: 0.01 is 1 %. Downwards they apply to the inverse ratio, so that
/// exchanging the sides mirrors every verdict. A plain value; any thread.
package struct Tolerance: Sendable, Hashable {
  /// The relative difference that a ratio must exceed to be slower or faster; 0 or more.
  package let difference: Double
  /// The relative difference within which two sides are equivalent; above `difference`.
  package let equivalence: Double

  /// 1 % to matter, 3 % for equivalence: the tolerance of times.
  package static let timing = Tolerance(difference: 0.01, equivalence: 0.03)

  /// Stops the process unless `0 <= difference < equivalence` and both are finite.
  package init(difference: Double, equivalence: Double) {
    guard difference >= 0, difference < equivalence, equivalence.isFinite else {
      fatalError(
        "Tolerance: difference \(difference), equivalence \(equivalence); expected fractions with "
          + "0 <= difference < equivalence, such as 0.01 and 0.03")
    }
    self.difference = difference
    self.equivalence = equivalence
  }

  /// The verdict of an interval of the ratio; without an interval it is inconclusive.
  ///
  /// A difference beyond the tolerance goes before equivalence. O(1).
  package func verdict(of interval: Interval?) -> Verdict {
    guard let interval else { return .inconclusive }
    if interval.low > 1 + difference { return .slower }
    if interval.high < 1 / (1 + difference) { return .faster }
    return isEquivalent(interval) ? .equivalent : .inconclusive
  }

  /// Whether the whole interval of the ratio lies inside the margin of equivalence.
  func isEquivalent(_ interval: Interval) -> Bool {
    interval.low > 1 / (1 + equivalence) && interval.high < 1 + equivalence
  }
}
