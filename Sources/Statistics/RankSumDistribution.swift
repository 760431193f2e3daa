// SPDX-License-Identifier: Apache-2.0

/// The distribution of Wilcoxon's signed-rank sum under random signs when no ranks are shared.
///
/// Every rank from 1 to n counts with probability one half. Exact up to `SignedRank.exactLimit`
/// ranks; beyond, normal with continuity correction. A plain value; any thread.
/// Source: Hollander, Wolfe and Chicken, Nonparametric Statistical Methods, 3rd edition, 3.1.
struct RankSumDistribution: Sendable {
  /// How many ranks there are.
  let count: Int

  /// The lower half of the cumulative distribution for every count that is computed exactly.
  ///
  /// One more rank turns the masses of one count into those of the next, so that all tables
  /// together cost as much as the last one alone.
  private static let tables: [[Double]] = {
    var tables: [[Double]] = [[1]]
    var masses: [Double] = [1]
    for rank in 1...SignedRank.exactLimit {
      var next = [Double](repeating: 0, count: masses.count + rank)
      for sum in masses.indices {
        let half = masses[sum] / 2
        next[sum] += half
        next[sum + rank] += half
      }
      masses = next
      var cumulative: [Double] = []
      var reached = 0.0
      for sum in 0...(masses.count / 2) {
        reached += masses[sum]
        cumulative.append(min(1, reached))
      }
      tables.append(cumulative)
    }
    return tables
  }()

  /// The probability of a sum of at most `sum`, which lies in the lower half of all sums.
  ///
  /// Only up to `SignedRank.exactLimit` ranks. O(1) after the first call.
  func exactLowerTail(_ sum: Int) -> Double {
    Self.tables[count][sum]
  }

  /// The largest `c` with P(sum < c) <= tail, or 0 when there is none.
  ///
  /// Takes a tail below one half. O(log count).
  func acceptedRank(tail: Double) -> Int {
    guard count <= SignedRank.exactLimit else {
      let n = Double(count)
      let deviation = (n * (n + 1) * (2 * n + 1) / 24).squareRoot()
      let limit = n * (n + 1) / 4 - 0.5 - upperNormalQuantile(tail: tail) * deviation
      return max(0, Int(limit.rounded(.down)) + 1)
    }
    let table = Self.tables[count]
    // The first sum whose probability is above the tail; the table ascends.
    var low = 0
    var high = table.count
    while low < high {
      let middle = (low + high) / 2
      if table[middle] > tail { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
