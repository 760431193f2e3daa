// SPDX-License-Identifier: Apache-2.0

import Operations
import SchedulerConformance
import Scheduling
import Synchronization
import TestSupport
import Testing
import ThreadPoolBackend
import WorkStealingBackend

extension OperationLayer {
  /// What a cancellation holds back until everything is marked, and what waits inside of it let go before.
  @Suite struct HeldBackTests {
    /// Runs `body` on a worker of a pool that steals.
    private func onAWorker(_ body: @escaping @Sendable () -> Void) {
      let queue = OperationQueue(scheduler: WorkStealingScheduler(workers: 2))
      queue.addOperation(body)
      queue.expectQuiet()
    }

    /// Forks, and sleeps in the join until a thief has waited for `operation`; whether that had finished in time.
    private static func thiefSees(_ operation: Operation, within timeout: Duration) -> Bool {
      let isStolen = Turnstile()
      let (_, hasEnded) = forkJoin(
        { isStolen.wait() },
        {
          isStolen.signal()
          return operation.wait(timeout: timeout)
        })
      return hasEnded
    }

    /// The override of the last member forks: what was marked before it is let go by the sleeping owner.
    @Test(.contract(52, 101)) func joinLetsGoWhatIsMarked() {
      let never = Operation()
      let pending = TestOperation()
      pending.addDependency(never)
      let hasEnded = Atomic<Bool>(false)
      let leaf = Hooked(after: never) {
        hasEnded.store(Self.thiefSees(pending, within: patience), ordering: .releasing)
      }
      let group = GroupOperation([pending, leaf])
      let queue = OperationQueue(scheduler: ThreadPoolScheduler(workers: 2))
      queue.addOperation(group)
      #expect(waitUntil(deadline: patience) { group.isExecuting })
      onAWorker { group.cancel() }
      queue.expectQuiet()
      let didEnd = hasEnded.load(ordering: .acquiring)
      #expect(didEnd, "what was marked stayed behind the sleeping join")
    }

    /// A wait deeper than the limit, in the override of the last member.
    @Test(.contract(52, 101)) func waitBeyondTheLimitLetsGoWhatIsMarked() {
      let never = Operation()
      let freed = TestOperation()
      freed.addDependency(never)
      let hasEnded = Atomic<Bool>(false)
      let leaf = Hooked(after: never) {
        hasEnded.store(freed.wait(timeout: patience), ordering: .releasing)
      }
      let group = GroupOperation([freed, leaf])
      let pending = TestOperation()
      pending.addDependency(never)
      let depth = 64
      let executing = (0...depth).map { number in
        AsyncOperation(onCancel: { operation in
          if number < depth { pending.waitUntilFinished() } else { group.cancel() }
          operation.finish()
        }) { _ in }
      }
      let queue = OperationQueue(scheduler: ThreadPoolScheduler(workers: 2))
      let groups = OperationQueue(scheduler: ThreadPoolScheduler(workers: 2))
      groups.addOperation(group)
      queue.addOperations(executing + [pending], waitUntilFinished: false)
      #expect(
        waitUntil(deadline: patience) {
          executing.allSatisfy { $0.isExecuting } && group.isExecuting
        })
      queue.cancelAllOperations()
      queue.expectQuiet()
      groups.expectQuiet()
      let didEnd = hasEnded.load(ordering: .acquiring)
      #expect(didEnd)
    }

    /// All of a queue are marked before the first one is set free, although an override in the middle waits for that one.
    @Test(.contract(52, 101), arguments: Kind.each, [false, true])
    func nothingRunsBecauseAnotherOneWasFlushed(_ kind: Kind, byJoin: Bool) {
      let queue = kind.queue()
      let never = Operation()
      let (first, third) = (TestOperation(), TestOperation())
      first.addDependency(never)
      third.addDependency(first)
      let hasEnded = Atomic<Bool>(false)
      let second = Hooked(after: never) {
        let isOver =
          byJoin
          ? Self.thiefSees(first, within: .milliseconds(20)) : first.wait(timeout: patience)
        hasEnded.store(isOver, ordering: .releasing)
      }
      queue.addOperations([first, second, third], waitUntilFinished: false)
      if byJoin {
        onAWorker { queue.cancelAllOperations() }
      } else {
        queue.cancelAllOperations()
      }
      queue.expectQuiet()
      let didEnd = hasEnded.load(ordering: .acquiring)
      #expect(didEnd == !byJoin)
      #expect(third.isCancelled && third.runCount == 0)
    }

    /// Nobody's code runs on top of a sleeping join, also where a scheduler runs in place what it is given.
    @Test(.contract(52)) func joinRunsNothingInPlace() {
      let never = Operation()
      let freed = TestOperation()
      freed.addDependency(never)
      let isJoining = Atomic<Bool>(false)
      let ranInside = Atomic<Bool>(false)
      freed.completionBlock = {
        if isJoining.load(ordering: .acquiring) { ranInside.store(true, ordering: .releasing) }
      }
      let inline = OperationQueue(scheduler: InlineScheduler())
      inline.addOperation(freed)
      let leaf = Hooked(after: never) {
        freed.cancel()
        isJoining.store(true, ordering: .releasing)
        _ = Self.thiefSees(freed, within: .milliseconds(20))
        isJoining.store(false, ordering: .releasing)
      }
      let queue = OperationQueue(scheduler: ThreadPoolScheduler(workers: 2))
      queue.addOperation(leaf)
      onAWorker { queue.cancelAllOperations() }
      queue.expectQuiet()
      inline.expectQuiet()
      let didRunInside = ranInside.load(ordering: .acquiring)
      #expect(!didRunInside && freed.runCount == 0)
    }
  }
}
