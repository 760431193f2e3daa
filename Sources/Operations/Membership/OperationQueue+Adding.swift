// SPDX-License-Identifier: Apache-2.0

import Scheduling
import Synchronization

extension OperationQueue {
  /// Whether operations of the queue may keep dependencies that have finished; true by default
  /// (contract 131).
  ///
  /// With false the `retainsFinishedDependencies` of an operation becomes false when it is added,
  /// which costs less than setting each. Setting it afterwards, before the operation starts, still
  /// counts. Members that are there already keep what they have.
  public var retainsFinishedDependencies: Bool {
    // relaxed, both: a setting that orders nothing.
    get { lostBits.load(ordering: .relaxed) == 0 }
    set { lostBits.store(newValue ? 0 : StateBit.retainsDependencies, ordering: .relaxed) }
  }

  /// As `addOperation(_:)`, but throws `alreadyQueued`, `alreadyExecuting` or `alreadyFinished`.
  public func tryAddOperation(_ operation: consuming Operation) throws(OperationError) {
    if let failure = operation.claimFailure() { throw failure }
    let place = takePlace(1)
    let record = unsafe ThreadRecord.currentReference
    let slot = unsafe record._withUnsafeGuaranteedRef {
      registry.add(operation.word, ticket: place.ticket, stripe: $0.stripe)
    }
    // Once it is in the registry: see Observation.md.
    if hasExtrasOrIsRecorded {
      return submit([operation], BatchSlots([slot..<slot + 1]), at: place)
    }
    unsafe record._withUnsafeGuaranteedRef { $0.addsUnderWay += 1 }
    let member = unsafe Unmanaged.passRetained(consume operation)
    let job = unsafe member._withUnsafeGuaranteedRef {
      $0.submit(slot: slot, in: self, behind: place.barrier)
    }
    unsafe record._withUnsafeGuaranteedRef { $0.addsUnderWay -= 1 }
    if place.barrier != nil { evaluateBarriers() }
    if let job { acceptHandles(JobChain(job)) }
  }

  /// As `addOperations(_:waitUntilFinished:)` without waiting; throws and adds none when a member
  /// is illegal: what `tryAddOperation(_:)` throws, or `listedTwice`.
  public func tryAddOperations(_ operations: [Operation]) throws(OperationError) {
    guard !operations.isEmpty else { return }
    try OperationWords.claim(operations)
    admit(operations, at: takePlace(operations.count))
  }

  /// Makes claimed operations members, in one step, that are counted already.
  ///
  /// All of them are in the registry before the first one is submitted, since that one may start at
  /// once when its last dependency finishes: whoever enumerates or cancels all members then finds
  /// the whole batch.
  func admit(_ operations: [Operation], at place: SubmissionPlace) {
    let slots = ThreadRecord.withCurrent { record in
      registry.add(operations, firstTicket: place.ticket, stripe: record.stripe)
    }
    submit(operations, slots, at: place)
  }

  /// Submits operations that stand in the registry, and hands over those that are ready, once all
  /// of them are in.
  ///
  /// Nothing of a batch may run before, on the inline scheduler neither, nor be released by one
  /// that inherits a cancellation. Cancelled ones that need no slot do not go to the list.
  private func submit(
    _ operations: [Operation], _ slots: consuming BatchSlots, at place: SubmissionPlace
  ) {
    let hasExtras = self.hasExtras
    let givesExtras = hasExtras && self.givesExtras
    var ready = JobChain()
    var recorded: [UInt] = []
    let inherited = ThreadRecord.withCurrent { record in
      if hasExtras { noteAdded(operations, place.ticket) }
      record.addsUnderWay += 1
      defer { record.addsUnderWay -= 1 }
      if hasExtras { prepareNewcomers(operations, givesExtras, record) }
      return record.submittingBatch {
        OperationWords.forEach(operations) { operation in
          unsafe _ = Unmanaged.passRetained(operation)
          let slot = slots.take()
          // One test for both.
          let job =
            recordingWord | (givesExtras ? 1 : 0) == 0
            ? operation.submit(slot: slot, in: self, behind: place.barrier)
            : operation.submitUnusually(
              slot: slot, in: self, behind: place.barrier, givesExtras, ready: &recorded)
          if let job { ready.append(job) }
        }
      }
    }
    for word in recorded { EventRings.noteReady(word) }
    if place.barrier != nil { evaluateBarriers() }
    if let inherited {
      ThreadRecord.current.handOver(StoredChain(ready), with: inherited)
    } else {
      acceptHandles(ready)
    }
    if hasExtras { tellObservers() }
  }

  /// Makes reserved operations members.
  func admit(_ operations: [Operation]) {
    guard !operations.isEmpty else { return }
    for operation in operations { operation.resumeClaim() }
    admit(operations, at: takePlace(operations.count))
  }

  /// Implements `addOperation(_:)` for a closure.
  @inline(__always)
  func addClosure(_ block: consuming @escaping @Sendable () -> Void) -> OperationHandle {
    let record = unsafe ThreadRecord.currentReference
    let node = unsafe record._withUnsafeGuaranteedRef { unsafe $0.nodeCache.take() }
    // The closure is the caller's to give: no reference is counted for it.
    unsafe ClosureNode.prepare(node, consume block)
    let generation = unsafe ClosureNode.generation(node)
    unsafe record._withUnsafeGuaranteedRef { unsafe admit(node, generation, $0) }
    return OperationHandle(node: UInt(bitPattern: node), generation: generation)
  }

  /// The queue is no subclass's, so that a body need not become an operation to be added.
  @usableFromInline var storesBodies: Bool { type(of: self) == OperationQueue.self }

  /// A free cell for `addCell`.
  @usableFromInline func takeCell() -> UInt {
    ThreadRecord.withCurrent { UInt(bitPattern: unsafe $0.nodeCache.take()) }
  }

  /// Implements `addOperation(_:)` for a body that has been stored in a cell.
  @usableFromInline func addCell(_ cell: UInt, _ use: StoredBody.Function) -> OperationHandle {
    // SAFETY: cells are never freed.
    let node = unsafe UnsafeMutablePointer<ClosureNode>.at(cell)
    unsafe ClosureNode.prepare(node, use)
    let generation = unsafe ClosureNode.generation(node)
    ThreadRecord.withCurrent { unsafe admit(node, generation, $0) }
    return OperationHandle(node: cell, generation: generation)
  }

  /// Makes a cell with its closure a member.
  @inline(__always) private func admit(
    _ node: UnsafeMutablePointer<ClosureNode>, _ generation: UInt64, _ record: ThreadRecord
  ) {
    // Before the registry: from there on until the cell is open an enumerator may wait for it with
    // the stripe's lock, for which a barrier's adder may wait with `control`.
    let place = takePlace(1)
    let slot = registry.add(
      UInt(bitPattern: node) | RegistryChunk.closureTag, ticket: place.ticket,
      stripe: record.stripe)
    // relaxed: published by the hand-over below; an enumerator reads nothing of the node but its
    // state before.
    unsafe node.pointee.membership.store(slot, ordering: .relaxed)
    if let barrier = place.barrier {
      unsafe addFacade(behind: barrier, node, generation, slot, place.ticket)
    } else if hasExtrasOrIsRecorded {
      unsafe admitUnusually(node, generation, slot, place.ticket)
    } else {
      unsafe openAndAccept(node, generation, place.ticket)
    }
  }

  @inline(__always) private func openAndAccept(
    _ node: UnsafeMutablePointer<ClosureNode>, _ generation: UInt64, _ ticket: UInt64
  ) {
    unsafe ClosureNode.open(node, generation)
    // Once it is open: see Observation.md.
    if hasExtras { return unsafe addWithExtras(node, generation, ticket) }
    accept(unsafe ClosureNode.job(node))
  }

  /// As `admit` from the slot on, with extras or while a recording is under way.
  @inline(never) private func admitUnusually(
    _ node: UnsafeMutablePointer<ClosureNode>, _ generation: UInt64, _ slot: UInt,
    _ ticket: UInt64
  ) {
    if hasExtras, givesExtras {
      return unsafe addFacade(behind: nil, node, generation, slot, ticket)
    }
    if isRecording { recordClosure(UInt(bitPattern: node)) }
    unsafe openAndAccept(node, generation, ticket)
  }

  /// A closure added while a barrier is pending, for which its façade waits, or to a queue whose
  /// events are taken.
  ///
  /// The cell is opened with the façade in it, which is claimed like any operation that is being
  /// added: whoever finds it before it is registered takes it for one in no queue.
  @inline(never) private func addFacade(
    behind barrier: Operation?, _ node: UnsafeMutablePointer<ClosureNode>, _ generation: UInt64,
    _ slot: UInt, _ ticket: UInt64
  ) {
    let givesExtras = self.givesExtras
    if isRecording { recordClosure(UInt(bitPattern: node)) }
    let facade = unsafe ClosureNode.makeFacade(
      node, slot: Membership.claimed, flags: givesExtras ? StateBit.hasExtras : 0)
    unsafe ClosureNode.open(node, generation, also: ClosureNode.promoted)
    if hasExtras { noteAdded([facade], ticket) }
    if givesExtras { facade.trace(.added, self, -1) }
    if cancelsNewcomers { facade.cancel() }
    if isRecording { facade.recordSubmission(to: self, behind: barrier) }
    var job = facade.register(slot: slot, behind: barrier, locked: facade.lockState())
    if givesExtras { job = facade.noteSubmission(self, job) }
    if isRecording, job != nil { EventRings.noteReady(facade.word) }
    if barrier != nil { evaluateBarriers() }
    if let job { facade.handOver(job) }
    if hasExtras { tellObservers() }
  }
}

extension Operation {
  /// Takes an operation that is in no queue; false when somebody else has it.
  final func claim(as claim: UInt) -> Bool {
    // acquire and release, edge Submitted: one word decides between queues and a manual start;
    // sequentially consistent, edge FinishedEarly: the claim precedes the look at `state` in
    // `submit`.
    membership.compareExchange(
      expected: Membership.none, desired: claim, ordering: .sequentiallyConsistent
    ).exchanged
  }

  /// Reserves the operation for one queue and returns nil, or returns why it cannot be added
  /// (contract 67).
  final func claimFailure() -> OperationError? {
    if claim(as: Membership.claimed) { return nil }
    return refusal { .alreadyQueued(self, queueName: $0) } ?? .alreadyFinished(self)
  }

  /// The claim is to last until `owner` starts: an `add` is not under way.
  final func reserve(for owner: Operation) {
    // relaxed: published by the next line, read by `labelOfOwner` only.
    header.link.store(owner.word, ordering: .relaxed)
    membership.store(Membership.reserved, ordering: .releasing)  // release, edge Submitted
  }

  /// The reserved operation is about to be added.
  final func resumeClaim() {
    // Locked, also below: `labelOfOwner` reads the link until then.
    let bits = lockState()
    // sequentially consistent, edge FinishedEarly: as in `claim`.
    _ = membership.exchange(Membership.claimed, ordering: .sequentiallyConsistent)
    unlockState(bits)
  }

  final func giveUpClaim() {
    // release, edge Submitted
    underLock { _ in membership.store(Membership.none, ordering: .releasing) }
  }

  /// The claimed operation becomes a member; returns its job when it is ready.
  ///
  /// A reference has been counted for the queue, which lets go of it in `leaveQueue`.
  ///
  /// Protocol: Release.md, "Submission".
  fileprivate final func submit(
    slot: UInt, in queue: OperationQueue, behind barrier: Operation?
  ) -> Job? {
    // acquire, edge EditLock: sees dependencies that other threads have added; sequentially
    // consistent, edge FinishedEarly: after the claim, see `finishBeforeStart`.
    let bits = state.load(ordering: .sequentiallyConsistent)
    // relaxed: a setting that orders nothing.
    let lost = queue.lostBits.load(ordering: .relaxed)
    let needsLock =
      StateBit.lock | StateBit.hold | StateBit.dependencyCountMask | StateBit.edgesInCold | lost
    if bits & needsLock == 0, barrier == nil {
      // release, edge Submitted: from here on the operation is a member.
      membership.store(slot, ordering: .releasing)
      return job
    }
    return register(slot: slot, behind: barrier, locked: lockState() & ~lost)
  }

  /// As `submit` for an operation that gets extras, or while a recording is under way.
  ///
  /// A recording learns that it is ready when all of a batch are in, since none of them may run
  /// before. The caller tells it of those in `recorded`.
  @inline(never) fileprivate final func submitUnusually(
    slot: UInt, in queue: OperationQueue, behind barrier: Operation?, _ givesExtras: Bool,
    ready recorded: inout [UInt]
  ) -> Job? {
    if isRecording { recordSubmission(to: queue, behind: barrier) }
    let job = submit(slot: slot, in: queue, behind: barrier)
    if isRecording, job != nil { recorded.append(word) }
    return givesExtras ? noteSubmission(queue, job) : job
  }
}
