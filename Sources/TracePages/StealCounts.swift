// SPDX-License-Identifier: Apache-2.0

internal import Traces

/// How many operations each worker took from each other one: a row per thief.
struct StealCounts {
  let matrix: [[Int]]
  /// Whether the scheduler tells where any operation was found.
  let isKnown: Bool

  /// O(operations + workers²).
  init(_ trace: Trace) {
    let workers = 1 + (trace.threads.map { Int($0.worker) }.max() ?? -1)
    var matrix = Array(repeating: [Int](repeating: 0, count: workers), count: workers)
    var isKnown = false
    for operation in trace.operations {
      isKnown = isKnown || operation.source != .unknown
      guard operation.source == .steal, let lane = operation.lane(in: trace) else { continue }
      let thief = Int(trace.threads[lane].worker)
      let victim = Int(operation.victim)
      if matrix.indices.contains(thief), matrix.indices.contains(victim) {
        matrix[thief][victim] += 1
      }
    }
    self.matrix = matrix
    self.isKnown = isKnown
  }
}
