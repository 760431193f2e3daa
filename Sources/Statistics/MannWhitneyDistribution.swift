// SPDX-License-Identifier: Apache-2.0

/// The distribution of Mann and Whitney's U when both samples come from one distribution.
///
/// U counts the pairs, one figure from each sample, in which the second figure is the smaller one.
/// Exact while neither sample has more than `exactLimit` figures; beyond, normal with continuity
/// correction. A plain value; any thread.
/// Source: Mann and Whitney, The Annals of Mathematical Statistics 18(1), 1947.
struct MannWhitneyDistribution: Sendable {
  /// The largest sample for which the distribution is computed exactly.
  static let exactLimit = 20

  /// How many figures each sample has.
  let counts: (Int, Int)

  /// The lower half of the cumulative distribution by the counts of both samples.
  ///
  /// The largest of all figures is of one sample or of the other, which leaves the distribution of
  /// one figure fewer; so all tables together are one sweep.
  private static let tables: [[[Double]]] = {
    var tables: [[[Double]]] = []
    var before: [[Double]] = []
    for m in 0...exactLimit {
      var row: [[Double]] = []
      for n in 0...exactLimit {
        guard m > 0, n > 0 else {
          row.append([1])
          continue
        }
        var masses = [Double](repeating: 0, count: m * n + 1)
        for (u, mass) in before[n].enumerated() {
          masses[u + n] += mass * Double(m) / Double(m + n)
        }
        for (u, mass) in row[n - 1].enumerated() { masses[u] += mass * Double(n) / Double(m + n) }
        row.append(masses)
      }
      tables.append(
        row.map { masses in
          var reached = 0.0
          return masses[...(masses.count / 2)].map { mass in
            reached += mass
            return reached
          }
        })
      before = row
    }
    return tables
  }()

  /// The largest `c` with P(U < c) <= tail, or 0 when there is none.
  ///
  /// Takes a tail below one half. O(product of the counts) up to `exactLimit`, else O(1).
  func acceptedRank(tail: Double) -> Int {
    let (m, n) = counts
    guard max(m, n) <= Self.exactLimit else {
      let product = Double(m) * Double(n)
      let deviation = (product * Double(m + n + 1) / 12).squareRoot()
      let limit = product / 2 - 0.5 - upperNormalQuantile(tail: tail) * deviation
      return max(0, Int(limit.rounded(.down)) + 1)
    }
    let table = Self.tables[m][n]
    return table.firstIndex { $0 > tail } ?? table.count
  }
}
