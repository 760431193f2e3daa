// SPDX-License-Identifier: Apache-2.0

// A cancellation calls user code, which cancels and waits in turn. What it has still to do stands
// in two lists of the thread, from which a wait takes all, and a cancellation inside of another one
// takes only what it has put there itself. Page: Composition.md, "Cancelling".

extension ThreadRecord {
  /// Whether `owner` is to list its members; if not, what is left of those that it has listed is
  /// cancelled now, or by the loop that calls the `cancel()` of `owner`, unless their turn has
  /// come.
  private func mustList(_ owner: Operation) -> Bool {
    let cancellations = cancellations
    let identity = ObjectIdentifier(owner)
    guard let places = cancellations.owners[identity]?.places else { return true }
    let isInLoop = cancellations.current == identity
    // They stand in the part of that loop already.
    if isInLoop, places.lowerBound >= cancellations.loopStart { return false }
    var left: [Operation] = []
    for place in places {
      guard unsafe place < cancellations.members.count,
        unsafe cancellations.members[place]?.owner == identity
      else { break }
      if let member = unsafe cancellations.members.take(at: place) { left.append(member.operation) }
    }
    guard !left.isEmpty else { return false }
    if isInLoop { list(left, of: owner) } else { cancelAll(left) }
    return false
  }

  /// Cancels operations that belong to `owner`, with a loop instead of recursion when those have
  /// members in turn.
  ///
  /// When it returns all of them are marked, whoever came first. But when such a loop on this
  /// thread has called the `cancel()` of `owner` it returns at once, and the loop goes on with
  /// these.
  func cancelMembers(of owner: Operation, _ members: () -> [Operation]) {
    guard mustList(owner) else { return }
    let members = members()
    if cancellations.current == ObjectIdentifier(owner) { return list(members, of: owner) }
    let start = unsafe cancellations.members.count
    cancellations.owners[ObjectIdentifier(owner)] = Cancellations.Owner(
      operation: owner, places: start..<start)
    cancelAll(members)
  }

  /// Leaves the members of `owner` to the innermost loop.
  private func list(_ members: [Operation], of owner: Operation) {
    let cancellations = cancellations
    let identity = ObjectIdentifier(owner)
    let start = unsafe cancellations.members.count
    cancellations.owners[identity] = Cancellations.Owner(
      operation: owner, places: start..<start + members.count)
    append(members, of: identity)
  }

  private func append(
    _ operations: [Operation], of owner: ObjectIdentifier? = nil, named isNamed: Bool = false
  ) {
    unsafe cancellations.members.reserve(operations.count)
    for operation in operations {
      unsafe cancellations.members.append(
        Listed(operation: operation, owner: owner, isNamed: isNamed))
    }
  }

  /// Cancels the operations of a queue, and calls the `cancel()` of all of them, marked or not.
  ///
  /// The second time inside of another one only of those that are not marked.
  func cancelAll(of queue: OperationQueue, _ members: () -> [Operation]) {
    let isAlone = cancellations.isEmpty
    holdingBack {
      let operations = members()
      // None of them calls user code or has members: nothing can wait for them before all are
      // marked, so none is listed.
      if isAlone, OperationWords.allSatisfy(operations, { $0.isStock && !$0.isComposite }) {
        OperationWords.forEach(operations) { operation in
          guard let consequence = operation.markCancelled() else { return }
          follow(Cancelled(operation: operation, consequence: consequence))
        }
      } else {
        cancelAll(operations, named: cancellations.queues.insert(queue.word).inserted)
      }
    }
  }

  /// Cancels operations; when it returns all of them are marked, and their members.
  private func cancelAll(_ operations: [Operation], named isNamed: Bool = false) {
    let cancellations = cancellations
    let start = unsafe cancellations.members.count
    append(operations, named: isNamed)
    let outerStart = cancellations.loopStart
    cancellations.loopStart = start
    cancellations.depth += 1
    var owners: [ObjectIdentifier: Cancellations.Owner] = [:]
    holdingBack {
      var place = start
      while let next = unsafe cancellations.members.take(from: &place) { cancelMember(next) }
      unsafe cancellations.members.cut(to: start)
      cancellations.seen = min(cancellations.seen, start)
      cancellations.loopStart = outerStart
      cancellations.depth -= 1
      guard cancellations.depth == 0 else { return }
      // Before anything is let go: its hooks cancel others in turn.
      unsafe cancellations.members.reset()
      cancellations.queues = []
      swap(&owners, &cancellations.owners)
      for owner in owners.values { owner.operation.allMembersAreCancelled() }
    }
    withExtendedLifetime(owners) {}
  }

  private func cancelMember(_ listed: Listed) {
    let operation = listed.operation
    if cancellations.depth > 1, !operation.isMarkedCancelled {
      // Its mark never comes.
      if operation.isSealed { return }
      // Its override has not come to `super.cancel()` yet. Marked now, or it would be unmarked when
      // the caller goes on, who need not be that override.
      let identity = ObjectIdentifier(operation)
      if cancellations.current == identity || cancellations.callers.contains(identity) {
        return operation.cancelNow()
      }
    }
    // The override may finish it, which starts its dependents.
    if !operation.isStock { markStock() }
    asCurrent(ObjectIdentifier(operation)) {
      // Another thread that has marked it may be on its way to its members still.
      if !listed.isNamed, operation.isMarkedCancelled {
        operation.cancelMembers()
      } else {
        operation.cancel()
      }
    }
  }

  /// The loop calls its `cancel()`, so that its members are listed for the loop.
  @inline(__always) private func asCurrent<Result>(
    _ operation: ObjectIdentifier?, _ body: () -> Result
  ) -> Result {
    let outer = cancellations.current
    if let outer { cancellations.callers.append(outer) }
    cancellations.current = operation
    defer {
      cancellations.current = outer
      if outer != nil { cancellations.callers.removeLast() }
    }
    return body()
  }

  /// Cancels operations that are about to be added to an operation which is cancelled, before they
  /// can run.
  ///
  /// At once, whatever else this thread is cancelling. Who has marked one of them sees to its
  /// members, or its start does.
  func cancelBeforeTheyStart(_ operations: [Operation]) {
    addsUnderWay += 1
    cancelAll(operations.filter { !$0.isMarkedCancelled })
    addsUnderWay -= 1
  }

  /// Runs `body`, which cancels operations, and only then lets what follows from that happen: none
  /// of them is started, or finished and its dependents started, before all of them are marked.
  ///
  /// What an outer one holds back stays with that: its hooks are not called from inside of a hook.
  func holdingBack(_ body: () -> Void) {
    let cancellations = cancellations
    var place = unsafe cancellations.effects.count
    let isOutermost = place == 0
    let endings = cancellations.endings.count
    cancellations.marking += 1
    body()
    cancellations.marking -= 1
    guard cancellations.marking == 0 else { return }
    while let next = unsafe cancellations.effects.take(from: &place) { next.go() }
    if isOutermost { unsafe cancellations.effects.reset() }
    while cancellations.endings.count > endings, let next = cancellations.endings.popLast() {
      next.endAfterCancelling()
    }
  }

  /// Ends an operation by `endAfterCancelling()` once all that `holdingBack(_:)` cancels has been
  /// seen to, or before a wait.
  func endAfterCancelling(_ operation: Operation) { cancellations.endings.append(operation) }

  /// Lets what follows from a cancellation happen, now or when all that is cancelled with it is
  /// marked.
  func follow(_ cancelled: consuming Cancelled) {
    guard cancellations.marking > 0 else { return cancelled.go() }
    unsafe cancellations.effects.append(cancelled)
  }

  /// What a thread must not keep to itself while it waits: finished operations that it has not
  /// subtracted, and, inside of a cancellation, the members that are still to be cancelled and what
  /// cancellations have set free.
  func prepareToWait() {
    flushCredit()
    let cancellations = cancellations
    guard cancellations.waits < Cancellations.waitLimit else { return letSilentEffectsGo() }
    cancellations.waits += 1
    let outerStart = cancellations.loopStart
    cancellations.loopStart = 0
    defer {
      cancellations.waits -= 1
      cancellations.loopStart = outerStart
    }
    var hasMore = true
    while hasMore {
      while let next = unsafe cancellations.members.takeFirst() { cancelMember(next) }
      // Each may list others.
      if let next = unsafe cancellations.effects.takeFirst() {
        apartFromCancellations { next.go() }
      } else if let next = cancellations.endings.popLast() {
        apartFromCancellations { next.endAfterCancelling() }
      } else {
        hasMore = false
      }
    }
  }

  /// Runs something that the cancellations below it on the stack are no business of.
  func apartFromCancellations<Result>(_ body: () -> Result) -> Result {
    let cancellations = cancellations
    guard cancellations.depth > 0 || cancellations.marking > 0 else { return body() }
    let (marking, queues) = (cancellations.marking, cancellations.queues)
    (cancellations.marking, cancellations.queues) = (0, [])
    // Exchanged, so that the last reference to an owner, whose end may call user code, goes outside
    // of the access.
    var owners: [ObjectIdentifier: Cancellations.Owner] = [:]
    swap(&owners, &cancellations.owners)
    defer {
      (cancellations.marking, cancellations.queues) = (marking, queues)
      swap(&owners, &cancellations.owners)
    }
    return asCurrent(nil) {
      // The last reference to an owner may go here, and what its end cancels is no business of
      // those below either.
      defer { while !cancellations.owners.isEmpty { letOwnersGo() } }
      return body()
    }
  }

  private func letOwnersGo() {
    var owners: [ObjectIdentifier: Cancellations.Owner] = [:]
    swap(&owners, &cancellations.owners)
  }

  /// As much of `prepareToWait()` as calls no user code: marks what is not of a class of a user's,
  /// which may override `cancel()`, then lets those go that nobody is told of.
  ///
  /// What is left unmarked may run when it waits for those only. But they may be waited for, and a
  /// body that runs does less harm than a wait that never ends. O(effects that are held back).
  func letSilentEffectsGo() {
    markStock()
    var place = 0
    while let next = unsafe cancellations.effects.take(from: &place, where: \.isSilent) {
      next.go()
    }
  }

  /// Marks everything that is listed and not of a class of a user's; amortised O(1).
  private func markStock() {
    let cancellations = cancellations
    cancellations.marking += 1
    while unsafe cancellations.seen < cancellations.members.count {
      let listed = unsafe cancellations.members[cancellations.seen]
      cancellations.seen += 1
      guard let operation = listed?.operation, operation.isStock else { continue }
      asCurrent(ObjectIdentifier(operation)) { operation.cancelNow() }
    }
    cancellations.marking -= 1
  }
}
