// SPDX-License-Identifier: Apache-2.0

internal import CSystemShims

/// Takes the stamps of one iteration.
///
/// One thread calls `begin`, `built`, `ran`, `released`, once each and in this order. Wall time is
/// begin → released; build, run and release are its three parts and sum to it exactly. CPU time,
/// context switches and page faults are those of the whole process over the same stretch, read just
/// outside it, so that their cost is not in it.
package struct IterationRecorder {
  private struct Stamps {
    var begin: UInt64 = 0
    var built: UInt64 = 0
    var ran: UInt64 = 0
    var released: UInt64 = 0
  }

  private var stamps = Stamps()
  private var cpuAtBegin: UInt64 = 0
  private var cpuAtEnd: UInt64 = 0
  private var usageAtBegin = ProcessUsage()
  private var usageAtEnd = ProcessUsage()
  private var allocationsAtBegin = AllocationCounter.Count()
  private var allocationsAtEnd = AllocationCounter.Count()
  /// Whether allocations are counted, which takes a proven counter.
  private let countsAllocations: Bool
  /// What the processor counts; nil in iterations that are timed.
  var hardware: HardwareTotals?

  /// Samples reported in this iteration, in nanoseconds, by registry name; in the order in which
  /// the names came first.
  package private(set) var samples: [(metric: String, nanoseconds: [UInt64])] = []
  /// Other values reported in this iteration, by metric name.
  package private(set) var values: [(metric: String, value: Double)] = []

  /// A recorder without stamps.
  package init() { self.init(countsAllocations: false) }

  /// A recorder without stamps, of a child that counts or does not.
  init(countsAllocations: Bool) { self.countsAllocations = countsAllocations }

  /// Just before the first operation is constructed.
  package mutating func begin() {
    if countsAllocations { allocationsAtBegin = AllocationCounter.now() }
    usageAtBegin = .now()
    cpuAtBegin = shim_process_cpu_ns()
    hardware?.begin()
    stamps.begin = MonotonicClock.nanoseconds()
  }

  /// Everything is constructed and nothing has been allowed to run.
  ///
  /// A workload that submits while it builds calls this right after `begin()`.
  package mutating func built() { stamps.built = MonotonicClock.nanoseconds() }

  /// The last operation has finished.
  package mutating func ran() { stamps.ran = MonotonicClock.nanoseconds() }

  /// The last object of the iteration is gone.
  package mutating func released() {
    stamps.released = MonotonicClock.nanoseconds()
    hardware?.end()
    cpuAtEnd = shim_process_cpu_ns()
    usageAtEnd = .now()
    if countsAllocations { allocationsAtEnd = AllocationCounter.now() }
  }

  /// What the kernel counted for the process from `begin()` to `released()`.
  var usage: ProcessUsage { usageAtEnd - usageAtBegin }

  /// What was allocated from `begin()` to `released()`; nil where nothing is counted.
  var allocations: AllocationCounter.Count? {
    countsAllocations ? allocationsAtEnd - allocationsAtBegin : nil
  }

  /// Adds one latency sample; call it after `released()`.
  package mutating func latency(nanoseconds: UInt64) { sample("latency", nanoseconds) }

  /// Adds one queue delay sample; call it after `released()`.
  package mutating func queueDelay(nanoseconds: UInt64) { sample("queue-delay", nanoseconds) }

  /// Adds one sample of a metric of the registry that has many of them; call it after `released()`.
  ///
  /// Any other name ends the measurement, with a message that has it.
  package mutating func sample(_ metric: String, _ nanoseconds: UInt64) {
    // A handful of names: a search is faster than a table.
    if let place = samples.firstIndex(where: { $0.metric == metric }) {
      samples[place].nanoseconds.append(nanoseconds)
    } else {
      samples.append((metric, [nanoseconds]))
    }
  }

  /// The samples of one metric.
  package func samples(of metric: String) -> [UInt64] {
    samples.first { $0.metric == metric }?.nanoseconds ?? []
  }

  /// Latencies reported in this iteration, in nanoseconds.
  package var latencies: [UInt64] { samples(of: "latency") }
  /// Queue delays reported in this iteration, in nanoseconds.
  package var queueDelays: [UInt64] { samples(of: "queue-delay") }

  /// Adds a value of another metric of the registry, or of one's own; call it after `released()`.
  ///
  /// A metric of one's own is `x-` and a name of a-z, 0-9 and hyphens; its unit is 1. Any other
  /// name ends the measurement, with a message that has it.
  ///
  /// A value that is not finite is a fault of the workload.
  package mutating func value(_ metric: String, _ value: Double) {
    guard value.isFinite else {
      fatalError("IterationRecorder: \(metric) is \(value); expected a finite number")
    }
    values.append((metric: metric, value: value))
  }

  /// The figures of the iteration, or nil when a stamp is missing or out of order.
  package func sample(operations: Int) -> IterationSample? {
    guard stamps.begin > 0, stamps.begin <= stamps.built, stamps.built <= stamps.ran,
      stamps.ran <= stamps.released
    else { return nil }
    return IterationSample(
      buildNanoseconds: stamps.built - stamps.begin,
      runNanoseconds: stamps.ran - stamps.built,
      releaseNanoseconds: stamps.released - stamps.ran,
      cpuNanoseconds: cpuAtEnd - cpuAtBegin,
      voluntarySwitches: usage.voluntarySwitches, involuntarySwitches: usage.involuntarySwitches,
      operations: operations)
  }

  /// Forgets the stamps, so that another run can add to what was reported.
  mutating func restart() { stamps = Stamps() }

  /// Forgets everything; keeps the capacity of the sample lists.
  package mutating func reset() {
    stamps = Stamps()
    for place in samples.indices { samples[place].nanoseconds.removeAll(keepingCapacity: true) }
    values.removeAll(keepingCapacity: true)
  }
}

/// The figures of one iteration, for all its operations together.
package struct IterationSample: Hashable, Sendable {
  /// From the first construction to the start of the run.
  package var buildNanoseconds: UInt64
  /// From there to the last finish.
  package var runNanoseconds: UInt64
  /// From there to the last object's release.
  package var releaseNanoseconds: UInt64
  /// CPU time of every thread of the process.
  package var cpuNanoseconds: UInt64
  /// Context switches because a thread waited.
  package var voluntarySwitches: Int64
  /// Context switches because a thread was pre-empted.
  package var involuntarySwitches: Int64
  /// The divisor of every per-operation figure.
  package var operations: Int

  /// A sample; see the properties.
  package init(
    buildNanoseconds: UInt64, runNanoseconds: UInt64, releaseNanoseconds: UInt64,
    cpuNanoseconds: UInt64, voluntarySwitches: Int64, involuntarySwitches: Int64, operations: Int
  ) {
    self.buildNanoseconds = buildNanoseconds
    self.runNanoseconds = runNanoseconds
    self.releaseNanoseconds = releaseNanoseconds
    self.cpuNanoseconds = cpuNanoseconds
    self.voluntarySwitches = voluntarySwitches
    self.involuntarySwitches = involuntarySwitches
    self.operations = operations
  }

  /// Build, run and release together.
  package var wallNanoseconds: UInt64 {
    // Wraps, because the figures may come from a stream that is not to be trusted.
    buildNanoseconds &+ runNanoseconds &+ releaseNanoseconds
  }

  /// Adds another run of the same program.
  mutating func add(_ other: IterationSample) {
    buildNanoseconds += other.buildNanoseconds
    runNanoseconds += other.runNanoseconds
    releaseNanoseconds += other.releaseNanoseconds
    cpuNanoseconds += other.cpuNanoseconds
    voluntarySwitches += other.voluntarySwitches
    involuntarySwitches += other.involuntarySwitches
    operations += other.operations
  }

  /// The value of a total of this sample per operation.
  package func perOperation(_ total: some BinaryInteger) -> Double {
    Double(total) / Double(operations)
  }
}
