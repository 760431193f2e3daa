// SPDX-License-Identifier: Apache-2.0

// Cancelling several operations at a time. Page: Composition.md, "Cancelling".

/// Operations that one call on one thread cancels together, in three phases.
///
/// Those whose class has no `cancel()` of its own are marked, which calls nobody's code. The
/// overrides are called in order. Then all that is free is handed over, and who is to be told is
/// told.
final class Cancellation {
  /// The one around it on the stack.
  fileprivate let outer: Cancellation?
  /// What runs here is no part of the one around it.
  private let isApart: Bool
  /// Those whose `cancel()` is called, in order.
  private var overriding: [Operation] = []
  private var listed: Set<ObjectIdentifier> = []
  /// The one whose `cancel()` is being called.
  private var called: ObjectIdentifier?
  /// Of the outermost one: the queues and composites whose members have been listed.
  private var owners: [ObjectIdentifier: AnyObject] = [:]
  /// What follows from the marks; handed over and told as far as these say.
  private var effects: [Cancelled] = []
  private var handedOver = 0
  private var told = 0
  private var isTelling = false

  fileprivate init(inside outer: Cancellation?, isApart: Bool = false) {
    self.outer = outer
    self.isApart = isApart
  }

  /// The outermost one that this is a part of.
  private var outermost: Cancellation {
    guard !isApart, let outer else { return self }
    return outer.outermost
  }

  // MARK: Marking

  /// True for the first to list the members of this queue or composite, or overrides that cancel
  /// their owner would go on for ever.
  fileprivate func isFirst(toList owner: AnyObject) -> Bool {
    outermost.owners.updateValue(owner, forKey: ObjectIdentifier(owner)) == nil
  }

  /// Marks the operations and all that they are made of, and lists those with a `cancel()` of their
  /// own: the unmarked ones, and with `evenIfMarked` all that are named.
  fileprivate func mark(_ operations: [Operation], evenIfMarked: Bool = false) {
    var (round, listsAll) = (operations, evenIfMarked)
    // A loop instead of recursion: composites may be nested as deep as memory goes.
    while !round.isEmpty {
      var members: [Operation] = []
      OperationWords.forEach(round) { operation in
        if operation.overridesCancel {
          if listsAll || !(operation.isMarkedCancelled || operation.isSealed) { list(operation) }
        } else {
          if let cancelled = operation.markCancelled() { effects.append(cancelled) }
          if operation.isComposite { members += membersToMark(of: operation) }
        }
      }
      (round, listsAll) = (members, false)
    }
  }

  /// As `mark(_:)` for the members of an operation that is marked; `cancelled` follows from that.
  fileprivate func markMembers(of owner: Operation, after cancelled: Cancelled?) {
    if let cancelled { effects.append(cancelled) }
    mark(membersToMark(of: owner))
  }

  private func membersToMark(of owner: Operation) -> [Operation] {
    isFirst(toList: owner) ? owner.membersToCancel() : []
  }

  // MARK: Calling

  private func list(_ operation: Operation) {
    let identity = ObjectIdentifier(operation)
    guard !hasListed(identity) else { return }
    listed.insert(identity)
    overriding.append(operation)
  }

  /// The loop here, or one around it, calls its `cancel()`.
  private func hasListed(_ operation: ObjectIdentifier) -> Bool {
    if listed.contains(operation) { return true }
    guard !isApart, let outer else { return false }
    return outer.hasListed(operation)
  }

  fileprivate func callOverrides() {
    for operation in overriding {
      called = ObjectIdentifier(operation)
      operation.cancel()
    }
    called = nil
  }

  /// Keeps for later what follows from `super.cancel()` of the override that is being called; false
  /// for any other operation.
  fileprivate func keeps(_ cancelled: Cancelled) -> Bool {
    guard called == ObjectIdentifier(cancelled.operation) else { return false }
    effects.append(cancelled)
    return true
  }

  // MARK: Letting go

  /// Hands over all that is free, then tells those who are to be told.
  ///
  /// From inside of itself, by a wait, it only hands over: hooks do not run inside of each other.
  fileprivate func letGo() {
    while handedOver < effects.count {
      let next = effects[handedOver]
      handedOver += 1
      next.handOver()
    }
    guard !isTelling else { return }
    isTelling = true
    while told < handedOver {
      let next = effects[told]
      told += 1
      next.tell()
    }
    isTelling = false
  }
}

extension ThreadRecord {
  /// Cancels the operations of a queue, and calls the overrides of all of them, marked or not, as
  /// Foundation does; again inside of the same cancellation only those of the others.
  func cancelAll(of queue: OperationQueue, _ members: () -> [Operation]) {
    cancelTogether { cancellation in
      let isFirst = cancellation.isFirst(toList: queue)
      cancellation.mark(members(), evenIfMarked: isFirst)
    }
  }

  /// Cancels what an operation is made of; `cancelled` follows from its own mark.
  ///
  /// When it returns they are marked, whoever came first, unless this thread is inside of that.
  func cancelMembers(of owner: Operation, after cancelled: Cancelled? = nil) {
    cancelTogether { $0.markMembers(of: owner, after: cancelled) }
  }

  /// Cancels operations that are about to be added to an operation which is cancelled, before they
  /// can run.
  ///
  /// At once, whatever else this thread is cancelling. Who has marked one of them sees to its
  /// members, or its start does.
  func cancelBeforeTheyStart(_ operations: [Operation]) {
    let unmarked = operations.filter { !$0.isMarkedCancelled }
    guard !unmarked.isEmpty else { return }
    addsUnderWay += 1
    apartFromCancellations { cancelTogether { $0.mark(unmarked) } }
    addsUnderWay -= 1
  }

  private func cancelTogether(_ mark: (Cancellation) -> Void) {
    let outer = cancellation
    let cancellation = Cancellation(inside: outer)
    self.cancellation = cancellation
    mark(cancellation)
    cancellation.callOverrides()
    apartFromCancellations { cancellation.letGo() }
    self.cancellation = outer
    // Its end, which may be the end of operations and call user code, comes after the assignment.
    withExtendedLifetime(cancellation) {}
  }

  /// Lets what follows from a mark happen: now, or with all that is cancelled together.
  func follow(_ cancelled: Cancelled) {
    if let cancellation, cancellation.keeps(cancelled) { return }
    cancelled.handOver()
    cancelled.tell()
  }

  /// What a thread must not keep to itself while it waits: finished operations that it has not
  /// subtracted, and, inside of an override of `cancel()`, what follows from the marks so far.
  func prepareToWait() {
    flushCredit()
    guard let cancellation else { return }
    apartFromCancellations {
      var next: Cancellation? = cancellation
      while let present = next {
        present.letGo()
        next = present.outer
      }
    }
  }

  /// Runs something that the cancellations below it on the stack are no business of.
  func apartFromCancellations<Result>(_ body: () -> Result) -> Result {
    guard let outer = cancellation else { return body() }
    let apart = Cancellation(inside: outer, isApart: true)
    cancellation = apart
    defer {
      cancellation = outer
      // As in `cancelTogether`.
      withExtendedLifetime(apart) {}
    }
    return body()
  }
}
