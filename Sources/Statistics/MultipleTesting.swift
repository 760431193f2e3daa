// SPDX-License-Identifier: Apache-2.0

/// Corrections of p-values that are judged together.
///
/// A family of 40 comparisons at 5 % raises a false alarm in 87 % of runs; these keep the error of
/// the whole family. Pure functions; any thread; the order of the answers is that of the p-values.
package enum MultipleTesting {
  /// Adjusts p-values so that the probability of any false alarm stays below the level.
  ///
  /// Reject what is at most alpha: the family-wise error is then at most alpha, whatever the
  /// dependence between the p-values. Stops the process when a p-value is not between 0 and 1.
  /// O(n log n). Source: Holm, Scandinavian Journal of Statistics 6(2), 1979.
  package static func holm(_ pValues: [Double]) -> [Double] {
    let order = ascendingOrder(pValues)
    var adjusted = pValues
    var largest = 0.0
    for (rank, index) in order.enumerated() {
      largest = max(largest, min(1, Double(pValues.count - rank) * pValues[index]))
      adjusted[index] = largest
    }
    return adjusted
  }

  /// Adjusts p-values so that the expected share of false alarms among all alarms stays below it.
  ///
  /// For exploratory reports, never for gates. Holds for independent or positively dependent
  /// p-values. Stops the process when a p-value is not between 0 and 1. O(n log n).
  /// Source: Benjamini and Hochberg, Journal of the Royal Statistical Society B 57(1), 1995.
  package static func benjaminiHochberg(_ pValues: [Double]) -> [Double] {
    let order = ascendingOrder(pValues)
    var adjusted = pValues
    var smallest = 1.0
    for (rank, index) in order.enumerated().reversed() {
      smallest = min(smallest, Double(pValues.count) / Double(rank + 1) * pValues[index])
      adjusted[index] = smallest
    }
    return adjusted
  }

  private static func ascendingOrder(_ pValues: [Double]) -> [Int] {
    guard pValues.allSatisfy({ $0 >= 0 && $0 <= 1 }) else {
      fatalError("MultipleTesting: p-values \(pValues); expected figures from 0 to 1")
    }
    return pValues.indices.sorted { (pValues[$0], $0) < (pValues[$1], $1) }
  }
}
