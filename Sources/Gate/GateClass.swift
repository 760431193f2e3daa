// SPDX-License-Identifier: Apache-2.0

package import Results

/// How a figure is gated: what may differ by chance, and by how much it may be worse.
///
/// A plain value; any thread.
package enum GateClass: String, Sendable, CaseIterable {
  /// A count that the code alone decides: one more is a regression.
  case exact
  /// A count that the moment decides as well.
  case nearExact = "near-exact"
  /// A time, or a rate.
  case timing
  /// A high percentile of what operations wait.
  case tail
  /// Worth knowing; gates only where a limits file gives it a tolerance or a limit.
  case informational

  /// The class of a figure; nil when none of its values is better than another.
  package init?(_ figure: FigureKey) {
    guard figure.metric.direction != .none, figure.statistic != .ratio else { return nil }
    switch (figure.metric, figure.statistic) {
    case (_, .min), (_, .max), (_, .mean): self = .informational
    case (.latency, .p50), (.queueDelay, .p50): self = .timing
    case (.latency, _), (.queueDelay, _): self = .tail
    case (.wall, _), (.throughput, _), (.makespan, _), (.efficiency, _), (.cpu, _): self = .timing
    // Parts of wall, which gates: the same regression would count twice.
    case (.build, _), (.run, _), (.release, _): self = .informational
    case (.allocations, _), (.readModifyWrites, _): self = .exact
    case (.voluntarySwitches, _), (.instructions, _): self = .nearExact
    // The operating system preempts for others.
    case (.involuntarySwitches, _), (.peakRSS, _): self = .informational
    // Part of cpu, and not there on every machine.
    case (.hardwareInstructions, _), (.cycles, _), (.cacheMisses, _): self = .informational
    // Another allocator rounds otherwise; how often it is asked gates.
    case (.allocatedBytes, _): self = .informational
    // Parts of cpu, and what makes voluntary switches: both gate.
    case (.cpuUser, _), (.cpuSystem, _), (.minorFaults, _), (.majorFaults, _), (.steals, _),
      (.failedSteals, _), (.parks, _), (.wakeUps, _), (.spuriousWakeUps, _), (.compensations, _):
      self = .informational
    case (.jobs, _), (.injections, _), (.tasks, _), (.edges, _), (.work, _), (.criticalPath, _),
      (.efficiencyIdeal, _), (.own, _):
      return nil
    // Of workloads that ask one question; a limits file says what is good enough there.
    case (.latencyUncorrected, _), (.latencyVeryHigh, _), (.latencyHigh, _), (.latencyNormal, _),
      (.latencyLow, _), (.latencyVeryLow, _), (.inversion, _), (.oldestWait, _), (.deadlinesMet, _),
      (.quiescence, _), (.startedAfterCancel, _), (.wastedTime, _), (.knee, _), (.construction, _),
      (.metg, _), (.nodes, _):
      self = .informational
    }
  }

  /// Operations beyond a percentile, over all pairs of a side, from which on it gates.
  package static let leastBeyond = 1000

  /// How much worse than the base a metric of this class may be, as a fraction; nil for what does
  /// not gate.
  package func tolerance(of metric: Metric) -> Double? {
    switch self {
    case .exact: 0
    case .nearExact: metric == .instructions ? CountsTolerance().instructions : 0.02
    case .timing: 0.01
    case .tail: 0.1
    case .informational: nil
    }
  }
}
