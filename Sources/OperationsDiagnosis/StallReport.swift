// SPDX-License-Identifier: Apache-2.0

import Operations

/// Why operations are not running: for each that waits the reasons, and the way to what it waits
/// for in the end.
///
/// A copy of what was found, which keeps the operations it names. Read one operation after the
/// other while the program runs on, so that what changed meanwhile may be seen before or after the
/// change; what is stuck is seen as it is.
public struct StallReport: Sendable {
  /// Why an operation is not running, or does not end.
  public enum Reason: Sendable, Equatable {
    /// These operations wait for each other; the first and the last are the same.
    case cycle([Operation])
    /// It depends on these, which have not finished.
    case waitingFor([Operation])
    /// It was added after this barrier.
    case behindBarrier(Operation)
    /// A barrier: as many operations were added before it and have not left.
    case olderOperations(Int)
    /// Its queue starts operations in the order added, and this older one is not ready.
    case behindInOrder(Operation)
    /// Other operations use the resources of these names, or came before it.
    case waitingForResources([String])
    /// Its own `isReady` is false.
    case notReady
    /// A `ReadinessGate` that it has is closed.
    case gateClosed
    /// A readiness condition that it has, no gate, is not satisfied.
    case conditionNotMet
    /// Its own `isReady` is true, but was false when the queue looked, and nobody has announced the
    /// change since.
    case readinessNotAnnounced
    /// Its queue is suspended.
    case suspended
    /// Its queue may execute `limit` operations at a time and executes `running`.
    case noSlot(limit: Int, running: Int)
    /// Its scheduler has it, and `blocked` workers of the scheduler are waiting inside operations.
    case noWorker(blocked: Int)
    /// In no queue and not started: nobody will start it until it is queued or started by hand.
    case inNoQueue
    /// It belongs to a group, timeout or retry that has not started.
    case reserved
    /// It has finished and is still in its queue: its completion block runs, or it is about to
    /// leave.
    case inCompletionBlock
    /// It executes.
    case executing
    /// Its body has returned, and these members have not finished.
    case waitingForMembers([Operation])
    /// Its body has returned, and closures that belong to it run.
    case closuresRun
    /// A retry between two attempts.
    case waitingForAttempt
    /// It executes, its body has returned, and nobody has called `finish()` since.
    case notFinished(elapsed: Duration)
    /// It executes, its own `start()` has returned, and its `isFinished` is false.
    case ownStateNotFinished(elapsed: Duration)
    /// Its own `isFinished` is true, and nobody has announced that.
    case finishNotAnnounced
    /// It is in no queue and its own `isExecuting` is true, and nobody has announced that.
    case executionNotAnnounced
    /// It executes, and its worker waits inside its body for this operation.
    case blockedOn(Operation)
    /// It executes, and its worker waits inside its body for the queue of this name to be empty.
    case blockedOnQueue(String)
    /// It executes, and its worker waits inside its body for a half of a fork that another worker
    /// has taken.
    case blockedOnFork
  }

  /// One operation.
  public struct Entry: Sendable {
    /// The operation; for a closure the object that stands for it.
    public let operation: Operation
    /// The name of the queue that holds it, or nil when none does.
    public let queueName: String?
    /// Whether it was cancelled.
    public let isCancelled: Bool
    /// Everything that holds it back, the decisive first; never empty.
    public let reasons: [Reason]
    /// The operation it waits for on the way to the root, or nil when the reason is no other
    /// operation.
    public let blocker: Operation?
    /// Where the way along `blocker` ends, or nil when there is no blocker or the way is a cycle.
    public let root: Operation?
  }

  /// A queue with pending operations.
  public struct Queue: Sendable, Equatable {
    /// Its name.
    public let name: String
    /// How many operations it holds, executing ones included.
    public let operationCount: Int
    /// How many barriers it holds besides.
    public let barrierCount: Int
    /// Whether it is suspended.
    public let isSuspended: Bool
    /// Its limit; −1 when the scheduler decides.
    public let maxConcurrentOperationCount: Int
  }

  /// The queues that were looked at and hold something.
  public let queues: [Queue]
  /// What waits in these queues, and what executes there and is stuck, queue by queue in submission
  /// order.
  public let entries: [Entry]
  /// What those wait for besides: in other queues, in none, or executing.
  public let others: [Entry]
  /// Operations that wait for each other, a path per cycle with the first one repeated at the end.
  ///
  /// One that is closed by a wait with a deadline ends with that; `description` says so.
  public let cycles: [[Operation]]
  /// Operations whose worker waits inside the body for another one until a deadline.
  let timedWaiters: Set<ObjectIdentifier>
  /// The entries and the others.
  let entryOf: [ObjectIdentifier: Entry]

  /// Whether nothing waits.
  public var isEmpty: Bool { entries.isEmpty }

  /// What the report says about an operation; nil when it was not waiting and nothing waited for
  /// it.
  public subscript(_ operation: Operation) -> Entry? { entryOf[ObjectIdentifier(operation)] }

  /// The way from an operation to the root of its waiting: each one waits for the next.
  ///
  /// Ends with the root, or with the first operation that occurs twice. O(length).
  public func path(from operation: Operation) -> [Operation] {
    var path: [Operation] = []
    var seen: Set<ObjectIdentifier> = []
    var next: Operation? = operation
    while let current = next {
      path.append(current)
      guard seen.insert(ObjectIdentifier(current)).inserted else { break }
      next = self[current]?.blocker
    }
    return path
  }
}
