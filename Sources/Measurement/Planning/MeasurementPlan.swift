// SPDX-License-Identifier: Apache-2.0

internal import ConcurrencyPrimitives
package import Harness
package import Results
package import Scheduling
internal import Statistics

/// One system that takes part in a group: a scheduler or a reference, with the sizes it runs.
package struct Contestant: Hashable, Sendable {
  /// Scheduler or reference.
  package let system: Assignment.System
  /// Worker count; a scheduler with a fixed count keeps its own.
  package let workers: Int
  /// Sizes after capping.
  package let parameters: Parameters
  /// What the user set on the scheduler; the other knobs have their defaults.
  package let knobs: KnobSettings
  /// Axes that were cut, with the cap.
  package let caps: [String: Int]
  /// Which code it is; nil for that of this program.
  package var code: CodeIdentity?

  package init(
    system: Assignment.System, workers: Int, parameters: Parameters,
    knobs: KnobSettings = KnobSettings(), caps: [String: Int] = [:]
  ) {
    self.knobs = knobs
    self.system = system
    self.workers = workers
    self.parameters = parameters
    self.caps = caps
  }

  /// Name of the scheduler or reference.
  package var name: String {
    switch system {
    case .scheduler(let name), .reference(let name): name
    }
  }

  /// The name with the knobs that the user set: `work-stealing spin-us=5`.
  package var label: String {
    ([name] + knobs.entries.map { "\($0.name)=\($0.value)" }).joined(separator: " ")
  }

  /// True for a system that is measured whole, with its own operations.
  package var isReference: Bool {
    if case .reference = system { true } else { false }
  }
}

/// What is compared with each other: one benchmark at one point of its axes with one worker count.
package struct MeasurementGroup: Sendable {
  /// The suite of the built-in workloads.
  package static let coreSuite = "core"

  /// `core` for built-in workloads, `replay` for graph files.
  package let suite: String
  /// Name of the workload, or of the graph file without what the CSV does not allow.
  package let benchmark: String
  /// One line about it.
  package let summary: String
  /// What the children run.
  package let subject: Assignment.Subject
  /// Sizes before capping.
  package let parameters: Parameters
  /// Worker count asked for.
  package let workers: Int
  /// CPUs that every child is pinned to, or nil.
  package let cpus: Int?
  /// Settings that become `params` entries and go to the child.
  package let settings: [String: String]
  /// Metrics the workload reports besides the common ones.
  package let metrics: Set<Metric>
  /// Who takes part, schedulers first, in the order of the suite.
  package var contestants: [Contestant]
  /// The graph that is replayed; nil for a workload.
  package var replay: Replay?
  /// What one iteration is expected to take one worker, in seconds; for estimates alone.
  package var iterationSeconds = 0.0
  /// True when more workers are expected to take less time, as they do for a recorded graph.
  package var sharesWork = false

  /// A graph, and the factor on every duration.
  package struct Replay: Hashable, Sendable {
    package let graph: GraphSummary
    package let timeScale: Double
  }

  /// The setting that tells a graph from another one under the same name; children compare it with
  /// what they read.
  package static let fingerprintKey = RowParameters.graph

  /// The metric the table shows and ratios are told of: what this benchmark is about.
  package var primaryMetric: Metric { .primary(among: metrics) }

  /// Sizes, worker count, knobs that the user set, caps, CPUs and settings of a contestant, as its
  /// rows carry them.
  package func rowParameters(of contestant: Contestant) -> RowParameters {
    var pairs = contestant.parameters.entries.map { ($0.name, $0.value.description) }
    pairs.append((RowParameters.workers, String(contestant.workers)))
    pairs += contestant.knobs.entries.map { ($0.name, $0.value.description) }
    pairs += contestant.caps.map { (RowParameters.capPrefix + $0.key, String($0.value)) }
    if let cpus { pairs.append((RowParameters.cpus, String(cpus))) }
    pairs += settings.map { ($0.key, $0.value) }
    return RowParameters(pairs)
  }
}

/// Everything that one run measures, before any of it has happened.
package struct MeasurementPlan: Sendable {
  /// What is compared, in the order in which it is shown.
  package var groups: [MeasurementGroup]
  /// How often every contestant is measured; the rounds are the pairs.
  package let rounds: Int
  /// True when the user named the number of rounds.
  package let roundsAreFixed: Bool
  /// Source of every random choice.
  package let seed: UInt64
  /// Time for everything.
  package let budget: Duration
  /// True when the user named the time, which is then kept.
  package let budgetIsNamed: Bool
  /// CPUs that the children may use.
  package let cpuCount: Int
  /// Iterations before the first timed one in every process.
  package let warmups: Int
  /// Allocator of the measured processes.
  package let allocator: Allocator
  /// Whether every contestant counts its allocations in one more child, behind the rounds.
  package var countsAllocations = false
  /// What whoever asked should know about the plan.
  package var notes: [PlanNote]

  /// Rounds that are run whatever the time: none within a time that the user named, else as many as
  /// can be ranked.
  package var leastRounds: Int {
    roundsAreFixed ? rounds : budgetIsNamed ? 0 : min(rounds, PairedRatio.leastPairs)
  }

  /// Child processes in all.
  package var childCount: Int { rounds * groups.reduce(0) { $0 + $1.contestants.count } }

  /// How long a child may take before it counts as hung: the whole budget, at least half a minute,
  /// and four times what the longest is expected to take.
  package var childDeadline: Duration {
    let longest = groups.map(\.iterationSeconds).max() ?? 0
    return max(budget, .seconds(30), .seconds(4 * Double(warmups + 1) * longest))
  }

  /// Nanoseconds after which no further child starts: a tenth above the time that the user named.
  ///
  /// The time is divided so that the last child ends with it, more or less. Nil when the time may
  /// be exceeded: by the rounds that the user named, or by those that are promised.
  package var mostNanoseconds: UInt64? {
    guard budgetIsNamed, !roundsAreFixed else { return nil }
    let parts = budget.components
    return UInt64(1.1 * (Double(parts.seconds) * 1e9 + Double(parts.attoseconds) / 1e9))
  }

  /// The order in which a round runs the contestants of a group: indices into `contestants`.
  ///
  /// A function of the seed, the round and the group alone.
  package func order(round: Int, group: Int) -> [Int] {
    var generator = generator(round: round, group: group)
    return Array(groups[group].contestants.indices).shuffled(using: &generator)
  }

  /// The assignment of one child; every contestant of a round gets the same seed and the same
  /// padding.
  ///
  /// The padding shifts where the child's stack begins, so that no accident of layout is in every
  /// round.
  package func assignment(
    round: Int, group: Int, contestant: Int, timeBudgetNanoseconds: UInt64
  ) -> Assignment {
    let planned = groups[group]
    let system = planned.contestants[contestant]
    var generator = generator(round: round, group: group)
    return Assignment(
      subject: planned.subject, system: system.system, workers: system.workers,
      cpus: planned.cpus, parameters: system.parameters, knobs: system.knobs, warmups: warmups,
      minimumIterations: 1,
      timeBudgetNanoseconds: timeBudgetNanoseconds, seed: generator.next(), allocator: allocator,
      environmentPadding: generator.index(below: 4096), extra: planned.settings)
  }

  /// The assignment of the child that counts a contestant's allocations: a warm-up, then one
  /// iteration.
  package func countingAssignment(group: Int, contestant: Int) -> Assignment {
    var assignment = assignment(
      round: rounds, group: group, contestant: contestant, timeBudgetNanoseconds: 0)
    assignment.maximumIterations = 1
    assignment.countsAllocations = true
    return assignment
  }

  /// Random numbers of one round of one group; no two of these streams start alike.
  private func generator(round: Int, group: Int) -> SeededGenerator {
    var outer = SeededGenerator(seed: seed ^ UInt64(truncatingIfNeeded: round))
    return SeededGenerator(seed: outer.next() ^ UInt64(truncatingIfNeeded: group))
  }
}
