// SPDX-License-Identifier: Apache-2.0

/// Which of the ready operations a free worker of a simulation takes.
package enum SimulationPolicy: String, Sendable, CaseIterable {
  /// The one that became ready last.
  case lifo
  /// The one that has been ready longest.
  case fifo
  /// The one with the longest path to the end of the graph behind it, its own duration included.
  case criticalPath = "critical-path"
  /// The one of the highest priority; of these the one that has been ready longest.
  case priority
  /// Its own newest; without one, half of what another worker holds, the oldest first.
  ///
  /// What a worker makes ready is its own. What comes from outside lies in a list of which a worker
  /// without work takes its share, the oldest first.
  case stealHalf = "steal-half"
}

/// What a simulation supposes.
package struct SimulationOptions: Sendable, Hashable {
  /// Workers, 1 or more.
  package var workers: Int
  package var policy: SimulationPolicy
  /// How long a worker is busy with each operation beside its body, 0 or more.
  package var overheadNanoseconds: Int64
  /// What chance decides: whom a thief asks.
  package var seed: UInt64

  /// See the properties.
  package init(
    workers: Int, policy: SimulationPolicy = .fifo, overheadNanoseconds: Int64 = 0, seed: UInt64 = 0
  ) {
    self.workers = workers
    self.policy = policy
    self.overheadNanoseconds = overheadNanoseconds
    self.seed = seed
  }
}
