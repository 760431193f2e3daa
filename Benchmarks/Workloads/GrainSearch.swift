// SPDX-License-Identifier: Apache-2.0

internal import CKernels
package import Harness

/// Finds the minimum effective task granularity of a system (Slaughter et al., SC'20): the shortest
/// body with which the system still reaches half of the efficiency that it reaches at best.
///
/// Efficiency is the time that the bodies take one thread alone, by the time that all workers take
/// for the graph. A machine whose two threads do not do twice the work of one is no scheduler's
/// fault: that is in the best efficiency too.
package struct GrainSearch {
  /// Nodes of the graph.
  let nodes: Int
  /// Worker count.
  let workers: Int
  /// Time of one run of the graph with so many iterations in each body, in nanoseconds.
  let measure: (_ iterations: Int) throws(WrongAnswer) -> UInt64

  package init(
    nodes: Int, workers: Int, measure: @escaping (Int) throws(WrongAnswer) -> UInt64
  ) {
    self.nodes = nodes
    self.workers = workers
    self.measure = measure
  }

  /// Bodies at which the best efficiency is sought, in nanoseconds.
  static let coarse: [Double] = [20_000, 50_000]
  /// Runs for the time of one grain; the median counts.
  static let runs = 3
  /// The share of the best efficiency that is sought.
  static let share = 0.5
  /// The search ends when its bounds are closer than this factor.
  static let closeness = 1.03

  /// The mean duration of a body at the crossing, in nanoseconds.
  package func run() throws(WrongAnswer) -> Double {
    let iteration = Self.nanosecondsPerIteration()
    var best = 0.0
    for nanoseconds in Self.coarse {
      best = max(best, try efficiency(max(1, Int(nanoseconds / iteration)), iteration))
    }
    var low = (iterations: 1, efficiency: try efficiency(1, iteration))
    var high = (iterations: max(2, Int(Self.coarse[0] / iteration)), efficiency: best)
    let goal = Self.share * best
    if low.efficiency >= goal { return iteration }
    while Double(high.iterations) > Double(low.iterations) * Self.closeness,
      high.iterations > low.iterations + 1
    {
      let middle = Int((Double(low.iterations) * Double(high.iterations)).squareRoot().rounded())
      let found = try efficiency(
        min(max(middle, low.iterations + 1), high.iterations - 1), iteration)
      if found < goal { low = (middle, found) } else { high = (middle, found) }
    }
    let rise = high.efficiency - low.efficiency
    let part = rise > 0 ? min(max((goal - low.efficiency) / rise, 0), 1) : 1
    let between = Double(low.iterations) + part * Double(high.iterations - low.iterations)
    return between * iteration
  }

  private func efficiency(
    _ iterations: Int, _ iteration: Double
  ) throws(WrongAnswer) -> Double {
    var times: [UInt64] = []
    for _ in 0..<Self.runs { times.append(try measure(iterations)) }
    let time = times.sorted()[Self.runs / 2]
    return Double(nodes) * Double(iterations) * iteration / (Double(workers) * Double(max(time, 1)))
  }

  /// What an iteration of the kernel takes this thread; the shortest of several tries.
  static func nanosecondsPerIteration() -> Double {
    let iterations: Int64 = 200_000
    var shortest = UInt64.max
    var value: UInt64 = 1
    for _ in 0..<7 {
      let begin = MonotonicClock.nanoseconds()
      value = ckernel_compute(value, iterations)
      shortest = min(shortest, MonotonicClock.nanoseconds() - begin)
    }
    // The value decides something, so that the loop is not left out.
    return Double(shortest) / Double(iterations) + (value == 0 ? 1e-9 : 0)
  }
}
