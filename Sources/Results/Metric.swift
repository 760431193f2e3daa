// SPDX-License-Identifier: Apache-2.0

/// Everything that a row can be about: the closed registry of metrics, and those of one's own.
///
/// Units are base units (ns, B, 1, 1/s), per operation where the name of the unit says so.
package enum Metric: Hashable, Sendable {
  case wall
  case build
  case run
  case release
  case throughput
  case latency
  case cpu
  case cpuUser
  case cpuSystem
  case peakRSS
  case voluntarySwitches
  case involuntarySwitches
  case minorFaults
  case majorFaults
  case jobs
  case steals
  case failedSteals
  case parks
  case wakeUps
  case spuriousWakeUps
  case injections
  case compensations
  case makespan
  case tasks
  case edges
  case work
  case criticalPath
  case efficiency
  case efficiencyIdeal
  case queueDelay
  case instructions
  case readModifyWrites
  case allocations
  case allocatedBytes
  case hardwareInstructions
  case cycles
  case cacheMisses
  case latencyUncorrected
  case latencyVeryHigh
  case latencyHigh
  case latencyNormal
  case latencyLow
  case latencyVeryLow
  case inversion
  case oldestWait
  case deadlinesMet
  case quiescence
  case startedAfterCancel
  case wastedTime
  case knee
  case construction
  case metg
  case nodes
  /// A figure of a workload's own.
  case own(OwnMetric)

  /// The unit of its figures.
  package var measure: Unit {
    switch self {
    case .wall, .build, .run, .release, .cpu, .cpuUser, .cpuSystem, .inversion, .construction:
      .nanosecondsPerOperation
    case .throughput, .knee: .perSecond
    case .latency, .makespan, .work, .criticalPath, .queueDelay, .latencyUncorrected,
      .latencyVeryHigh, .latencyHigh, .latencyNormal, .latencyLow, .latencyVeryLow, .oldestWait,
      .quiescence, .wastedTime, .metg:
      .nanoseconds
    case .peakRSS: .bytes
    case .allocatedBytes: .bytesPerOperation
    case .voluntarySwitches, .involuntarySwitches, .minorFaults, .majorFaults, .jobs, .steals,
      .failedSteals, .parks, .wakeUps, .spuriousWakeUps, .injections, .compensations,
      .instructions, .readModifyWrites, .allocations, .hardwareInstructions, .cycles, .cacheMisses:
      .perOperation
    case .tasks, .edges, .efficiency, .efficiencyIdeal, .deadlinesMet, .startedAfterCancel, .nodes,
      .own:
      .one
    }
  }

  /// The unit as rows write it.
  package var unit: String { measure.rawValue }

  /// Which way is better.
  package var direction: Direction {
    switch self {
    case .throughput, .efficiency, .deadlinesMet, .knee: .higher
    // Properties of the graph and of the worker count, not of the scheduler.
    case .tasks, .edges, .work, .criticalPath, .efficiencyIdeal, .nodes: .none
    // What a program asks for, and from where.
    case .jobs, .injections: .none
    // Nobody said which way is better.
    case .own: .none
    case .wall, .build, .run, .release, .latency, .cpu, .cpuUser, .cpuSystem, .peakRSS,
      .voluntarySwitches, .involuntarySwitches, .minorFaults, .majorFaults, .steals,
      .failedSteals, .parks, .wakeUps, .spuriousWakeUps, .compensations, .makespan, .queueDelay,
      .instructions, .readModifyWrites, .allocations, .allocatedBytes, .hardwareInstructions,
      .cycles, .cacheMisses, .latencyUncorrected, .latencyVeryHigh, .latencyHigh, .latencyNormal,
      .latencyLow, .latencyVeryLow, .inversion, .oldestWait, .quiescence, .startedAfterCancel,
      .wastedTime, .construction, .metg:
      .lower
    }
  }

  /// What is measured, in one line.
  package var summary: String {
    switch self {
    case .wall: "first construction to last object released, per operation"
    case .build: "construction and submission, per operation; part of wall"
    case .run: "end of construction to the last finish, per operation; part of wall"
    case .release: "last finish to last object released, per operation; part of wall"
    case .throughput: "operations divided by the time of run"
    case .latency: "submission to start of the body, from every sample"
    case .cpu: "processor time of all threads, per operation"
    case .cpuUser: "processor time in the program, per operation; by the kernel's samples"
    case .cpuSystem: "processor time in the kernel, per operation; by the kernel's samples"
    case .peakRSS: "largest resident memory of the measuring process"
    case .voluntarySwitches: "context switches by blocking, per operation"
    case .involuntarySwitches: "context switches by preemption, per operation"
    case .minorFaults: "page faults without reading from a device, per operation"
    case .majorFaults: "page faults with reading from a device, per operation"
    case .jobs: "jobs that the scheduler ran, per operation"
    case .steals: "jobs that a worker took from another, per operation"
    case .failedSteals: "steals that another thread won, per operation"
    case .parks: "times a worker went to sleep, per operation"
    case .wakeUps: "times somebody woke a worker, per operation"
    case .spuriousWakeUps: "wake-ups after which the worker ran no job, per operation"
    case .injections: "jobs that came from outside the workers, per operation"
    case .compensations: "threads started for blocked workers, per operation"
    case .makespan: "submission to the last finish of a replayed graph"
    case .tasks: "tasks of a replayed graph"
    case .edges: "dependencies of a replayed graph"
    case .work: "sum of the durations of a replayed graph, scaled"
    case .criticalPath: "longest path of a replayed graph by durations, scaled"
    case .efficiency: "larger of work per worker and critical path, divided by makespan"
    case .efficiencyIdeal: "efficiency of a simulated list schedule without overhead"
    case .queueDelay: "all parents finished to start of the body, from every sample"
    case .instructions: "instructions of all threads under valgrind, per operation"
    case .readModifyWrites: "atomic read-modify-writes under valgrind, per operation"
    case .allocations:
      "calls of malloc and its kin, under valgrind or in a child of its own, per operation"
    case .allocatedBytes:
      "bytes that these gave, in size classes of jemalloc, in a child of its own, per operation"
    case .hardwareInstructions:
      "instructions in the program by the processor's counter, not timed, per operation"
    case .cycles: "cycles in the program by the processor's counter, not timed, per operation"
    case .cacheMisses:
      "misses of the last cache by the processor's counter, not timed, per operation"
    case .latencyUncorrected:
      "real start of the submission to start of the body: what a stall of the submitter hides"
    case .latencyVeryHigh:
      "latency of operations of priority very high"
    case .latencyHigh:
      "latency of operations of priority high"
    case .latencyNormal:
      "latency of operations of priority normal"
    case .latencyLow:
      "latency of operations of priority low"
    case .latencyVeryLow:
      "latency of operations of priority very low"
    case .inversion:
      "time that ready operations waited while one of lower priority began, per operation"
    case .oldestWait:
      "longest that a ready operation waited for its start"
    case .deadlinesMet:
      "share of the operations with a deadline that finished before it"
    case .quiescence:
      "request to cancel to the finish of the last operation"
    case .startedAfterCancel:
      "bodies that began after the request to cancel had returned"
    case .wastedTime:
      "time that bodies ran on after the request to cancel, all workers together"
    case .knee:
      "highest rate of submissions at which p99 of latency keeps its limit"
    case .construction:
      "making of a graph that is run many times, per operation; no part of wall"
    case .metg:
      "mean duration of bodies at which half of the best efficiency is reached; see the workload metg"
    case .nodes:
      "nodes of a tree that is found while it is searched"
    case .own: OwnMetric.summary
    }
  }

  /// Whether a run has many samples of it, in nanoseconds, of which percentiles are told.
  package var hasManySamples: Bool { Self.withManySamples.contains(self) }

  /// The metrics that `hasManySamples` is true of.
  package static let withManySamples: Set<Metric> = [
    .latency, .queueDelay, .latencyUncorrected, .latencyVeryHigh, .latencyHigh, .latencyNormal,
    .latencyLow, .latencyVeryLow,
  ]

  /// What a benchmark is about, as far as the metrics that it reports say: an answer of its own
  /// before the times that every benchmark has.
  package static func primary(among metrics: Set<Metric>) -> Metric {
    let order: [Metric] = [
      .makespan, .metg, .knee, .quiescence, .deadlinesMet, .latency, .inversion, .oldestWait, .wall,
      .instructions,
    ]
    return order.first(where: metrics.contains) ?? .wall
  }

  /// Whether it is the time that somebody waits for, so that the best of several is the fastest.
  package var isTimeToWait: Bool {
    switch self {
    case .wall, .makespan, .quiescence, .latency, .oldestWait: true
    default: false
    }
  }

  /// The statistics that a row of this metric may hold.
  package var statistics: [Statistic] {
    if hasManySamples { return [.p50, .p90, .p99, .p999, .max, .mean, .ratio] }
    switch self {
    case .tasks, .edges, .work, .criticalPath, .efficiencyIdeal, .nodes: return [.p50]
    default: return [.p50, .min, .max, .mean, .ratio]
    }
  }
}

extension Metric {
  /// The statistic that a name without one stands for.
  package var usualStatistic: Statistic { self == .peakRSS ? .max : .p50 }

  /// What a child that counts allocations tells, and no other: without it a contestant has all its
  /// other figures.
  package static let ofCountingChild: [Metric] = [.allocations, .allocatedBytes]

  /// What the processor's counters tell, where it has some and they may be read.
  package static let ofHardware: [Metric] = [.hardwareInstructions, .cycles, .cacheMisses]

  /// Whether a contestant without a figure of it has all its other figures.
  package var isMissedAlone: Bool {
    Self.ofCountingChild.contains(self) || Self.ofHardware.contains(self)
  }
}

/// Which way a metric is better.
package enum Direction: String, CaseIterable, Sendable {
  case lower
  case higher
  /// A property of the input, or informational.
  case none
}

/// What a figure says about its samples.
package enum Statistic: String, CaseIterable, Sendable {
  case p50
  case p90
  case p99
  case p999 = "p99.9"
  case min
  case max
  case mean
  case ratio

  /// What it is, in one line.
  package var summary: String {
    switch self {
    case .p50: "median; of the process medians in an aggregate row"
    case .p90: "90th percentile, nearest rank"
    case .p99: "99th percentile, nearest rank"
    case .p999: "99.9th percentile, nearest rank"
    case .min: "smallest sample"
    case .max: "largest sample"
    case .mean: "arithmetic mean"
    case .ratio: "Hodges–Lehmann ratio to the other side, in a run to the best or the base"
    }
  }

  /// The quantile as a fraction, for the statistics that are one.
  package var quantile: Double? {
    switch self {
    case .p50: 0.5
    case .p90: 0.9
    case .p99: 0.99
    case .p999: 0.999
    case .min: 0
    case .max: 1
    case .mean, .ratio: nil
    }
  }

  /// The unit of this statistic over a metric: a ratio has none.
  package func measure(of metric: Metric) -> Unit { self == .ratio ? .one : metric.measure }

  /// That unit as rows write it.
  package func unit(of metric: Metric) -> String { measure(of: metric).rawValue }
}

/// The label of the warm-up scan.
package enum WarmUpState: String, CaseIterable, Sendable {
  case steady
  case drifting
  case cyclic
  case unknown
}

/// The side of a comparison.
package enum Role: String, CaseIterable, Sendable {
  case a = "A"
  case b = "B"
}
