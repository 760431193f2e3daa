// SPDX-License-Identifier: Apache-2.0

import Scheduling
import Synchronization

// Adding to a queue that has extras, and leaving it.

extension OperationQueue {
  /// What comes before the submission of operations, from the registry on.
  @inline(never)
  func prepareNewcomers(_ operations: [Operation], _ givesExtras: Bool, _ record: ThreadRecord) {
    if givesExtras {
      for operation in operations {
        operation.takeExtras()
        operation.trace(.added, self, -1)
      }
    }
    if cancelsNewcomers { record.cancelBeforeTheyStart(operations) }
  }

  /// Operations that are added get extras: somebody takes events, or they have a level from the
  /// queue.
  var givesExtras: Bool {
    hasExtras && (takesEvents || storedQualityOfService != .default)
  }

  func noteAdded(_ operations: [Operation], _ firstTicket: UInt64) {
    extrasIfAny?.noteMembers { told in
      for (index, operation) in operations.enumerated() {
        let member = QueueMember(ticket: firstTicket + UInt64(index), operation: operation)
        // The newest is last.
        let place = told.lastIndex { $0.ticket <= member.ticket }
        // The enumeration at the beginning has found it already.
        if let place, told[place].ticket == member.ticket { continue }
        told.insert(member, at: place.map { $0 + 1 } ?? 0)
      }
    }
  }

  /// The rest of an addition of a closure that stands in the registry and is open.
  ///
  /// Observers want an operation.
  @inline(never)
  func addWithExtras(
    _ node: UnsafeMutablePointer<ClosureNode>, _ generation: UInt64, _ ticket: UInt64
  ) {
    let handle = OperationHandle(node: UInt(bitPattern: node), generation: generation)
    let tracksMembers = extrasIfAny?.tracking.withLock { $0.isOn } ?? false
    if tracksMembers, let operation = handle.facade { noteAdded([operation], ticket) }
    if cancelsNewcomers { handle.cancel() }
    accept(unsafe ClosureNode.job(node))
    tellObservers()
  }

  func noteRemoved(_ operation: Operation) {
    extrasIfAny?.noteMembers { told in
      if let place = told.firstIndex(where: { $0.operation === operation }) {
        told.remove(at: place)
      }
    }
  }

  /// A closure without object has ended: observers do not know it.
  @inline(never)
  func noteClosureEnd(wasSkipped: Bool) {
    extrasIfAny?.progress.noteEnd(hasRun: !wasSkipped, wasSkipped: wasSkipped)
  }

  /// `hasExtras` of the queue at `word`, 0 for none.
  static func hasExtras(at word: UInt) -> Bool {
    // SAFETY: the caller runs an operation of the queue, which keeps it.
    unsafe word != 0 && reference(word)._withUnsafeGuaranteedRef(\.hasExtras)
  }
}

extension Operation {
  /// Makes the time of readiness known: it is now, or noted where the locked count frees the
  /// operation.
  ///
  /// `job` is what the submission returned; returns the job that the caller must hand over.
  final func noteSubmission(_ queue: OperationQueue, _ job: Job?) -> Job? {
    guard queue.takesEvents else { return job }
    var handle: UInt?
    var bits = lockState()
    if job != nil {
      noteReadyTime(bits)
    } else if bits & StateBit.ignoresDependencies == 0,
      let table = moveCountUnderLock(force: false, tagEdges: true, &bits), !table.wasParked
    {
      // The last dependency may have been sealed and have found none of this yet: its finisher will
      // find an edge that holds nothing back.
      handle = handleIfFree(table)
    }
    unlockState(bits)
    return job ?? handle.map { self.job(of: $0) }
  }

  /// Out of the registry; the queue still counts the operation, which keeps it.
  @inline(never)
  final func noteLeft(_ queue: OperationQueue, _ record: ThreadRecord, _ worker: Int) {
    guard let extras = queue.extrasIfAny else { return }
    // relaxed: nothing changes these bits any more.
    let bits = state.load(ordering: .relaxed)
    let wasSkipped = bits & StateBit.skipped != 0
    let kind = bits & (StateBit.plain | StateBit.asynchronous)
    let hasRun = kind == StateBit.plain || bits & StateBit.mainRan != 0
    if bits & StateBit.barrier == 0 {
      extras.progress.noteEnd(hasRun: hasRun && !wasSkipped, wasSkipped: wasSkipped)
      queue.noteRemoved(self)
    }
    // Not counted by `operationCount` while the observers are told, but by those who wait for the
    // queue.
    // release, edge Counted: whoever finds it there finds its addition in the count.
    queue.departures.wrappingAdd(1, ordering: .releasing)
    let outer = record.enterCompletion(of: self, queue.word)
    if bits & StateBit.hasExtras != 0 { trace(.removed, queue, worker) }
    queue.tellObservers()
    record.leaveLevel(outer)
    // relaxed: the credit that follows releases it.
    queue.departures.wrappingSubtract(1, ordering: .relaxed)
  }
}
