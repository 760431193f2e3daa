// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
import Operations
import Synchronization
import TestSupport
import Testing
import ThreadPoolBackend

/// Counts the calls of its `cancel()` and the runs of its body, and calls closures before and after super.
private final class Overriding: Operation, @unchecked Sendable {
  let before = Locked<(@Sendable () -> Void)?>(nil)
  let after = Locked<(@Sendable () -> Void)?>(nil)
  let calls = Counter()
  let runs = Counter()
  private let callsSuper: Bool

  init(callsSuper: Bool = true) { self.callsSuper = callsSuper }

  override func main() { runs.add(1) }

  override func cancel() {
    calls.add(1)
    before.withLock { $0 }?()
    if callsSuper { super.cancel() }
    after.withLock { $0 }?()
  }

  /// Lets go of what the closures keep.
  func forget() {
    before.withLock { $0 = nil }
    after.withLock { $0 = nil }
  }
}

/// Finishes when it is cancelled, as asynchronous operations do on Foundation.
private final class FinishingInCancel: AsyncOperation, @unchecked Sendable {
  override func main() {}

  override func cancel() {
    super.cancel()
    finish()
  }
}

/// Calls a closure once before its members are cancelled.
private final class WaitingGroup: GroupOperation, @unchecked Sendable {
  let before = Locked<(@Sendable () -> Void)?>(nil)

  override func cancel() {
    before.withLock { $0.take() }?()
    super.cancel()
  }
}

extension OperationLayer {
  /// What overrides of `cancel()` do: cancel queues and groups, finish, and wait, before and after super.
  @Suite struct CancelOverrideTests {
    /// Their completion blocks run, so they are in the queue, and `cancel()` marks them no more.
    @Test(.contract(43, 52)) func finishedOperationsThatCancelTheirQueue() {
      let queue = OperationQueue(scheduler: ThreadPoolScheduler(workers: 7))
      let (inside, gate) = (Counter(), Turnstile())
      let operations = (0..<7).map { _ in Overriding() }
      for operation in operations {
        operation.after.withLock { $0 = { queue.cancelAllOperations() } }
        operation.completionBlock = {
          inside.add(1)
          gate.wait()
        }
      }
      queue.addOperations(operations, waitUntilFinished: false)
      #expect(waitUntil(deadline: patience) { inside.value == 7 })
      queue.cancelAllOperations()
      let calls = operations.reduce(0) { $0 + $1.calls.value }
      #expect(calls >= 7 && calls <= 21)
      for operation in operations {
        gate.signal()
        operation.forget()
      }
      queue.expectQuiet()
    }

    @Test(.contract(43, 52)) func overridesWithoutSuperThatCancelTheirQueue() {
      let queue = OperationQueue(scheduler: ThreadPoolScheduler(workers: 2))
      queue.isSuspended = true
      let operations = (0..<7).map { _ in Overriding(callsSuper: false) }
      for operation in operations {
        operation.before.withLock { $0 = { queue.cancelAllOperations() } }
      }
      queue.addOperations(operations, waitUntilFinished: false)
      queue.cancelAllOperations()
      let calls = operations.reduce(0) { $0 + $1.calls.value }
      #expect(calls >= 7 && calls <= 21)
      queue.isSuspended = false
      queue.expectQuiet()
      for operation in operations { operation.forget() }
    }

    /// The wait may run the start of the group, which adds the member, on the thread of its own override.
    @Test(.contract(44, 101), arguments: Kind.single + [Kind.inline], [false, true])
    func startOfItsGroupInsideAnOverride(_ kind: Kind, helps: Bool) {
      let queue = kind.queue()
      if helps { queue.blockingPolicy = .help }
      let never = Operation()
      let member = Overriding()
      member.before.withLock { $0 = { _ = never.wait(timeout: .milliseconds(50)) } }
      let group = GroupOperation([member])
      queue.addOperation {
        queue.addOperation(group)
        group.cancel()
      }
      queue.expectQuiet()
      #expect(member.isCancelled && member.runs.value == 0)
      member.forget()
    }

    /// Nothing that was cancelled runs because the queue goes on before super.
    @Test(.contract(52)) func queueIsInvalidatedBeforeSuper() {
      let queue = OperationQueue(scheduler: ThreadPoolScheduler(workers: 2))
      queue.isSuspended = true
      let operation = Overriding()
      operation.before.withLock {
        $0 = {
          queue.invalidate()
          _ = operation.wait(timeout: .milliseconds(50))
        }
      }
      queue.addOperation(operation)
      queue.cancelAllOperations()
      queue.expectQuiet()
      #expect(operation.runs.value == 0)
      operation.forget()
    }

    /// A body that a wait of an override runs is on its own: what it cancels is seen to before it goes on.
    @Test(.contract(43, 52, 101)) func bodyThatAnOverrideRunsInItsWait() {
      let queue = OperationQueue(scheduler: ThreadPoolScheduler(workers: 1))
      queue.blockingPolicy = .help
      let pool = ThreadPoolScheduler(workers: 2)
      let (other, third) = (OperationQueue(scheduler: pool), OperationQueue(scheduler: pool))
      let never = Operation()
      let overriding = Overriding()
      overriding.addDependency(never)
      overriding.before.withLock { $0 = { _ = never.wait(timeout: .milliseconds(100)) } }
      other.addOperation(overriding)
      let hasEnded = Atomic<Bool>(false)
      let isMarked = Atomic<Bool>(false)
      queue.addOperation {
        queue.addOperation {
          let gate = Locked(false)
          let inner = BlockOperation {}
          inner.addDependency(never)
          inner.completionBlock = { gate.withLock { $0 = true } }
          third.addOperation(inner)
          inner.cancel()
          hasEnded.store(
            waitUntil(deadline: patience) { gate.withLock { $0 } }, ordering: .releasing)
          other.cancelAllOperations()
          isMarked.store(overriding.isCancelled, ordering: .releasing)
        }
        other.cancelAllOperations()
      }
      for queue in [queue, other, third] { queue.expectQuiet() }
      let didEnd = hasEnded.load(ordering: .acquiring)
      let wasMarked = isMarked.load(ordering: .acquiring)
      #expect(didEnd, "what the body cancelled was held back")
      #expect(wasMarked, "cancelAllOperations() has left one unmarked")
      overriding.forget()
    }

    /// A hook that the wait of a group's override runs finds the members marked when it has cancelled the group.
    @Test(.contract(43)) func hookThatAGroupRunsInItsWait() {
      let queue = OperationQueue(scheduler: ThreadPoolScheduler(workers: 2))
      let member = Operation()
      member.addDependency(Operation())
      let group = WaitingGroup([member])
      let isMarked = Atomic<Bool>(false)
      let hooked = AsyncOperation(onCancel: { operation in
        group.cancel()
        isMarked.store(group.isCancelled && member.isCancelled, ordering: .releasing)
        operation.finish()
      }) { _ in }
      group.before.withLock { $0 = { _ = hooked.wait(timeout: patience) } }
      queue.addOperations([hooked, group], waitUntilFinished: false)
      #expect(waitUntil(deadline: patience) { hooked.isExecuting && group.isExecuting })
      queue.cancelAllOperations()
      queue.expectQuiet()
      let wasMarked = isMarked.load(ordering: .acquiring)
      #expect(wasMarked)
    }

    /// Operations that stand for queues of their own; what was added since is cancelled the second time.
    @Test(.contract(52), arguments: 1...3) func hierarchyOfQueuesCancelledTwice(_ depth: Int) {
      let pool = ThreadPoolScheduler(workers: 2)
      let queues = (0...depth).map { _ in OperationQueue(scheduler: pool) }
      for queue in queues { queue.isSuspended = true }
      let parents = (0..<depth).map { level in
        let parent = Overriding()
        parent.after.withLock { $0 = { queues[level + 1].cancelAllOperations() } }
        queues[level].addOperation(parent)
        return parent
      }
      queues[0].cancelAllOperations()
      let late = Operation()
      queues[depth].addOperation(late)
      queues[0].cancelAllOperations()
      #expect(late.isCancelled)
      for queue in queues {
        queue.isSuspended = false
        queue.expectQuiet()
      }
      for parent in parents { parent.forget() }
    }

    /// What depends on it is marked before its override finishes it.
    @Test(.contract(52), arguments: Kind.each, [false, true])
    func finishingInTheOverrideStartsNothingThatIsCancelled(_ kind: Kind, inGroup: Bool) {
      let ran = Counter()
      for _ in 0..<(50 / min(slowness, 5)) {
        let queue = kind.queue()
        let first = FinishingInCancel()
        let dependents = (0..<20).map { _ in
          let dependent = BlockOperation { ran.add(1) }
          dependent.addDependency(first)
          return dependent
        }
        let group = inGroup ? GroupOperation([first] + dependents) : nil
        if let group {
          queue.addOperation(group)
        } else {
          queue.addOperations([first] + dependents, waitUntilFinished: false)
        }
        #expect(waitUntil(deadline: patience) { first.isExecuting })
        if let group { group.cancel() } else { queue.cancelAllOperations() }
        queue.expectQuiet()
      }
      #expect(ran.value == 0)
    }

    /// The time is up; the override of the operation waits for the timeout, which ends first.
    @Test(.contract(101)) func overrideWaitsForItsTimeout() {
      let queue = OperationQueue(scheduler: ThreadPoolScheduler(workers: 2))
      let operation = Overriding()
      operation.addDependency(Operation())
      let timeout = TimeoutOperation(operation, within: .milliseconds(30))
      let hasEnded = Atomic<Bool>(false)
      operation.after.withLock {
        $0 = { hasEnded.store(timeout.wait(timeout: patience), ordering: .releasing) }
      }
      queue.addOperation(timeout)
      queue.expectQuiet()
      #expect(waitUntil(deadline: patience) { hasEnded.load(ordering: .acquiring) })
      #expect(timeout.isFinished)
      operation.forget()
    }

    /// The operation is told before its timeout ends, whose completion block may wait for it.
    @Test(.contract(43, 60), arguments: Kind.each)
    func timedOutOperationIsToldBeforeItsTimeoutEnds(_ kind: Kind) {
      let queue = kind.queue()
      let isTold = Locked(false)
      let wasTold = Locked<Bool?>(nil)
      let operation = AsyncOperation(onCancel: { operation in
        isTold.withLock { $0 = true }
        operation.finish()
      }) { _ in }
      // Long enough for the operation to begin: else it has nothing to be told of.
      let timeout = TimeoutOperation(operation, within: .seconds(1))
      timeout.completionBlock = {
        let told = isTold.withLock { $0 }
        wasTold.withLock { $0 = told }
      }
      queue.addOperation(timeout)
      queue.expectQuiet()
      #expect(wasTold.withLock { $0 } == true)
    }

    /// A body that runs in place, inside of a wait of an override, is as free as one that a worker runs.
    @Test(.contract(52, 101)) func bodyThatRunsInPlaceInsideAnOverridesWait() {
      let queue = Kind.inline.queue()
      let second = OperationQueue(scheduler: queue.scheduler)
      let pool = OperationQueue(scheduler: ThreadPoolScheduler(workers: 1))
      let never = Operation()
      let freed = Operation()
      freed.addDependency(never)
      let isOver = Locked(false)
      let inner = BlockOperation {}
      inner.addDependency(never)
      inner.completionBlock = { isOver.withLock { $0 = true } }
      pool.addOperation(inner)
      let hasEnded = Atomic<Bool>(false)
      let dependent = BlockOperation {
        inner.cancel()
        let didEnd = waitUntil(deadline: patience) { isOver.withLock { $0 } }
        hasEnded.store(didEnd, ordering: .releasing)
      }
      dependent.addDependency(freed)
      let overriding = Overriding()
      overriding.addDependency(never)
      overriding.after.withLock { $0 = { _ = never.wait(timeout: .milliseconds(20)) } }
      queue.addOperations([freed, overriding], waitUntilFinished: false)
      second.addOperation(dependent)
      queue.cancelAllOperations()
      for queue in [queue, second, pool] { queue.expectQuiet() }
      let didEnd = hasEnded.load(ordering: .acquiring)
      #expect(didEnd)
      overriding.forget()
    }

    /// A body that an override runs in its wait cancels a group that nobody else keeps, and its end calls user code.
    @Test(.contract(43)) func groupThatEndsWithItsCancellation() {
      let queue = OperationQueue(scheduler: ThreadPoolScheduler(workers: 1))
      queue.blockingPolicy = .help
      let other = OperationQueue(scheduler: ThreadPoolScheduler(workers: 2))
      let never = Operation()
      let overriding = Overriding()
      overriding.addDependency(never)
      overriding.after.withLock { $0 = { _ = never.wait(timeout: .milliseconds(100)) } }
      other.addOperation(overriding)
      let ends = Counter()
      queue.addOperation {
        queue.addOperation {
          let ending = Ending {
            ends.add(1)
            GroupOperation([Operation()]).cancel()
          }
          GroupOperation([BlockOperation { _ = ending }]).cancel()
        }
        other.cancelAllOperations()
      }
      for queue in [queue, other] { queue.expectQuiet() }
      #expect(ends.value == 1)
      overriding.forget()
    }
  }
}

/// Calls a closure at its end.
private final class Ending: Sendable {
  private let body: @Sendable () -> Void

  init(_ body: @escaping @Sendable () -> Void) { self.body = body }

  deinit { body() }
}
