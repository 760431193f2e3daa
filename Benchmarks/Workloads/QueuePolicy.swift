// SPDX-License-Identifier: Apache-2.0

package import Harness
internal import Operations
package import Scheduling

/// Operations of a queue that may not run as they come: it has a limit, barriers, is suspended now
/// and then, or some operations need a resource.
///
/// Stresses: what holds operations back, and lets them go. Does not show: free running operations:
/// see independent-objects. In the first iteration, the warm-up, bodies check that no more than
/// allowed run at a time; the count that they share would be what is measured later.
package final class QueuePolicy: Workload {
  /// What holds operations back.
  enum Policy {
    /// So many at a time.
    case limit(Int)
    /// Every so-manieth is a barrier.
    case barriers(Int)
    /// A thread suspends and resumes the queue all the time.
    case suspension
    /// Every so-manieth needs one of two places.
    case resource(Int)
  }

  /// Places of the resource.
  private static let capacity = 2

  private let name: String
  private let policy: Policy
  private let storage: SlotStorage
  /// How many bodies run that the policy is about.
  private let running: RunningCount

  init(_ name: String, _ policy: Policy, count: Int) throws(WorkloadError) {
    self.name = name
    self.policy = policy
    storage = try SlotStorage(for: name, count: count)
    running = RunningCount()
  }

  package var operationsPerIteration: Int { storage.count }

  package func iterate(
    on scheduler: any Scheduler, recorder: inout IterationRecorder
  ) throws(WrongAnswer) {
    let (slots, count) = (storage.slots, storage.count)
    let running = storage.isFirstIteration ? running : nil
    recorder.begin()
    var queue: OperationQueue? = OperationQueue(scheduler: scheduler)
    var team: ThreadTeam?
    let stop = StopFlag()
    if case .limit(let limit) = policy { queue?.maxConcurrentOperationCount = limit }
    if case .suspension = policy, let shared = queue {
      team = try ThreadTeam(1, for: name) { _ in
        while !stop.isRaised {
          shared.isSuspended.toggle()
          _ = WorkerHold.spin(nanoseconds: 5000)
        }
      }
    }
    recorder.built()
    let resource = OperationResource(name: name, capacity: Self.capacity)
    for index in 0..<count {
      if case .barriers(let every) = policy, index % every == every - 1 {
        queue?.addBarrierBlock {
          guard let running else {
            _ = slots.increment(index)
            return
          }
          running.alone { slots.increment(index) }
        }
        continue
      }
      let most = most(of: index)
      let operation = BlockOperation {
        guard let running, let most else {
          _ = slots.increment(index)
          return
        }
        running.within(most) { slots.increment(index) }
      }
      if case .resource(let every) = policy, index % every == 0 { operation.require(resource) }
      queue?.addOperation(operation)
    }
    defer {
      stop.raise()
      team?.join()
    }
    team?.go()
    try TimedIteration.wait(for: queue, name)
    withExtendedLifetime(queue) { recorder.ran() }
    queue = nil
    recorder.released()
    try storage.checkIteration(of: name)
    if let finding = running?.finding {
      throw WrongAnswer(message: "\(name): \(finding)")
    }
  }

  /// How many bodies like that of an operation may run at a time; nil where nothing is said.
  private func most(of index: Int) -> Int? {
    switch policy {
    case .limit(let limit): limit
    case .resource(let every): index % every == 0 ? Self.capacity : nil
    case .barriers: Int.max
    case .suspension: nil
    }
  }
}

extension WorkloadDescription {
  private static let sizeAxis = Axis(
    name: "n", summary: "operations", smoke: 200, quick: 5000, real: 100_000,
    legal: 1...10_000_000)

  private static func policy(
    _ name: String, summary: String, axis: Axis?,
    _ make: @escaping @Sendable (Parameters) -> QueuePolicy.Policy
  ) -> WorkloadDescription {
    WorkloadDescription(
      name: name, summary: summary, notShown: "operations that nothing holds back",
      tags: ["throughput", "contention"], runsByDefault: false,
      axes: [sizeAxis] + (axis.map { [$0] } ?? []),
      make: { parameters throws(WorkloadError) in
        try QueuePolicy(name, make(parameters), count: parameters["n"])
      })
  }

  /// A queue with a limit.
  package static let limit = policy(
    "limit", summary: "a queue that runs so many operations at a time",
    axis: Axis(name: "limit", summary: "operations at once", always: 1, legal: .numbers(1...64))
  ) { .limit($0["limit"]) }

  /// A queue with barriers.
  package static let barriers = policy(
    "barriers", summary: "every so-manieth operation of a queue is a barrier",
    axis: Axis(
      name: "every", summary: "operations from barrier to barrier", always: 100,
      legal: .numbers(1...1_000_000))
  ) { .barriers($0["every"]) }

  /// A queue that is suspended and resumed.
  package static let suspension = policy(
    "suspend-resume", summary: "a thread suspends and resumes the queue every 5 µs", axis: nil
  ) { _ in .suspension }

  /// Operations that need a resource.
  package static let resources = policy(
    "resources", summary: "every so-manieth operation needs one of two places of a resource",
    axis: Axis(
      name: "every", summary: "operations from one that needs it to the next", always: 10,
      legal: .numbers(1...1_000_000))
  ) { .resource($0["every"]) }
}
