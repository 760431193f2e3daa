// SPDX-License-Identifier: Apache-2.0

package import Harness
internal import Statistics

/// What is to be measured, whoever asks for it.
package struct MeasurementRequest: Sendable {
  /// How a replayed task spends its duration.
  package enum ReplayBody: String, Sendable { case spin, work }

  /// Workloads by name; all that run by default when there are none.
  package var workloadNames: [String] = []
  /// A regular expression for names of workloads.
  package var filter: String?
  /// Workloads must have one of these tags; nil for any.
  package var tags: [String]?
  /// Schedulers by name; nil for all that are not on request only.
  package var schedulers: [String]?
  /// Reference systems by name.
  package var references: [String] = []
  /// Worker counts; nil for as many as CPUs.
  package var workers: [Int]?
  /// CPUs that every child is pinned to.
  package var cpus: Int?
  /// Values on axes of workloads and knobs of schedulers.
  package var axes: [AxisSelection] = []
  /// Recorded graphs; they replace the workloads.
  package var graphs: [GraphSummary] = []
  /// Factor on every duration of a graph; nil for one that depends on its work.
  package var timeScale: Double?
  /// How a replayed task spends its duration.
  package var body = ReplayBody.spin
  /// Small sizes and little time.
  package var isQuick = false
  /// Time to measure for; nil for the usual one.
  package var budget: Duration?
  /// Seed of every random choice; nil for a fresh one.
  package var seed: UInt64?
  /// Rounds, whatever the time; nil for as many as fit.
  package var processes: Int?
  /// Allocator of the measured processes.
  package var allocator = Allocator.jemalloc
  /// Whether allocations are counted once everything is timed.
  package var countsAllocations = false

  /// A request for everything at default sizes.
  package init() {}

  /// Rounds, which is processes per scheduler: what was asked for, else 8, or as many as are ranked
  /// for a quick look.
  package var rounds: Int { processes ?? (isQuick ? PairedRatio.leastPairs : 8) }

  /// Time to measure for: what was asked for, else 80 s, or 12 s for a quick look.
  package var totalBudget: Duration { budget ?? (isQuick ? .seconds(12) : .seconds(80)) }
}
