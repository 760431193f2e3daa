// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
import Scheduling
import Synchronization

extension Operation {
  /// Blocks until the operation has finished, at most for `timeout`; false when the time was up
  /// first.
  @available(*, noasync, message: "blocks the thread; use await finished()")
  public final func wait(timeout: Duration) -> Bool {
    waitBlocking(until: MonotonicTime.deadline(after: timeout))
  }

  final func waitBlocking(until deadline: UInt64?) -> Bool {
    if isSealed { return true }
    let record = ThreadRecord.current
    // What encloses the wait has begun.
    if deadline == nil, isStartedElsewhere { stopIfPartOfWaiter(.blocking, record.enclosures) }
    return record.wait(for: .operation(self), until: deadline) {
      runHere(record, isTimed: deadline != nil, isAlone: false)
    } runAlone: {
      runAlone(record, for: $0)
    } beforeSleep: { place in
      guard deadline == nil else { return }
      if place.scheduler.waitsByHelping,
        queueIfUnstarted()?.identity == place.scheduler.identity
      {
        Fault.waitInlineForOther(self)
      }
      stopIfHeldBackByWaiter(.blocking, record.enclosures)
    } sleep: {
      sleep(record, until: $0)
    }
  }

  /// Runs this operation on the waiting thread when it is ready, its queue lets it, and the thread
  /// is one of its scheduler's.
  ///
  /// Running exactly what is waited for cannot deadlock where waiting would not; running anything
  /// else could. A timed wait does not begin what may take longer, unless nobody else would. On the
  /// thread of another scheduler it would be one more than its own scheduler may run, so that is
  /// left to the last thread of both (`isAlone`).
  private final func runHere(_ record: ThreadRecord, isTimed: Bool, isAlone: Bool) -> Bool {
    guard let target = queueIfUnstarted(), !isTimed || target.scheduler.waitsByHelping,
      isAlone || record.isWorker(of: target.identity, \.identity)
    else { return isSealed }
    // An heir that is not marked yet is skipped here as well.
    // relaxed: a recall that comes later is found under the lock.
    if state.load(ordering: .relaxed) & StateBit.hold != 0 { inheritCancellation() }
    // The last thread of its scheduler skips it where it needs no slot: nobody else would.
    let gate: StartGate? =
      target.enterGate(record)
      ? .fast : isAlone && needsNoSlot && !target.isSuspendedNow ? .skip : nil
    guard let gate else { return isSealed }
    let table = coldTableMade()
    // May be user code: before the lock.
    let isReadyNow = gate == .skip || isReady
    let bits = lockState()
    // What is skipped has no place in the order.
    let obstacles =
      StateBit.started | StateBit.barrier | StateBit.hasExtras | StateBit.needsResources
      | (gate == .skip ? 0 : StateBit.moved)
    guard bits & obstacles == 0, !isHeldBackByRecall(bits), isReadyNow, isSubmitted, isHandedOver
    else {
      unlockState(bits)
      if gate == .fast { target.leaveGate(record) }
      return isSealed
    }
    // One more handle, which begins in the same step: begun later, it could overtake an edit that
    // parked the other.
    table.handles += 1
    let begun = StateChange.begin(StateChange.addHandle(bits) | plainness(bits))
    unlockState(begun)
    var context = WorkerContext(worker: -1, scheduler: target.identity)
    unsafe withUnsafeMutablePointer(to: &context) { context in
      let successor = unsafe perform(begun, gate, target, record, context)
      if let job = unsafe Job(unsafeWord: successor) { unsafe context.pointee.ready.prepend(job) }
      unsafe target.submitUnlessEmpty(context.pointee.takeReady())
      record.settleCredit()
    }
    record.noteHandleLeft(in: target.scheduler)
    return isSealed
  }

  /// Whether an edge that recalls the operation holds it back; under the edit lock, before the
  /// start.
  ///
  /// What will be skipped has no edges to look at.
  private final func isHeldBackByRecall(_ bits: UInt32) -> Bool {
    guard bits & StateBit.hold != 0, bits & StateBit.toBeSkipped == 0 else { return false }
    return !dependenciesHaveFinished(bits) || inheritsCancellation(bits)
  }

  /// Runs this operation, or what it cannot finish without, on a thread that waits for it and is
  /// the last of these schedulers.
  ///
  /// As safe as `runHere`, since all of it must end before the wait does. Here an operation may
  /// also take a slot or the place of one that has begun nothing. False when there is none that may
  /// start.
  final func runAlone(_ record: ThreadRecord, for schedulers: [SchedulerIdentity]) -> Bool {
    Self.findInWay(of: [self]) { operation, facts in
      guard let target = operation.queueIfUnstarted(), schedulers.contains(target.threadsIdentity),
        record.isWorker(of: target.threadsIdentity)
      else { return false }
      return operation.runHere(record, isTimed: false, isAlone: true)
        || (facts.isHandedOver && target.runFromList(operation, record))
    }
  }

  /// The queue in which the operation waits to be started, kept.
  final func queueIfUnstarted() -> OperationQueue? { queue(if: { $0 & StateBit.started == 0 }) }

  /// The queue that holds the operation, kept; nil after a manual start and once it has finished.
  final var queueIfMember: OperationQueue? { queue(if: { _ in true }) }

  private final func queue(if test: (UInt32) -> Bool) -> OperationQueue? {
    let bits = lockState()
    // Not sealed here: the finisher finds the lock, and waits before it lets the queue go.
    let isMember = test(bits) && isSubmitted && !isSealedForEditor
    let queue = unsafe isMember ? retainQueue() : nil
    unlockState(bits)
    return unsafe queue?.takeRetainedValue()
  }

  /// Blocks this thread.
  private final func sleep(_ record: ThreadRecord, until deadline: UInt64?) -> Bool {
    if let deadline {
      FinishGate.of(self)?.wait(until: deadline)
      return isSealed
    }
    var waiter = SuccessorRecord(waiter: record.parker)
    unsafe withUnsafeMutablePointer(to: &waiter) { waiter in
      guard unsafe pushRecord(waiter) else { return }
      // acquire, edge Woken: pairs with the release in `wakeWaiters`; the record may go after
      // it.
      while unsafe !waiter.pointee.flag.load(ordering: .acquiring) { record.parker.park() }
    }
    return true
  }

  /// Puts a record on the successor list; false when the operation has finished.
  final func pushRecord(_ record: RecordPointer) -> Bool {
    let entry = UInt(bitPattern: record) | SuccessorWord.recordTag
    // SAFETY: the link is the field at its own address; the record outlives the entry.
    return unsafe withUnsafePointer(to: record.pointee.link) { link in
      unsafe Self.push(entry, link: UnsafeMutablePointer(mutating: link), on: word)
    }
  }

  /// Wakes every waiter of the list, taken off a sealed successor list, that begins with the tagged
  /// word `first`.
  static func wakeWaiters(_ first: UInt) {
    var entry = first
    while entry != 0 {
      let record = unsafe Operation.record(entry)
      // Everything is read before the flag: the record is the waiter's from then on.
      entry = unsafe record.pointee.link.load(ordering: .relaxed)  // relaxed: this thread's list
      switch unsafe record.pointee.kind {
      case .gate: unsafe FinishGate.openAndFree(record)
      case .edge, .waiter:
        let parker = unsafe record.pointee.parker
        // release, edge Woken: pairs with the waiter's acquire.
        unsafe record.pointee.flag.store(true, ordering: .releasing)
        parker?.unpark()
      }
    }
  }
}
