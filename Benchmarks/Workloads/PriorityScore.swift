// SPDX-License-Identifier: Apache-2.0

internal import Harness
internal import Operations

/// What the times of a run say of the order in which operations began.
struct PriorityScore {
  /// Time that operations waited after one of lower priority had begun, summed, in nanoseconds.
  private(set) var inversion: UInt64 = 0
  /// The longest wait for a start, in nanoseconds.
  private(set) var oldestWait: UInt64 = 0

  /// O(n log n).
  ///
  /// Parameters have an element per operation: its priority, and when it was submitted and began.
  init(priorities: [Operation.QueuePriority], submitted: [UInt64], started: [UInt64]) {
    for level in Set(priorities) {
      let lower = priorities.indices.filter { priorities[$0].rawValue < level.rawValue }
        .map { started[$0] }.sorted()
      for index in priorities.indices where priorities[index] == level {
        let (begin, end) = (submitted[index], started[index])
        guard end > begin else { continue }
        oldestWait = max(oldestWait, end - begin)
        let place = Self.firstPlace(in: lower, after: begin)
        if place < lower.count, lower[place] < end { inversion += end - lower[place] }
      }
    }
  }

  /// The place of the first value above a bound.
  private static func firstPlace(in sorted: [UInt64], after bound: UInt64) -> Int {
    var (low, high) = (0, sorted.count)
    while low < high {
      let middle = (low + high) / 2
      if sorted[middle] > bound { high = middle } else { low = middle + 1 }
    }
    return low
  }
}

extension Operation.QueuePriority {
  /// The metric of the latencies of this priority.
  var latencyMetric: String {
    switch self {
    case .veryHigh: "latency-very-high"
    case .high: "latency-high"
    case .normal: "latency-normal"
    case .low: "latency-low"
    case .veryLow: "latency-very-low"
    }
  }
}
