// SPDX-License-Identifier: Apache-2.0

/// Where the time of operations went, from the moment they were added until they finished.
package struct LatencyBreakdown: Sendable, Equatable {
  /// The phases of an operation, which follow each other without a gap.
  package enum Phase: Int, Sendable, Equatable, CaseIterable {
    /// Added, and dependencies had not finished.
    case dependencyWait
    /// Nothing but policy and scheduler lay between it and its start.
    case readyWait
    /// Its body had a thread; other operations that the body waited for and helped with are in it.
    case run
    /// It went on without a thread.
    case suspended
  }

  /// The phases of a group of operations.
  package struct Group: Sendable, Equatable {
    package let dependencyWait: PhaseSummary
    package let readyWait: PhaseSummary
    package let run: PhaseSummary
    package let suspended: PhaseSummary

    /// One of the phases.
    package subscript(phase: Phase) -> PhaseSummary {
      switch phase {
      case .dependencyWait: dependencyWait
      case .readyWait: readyWait
      case .run: run
      case .suspended: suspended
      }
    }
  }

  /// All operations.
  package let all: Group
  /// By `QueuePriority.rawValue`, the highest first.
  package let byPriority: [(priority: Int8, group: Group)]
  /// By index of the kind in `Trace.names`, the one with most run time first.
  package let byKind: [(kind: UInt32, group: Group)]

  /// Sums up a recording.
  ///
  /// O(n log n).
  init(_ trace: Trace, waits: ReadyWaits) {
    let columns = PhaseColumns(trace, waits: waits)
    all = columns.group(trace.operations.indices.lazy.map { $0 })
    byPriority = Self.grouped(trace) { Int($0.priority) + 128 }
      .map { (priority: Int8($0.key - 128), group: columns.group($0.operations)) }
      .sorted { $0.priority > $1.priority }
    byKind = Self.grouped(trace) { Int($0.kind) }
      .map { (kind: UInt32($0.key), group: columns.group($0.operations)) }
      .sorted {
        ($1.group.run.totalNanoseconds, $0.kind) < ($0.group.run.totalNanoseconds, $1.kind)
      }
  }

  package static func == (one: LatencyBreakdown, other: LatencyBreakdown) -> Bool {
    one.all == other.all && one.byPriority.elementsEqual(other.byPriority, by: ==)
      && one.byKind.elementsEqual(other.byKind, by: ==)
  }

  private static func grouped(
    _ trace: Trace, key: (TracedOperation) -> Int
  ) -> [(key: Int, operations: [Int])] {
    var places: [Int: Int] = [:]
    var groups: [(key: Int, operations: [Int])] = []
    for (index, operation) in trace.operations.enumerated() {
      let key = key(operation)
      // One look-up per operation in a table as large as there are groups, which are few.
      if let place = places[key] {
        groups[place].operations.append(index)
      } else {
        places[key] = groups.count
        groups.append((key, [index]))
      }
    }
    return groups
  }
}

/// The durations of all phases by operation; `.min` where one is unknown.
private struct PhaseColumns {
  private var columns: [[Int64]] = []

  init(_ trace: Trace, waits: ReadyWaits) {
    for phase in LatencyBreakdown.Phase.allCases {
      columns.append(
        trace.operations.indices.map { index in
          let operation = trace.operations[index]
          let ready = waits.begin[index]
          switch phase {
          case .dependencyWait: return Self.between(operation.enqueuedTime, ready)
          case .readyWait: return Self.between(ready, operation.startedTime)
          case .run: return operation.runTime ?? .min
          case .suspended: return operation.suspendedTime ?? .min
          }
        })
    }
  }

  func group(_ operations: some Sequence<Int>) -> LatencyBreakdown.Group {
    func summary(_ phase: LatencyBreakdown.Phase) -> PhaseSummary {
      let column = columns[phase.rawValue]
      var durations: [Int64] = []
      for operation in operations where column[operation] != .min {
        durations.append(column[operation])
      }
      return PhaseSummary(durations)
    }
    return LatencyBreakdown.Group(
      dependencyWait: summary(.dependencyWait), readyWait: summary(.readyWait), run: summary(.run),
      suspended: summary(.suspended))
  }

  private static func between(_ begin: Int64, _ end: Int64) -> Int64 {
    begin == .min || end == .min ? .min : end - begin
  }
}
