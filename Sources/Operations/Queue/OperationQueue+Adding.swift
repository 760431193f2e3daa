// SPDX-License-Identifier: Apache-2.0

import Scheduling
import Synchronization

extension OperationQueue {
  /// Adds an operation, which the queue keeps until it has finished (contract 105).
  ///
  /// From anywhere, operations of this queue included. An operation that is executing, finished or in any queue stops
  /// the process; `tryAddOperation(_:)` throws instead. O(1) but for its dependencies.
  public func addOperation(_ operation: Operation) {
    do { try tryAddOperation(operation) } catch { error.fault() }
  }

  /// As `addOperation(_:)`, but throws `alreadyQueued`, `alreadyExecuting` or `alreadyFinished`.
  public func tryAddOperation(_ operation: Operation) throws(OperationError) {
    try operation.claimForQueue()
    let old = addMembers(1)
    let barrier = old & MemberCount.barrier != 0 ? joinSegment(1) : nil
    let slot = ThreadRecord.withCurrent { record in
      registry.add(operation.word, ticket: MemberCount.ticket(old), stripe: record.stripe)
    }
    let job = operation.submit(slot: slot, behind: barrier)
    if barrier != nil { evaluateBarriers() }
    if let job { accept(job, of: operation) }
  }

  /// Adds all operations in one step: none of them starts before all are in (contract 87, 105, 106).
  ///
  /// Returns when all have finished if `waitUntilFinished` is set. An illegal member stops the process;
  /// `tryAddOperations(_:)` throws and adds none.
  public func addOperations(_ operations: [Operation], waitUntilFinished: Bool) {
    do { try tryAddOperations(operations) } catch { error.fault() }
    guard waitUntilFinished else { return }
    for operation in operations { operation.waitUntilFinished() }
  }

  /// As `addOperations(_:waitUntilFinished:)` without waiting; throws and adds none when a member is illegal.
  public func tryAddOperations(_ operations: [Operation]) throws(OperationError) {
    guard !operations.isEmpty else { return }
    try OperationWords.claim(operations)
    let old = addMembers(operations.count)
    let barrier = old & MemberCount.barrier != 0 ? joinSegment(operations.count) : nil
    ThreadRecord.withCurrent { record in
      registry.add(operations, firstTicket: MemberCount.ticket(old), stripe: record.stripe)
    }
    var ready = JobChain()
    OperationWords.forEach(operations) { operation in
      // relaxed: stored by this thread in `Registry.add`.
      let slot = operation.header.link.load(ordering: .relaxed)
      guard let job = operation.submit(slot: slot, behind: barrier) else { return }
      if !isFast, operation.flushesWithoutSlot {
        accept(job, of: operation)
      } else {
        ready.append(job)
      }
    }
    if barrier != nil { evaluateBarriers() }
    accept(ready)
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
      let handle = OperationHandle(
        node: UInt(bitPattern: node), generation: generation)
      unsafe ClosureNode.open(node, generation)
      if old & MemberCount.barrier != 0, let barrier = joinSegment(1) {
        addBehind(barrier, handle, slot)
      } else {
        accept(unsafe ClosureNode.job(node))
      }
      return handle
    }
  }

  /// A closure added while a barrier is pending: its façade waits for the barrier.
  private func addBehind(_ barrier: Operation, _ handle: OperationHandle, _ slot: UInt) {
    let job = handle.operation.submitFacade(slot: slot, behind: barrier)
    evaluateBarriers()
    if let job { accept(job) }
  }
}

extension Operation {
  /// Reserves the operation for one queue, or says why it cannot be added (contract 67).
  final func claimForQueue() throws(OperationError) {
    if let failure = claimFailure() { throw failure }
  }

  /// Reserves the operation and returns nil, or returns why that is impossible.
  final func claimFailure() -> OperationError? {
    // acquire and release, edge Submitted: exactly one adder wins.
    let (won, _) = membership.compareExchange(
      expected: Membership.none, desired: Membership.claimed, ordering: .acquiringAndReleasing)
    if won {
      // acquire: pairs with `begin` of a manual start.
      if state.load(ordering: .acquiring) & StateBit.started == 0 { return nil }
      giveUpClaim()
    }
    if isSealed { return .alreadyFinished(self) }
    if state.load(ordering: .acquiring) & StateBit.started != 0 { return .alreadyExecuting(self) }
    return .alreadyQueued(self, queueName: queueNameForDiagnostics)
  }

  final func giveUpClaim() {
    membership.store(Membership.none, ordering: .releasing)  // release, edge Submitted
  }

  /// The claimed operation becomes a member; returns its job when it is ready. Protocol: Release.md, "Submission".
  final func submit(slot: UInt, behind barrier: Operation?) -> Job? {
    // The runtime's reference: released when the queue lets go of the operation.
    unsafe _ = Unmanaged.passRetained(self)
    // acquire, edge EditLock: sees dependencies that other threads have added.
    let bits = state.load(ordering: .acquiring)
    let needsLock =
      StateBit.lock | StateBit.hold | StateBit.dependencyCountMask | StateBit.edgesInCold
    if bits & needsLock == 0, barrier == nil {
      // release, edge Submitted: from here on the operation is a member.
      membership.store(slot, ordering: .releasing)
      return job
    }
    return register(slot: slot, behind: barrier)
  }

  /// As `submit`, for a façade, which has its runtime reference already.
  final func submitFacade(slot: UInt, behind barrier: Operation) -> Job? {
    register(slot: slot, behind: barrier)
  }

  private final func register(slot: UInt, behind barrier: Operation?) -> Job? {
    var bits = lockState()
    membership.store(slot, ordering: .releasing)  // release, edge Submitted
    if let barrier { _ = unsafe appendDependency(barrier, &bits, hidden: true) }
    bits = (bits | StateBit.registered) & ~StateBit.hold
    // A cancelled operation ignores its dependencies, but not a barrier.
    let isCancelled = bits & StateBit.cancelled != 0
    var edges: UInt32 = 0
    unsafe forEachEdge(bits) { edge, _ in
      if unsafe !isCancelled || Self.isHidden(edge) { edges += 1 }
    }
    // relaxed: published by the release of the pushes; the token keeps the count above zero until all are in.
    pending.store(1 + edges, ordering: .relaxed)
    var resolved: UInt32 = 1
    unsafe forEachEdge(bits) { edge, dependency in
      guard unsafe !isCancelled || Self.isHidden(edge) else { return }
      if unsafe !push(edge, on: dependency) { resolved += 1 }
    }
    // acquire and release, edge Resolved: see `resolve`.
    let left = pending.wrappingSubtract(resolved, ordering: .acquiringAndReleasing).newValue
    unlockState(bits)
    return left == 0 ? job : nil
  }
}
