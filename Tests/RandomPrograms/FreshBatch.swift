// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
internal import Operations
import Synchronization

/// What one run has seen of a batch that no step but one knows.
final class FreshBatch: Sendable {
  // Sequentially consistent throughout, as in `Facts`.
  final class Member: Sendable {
    let runs = Atomic<Int>(0)
    let begun = Atomic<Int>(0)
    let ended = Atomic<Int>(0)
    let told = Atomic<Int>(0)
  }
  let fresh: Fresh
  let content: Fresh.Content
  let members: [Member]
  let barrier = Member()
  /// The queue inside of what is made of others, if the batch is for that.
  let inner: InnerQueue?
  /// Made and limited for the batch alone.
  let hasOwnQueue: Bool
  let queue: Weak<OperationQueue>
  let operations = Locked<[Operation]>([])
  /// What overrides may finish, and what the end of the program does.
  let sources = (AsyncOperation(), AsyncOperation())

  init(_ fresh: Fresh, to queue: OperationQueue, in inner: InnerQueue?, hasOwnQueue: Bool) {
    self.fresh = fresh
    content = fresh.content
    members = content.members.map { _ in Member() }
    self.inner = inner
    self.hasOwnQueue = hasOwnQueue
    self.queue = Weak(queue)
  }

  /// It is cancelled before it can start; nobody cancels others, whose overrides let it go.
  func isSureHeir(_ number: Int) -> Bool {
    content.members[number].isHeir && (hasOwnQueue || content.isOrdered)
  }

  /// Everything that can end has.
  var isOver: Bool { operations.withLock { $0.allSatisfy(\.isFinished) } }
}

extension Run {
  /// Adds a batch; to a queue of its own where its order is to be seen.
  func addFresh(_ fresh: Fresh, to number: Int, _ actor: Actor?) {
    let isOwn = number == Step.newQueue
    let made = isOwn ? OperationQueue(scheduler: scheduler) : queue(number, actor)
    guard let queue = made else { return }
    let inner = number == Step.ownQueue && certainty.ownIsSure ? innerQueue(queue) : nil
    let batch = FreshBatch(fresh, to: queue, in: inner, hasOwnQueue: isOwn)
    let operations = make(batch)
    batch.operations.withLock { $0 = operations }
    batches.withLock { $0.append(batch) }
    if isOwn {
      queue.maxConcurrentOperationCount = batch.content.beginsAtZero ? 0 : 1
    }
    do throws(OperationError) { try queue.tryAddOperations(operations) } catch {
      fault("new operations are refused: \(error)")
    }
    inner?.batches.withLock { $0.append(batch) }
    if fresh.hasBarrier { queue.addBarrierBlock { self.barrierRuns(batch) } }
    if isOwn { queue.maxConcurrentOperationCount = 1 }
    guard fresh.waits, number == Step.ownQueue else { return }
    for operation in operations.reversed() {
      operation.waitUntilFinished()
      if !operation.isFinished { fault("a wait for a new operation returns before its end") }
    }
  }

  private func make(_ batch: FreshBatch) -> [Operation] {
    let source = Operation()
    source.cancelDependentsOnCancel = true
    source.cancelAndFinish()
    let (first, last) = batch.sources
    if let spare = queues.last?.object {
      try? spare.tryAddOperation(first)
      try? spare.tryAddOperation(last)
    }
    let operations = batch.content.members.enumerated().map { number, member in
      let operation = make(number, member, batch)
      operation.queuePriority = Operation.QueuePriority(rounding: member.level)
      if member.isHeir { operation.addDependency(source) }
      if member.needsFirst { operation.addDependency(first) }
      if member.needsLast { operation.addDependency(last) }
      operation.cancelDependentsOnCancel = member.passesOn
      if member.isTold {
        operation.onFinish { _ in
          batch.members[number].told.wrappingAdd(1, ordering: .sequentiallyConsistent)
        }
      }
      return operation
    }
    for (number, member) in batch.content.members.enumerated() {
      for other in member.dependencies { operations[number].addDependency(operations[other]) }
    }
    return operations
  }

  private func make(
    _ number: Int, _ member: Fresh.Member, _ batch: FreshBatch
  ) -> Operation {
    let body: @Sendable () -> Void = { self.memberRuns(number, batch) }
    let first = batch.sources.0
    let release: @Sendable () -> Void = { if member.releases { first.finish() } }
    switch member.kind {
    case .subclass: return Subclass(body)
    case .block: return BlockOperation(block: body)
    case .cancelling: return Releasing(body, release)
    case .starting: return Starting(body)
    case .group:
      // What is inside of it needs a slot even to be skipped.
      let inside = Starting {}
      if member.needsLast { inside.addDependency(batch.sources.1) }
      return ReleasingGroup([inside], body, release)
    }
  }

  // MARK: Bodies

  private func memberRuns(_ number: Int, _ batch: FreshBatch) {
    let member = batch.members[number]
    if member.runs.wrappingAdd(1, ordering: .sequentiallyConsistent).newValue > 1 {
      fault("member \(number) of \(batch.fresh) ran twice")
    }
    member.begun.store(nextTicket(), ordering: .sequentiallyConsistent)
    if batch.isSureHeir(number) {
      fault("heir \(number) of \(batch.fresh) runs")
    }
    // A group's body runs in the outer queue, as those of all members do.
    if let inner = batch.inner, let owner = inner.certainOwner, isOver(owner) {
      fault("\(owner) has finished before member \(number) of \(batch.fresh)")
    }
    member.ended.store(nextTicket(), ordering: .sequentiallyConsistent)
  }

  private func barrierRuns(_ batch: FreshBatch) {
    if batch.barrier.runs.wrappingAdd(1, ordering: .sequentiallyConsistent).newValue > 1 {
      fault("the barrier after \(batch.fresh) ran twice")
    }
    if !batch.isOver { fault("the barrier after \(batch.fresh) runs before they have ended") }
  }

  // MARK: The end

  /// Ends what batches wait for, also while one is on its way.
  func letFreshGoOn() {
    for batch in batches.withLock({ $0 }) {
      batch.sources.0.finish()
      batch.sources.1.finish()
    }
  }

  var freshIsOver: Bool { batches.withLock { $0 }.allSatisfy(\.isOver) }

  /// Lets go of what was added; whether the queues that were made for it are gone.
  func forgetFresh() {
    for batch in batches.withLock({ $0 }) { batch.operations.withLock { $0 = [] } }
  }
  var freshQueuesAreGone: Bool {
    batches.withLock { $0 }.allSatisfy { !$0.hasOwnQueue || $0.queue.object == nil }
  }

  func judgeFresh(until deadline: UInt64) {
    for batch in batches.withLock({ $0 }) {
      let told = batch.content.members.indices.filter { batch.content.members[$0].isTold }
      _ = waitUntil(deadline) {
        told.allSatisfy { batch.members[$0].told.load(ordering: .sequentiallyConsistent) > 0 }
      }
      judge(batch)
    }
  }

  /// Each has ended once, heirs without having run, dependents after what they depend on.
  private func judge(_ batch: FreshBatch) {
    func value(_ atomic: borrowing Atomic<Int>) -> Int {
      atomic.load(ordering: .sequentiallyConsistent)
    }
    let operations = batch.operations.withLock { $0 }
    let mayBeCancelled = batch.content.mayBeCancelled
    for (number, member) in batch.content.members.enumerated() {
      let seen = batch.members[number]
      let operation = operations[number]
      if batch.isSureHeir(number), !operation.isCancelled {
        fault("heir \(number) of \(batch.fresh) is not cancelled")
      }
      if value(seen.runs) == 0, !operation.isCancelled {
        fault("member \(number) of \(batch.fresh) neither ran nor was cancelled")
      }
      if batch.hasOwnQueue, operation.isCancelled, !mayBeCancelled.contains(number) {
        fault("member \(number) of \(batch.fresh) is cancelled, but nobody did it")
      }
      let told = value(seen.told)
      if told != (member.isTold ? 1 : 0) {
        fault("the end of member \(number) of \(batch.fresh) was told \(told) times")
      }
      for other in member.dependencies where value(seen.runs) > 0 {
        let earlier = batch.members[other]
        if value(earlier.runs) > 0, value(earlier.ended) > value(seen.begun) {
          fault("member \(number) of \(batch.fresh) began before \(other) had ended")
        }
      }
    }
    if batch.hasOwnQueue, batch.content.isOrdered { judgeOrder(batch) }
  }

  /// What can start when the batch is in starts by level, and before what others of the same or a
  /// lower level wait for (contract 85, 86, 87); the queue has one slot.
  private func judgeOrder(_ batch: FreshBatch) {
    let started = batch.members.indices.map {
      (number: $0, begun: batch.members[$0].begun.load(ordering: .sequentiallyConsistent))
    }.filter { $0.begun > 0 }
    for (one, begun) in started where batch.content.isFree(one) {
      let level = batch.content.members[one].level
      for (other, begunOther) in started where other != one && begunOther < begun {
        let levelOther = batch.content.members[other].level
        let isAllowed =
          batch.content.isFree(other)
          ? (levelOther, one) > (level, other) : levelOther > level
        if !isAllowed { fault("member \(other) of \(batch.fresh) starts before \(one)") }
      }
    }
  }
}
