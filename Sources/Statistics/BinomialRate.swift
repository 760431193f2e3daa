// SPDX-License-Identifier: Apache-2.0

/// A rate seen in independent cases, with its exact binomial interval.
///
/// The interval of Clopper and Pearson: it covers the true rate at least as often as its level
/// says, for every rate and count. A plain value; any thread.
/// Source: Clopper and Pearson, Biometrika 26(4), 1934.
package struct BinomialRate: Sendable, Hashable {
  /// The cases in which it happened.
  package let successes: Int
  /// All cases.
  package let cases: Int
  /// The interval of the rate.
  package let interval: Interval

  /// Counts the cases in which something happened.
  ///
  /// Stops the process unless `0 <= successes <= cases`, there is a case, and the level lies
  /// strictly between 0 and 1. About 120 evaluations of the incomplete beta function.
  package init(successes: Int, cases: Int, level: Double = 0.95) {
    requireLevel(level)
    guard cases > 0, successes >= 0, successes <= cases else {
      fatalError(
        "BinomialRate: \(successes) of \(cases); expected from none to all of at least one case")
    }
    self.successes = successes
    self.cases = cases
    let tail = (1 - level) / 2
    let k = Double(successes)
    let n = Double(cases)
    // The rate at which as many successes or more have the probability `tail`, and as many or less.
    let low =
      successes == 0 ? 0 : Self.root { incompleteBeta(a: k, b: n - k + 1, x: $0).lower < tail }
    let high =
      successes == cases ? 1 : Self.root { incompleteBeta(a: k + 1, b: n - k, x: $0).upper > tail }
    interval = Interval(low: low, high: high, level: level)
  }

  /// The observed rate.
  package var rate: Double {
    Double(successes) / Double(cases)
  }

  /// The rate up to which the condition holds, by bisection to the last bit.
  private static func root(_ holds: (Double) -> Bool) -> Double {
    var low = 0.0
    var high = 1.0
    while true {
      let middle = (low + high) / 2
      if middle <= low || middle >= high { return middle }
      if holds(middle) { low = middle } else { high = middle }
    }
  }
}
