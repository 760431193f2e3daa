// SPDX-License-Identifier: Apache-2.0

internal import Scheduling

/// What is counted over many iterations together and told once, per operation: events too rare for
/// one iteration, and counts that are read before the first one and after the last.
///
/// Nothing of it is read inside an iteration.
struct IterationTotals {
  private var usage = ProcessUsage()
  private var operations = 0
  /// Nil until an iteration counts them.
  private var allocations: AllocationCounter.Count?
  private let counters: SchedulerCounters

  /// - Parameter counters: of the scheduler, before the first iteration.
  init(counters: SchedulerCounters) { self.counters = counters }

  /// Adds the iteration that the recorder has just seen.
  mutating func add(_ recorder: IterationRecorder, operations: Int) {
    usage += recorder.usage
    self.operations += operations
    guard let more = recorder.allocations else { return }
    allocations = (allocations ?? AllocationCounter.Count()) + more
  }

  /// The figures per operation by registry name; none without iterations, and none that the
  /// scheduler does not know.
  ///
  /// - Parameter counters: of the scheduler, after the last iteration.
  func figures(counters after: SchedulerCounters) -> [(metric: String, value: Double)] {
    guard operations > 0 else { return [] }
    let process = [
      ("cpu-user", usage.userMicroseconds * 1_000),
      ("cpu-system", usage.systemMicroseconds * 1_000),
      ("minor-faults", usage.minorFaults), ("major-faults", usage.majorFaults),
    ].map { (metric: $0.0, value: Double($0.1) / Double(operations)) }
    let scheduler = Self.counts.compactMap { metric, path -> (metric: String, value: Double)? in
      guard let late = after[keyPath: path], let early = counters[keyPath: path] else { return nil }
      return (metric, Double(late - early) / Double(operations))
    }
    let allocator = allocations.map {
      [("allocations", $0.calls), ("allocated-bytes", $0.bytes)].map {
        (metric: $0.0, value: Double($0.1) / Double(operations))
      }
    }
    return process + scheduler + (allocator ?? [])
  }

  private static let counts: [(String, KeyPath<SchedulerCounters, Int?> & Sendable)] = [
    ("jobs", \.jobs), ("steals", \.steals), ("failed-steals", \.failedSteals),
    ("parks", \.parks), ("wake-ups", \.wakeUps), ("spurious-wake-ups", \.spuriousWakeUps),
    ("injections", \.injections), ("compensations", \.compensations),
  ]
}
