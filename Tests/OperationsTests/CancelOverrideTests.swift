// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
import Operations
import Synchronization
import TestSupport
import Testing
import ThreadPoolBackend

/// Counts the calls of its `cancel()`, and calls closures before and after super.
private final class Overriding: Operation, @unchecked Sendable {
  let before = Locked<(@Sendable () -> Void)?>(nil)
  let after = Locked<(@Sendable () -> Void)?>(nil)
  let calls = Counter()

  override func cancel() {
    calls.add(1)
    before.withLock { $0 }?()
    super.cancel()
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

/// Takes its time in its `cancel()`.
private final class SlowGroup: GroupOperation, @unchecked Sendable {
  override func cancel() {
    super.cancel()
    for _ in 0..<20 { yieldCore() }
  }
}

extension OperationLayer {
  /// What overrides of `cancel()` do: cancel queues and groups, finish, and wait.
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
      #expect(operations.allSatisfy { $0.calls.value == 1 })
      for operation in operations {
        gate.signal()
        operation.forget()
      }
      queue.expectQuiet()
    }

    /// A body that a wait of an override runs is on its own: what it cancels is seen to before it
    /// goes on.
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

    /// Operations that stand for queues of their own; what was added since is cancelled the second
    /// time.
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

    /// All of a queue are marked before the first one is set free, although an override in the
    /// middle waits for that one.
    @Test(.contract(52, 101), arguments: Kind.each)
    func nothingRunsBecauseAnotherOneWasSkipped(_ kind: Kind) {
      let queue = kind.queue()
      let never = Operation()
      let (ran, ended) = (Counter(), Counter())
      let first = TestOperation()
      let last = TestOperation { _ in ran.add(1) }
      let group = GroupOperation([GroupOperation([BlockOperation { ran.add(1) }])])
      first.addDependency(never)
      last.addDependency(first)
      group.addDependency(first)
      let others = (0..<200).map { _ in
        Hooked(after: never) { if first.wait(timeout: patience) { ended.add(1) } }
      }
      queue.addOperations([first] + others + [last, group], waitUntilFinished: false)
      queue.cancelAllOperations()
      queue.expectQuiet()
      #expect(ran.value == 0 && ended.value == 200)
    }

    /// What is to be called is no dependent of what was called before it: that is let go when all
    /// have been called.
    @Test(.contract(52), arguments: Kind.each)
    func overridesAreCalledBeforeAnythingIsLetGo(_ kind: Kind) {
      let ran = Counter()
      for _ in 0..<(50 / min(slowness, 5)) {
        let queue = kind.queue()
        let first = Overriding()
        first.addDependency(Operation())
        let second = Hooked(after: first) {}
        second.completionBlock = { if !second.isCancelled { ran.add(1) } }
        first.after.withLock { $0 = { for _ in 0..<20 { yieldCore() } } }
        queue.addOperations([first, second], waitUntilFinished: false)
        queue.cancelAllOperations()
        queue.expectQuiet()
        first.forget()
      }
      #expect(ran.value == 0)
    }

    /// The same where the first one is a group, which ends with its members once it executes.
    @Test(.contract(52), arguments: Kind.each, [false, true])
    func overridesAreCalledBeforeAGroupIsLetGo(_ kind: Kind, isExecuting: Bool) {
      let ran = Counter()
      for _ in 0..<(50 / min(slowness, 5)) {
        let queue = kind.queue()
        let never = Operation()
        let members = [Hooked(after: never) {}, Operation()]
        members[1].addDependency(never)
        let begun = Counter()
        let first = SlowGroup(members) { _ in begun.add(1) }
        if !isExecuting { first.addDependency(never) }
        let second = Hooked(after: first) {}
        second.completionBlock = { if !second.isCancelled { ran.add(1) } }
        queue.addOperations([first, second], waitUntilFinished: false)
        if isExecuting { #expect(waitUntil(deadline: patience) { begun.value == 1 }) }
        queue.cancelAllOperations()
        queue.expectQuiet()
      }
      #expect(ran.value == 0)
    }

    /// Once `super.cancel()` has returned its members are marked, and the override may wait for
    /// them.
    @Test(.contract(43, 101), arguments: Kind.each)
    func groupThatWaitsForItsMembersInItsOverride(_ kind: Kind) {
      final class Waiting: GroupOperation, @unchecked Sendable {
        let isInTime = Atomic<Bool>(false)
        override func cancel() {
          let members = operations
          super.cancel()
          let areMarked = members.allSatisfy { $0.isCancelled }
          let haveEnded = members.allSatisfy { $0.wait(timeout: patience) }
          isInTime.store(areMarked && haveEnded, ordering: .releasing)
        }
      }
      let queue = kind.queue()
      let never = Operation()
      let plain = BlockOperation {}
      plain.addDependency(never)
      let group = Waiting([plain, SlowGroup([Hooked(after: never) {}]), Hooked(after: never) {}])
      queue.addOperations([group, Hooked(after: never) {}], waitUntilFinished: false)
      queue.cancelAllOperations()
      queue.expectQuiet()
      let isInTime = group.isInTime.load(ordering: .acquiring)
      #expect(isInTime)
    }

    /// The two are no parts of each other, although the hook is called inside of a third one.
    @Test(.contract(52)) func hierarchyOfQueuesCancelledTwiceInAHook() {
      let pool = ThreadPoolScheduler(workers: 2)
      let queues = (0..<3).map { _ in OperationQueue(scheduler: pool) }
      for queue in queues.prefix(2) { queue.isSuspended = true }
      let parent = Overriding()
      parent.after.withLock { $0 = { queues[1].cancelAllOperations() } }
      queues[0].addOperation(parent)
      let late = Operation()
      let hooked = AsyncOperation(onCancel: { operation in
        queues[0].cancelAllOperations()
        queues[1].addOperation(late)
        queues[0].cancelAllOperations()
        operation.finish()
      }) { _ in }
      queues[2].addOperation(hooked)
      #expect(waitUntil(deadline: patience) { hooked.isExecuting })
      queues[2].cancelAllOperations()
      #expect(late.isCancelled)
      for queue in queues {
        queue.isSuspended = false
        queue.expectQuiet()
      }
      parent.forget()
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

    /// A body that an override runs in its wait cancels a group that nobody else keeps, and its end
    /// calls user code.
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
