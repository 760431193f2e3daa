// SPDX-License-Identifier: Apache-2.0

/// The largest energy distance between the two parts of a series, over all places to split it.
///
/// The distance between parts of m and k figures is m k / (m + k) times
/// 2 E|X - Y| - E|X - X'| - E|Y - Y'|, with means over all pairs of figures. It grows with any
/// difference between the distributions of the parts, not only of their means.
/// Sources: Székely and Rizzo, Journal of Statistical Planning and Inference 143, 2013;
/// Matteson and James, Journal of the American Statistical Association 109, 2014.
struct EnergyStatistic: Sendable {
  /// Where the series splits best.
  struct Split: Sendable, Equatable {
    /// The index of the first figure of the second part.
    let index: Int
    /// The scaled energy distance there, not negative.
    let distance: Double
  }

  /// The figures in ascending order.
  private let sorted: [Double]
  /// For each ascending figure the sum of its distances to all figures.
  private let distanceSums: [Double]
  /// The sum of the distances of all pairs.
  private let total: Double

  /// Prepares for the orders of one set of figures.
  init(figures: [Double]) {
    sorted = figures.sorted()
    let sum = sorted.reduce(0, +)
    var below = 0.0
    var sums: [Double] = []
    sums.reserveCapacity(sorted.count)
    for (rank, figure) in sorted.enumerated() {
      let above = sum - below
      let count = Double(rank)
      sums.append(figure * (2 * count - Double(sorted.count)) - below + above)
      below += figure
    }
    distanceSums = sums
    total = sums.reduce(0, +) / 2
  }

  /// The ranks, counted from 0, of a series of these figures; equal figures in order of appearance.
  static func ranks(_ series: [Double]) -> [Int] {
    var ranks = [Int](repeating: 0, count: series.count)
    let order = series.indices.sorted { (series[$0], $0) < (series[$1], $1) }
    for (rank, index) in order.enumerated() { ranks[index] = rank }
    return ranks
  }

  /// The best split that leaves `margin` figures at least on either side.
  ///
  /// `ranks` is an order of the ranks 0..<n. Takes 2 * margin figures at least. O(n log n): the sum
  /// of distances from one figure to those already in the first part comes from a tree of counts
  /// and sums by rank.
  func bestSplit(ranks: [Int], margin: Int) -> Split {
    let count = ranks.count
    var tree = RankTree(count: count)
    var inFirst = 0.0
    var inSecond = total
    var firstSum = 0.0
    var best = Split(index: margin, distance: -1)
    for index in 0..<(count - margin) {
      let rank = ranks[index]
      let figure = sorted[rank]
      let below = tree.below(rank)
      let toFirst =
        figure * Double(2 * below.count - index) - 2 * below.sum + firstSum
      inFirst += toFirst
      inSecond -= distanceSums[rank] - toFirst
      tree.add(rank, figure)
      firstSum += figure
      guard index + 1 >= margin else { continue }
      let m = Double(index + 1)
      let k = Double(count - index - 1)
      let between = (total - inFirst - inSecond) / (m * k)
      let distance =
        m * k / Double(count) * 2 * (between - inFirst / (m * m) - inSecond / (k * k))
      if distance > best.distance { best = Split(index: index + 1, distance: distance) }
    }
    return best
  }
}

/// Counts and sums of figures below a rank (a Fenwick tree).
private struct RankTree {
  private var counts: [Int]
  private var sums: [Double]

  init(count: Int) {
    counts = Array(repeating: 0, count: count + 1)
    sums = Array(repeating: 0, count: count + 1)
  }

  mutating func add(_ rank: Int, _ figure: Double) {
    var node = rank + 1
    while node < counts.count {
      counts[node] += 1
      sums[node] += figure
      node += node & -node
    }
  }

  func below(_ rank: Int) -> (count: Int, sum: Double) {
    var node = rank
    var count = 0
    var sum = 0.0
    while node > 0 {
      count += counts[node]
      sum += sums[node]
      node -= node & -node
    }
    return (count, sum)
  }
}
