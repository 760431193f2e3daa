// SPDX-License-Identifier: Apache-2.0

extension Step {
  /// In a body: the queue that it runs in, inside of something made of others.
  package static let ownQueue = -1
  /// One that a body has handed out.
  package static let handedQueue = -2
  /// One that is made for a batch alone.
  package static let newQueue = -3

  static func named(_ queue: Int) -> String {
    switch queue {
    case ownQueue: "its own queue"
    case handedQueue: "the queue handed out"
    case newQueue: "a new queue"
    default: "queue \(queue)"
    }
  }

  /// The queue that it concerns.
  var queue: Int? {
    switch self {
    case .add(_, let queue), .addAll(_, let queue, _), .cancelAll(let queue),
      .suspend(let queue, _), .limit(let queue, _), .waitForQueue(let queue), .list(let queue),
      .observeQueue(let queue), .events(let queue, _), .awaitQueue(let queue),
      .name(let queue), .retain(let queue, _), .queueQuality(let queue, _),
      .invalidate(let queue), .report(let queue), .pauseForQueue(let queue), .fresh(_, let queue):
      queue
    default: nil
    }
  }

  /// It concerns a queue inside of something made of others.
  var isInner: Bool {
    switch self {
    case .handOut, .takeOver, .cancelOwner: true
    default: queue == Self.ownQueue || queue == Self.handedQueue
    }
  }
}

extension Program {
  /// Operations that may be added to a queue inside of something made of others.
  var innerMembers: Set<Int> {
    Set(allSteps.filter(\.isInner).flatMap(\.added))
  }

  /// What an operation is a member of from the beginning.
  var owners: [Int: Int] {
    var owners: [Int: Int] = [:]
    for (number, plan) in plans.enumerated() {
      for member in plan.members { owners[member] = number }
    }
    return owners
  }

  /// Queues inside may have barriers or a limit, or be suspended.
  var holdsUpInside: Bool {
    innerMembers.contains { plans[$0].kind == .barrier }
      || allSteps.contains { step in
        switch step {
        case .suspend, .limit: step.isInner
        case .limitGroup, .suspendGroup: true
        case .fresh(let fresh, _): step.isInner && fresh.hasBarrier
        default: false
        }
      }
  }

  /// Whether a body may wait without a timeout for what it adds to its own queue.
  ///
  /// Nothing holds that back, and the waiting thread may run it or gets another one.
  package var waitForFreshEnds: Bool {
    !holdsUpInside && queues.allSatisfy { $0.policy == 0 || $0.policy == 2 }
      && !plans.contains { $0.kind == .task || $0.kind == .resultTask }
      && !allSteps.contains { $0.name == .move }
  }
}
