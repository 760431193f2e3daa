// SPDX-License-Identifier: Apache-2.0

/// The chain of events that the run really hung on, from its last finish back to its begin.
///
/// From each operation the way leads to what was last before its start: the finish of the
/// predecessor that released it, the operation before it on the same worker, or what the thread did
/// that woke the worker. The stretches follow each other without a gap and cover the makespan.
package struct RealisedPath: Sendable, Equatable {
  /// What a stretch of the way is spent on.
  package enum Part: Int, Sendable, Equatable, CaseIterable {
    /// A body has a thread.
    case run
    /// An operation goes on without a thread.
    case suspended
    /// The scheduler's own path: releasing, handing over, starting.
    case overhead
    /// The next operation is ready and workers are asleep, look elsewhere or are busy with others.
    case idle
    /// A thread has been woken or displaced and waits for a processor.
    case system
    /// A limit, a barrier, a suspension, a resource or a condition holds the next operation.
    case policy
    /// The program has not added the next operation yet, or still adds others in the same call.
    case outside
    /// The recording does not tell what the workers did.
    case unknown
  }

  /// A part of the way.
  package struct Stretch: Sendable, Equatable {
    package let begin: Int64
    package let end: Int64
    /// The operation that runs, or that is about to; -1 for none.
    package let operation: Int32
    package let part: Part

    package init(begin: Int64, end: Int64, operation: Int32, part: Part) {
      self.begin = begin
      self.end = end
      self.operation = operation
      self.part = part
    }

    /// Its length, ns.
    package var duration: Int64 { end - begin }
  }

  /// The waterfall, from begin to end.
  ///
  /// Within one gap between operations the parts lie in the order policy, system, idle, unknown,
  /// overhead, which need not be their order in the run.
  package let stretches: [Stretch]
  /// By part, ns.
  private let totals: [Int64]

  /// How much of the makespan goes to a part, ns.
  package subscript(part: Part) -> Int64 { totals[part.rawValue] }

  /// All parts together, ns: the makespan.
  package var total: Int64 { totals.reduce(0, +) }

  /// The operations on the way, the first one first.
  package var operations: [UInt32] {
    var result: [UInt32] = []
    for stretch in stretches where stretch.part == .run && stretch.operation >= 0 {
      if result.last != UInt32(stretch.operation) { result.append(UInt32(stretch.operation)) }
    }
    return result
  }

  init(stretches: [Stretch]) {
    self.stretches = stretches
    var totals = [Int64](repeating: 0, count: Part.allCases.count)
    for stretch in stretches { totals[stretch.part.rawValue] += stretch.duration }
    self.totals = totals
  }

  /// The part that a cause of waiting belongs to, when it is on the way.
  static func part(of cause: WaitCause) -> Part {
    switch cause {
    case .workersBusy, .workerHeld, .nobodyAwake, .lookingElsewhere: .idle
    case .wakingUp, .operatingSystem: .system
    case .handingOver: .overhead
    case .limit, .barrier, .suspension, .resource, .condition: .policy
    case .unknown: .unknown
    }
  }
}
