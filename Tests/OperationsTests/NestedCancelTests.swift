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

    /// All are marked and let go before the first hook is called.
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

    /// Cancels a group beside `other`, both executing, whose one member calls `hook` in its
    /// `cancel()`; what that returned.
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

    /// As on Foundation: the queue calls it each time, and each caller of an operation made of
    /// others only once.
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
      #expect(calls.value == 160)
    }

    /// Each member's override cancels an operation whose hook cancels the group again: that calls
    /// the overrides behind it, and nobody calls them once more.
    @Test(.contract(43, 70), arguments: Kind.each.filter { !$0.isInline }, [2, 300])
    func hooksInOverridesCancelTheGroupAgain(_ kind: Kind, count: Int) {
      let (queue, other) = (kind.queue(), kind.queue())
      let (begun, calls) = (Counter(), Counter())
      let again = Locked<GroupOperation?>(nil)
      let hooked = (0..<count).map { _ in
        AsyncOperation(onCancel: { operation in
          again.withLock { $0 }?.cancel()
          operation.finish()
        }) { _ in begun.add(1) }
      }
      let never = Operation()
      let members = hooked.map { hooked in
        let member = TellingCancel {
          calls.add(1)
          hooked.cancel()
        }
        member.addDependency(never)
        return member
      }
      // The group adds all its members before one of them begins; until then it would cancel them
      // itself.
      let group = GroupOperation([BlockOperation { begun.add(1) }] + members)
      again.withLock { $0 = group }
      queue.addOperation(group)
      other.addOperations(hooked, waitUntilFinished: false)
      #expect(waitUntil(deadline: patience) { begun.value == count + 1 })
      group.cancel()
      #expect(calls.value == count && members.allSatisfy { $0.isCancelled })
      for queue in [queue, other] { queue.expectQuiet() }
      again.withLock { $0 = nil }
    }

    /// Cancelled before they start, each in the next: a walk down from every level took 13 s for
    /// these.
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
  }
}
