// SPDX-License-Identifier: Apache-2.0

/// The means of every two figures, each figure also with itself, in ascending order.
///
/// There are n (n + 1) / 2 of them; this value finds one by its rank without forming them all. The
/// means of one figure with all larger ones are in order already, so that a rank is found by
/// discarding at least a quarter of what is left around the weighted median of the rows' middles.
/// A plain value; any thread.
/// Source: Johnson and Mizoguchi, SIAM Journal on Computing 7(2), 1978, doi:10.1137/0207013.
struct WalshAverages: Sendable {
  private let figures: [Double]

  /// Takes the figures in ascending order.
  init(ofSorted figures: [Double]) {
    self.figures = figures
  }

  /// How many means there are.
  var count: Int { figures.count * (figures.count + 1) / 2 }

  /// The mean of rank `rank`, counted from 1.
  ///
  /// O(n log² n).
  func value(rank: Int) -> Double {
    var first = Array(figures.indices)
    var end = Array(repeating: figures.count, count: figures.count)
    var left = count
    var below = 0
    while left > max(figures.count, 16) {
      let pivot = pivot(first, end)
      let less = rowEnds { $0 < pivot }
      let atMost = rowEnds { $0 <= pivot }
      if rank <= excess(less) {
        for row in figures.indices { end[row] = min(end[row], less[row]) }
      } else if rank > excess(atMost) {
        for row in figures.indices { first[row] = max(first[row], atMost[row]) }
      } else {
        return pivot
      }
      left = 0
      below = 0
      for row in figures.indices {
        left += max(0, end[row] - first[row])
        below += first[row] - row
      }
    }
    var candidates: [Double] = []
    for row in figures.indices where first[row] < end[row] {
      for column in first[row]..<end[row] { candidates.append(mean(row, column)) }
    }
    candidates.sort()
    return candidates[rank - below - 1]
  }

  /// The median of all means: the middle one, or the mean of the middle two.
  func median() -> Double {
    let lower = value(rank: (count + 1) / 2)
    guard count.isMultiple(of: 2) else { return lower }
    let upper = value(rank: count / 2 + 1)
    return lower == upper ? lower : lower * 0.5 + upper * 0.5
  }

  private func mean(_ row: Int, _ column: Int) -> Double {
    (figures[row] + figures[column]) / 2
  }

  /// The median of the middles of the rows, each weighted by what is left of its row.
  private func pivot(_ first: [Int], _ end: [Int]) -> Double {
    var middles: [(value: Double, weight: Int)] = []
    var total = 0
    for row in figures.indices where first[row] < end[row] {
      let weight = end[row] - first[row]
      middles.append((mean(row, first[row] + (weight - 1) / 2), weight))
      total += weight
    }
    middles.sort { $0.value < $1.value }
    var reached = 0
    for middle in middles {
      reached += middle.weight
      if 2 * reached >= total { return middle.value }
    }
    fatalError("WalshAverages: no row is left; expected at least one; the bounds of rows crossed")
  }

  /// For each row the first column whose mean fails the condition, which holds up to some value.
  private func rowEnds(_ holds: (Double) -> Bool) -> [Int] {
    var ends: [Int] = []
    ends.reserveCapacity(figures.count)
    // Larger rows fail earlier, so one pass over the columns serves all rows.
    var column = figures.count
    for row in figures.indices {
      while column > 0, !holds(mean(row, column - 1)) { column -= 1 }
      ends.append(max(row, column))
    }
    return ends
  }

  private func excess(_ ends: [Int]) -> Int {
    var total = 0
    for row in ends.indices { total += ends[row] - row }
    return total
  }
}
