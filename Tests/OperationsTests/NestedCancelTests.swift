// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
import Operations
import Synchronization
import TestSupport
import Testing
import ThreadPoolBackend

/// Calls a closure once in its `cancel()`.
final class Hooked: Operation, @unchecked Sendable {
  private let hook: Locked<(@Sendable () -> Void)?>

  init(after dependency: Operation, _ hook: @escaping @Sendable () -> Void) {
    self.hook = Locked(hook)
    super.init()
    addDependency(dependency)
  }

  override func cancel() {
    super.cancel()
    hook.withLock { $0.take() }?()
  }
}

/// Tells of every call of its `cancel()`.
private final class TellingCancel: Operation, @unchecked Sendable {
  private let onCancel: @Sendable () -> Void
  private let superLast: Bool

  init(superLast: Bool = false, onCancel: @escaping @Sendable () -> Void) {
    self.superLast = superLast
    self.onCancel = onCancel
  }

  override func cancel() {
    if !superLast { super.cancel() }
    onCancel()
    if superLast { super.cancel() }
  }
}

extension OperationLayer {
  /// Cancellations inside of cancellations: from hooks and overrides of what is being cancelled.
  @Suite struct NestedCancelTests {
    /// Executing, with a member that never ends by itself and another that waits for it.
    private func group(_ waiting: Operation? = nil) -> (group: GroupOperation, gate: Operation) {
      let gate = TestAsyncOperation()
      gate.finishOnCancel = true
      let members = waiting.map { [$0] } ?? []
      return (GroupOperation([gate] + members), gate)
    }

    @Test(.contract(43, 45, 70), arguments: Kind.each, [true, false])
    func hookCancelsAnotherGroup(_ kind: Kind, byTimeout: Bool) {
      let queue = kind.queue()
      let (group, gate) = group()
      let hooked = AsyncOperation(onCancel: { operation in
        group.cancel()
        operation.finish()
      }) { _ in }
      // Long enough for the hooked one to begin: else it has nothing to be told of.
      let limit = byTimeout ? Duration.seconds(1) : .seconds(600)
      let timeout = TimeoutOperation(hooked, within: limit)
      queue.addOperation(group)
      #expect(waitUntil(deadline: patience) { gate.isExecuting })
      queue.addOperation(timeout)
      #expect(waitUntil(deadline: patience) { hooked.isExecuting || hooked.isFinished })
      if !byTimeout { timeout.cancel() }
      queue.expectQuiet()
      #expect(hooked.isCancelled && group.isCancelled && gate.isCancelled)
    }

    /// No member of a cancelled group begins, wherever it was added.
    @Test(.contract(44), arguments: Kind.each)
    func memberAddedInsideTheCancellation(_ kind: Kind) {
      for _ in 0..<(200 / slowness + 1) {
        let queue = kind.queue()
        let added = TestOperation()
        let target = Locked<GroupOperation?>(nil)
        let gate = TestAsyncOperation()
        let leaf = Hooked(after: gate) {
          target.withLock { $0 }?.addOperation(added)
          // The workers have time to run it.
          _ = added.wait(timeout: .microseconds(200))
        }
        let group = GroupOperation([gate, leaf])
        target.withLock { $0 = group }
        queue.addOperation(group)
        #expect(waitUntil(deadline: patience) { gate.isExecuting })
        group.cancel()
        gate.finish()
        queue.expectQuiet()
        target.withLock { $0 = nil }
        #expect(added.isFinished && added.isCancelled && added.runCount == 0)
      }
    }

    /// All are marked before the first hook is called, which may wait for what the others set free.
    @Test(.contract(52, 70), arguments: Kind.each)
    func hookWaitsForWhatIsCancelledWithIt(_ kind: Kind) {
      let queue = kind.queue()
      let pending = TestOperation()
      pending.addDependency(Operation())
      let hasEnded = Atomic<Bool>(false)
      let executing = AsyncOperation(onCancel: { operation in
        hasEnded.store(pending.wait(timeout: patience), ordering: .releasing)
        operation.finish()
      }) { _ in }
      queue.addOperations([executing, pending], waitUntilFinished: false)
      #expect(waitUntil(deadline: patience) { executing.isExecuting })
      queue.cancelAllOperations()
      queue.expectQuiet()
      let didEnd = hasEnded.load(ordering: .acquiring)
      #expect(didEnd && pending.runCount == 0)
    }

    /// What a wait runs on its thread may cancel in turn; what that sets free is let go before the thread sleeps.
    @Test(.contract(52, 101), arguments: Kind.each)
    func whatIsCancelledDuringTheWaitIsLetGo(_ kind: Kind) {
      let (queue, other) = (kind.queue(), kind.queue())
      let never = Operation()
      let freed = TestOperation()
      freed.addDependency(never)
      other.addOperation(freed)
      let awaited = TestAsyncOperation { operation in
        freed.onFinish { _ in operation.finish() }
        freed.cancel()
      }
      let leaf = Hooked(after: never) {
        queue.addOperation(awaited)
        awaited.waitUntilFinished()
      }
      queue.addOperation(leaf)
      queue.addOperation { queue.cancelAllOperations() }
      queue.expectQuiet()
      other.expectQuiet()
      #expect(leaf.isCancelled && awaited.isFinished && freed.runCount == 0)
    }

    /// Cancels a group beside `other`, both executing, whose one member calls `hook` in its `cancel()`; what that returned.
    private func cancelGroup(
      on kind: Kind, beside other: GroupOperation, calling hook: @escaping @Sendable () -> Bool
    ) -> Bool {
      let queue = kind.queue()
      let result = Atomic<Bool>(false)
      let leaf = Hooked(after: Operation()) { result.store(hook(), ordering: .releasing) }
      let group = GroupOperation([leaf])
      queue.addOperations([group, other], waitUntilFinished: false)
      #expect(waitUntil(deadline: patience) { group.isExecuting && other.isExecuting })
      group.cancel()
      queue.expectQuiet()
      // On the thread that starts the group, if that has found the cancellation first.
      return waitUntil(deadline: patience) { result.load(ordering: .acquiring) }
    }

    /// What the override waits for is cancelled, although the cancellation around it is not over.
    @Test(.contract(101), arguments: Kind.each)
    func overrideWaitsForAnotherGroupThatItCancels(_ kind: Kind) {
      let other = GroupOperation([TestOperation()])
      other.operations[0].addDependency(Operation())
      let hasEnded = cancelGroup(on: kind, beside: other) {
        other.cancel()
        return other.wait(timeout: patience)
      }
      #expect(hasEnded)
    }

    /// Before the wait everything is seen to, also what a hook lists that is called for it.
    @Test(.contract(101), arguments: Kind.each)
    func waitFindsWhatAHookHasCancelledForIt(_ kind: Kind) {
      let queue = kind.queue()
      let member = TestOperation()
      let never = Operation()
      member.addDependency(never)
      let other = GroupOperation([member])
      let executing = AsyncOperation(onCancel: { operation in
        other.cancel()
        operation.finish()
      }) { _ in }
      let hasEnded = Atomic<Bool>(false)
      let leaf = Hooked(after: never) {
        hasEnded.store(member.wait(timeout: patience), ordering: .releasing)
      }
      let group = GroupOperation([executing, leaf])
      queue.addOperations([group, other], waitUntilFinished: false)
      #expect(
        waitUntil(deadline: patience) { executing.isExecuting && other.isExecuting })
      group.cancel()
      queue.expectQuiet()
      #expect(waitUntil(deadline: patience) { hasEnded.load(ordering: .acquiring) })
    }

    /// The group is no part of the cancellation around it.
    @Test(.contract(43), arguments: Kind.each)
    func overrideFindsTheMembersOfAnotherGroupMarked(_ kind: Kind) {
      let member = TestOperation()
      member.addDependency(Operation())
      let other = GroupOperation([GroupOperation([member])])
      let isMarked = cancelGroup(on: kind, beside: other) {
        other.cancel()
        return member.isCancelled
      }
      #expect(isMarked)
    }

    /// A group of the same queue, which the cancellation around it has listed and not come to, at every depth.
    @Test(.contract(43, 52), arguments: Kind.each, [false, true])
    func overrideFindsTheMembersOfAGroupBehindItMarked(_ kind: Kind, byQueue: Bool) {
      let queue = kind.queue()
      let never = Operation()
      let members = [TestOperation(), TestOperation()]
      for member in members { member.addDependency(never) }
      let group = GroupOperation([members[0], GroupOperation([members[1]])])
      let marked = Atomic<Int>(0)
      let last = Hooked(after: never) {
        if byQueue { queue.cancelAllOperations() } else { group.cancel() }
        marked.store(members.count(where: \.isCancelled), ordering: .releasing)
      }
      queue.addOperations([group, last], waitUntilFinished: false)
      #expect(waitUntil(deadline: patience) { group.isExecuting })
      queue.cancelAllOperations()
      queue.expectQuiet()
      let count = marked.load(ordering: .acquiring)
      #expect(count == 2)
    }

    /// As on Foundation: the queue calls it each time, and each caller of an operation made of others only once.
    @Test(.contract(43, 52)) func everyCancelAllCallsTheOverrides() {
      let queue = OperationQueue(scheduler: ThreadPoolScheduler(workers: 2))
      queue.isSuspended = true
      let calls = Counter()
      let operation = TellingCancel { calls.add(1) }
      operation.addDependency(Operation())
      queue.addOperation(operation)
      queue.cancelAllOperations()
      queue.cancelAllOperations()
      #expect(calls.value == 2)
      queue.isSuspended = false
      queue.expectQuiet()
    }

    /// Overrides that cancel the queue that is being cancelled, and each other's: it ends.
    @Test(.contract(43, 52), arguments: [false, true])
    func overridesThatCancelTheirQueues(superLast: Bool) {
      let queues = (0..<8).map { _ in OperationQueue(scheduler: ThreadPoolScheduler(workers: 2)) }
      let never = Operation()
      let calls = Counter()
      for (index, queue) in queues.enumerated() {
        for _ in 0..<20 {
          let operation = TellingCancel(superLast: superLast) {
            calls.add(1)
            queue.cancelAllOperations()
            queues[(index + 1) % 8].cancelAllOperations()
          }
          operation.addDependency(never)
          queue.addOperation(operation)
        }
      }
      queues[0].cancelAllOperations()
      for queue in queues { queue.expectQuiet() }
      // Once unmarked, and once more where a queue is named.
      #expect(calls.value >= 160 && calls.value <= 320)
    }

    /// Cancelled before they start, each in the next: a walk down from every level took 13 s for these.
    @Test(.contract(134)) func nestedTimeoutsCancelledBeforeTheyStart() {
      var operation: ResultOperation<Int> = ResultOperation { 1 }
      for _ in 0..<4_000 { operation = TimeoutOperation(operation, within: .seconds(600)) }
      operation.cancel()
      let queue = OperationQueue(scheduler: ThreadPoolScheduler(workers: 2))
      let begin = ContinuousClock.now
      queue.addOperation(operation)
      queue.expectQuiet()
      #expect(ContinuousClock.now - begin < .seconds(5 * slowness))
    }

    /// The group has not begun, and is flushed as soon as it is marked.
    @Test(.contract(47, 101), arguments: Kind.each)
    func overrideOfAMemberWaitsForItsGroup(_ kind: Kind) {
      let queue = kind.queue()
      let group = Locked<GroupOperation?>(nil)
      let hasEnded = Atomic<Bool>(false)
      let never = Operation()
      let member = Hooked(after: never) {
        let isOver = group.withLock { $0 }?.wait(timeout: patience) ?? false
        hasEnded.store(isOver, ordering: .releasing)
      }
      group.withLock { $0 = GroupOperation([member]) }
      guard let made = group.withLock({ $0 }) else { return }
      made.addDependency(never)
      queue.addOperation(made)
      made.cancel()
      queue.expectQuiet()
      let didEnd = hasEnded.load(ordering: .acquiring)
      #expect(didEnd)
      group.withLock { $0 = nil }
    }
  }
}
