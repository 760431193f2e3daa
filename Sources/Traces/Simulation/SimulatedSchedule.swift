// SPDX-License-Identifier: Apache-2.0

/// What a simulation made of a graph.
package struct SimulatedSchedule: Sendable, Equatable {
  package let options: SimulationOptions
  /// From the beginning to the last finish.
  package internal(set) var makespan: Int64 = 0
  /// Operations that finished; fewer than there are where a queue with limit 0 admits none.
  package internal(set) var finished = 0
  /// When each became ready; -1 for those that never did.
  package internal(set) var ready: [Int64]
  /// When each body began; -1 for those that never did.
  package internal(set) var starts: [Int64]
  /// The worker that ran each, or -1.
  package internal(set) var workers: [Int32]

  init(options: SimulationOptions, count: Int) {
    self.options = options
    ready = Array(repeating: -1, count: count)
    starts = ready
    workers = Array(repeating: -1, count: count)
  }
}
