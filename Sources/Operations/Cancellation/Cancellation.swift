// SPDX-License-Identifier: Apache-2.0

import Scheduling

// Cancelling several operations at a time. Page: Composition.md, "Cancelling together".

/// Operations that one call on one thread cancels together, in three phases.
///
/// Those whose class has no `cancel()` of its own are marked, which calls nobody's code. The
/// overrides are called in order. Then all that is free is handed over, and who is to be told is
/// told.
final class Cancellation {
  /// The one around it on the stack.
  fileprivate let outer: Cancellation?
  /// Cancels nothing: what runs here is no business of those around it.
  private let isApart: Bool
  /// The outermost one that this one is inside of; nil for that itself.
  fileprivate let outermost: Cancellation?
  /// The one that lets go of what this one marks; nil if it does so itself.
  private let host: Cancellation?
  /// Those whose `cancel()` is called, in order; of a named one even if it is marked.
  private var overriding: [(operation: Operation, isNamed: Bool)] = []
  /// The one whose `cancel()` is being called.
  private var called: ObjectIdentifier?
  /// Of the outermost one: those whose `cancel()` is called by it or by one inside of it that has
  /// not returned.
  private var listed: Set<ObjectIdentifier> = []
  /// Of the outermost one: the queues and composites whose members have been listed.
  private var owners: [ObjectIdentifier: AnyObject] = [:]
  /// What follows from the marks; handed over and told as far as these say.
  private var effects: [Cancelled] = []
  private var handedOver = 0
  private var told = 0
  private var isTelling = false

  /// With `letsGo` false the one around it lets go.
  fileprivate init(inside outer: Cancellation?, isApart: Bool = false, letsGo: Bool = true) {
    self.outer = outer
    self.isApart = isApart
    if let outer, !isApart, !outer.isApart {
      outermost = outer.outermost ?? outer
    } else {
      outermost = nil
    }
    host = letsGo ? nil : outer?.host ?? outer
  }

  // MARK: Marking

  /// True for the first to list the members of this queue or composite, or overrides that cancel
  /// their owner would go on for ever.
  fileprivate func isFirst(toList owner: AnyObject) -> Bool {
    let outermost = outermost ?? self
    return outermost.owners.updateValue(owner, forKey: ObjectIdentifier(owner)) == nil
  }

  /// Marks the operations and all that they are made of, and lists those with a `cancel()` of their
  /// own: the unmarked ones, and with `evenIfMarked` all that are named.
  ///
  /// Calls nobody's code, unless it drops the last reference to an operation that has just
  /// finished.
  fileprivate func mark(_ operations: [Operation], evenIfMarked: Bool = false) {
    var (round, listsAll) = (operations, evenIfMarked)
    // A loop instead of recursion: composites may be nested as deep as memory goes.
    while !round.isEmpty {
      var members: [Operation] = []
      OperationWords.forEach(round) { operation in
        if operation.overridesCancel {
          if listsAll || operation.canBeMarked { return list(operation, isNamed: listsAll) }
        } else if let cancelled = operation.markCancelled() {
          keep(cancelled)
        }
        if let owner = operation.composite { members += membersToMark(of: owner) }
      }
      (round, listsAll) = (members, false)
    }
  }

  /// As `mark(_:)` for the members of an operation that is marked; `cancelled` follows from that.
  fileprivate func markMembers(of owner: any Composite, after cancelled: Cancelled? = nil) {
    if let cancelled { keep(cancelled) }
    mark(membersToMark(of: owner))
  }

  private func membersToMark(of owner: any Composite) -> [Operation] {
    isFirst(toList: owner) ? owner.membersToCancel() : []
  }

  // MARK: Calling

  private func list(_ operation: Operation, isNamed: Bool) {
    // Else the loop here, or one around it, calls it.
    guard (outermost ?? self).listed.insert(ObjectIdentifier(operation)).inserted else { return }
    overriding.append((operation, isNamed))
  }

  fileprivate func callOverrides() {
    var next = 0
    while next < overriding.count {
      let (operation, isNamed) = overriding[next]
      next += 1
      // A hook in one of the overrides before may have cancelled all again.
      if isNamed || operation.canBeMarked {
        called = ObjectIdentifier(operation)
        operation.cancel()
      }
      // The override may have left them to another thread, which has marked it.
      if operation.isMarkedCancelled, let owner = operation.composite { markMembers(of: owner) }
    }
    called = nil
    let outermost = outermost ?? self
    for (operation, _) in overriding { outermost.listed.remove(ObjectIdentifier(operation)) }
  }

  /// The loop here is calling the override of this operation.
  fileprivate func isCalling(_ operation: Operation) -> Bool {
    called == ObjectIdentifier(operation)
  }

  /// Keeps for the third phase what follows from a mark.
  fileprivate func keep(_ cancelled: Cancelled) { (host ?? self).effects.append(cancelled) }

  // MARK: Letting go

  /// Makes the thread owe a batch, then the handles that are free, which it takes out.
  fileprivate func oweHandles(behind batch: StoredChain) {
    ThreadRecord.current.owed.append(batch)
    for index in effects.indices.dropFirst(handedOver) {
      if let handle = effects[index].handle.take() { effects[index].owe(handle) }
    }
  }

  /// Hands over all that is free, then tells those who are to be told.
  ///
  /// From inside of itself, by a wait, it only hands over: the hooks that are called here do not
  /// run inside of each other.
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

extension OperationQueue {
  /// Implements `cancelAllOperations()`.
  ///
  /// Calls the overrides of all of them, marked or not, as Foundation does; again inside of the
  /// same cancellation only those of the others.
  func cancelMembers() {
    ThreadRecord.current.cancelTogether { cancellation in
      let isFirst = cancellation.isFirst(toList: self)
      cancellation.mark(registry.operationsLeftToCancel(in: self), evenIfMarked: isFirst)
    }
  }
}

extension ThreadRecord {
  /// Cancels what an operation is made of; `cancelled` follows from its own mark.
  ///
  /// When it returns they are marked, whoever came first, unless this thread is inside of that.
  /// They are let go too, unless this is the `super.cancel()` of an override that is being called.
  func cancelMembers(of owner: any Composite, after cancelled: Cancelled? = nil) {
    let isCalled = cancellation?.isCalling(owner) ?? false
    cancelTogether(lettingGo: !isCalled) { $0.markMembers(of: owner, after: cancelled) }
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

  /// Cancels an operation that is being submitted, since a dependency that has finished wants it.
  ///
  /// What follows from that in the middle of a batch waits for the rest of it.
  func cancelWhileAdded(_ operation: Operation) {
    guard isInBatch else { return operation.cancel() }
    let batch = inherited ?? Cancellation(inside: cancellation)
    // An override may add others, which are no part of the batch.
    _ = submittingBatch(false) {
      within(batch) { cancelTogether(lettingGo: false) { $0.mark([operation]) } }
    }
    inherited = batch
  }

  /// Runs `body`, which submits the members of a batch; returns what they have inherited.
  func submittingBatch(_ isBatch: Bool = true, _ body: () -> Void) -> Cancellation? {
    let outer = (inherited, isInBatch)
    (inherited, isInBatch) = (nil, isBatch)
    defer { (inherited, isInBatch) = outer }
    body()
    return inherited
  }

  /// Hands over a batch together with the handles of what its members have inherited, then lets go
  /// of the rest, or a wait does that before.
  func handOver(_ batch: StoredChain, with inherited: Cancellation) {
    within(inherited) {
      let handOver = { self.handingOverLast { inherited.oweHandles(behind: batch) } }
      // What runs here is part of the override around the batch, if there is one.
      if inherited.outermost == nil { apartFromCancellations(handOver) } else { handOver() }
      apartFromCancellations { inherited.letGo() }
    }
  }

  fileprivate func cancelTogether(lettingGo letsGo: Bool = true, _ mark: (Cancellation) -> Void) {
    let cancellation = Cancellation(inside: cancellation, letsGo: letsGo)
    within(cancellation) {
      mark(cancellation)
      cancellation.callOverrides()
      if letsGo { apartFromCancellations { cancellation.letGo() } }
    }
  }

  private func within<Result>(_ inner: Cancellation, _ body: () -> Result) -> Result {
    let outer = cancellation
    cancellation = inner
    defer {
      cancellation = outer
      // Its end, which may be the end of operations and call user code, comes after the assignment.
      withExtendedLifetime(inner) {}
    }
    return body()
  }

  /// Lets what follows from a mark happen: now, or with all that is cancelled together.
  func follow(_ cancelled: Cancelled) {
    if let cancellation, cancellation.isCalling(cancelled.operation) {
      return cancellation.keep(cancelled)
    }
    apartFromCancellations {
      cancelled.handOver()
      cancelled.tell()
    }
  }

  /// What a thread must not keep to itself while it waits: finished operations that it has not
  /// subtracted, and, inside of an override of `cancel()`, what follows from the marks so far.
  func prepareToWait() {
    settleCredit()
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
    return within(Cancellation(inside: outer, isApart: true), body)
  }
}
