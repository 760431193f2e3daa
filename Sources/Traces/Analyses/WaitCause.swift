// SPDX-License-Identifier: Apache-2.0

/// Why an operation that could have run did not run at an instant.
///
/// One cause wins at each instant, by these rules in this order:
/// 1. `barrier`, `resource` or `condition`, since nothing else would have helped.
/// 2. `suspension` of its queue, likewise.
/// 3. `handingOver`, when the worker that took it was on its way to it.
/// 4. `limit`, when a worker had no job and the limit alone kept the operation from it. A limit
///    that
///    is reached while all workers have jobs costs nothing.
/// 5. The state of the workers, the worst first: one of them `lookingElsewhere`, without a
///    processor
///    (`operatingSystem`), `wakingUp`, asleep (`nobodyAwake`).
/// 6. With all workers awake and in jobs or between them: one without a processor
///    (`operatingSystem`), one held (`workerHeld`), one between two jobs (`handingOver`), else
///    `workersBusy`.
package enum WaitCause: Int, Sendable, Equatable, CaseIterable {
  /// All workers ran jobs: the graph offered more than they could take.
  case workersBusy
  /// All workers had jobs, and one of them had the same job for a large part of the run.
  case workerHeld
  /// A worker slept, and nobody had woken it.
  case nobodyAwake
  /// A worker was awake and free, and looked where nothing was.
  case lookingElsewhere
  /// A worker had been woken and did not run yet.
  case wakingUp
  /// A worker waited for a processor.
  case operatingSystem
  /// A worker was between two jobs: the scheduler's own path.
  case handingOver
  /// As many operations of its queue ran as the queue allows, and a worker was free.
  case limit
  /// A barrier of its queue had not finished, or it is one and older operations had not.
  case barrier
  /// Its queue was suspended.
  case suspension
  /// A resource that it needs was used up.
  case resource
  /// A condition of it was not met.
  case condition
  /// The recording does not tell what the workers did.
  case unknown

  /// Who could have done something about it.
  package enum Origin: Sendable, Equatable, CaseIterable {
    /// The graph: more is ready than workers can take.
    case graph
    /// The scheduler.
    case scheduler
    /// The operating system.
    case system
    /// What the program asked for.
    case policy
    /// Nobody knows.
    case unknown
  }

  /// Whose doing it is.
  package var origin: Origin {
    switch self {
    case .workersBusy, .workerHeld: .graph
    case .nobodyAwake, .lookingElsewhere, .handingOver: .scheduler
    case .wakingUp, .operatingSystem: .system
    case .limit, .barrier, .suspension, .resource, .condition: .policy
    case .unknown: .unknown
    }
  }
}

/// Nanoseconds by cause of waiting; whole numbers that sum to the wait.
package struct WaitShares: Sendable, Equatable {
  private var nanoseconds = [Int64](repeating: 0, count: WaitCause.allCases.count)

  package init() {}

  package subscript(cause: WaitCause) -> Int64 {
    get { nanoseconds[cause.rawValue] }
    set { nanoseconds[cause.rawValue] = newValue }
  }

  /// The whole wait, ns.
  package var total: Int64 { nanoseconds.reduce(0, +) }

  /// The cause with the most time, the first of equal ones; nil when there was no wait.
  package var largest: WaitCause? {
    var best: WaitCause?
    var most: Int64 = 0
    for cause in WaitCause.allCases where self[cause] > most { (best, most) = (cause, self[cause]) }
    return best
  }

  /// The part of one cause in the whole; 0 when there was no wait.
  package func share(of cause: WaitCause) -> Double {
    let total = total
    return total == 0 ? 0 : Double(self[cause]) / Double(total)
  }

  /// The time of all causes of an origin, ns.
  package func total(of origin: WaitCause.Origin) -> Int64 {
    WaitCause.allCases.reduce(0) { $0 + ($1.origin == origin ? self[$1] : 0) }
  }

  static func += (one: inout WaitShares, other: WaitShares) {
    for place in one.nanoseconds.indices { one.nanoseconds[place] += other.nanoseconds[place] }
  }

  mutating func clear() {
    for place in nanoseconds.indices { nanoseconds[place] = 0 }
  }
}
