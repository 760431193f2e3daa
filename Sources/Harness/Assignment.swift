// SPDX-License-Identifier: Apache-2.0

package import Scheduling

/// Which allocator a child must have.
package enum Allocator: String, Sendable, CaseIterable {
  /// jemalloc, preloaded.
  case jemalloc
  /// The C library's own.
  case system
}

/// What one child process is to measure.
///
/// What makes the contestant travels as the command `prepare`; how long to iterate it, and what the
/// process must be like, travel apart.
package struct Assignment: Hashable, Sendable {
  /// Which program.
  package enum Subject: Hashable, Sendable {
    /// A built-in workload, by name.
    case workload(String)
    /// A recorded task graph, by the path of its file.
    case graph(path: String)
  }

  /// Which system runs it.
  package enum System: Hashable, Sendable {
    /// A scheduler of the suite, by name.
    case scheduler(String)
    /// A reference system, by name.
    case reference(String)
  }

  /// What runs.
  package var subject: Subject
  /// On what.
  package var system: System
  /// Worker count, 1 or more.
  package var workers: Int
  /// Pins the whole process to the first so many CPUs of its affinity mask; nil leaves it alone.
  package var cpus: Int?
  /// Sizes.
  package var parameters: Parameters
  /// What is set on the scheduler; the other knobs have their defaults.
  package var knobs: KnobSettings
  /// Iterations before the first timed one.
  package var warmups: Int
  /// Timed iterations at least.
  package var minimumIterations: Int
  /// Timed iterations at most, however short they are.
  package var maximumIterations: Int
  /// Iterations go on until they have taken this long together, warm-ups not counted.
  package var timeBudgetNanoseconds: UInt64
  /// Source of every random choice.
  package var seed: UInt64
  /// Counts allocations, in a child that is slower for it; its times say nothing.
  package var countsAllocations = false
  /// Has the processor count in further iterations, behind those that are timed.
  package var countsHardware = false
  /// Which allocator the child must prove; `ChildRunner` sets it.
  package var allocator: Allocator
  /// Bytes added to the child's environment, 0 or more.
  ///
  /// The size of the environment shifts the stack and with it the figures, so an orchestrator draws
  /// it at random for every process and averages over it. The child does not see it in its
  /// assignment.
  package var environmentPadding: Int
  /// Further settings, for the code that makes the workload.
  package var extra: [String: String]

  /// An assignment; see the properties.
  package init(
    subject: Subject, system: System, workers: Int, cpus: Int? = nil,
    parameters: Parameters = Parameters(), knobs: KnobSettings = KnobSettings(), warmups: Int = 1,
    minimumIterations: Int = 3,
    maximumIterations: Int = 10_000, timeBudgetNanoseconds: UInt64 = 0, seed: UInt64,
    allocator: Allocator = .jemalloc, environmentPadding: Int = 0, extra: [String: String] = [:]
  ) {
    self.subject = subject
    self.system = system
    self.workers = workers
    self.cpus = cpus
    self.parameters = parameters
    self.knobs = knobs
    self.warmups = warmups
    self.minimumIterations = minimumIterations
    self.maximumIterations = maximumIterations
    self.timeBudgetNanoseconds = timeBudgetNanoseconds
    self.seed = seed
    self.allocator = allocator
    self.environmentPadding = environmentPadding
    self.extra = extra
  }
}
