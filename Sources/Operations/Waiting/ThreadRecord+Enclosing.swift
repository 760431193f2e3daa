// SPDX-License-Identifier: Apache-2.0

/// The operation whose members or nodes something belongs to: it cannot end before they have.
struct Owner: Sendable {
  /// The operation's address, to compare with.
  let operation: UInt
  /// The queue that holds it; nil after a manual start.
  let queue: OperationQueue?

  /// It has finished, though something in its queue has not.
  fileprivate var hasEnded: Bool {
    // SAFETY: its queue, which keeps it, lives, or its run goes on.
    unsafe Operation.reference(operation)._withUnsafeGuaranteedRef(\.isSealed)
  }
}

/// What cannot end before the code that runs on this thread returns, for the detection of waits
/// without end.
struct Enclosing {
  /// Where the code that runs here is, as messages put it.
  enum Place: String {
    case body = "one of its operations"
    case completionBlock = "a completion block of one of its operations"
    /// It owns what runs here.
    case owner = "what belongs to one of its operations"
    case mainThread = "the main thread, which runs its operations"
  }

  let place: Place
  /// An operation's address, a closure's cell, or 0.
  var operation: UInt = 0
  /// The queue that it is a member of.
  var queue: OperationQueue?
  /// Takes a slot of its queue until it ends.
  var isExecuting = false

  /// The queue cannot become empty before it has ended.
  var isMember: Bool { isExecuting || place == .completionBlock }

  /// Type, name and state of the operation, for messages.
  ///
  /// On the thread that it encloses, so that it is alive.
  var nameOfOperation: String {
    guard operation != 0, Operation.isOperation(at: operation) else { return "a closure" }
    // SAFETY: it cannot end before the code that runs here returns.
    return unsafe Operation.reference(operation)._withUnsafeGuaranteedRef(\.diagnosis)
  }
}

extension ThreadRecord {
  /// Everything that cannot end before what runs here returns: the levels of the stack, innermost
  /// first, and their owners.
  ///
  /// O(levels), with an allocation: for waits.
  var enclosures: [Enclosing] {
    var found = levels.flatMap(\.enclosures)
    if let main = OperationQueue.ofMainThread {
      // Its one thread is its one slot.
      found.append(Enclosing(place: .mainThread, queue: main, isExecuting: true))
    }
    return found
  }

  /// What a suspension of the task that runs here keeps from ending; empty outside of a task that
  /// is an operation's body.
  var enclosuresOfTask: [Enclosing] {
    stage == .part && isInsideBodyTask ? level.enclosures : []
  }

  /// Whether the current task has the executor of the body whose part runs here; tasks without
  /// structure do not inherit it.
  private var isInsideBodyTask: Bool {
    guard let executor = executorOfPart else { return false }
    return unsafe withUnsafeCurrentTask { task in
      unsafe task?.unownedTaskExecutor == executor.asUnownedTaskExecutor()
    }
  }
}

extension ThreadRecord.Level {
  /// What runs at the level, then its owners.
  fileprivate var enclosures: [Enclosing] {
    let isCompletion = completingQueue != 0 && !isByHand
    let innermost = Enclosing(
      place: isCompletion ? .completionBlock : .body, operation: operation, queue: ownQueue,
      isExecuting: isExecuting)
    var found = [innermost]
    // What has left its queue, and a run that has ended, hold their owner up no more; nor does what
    // was added to the queue of an owner that has ended.
    var owner =
      (innermost.isMember ? ownQueue?.role.owner : nil) ?? GraphControl.run(at: graph)?.owner
    while let next = owner, !next.hasEnded {
      found.append(
        Enclosing(
          place: .owner, operation: next.operation, queue: next.queue,
          isExecuting: next.queue != nil))
      owner = next.queue?.role.owner
    }
    return found
  }
}
