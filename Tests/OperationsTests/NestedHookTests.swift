// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
import Operations
import Synchronization
import TestSupport
import Testing
import ThreadPoolBackend

extension OperationLayer {
  /// Cancel hooks beside hooks of the same cancellation: they cancel, add and wait.
  @Suite struct NestedHookTests {
    enum Hook: CaseIterable, Sendable {
      case cancelsAQueue, cancelsAGroup, addsToACancelledGroup, waits
    }

    /// However many there are, they do not run inside of each other.
    @Test(.contract(70, 132), arguments: [2, 1_000], Hook.allCases)
    func hooksNeedNoStackForEachOther(_ count: Int, _ hook: Hook) {
      let queue = OperationQueue(scheduler: ThreadPoolScheduler(workers: 2))
      let other = OperationQueue(scheduler: ThreadPoolScheduler(workers: 1))
      let gate = TestAsyncOperation()
      let cancelled = GroupOperation([gate])
      other.addOperation(cancelled)
      #expect(waitUntil(deadline: patience) { gate.isExecuting })
      cancelled.cancel()
      let thread = CurrentThread.id
      let inside = Atomic<Int>(0)
      let deepest = Atomic<Int>(0)
      let operations = (0..<count).map { _ in
        AsyncOperation(onCancel: { operation in
          // One whose body is just beginning is told by its own thread.
          guard CurrentThread.id == thread else { return operation.finish() }
          let depth = inside.add(1, ordering: .relaxed).newValue
          _ = deepest.max(depth, ordering: .relaxed)
          switch hook {
          case .cancelsAQueue: other.cancelAllOperations()
          case .cancelsAGroup: GroupOperation([Operation()]).cancel()
          case .addsToACancelledGroup: cancelled.addOperation(Operation())
          case .waits: _ = other.wait(timeout: .zero)
          }
          inside.subtract(1, ordering: .relaxed)
          operation.finish()
        }) { _ in }
      }
      queue.addOperations(operations, waitUntilFinished: false)
      #expect(waitUntil(deadline: patience) { operations.allSatisfy { $0.isExecuting } })
      queue.cancelAllOperations()
      queue.expectQuiet()
      gate.finish()
      other.expectQuiet()
      let depth = deepest.load(ordering: .relaxed)
      #expect(depth == 1)
    }

    /// What the first hook adds to a cancelled group is a member before the next hook is called.
    @Test(.contract(70), arguments: Kind.each)
    func hookWaitsForWhatAnotherOneHasAdded(_ kind: Kind) {
      let (queue, groups) = (kind.queue(), kind.queue())
      let gate = TestAsyncOperation()
      let group = GroupOperation([gate])
      groups.addOperation(group)
      #expect(waitUntil(deadline: patience) { gate.isExecuting })
      group.cancel()
      let added = BlockOperation {}
      let hasEnded = Atomic<Bool>(false)
      let first = AsyncOperation(onCancel: { operation in
        group.addOperation(added)
        operation.finish()
      }) { _ in }
      let second = AsyncOperation(onCancel: { operation in
        hasEnded.store(added.wait(timeout: patience), ordering: .releasing)
        operation.finish()
      }) { _ in }
      queue.addOperations([first, second], waitUntilFinished: false)
      #expect(waitUntil(deadline: patience) { first.isExecuting && second.isExecuting })
      queue.cancelAllOperations()
      gate.finish()
      queue.expectQuiet()
      groups.expectQuiet()
      let didEnd = hasEnded.load(ordering: .acquiring)
      #expect(didEnd)
    }

    /// What one operation is told of inside of an override is no part of what calls that.
    @Test(.contract(43, 70)) func hookInsideAnOverrideCancelsAGroup() {
      let pool = ThreadPoolScheduler(workers: 3)
      let (queue, other) = (OperationQueue(scheduler: pool), OperationQueue(scheduler: pool))
      let never = Operation()
      let member = Hooked(after: never) {}
      let group = GroupOperation([member])
      let isMarked = Atomic<Bool>(false)
      let hooked = AsyncOperation(onCancel: { operation in
        group.cancel()
        isMarked.store(member.isCancelled, ordering: .releasing)
        operation.finish()
      }) { _ in }
      other.addOperation(hooked)
      queue.addOperations(
        [Hooked(after: never) { hooked.cancel() }, group], waitUntilFinished: false)
      #expect(waitUntil(deadline: patience) { hooked.isExecuting && group.isExecuting })
      queue.cancelAllOperations()
      queue.expectQuiet()
      other.expectQuiet()
      let wasMarked = isMarked.load(ordering: .acquiring)
      #expect(wasMarked)
    }

    /// They wait for an operation that comes behind all of them.
    @Test(.contract(52, 70)) func manyHooksWaitForWhatIsCancelledWithThem() {
      let queue = OperationQueue(scheduler: ThreadPoolScheduler(workers: 2))
      let pending = TestOperation()
      pending.addDependency(Operation())
      let executing = (0..<100).map { _ in
        AsyncOperation(onCancel: { operation in
          pending.waitUntilFinished()
          operation.finish()
        }) { _ in }
      }
      queue.addOperations(executing + [pending], waitUntilFinished: false)
      #expect(waitUntil(deadline: patience) { executing.allSatisfy { $0.isExecuting } })
      queue.cancelAllOperations()
      queue.expectQuiet()
      #expect(pending.runCount == 0)
    }

    /// What is free was handed over before the first hook is called.
    @Test(.contract(52, 101)) func blockingInAHookOnAThreadOfItsOwn() {
      let queue = OperationQueue(scheduler: ThreadPoolScheduler(workers: 2))
      let pending = TestOperation()
      pending.addDependency(Operation())
      // A hook before `main()` has begun is the business of the thread of that (contract 70).
      let hasBegun = Atomic(false)
      let executing = AsyncOperation(onCancel: { operation in
        let isOver = OperationQueue.blocking {
          waitUntil(deadline: patience) { pending.isFinished }
        }
        if isOver { operation.finish() }
      }) { _ in hasBegun.store(true, ordering: .releasing) }
      queue.addOperations([executing, pending], waitUntilFinished: false)
      #expect(waitUntil(deadline: patience) { hasBegun.load(ordering: .acquiring) })
      queue.cancelAllOperations()
      #expect(executing.isFinished)
      executing.finish()
      queue.expectQuiet()
    }
  }
}
