// SPDX-License-Identifier: Apache-2.0

import Scheduling
import Synchronization

extension OperationQueue {
  /// Adds an operation, which the queue keeps until it has finished (contract 105).
  ///
  /// From anywhere, operations of this queue included. An operation that is executing, finished or in any queue stops
  /// the process; `tryAddOperation(_:)` throws instead. O(1) but for its dependencies.
  public func addOperation(_ operation: Operation) {
    do { try tryAddOperation(operation) } catch {
      error.fault("addOperation(_:) on queue \"\(name ?? "")\"")
    }
  }

  /// As `addOperation(_:)`, but throws `alreadyQueued`, `alreadyExecuting` or `alreadyFinished`.
  public func tryAddOperation(_ operation: Operation) throws(OperationError) {
    try operation.claimForQueue()
    let old = addMembers(1)
    let barrier = old & MemberCount.barrier != 0 ? joinSegment(1) : nil
    let slot = ThreadRecord.withCurrent { record in
      registry.add(operation.word, ticket: MemberCount.ticket(old), stripe: record.stripe)
    }
    order?.add([operation.memberWord])
    // Once it is in the registry: see Observation.md.
    if hasExtras { return addAttended([operation], MemberCount.ticket(old), [slot], barrier) }
    let job = operation.submit(slot: slot, behind: barrier)
    if barrier != nil { evaluateBarriers() }
    if let job { operation.handOver(job) }
  }

  /// Adds all operations in one step: none of them starts before all are in (contract 87, 105, 106).
  ///
  /// Returns when all have finished if `waitUntilFinished` is set. An illegal member stops the process;
  /// `tryAddOperations(_:)` throws and adds none.
  public func addOperations(_ operations: [Operation], waitUntilFinished: Bool) {
    do { try tryAddOperations(operations) } catch {
      error.fault("addOperations(_:waitUntilFinished:) on queue \"\(name ?? "")\"")
    }
    guard waitUntilFinished else { return }
    for operation in operations { operation.waitUntilFinished() }
  }

  /// As `addOperations(_:waitUntilFinished:)` without waiting; throws and adds none when a member is illegal.
  public func tryAddOperations(_ operations: [Operation]) throws(OperationError) {
    guard !operations.isEmpty else { return }
    try OperationWords.claim(operations)
    admit(operations, countedAt: addMembers(operations.count))
  }

  /// Makes claimed operations members, in one step, that are counted already; `old` is the count's word before.
  func admit(_ operations: [Operation], countedAt old: UInt64) {
    let barrier = old & MemberCount.barrier != 0 ? joinSegment(operations.count) : nil
    let ticket = MemberCount.ticket(old)
    let stripe = ThreadRecord.withCurrent { $0.stripe }
    var ready = JobChain()
    var flushes = JobChain()
    // In portions, so that what the registry has just read is still in the cache when it is submitted.
    var portion =
      0..<(order == nil ? min(RegistryChunk.capacity, operations.count) : operations.count)
    while !portion.isEmpty {
      registry.add(operations, portion, firstTicket: ticket, stripe: stripe)
      order?.add(operations.map(\.memberWord))
      if hasExtras {
        // Somebody looks at the members, perhaps only now: the rest goes in at once, and is told.
        let rest = portion.lowerBound..<operations.count
        registry.add(
          operations, portion.upperBound..<rest.upperBound, firstTicket: ticket, stripe: stripe)
        // relaxed: stored by this thread in `Registry.add`.
        let slots = operations[rest].map { $0.header.link.load(ordering: .relaxed) }
        addAttended(Array(operations[rest]), ticket &+ UInt32(rest.lowerBound), slots, barrier)
        break
      }
      OperationWords.forEach(operations, in: portion) { operation in
        // relaxed: stored by this thread in `Registry.add`.
        let slot = operation.header.link.load(ordering: .relaxed)
        guard let job = operation.submit(slot: slot, behind: barrier) else { return }
        if operation.needsNoSlot { flushes.append(job) } else { ready.append(job) }
      }
      portion =
        portion.upperBound..<min(portion.upperBound + RegistryChunk.capacity, operations.count)
    }
    if barrier != nil { evaluateBarriers() }
    // Only now: nothing of the batch may run before all of it is in, on the inline scheduler neither.
    while let job = flushes.popFirst() { Operation.handOver(job) }
    accept(ready)
  }

  /// Makes reserved operations members.
  func admit(_ operations: [Operation]) {
    guard !operations.isEmpty else { return }
    for operation in operations { operation.resumeClaim() }
    admit(operations, countedAt: addMembers(operations.count))
  }

  /// Adds a closure; the cheapest way to run one.
  ///
  /// No object exists for it until the handle's `operation` is asked for (or an enumeration of the queue asks). Any
  /// thread. O(1), without allocation once the thread's cells are warm, the closure's own captures apart.
  @discardableResult
  public func addOperation(_ block: @escaping @Sendable () -> Void) -> OperationHandle {
    ThreadRecord.withCurrent { record in
      let node = unsafe record.nodeCache.take()
      let generation = unsafe ClosureNode.prepare(node, block)
      let old = addMembers(1)
      let slot = registry.add(
        UInt(bitPattern: node) | RegistryChunk.closureTag, ticket: MemberCount.ticket(old),
        stripe: record.stripe)
      // relaxed: published by the hand-over below; an enumerator reads nothing of the node but its state before.
      unsafe node.pointee.membership.store(slot, ordering: .relaxed)
      order?.add([UInt(bitPattern: node)])
      if old & MemberCount.barrier != 0, let barrier = joinSegment(1) {
        unsafe addBehind(barrier, node, generation, slot, MemberCount.ticket(old))
      } else {
        unsafe ClosureNode.open(node, generation)
        // Once it is open: see Observation.md.
        if hasExtras { return unsafe addAttended(node, generation, MemberCount.ticket(old)) }
        accept(unsafe ClosureNode.job(node))
      }
      return OperationHandle(node: UInt(bitPattern: node), generation: generation)
    }
  }

  /// A closure added while a barrier is pending: its façade waits for the barrier.
  ///
  /// The cell is opened with the façade in it, and the façade's edit lock is held until it is registered: whoever
  /// finds it in between and cancels it waits for that.
  private func addBehind(
    _ barrier: Operation, _ node: UnsafeMutablePointer<ClosureNode>, _ generation: UInt64,
    _ slot: UInt, _ ticket: UInt32
  ) {
    let attended = wantsAttention ? StateBit.attended : 0
    let facade = unsafe ClosureNode.makeFacade(node, slot: slot, flags: StateBit.lock | attended)
    unsafe ClosureNode.open(node, generation, also: ClosureNode.promoted)
    if hasExtras { noteAdded([facade], ticket) }
    let job = facade.register(slot: slot, behind: barrier, locked: facade.unlockedState)
    if attended != 0 { facade.noteSubmission(self, isReady: job != nil) }
    evaluateBarriers()
    if let job { facade.handOver(job) }
    if hasExtras { tellObservers() }
  }
}

extension Operation {
  /// Reserves the operation for one queue, or says why it cannot be added (contract 67).
  final func claimForQueue() throws(OperationError) {
    if let failure = claimFailure() { throw failure }
  }

  /// Reserves the operation and returns nil, or returns why that is impossible.
  final func claimFailure() -> OperationError? {
    // acquire and release, edge Submitted: exactly one adder wins; sequentially consistent, edge FinishedEarly: the
    // claim precedes the look at `state` in `submit`.
    let (won, _) = membership.compareExchange(
      expected: Membership.none, desired: Membership.claimed, ordering: .sequentiallyConsistent)
    if won { return nil }
    if isSealed { return .alreadyFinished(self) }
    // acquire, edges Submitted and EditLock.
    let isManual = membership.load(ordering: .acquiring) == Membership.manual
    if isManual || state.load(ordering: .acquiring) & StateBit.started != 0 {
      return .alreadyExecuting(self)
    }
    return .alreadyQueued(self, queueName: queueNameForDiagnostics)
  }

  /// The claim is to last until another operation starts: an `add` is not under way.
  final func reserve() {
    membership.store(Membership.reserved, ordering: .releasing)  // release, edge Submitted
  }

  /// The reserved operation is about to be added.
  final func resumeClaim() {
    // sequentially consistent, edge FinishedEarly: as the claim in `claimFailure`.
    _ = membership.exchange(Membership.claimed, ordering: .sequentiallyConsistent)
  }

  final func giveUpClaim() {
    membership.store(Membership.none, ordering: .releasing)  // release, edge Submitted
  }

  /// The claimed operation becomes a member; returns its job when it is ready.
  ///
  /// Protocol: Release.md, "Submission".
  final func submit(slot: UInt, behind barrier: Operation?) -> Job? {
    // The runtime's reference: released when the queue lets go of the operation.
    unsafe _ = Unmanaged.passRetained(self)
    // acquire, edge EditLock: sees dependencies that other threads have added; sequentially consistent, edge
    // FinishedEarly: after the claim, see `finishBeforeStart`.
    let bits = state.load(ordering: .sequentiallyConsistent)
    let needsLock =
      StateBit.lock | StateBit.hold | StateBit.dependencyCountMask | StateBit.edgesInCold
    if bits & needsLock == 0, barrier == nil {
      // release, edge Submitted: from here on the operation is a member.
      membership.store(slot, ordering: .releasing)
      return job
    }
    return register(slot: slot, behind: barrier, locked: lockState())
  }

  /// Registers the edges; takes over the edit lock with the state word `bits`.
  final func register(slot: UInt, behind barrier: Operation?, locked bits: UInt32) -> Job? {
    var bits = bits
    membership.store(slot, ordering: .releasing)  // release, edge Submitted
    if let barrier { _ = unsafe appendDependency(barrier, &bits, hidden: true) }
    bits = (bits | StateBit.registered) & ~StateBit.hold
    // A cancelled or finished operation ignores its dependencies, but not a barrier.
    let ignores = bits & (StateBit.cancelled | StateBit.finishRequested) != 0
    var registration = Registration()
    if !ignores, bits & StateBit.edgesInCold == 0 {
      let slots = Self.inlineCount(bits)
      // relaxed: published by the release of the pushes; the token keeps the count above zero until all are in. A slot
      // whose dependency was removed counts as resolved.
      pending.store(1 + UInt32(slots), ordering: .relaxed)
      for slot in 0..<slots {
        // relaxed: locked
        let dependency = unsafe dependencyWord(slot).pointee.load(ordering: .relaxed)
        unsafe registration.push(.slot(slot), of: self, on: dependency)
      }
    } else {
      var edges: UInt32 = 0
      unsafe forEachEdge(bits) { edge, _ in
        if unsafe !ignores || Self.isHidden(edge) { edges += 1 }
      }
      pending.store(1 + edges, ordering: .relaxed)  // relaxed: as above
      unsafe forEachEdge(bits) { edge, dependency in
        guard unsafe !ignores || Self.isHidden(edge) else { return }
        unsafe registration.push(edge, of: self, on: dependency)
      }
    }
    // acquire and release, edge Resolved: see `resolve`.
    let left = pending.wrappingSubtract(
      registration.resolved, ordering: .acquiringAndReleasing
    ).newValue
    unlockState(bits)
    // Before the hand-over, so that it does not start.
    if registration.inheritsCancellation { cancel() }
    return left == 0 ? job : nil
  }
}

/// What the registration of an operation's edges has found.
private struct Registration {
  /// Edges that hold nothing back, and the submission token.
  var resolved: UInt32 = 1
  /// A finished dependency passes its cancellation on.
  var inheritsCancellation = false

  @inline(__always) mutating func push(
    _ edge: EdgeLocation, of operation: Operation, on dependency: UInt
  ) {
    if dependency != 0 {
      guard unsafe !operation.push(edge, on: dependency) else { return }
      inheritsCancellation =
        unsafe Operation.reference(dependency)._withUnsafeGuaranteedRef(\.passesCancellationOn)
        || inheritsCancellation
    }
    resolved += 1
  }
}
