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

    /// Cancels a group of `members`, which its own queue runs, on a worker of a pool that steals.
    private func cancelOnAWorker(_ members: [Operation]) -> OperationQueue {
      // Once its body is called no other thread comes to list the members.
      let isOpen = Turnstile()
      let group = GroupOperation(members) { _ in isOpen.signal() }
      let queue = OperationQueue(scheduler: ThreadPoolScheduler(workers: 2))
      queue.addOperation(group)
      isOpen.wait()
      onAWorker { group.cancel() }
      return queue
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
      let queue = cancelOnAWorker([pending, leaf])
      queue.expectQuiet()
      let didEnd = hasEnded.load(ordering: .acquiring)
      #expect(didEnd, "what was marked stayed behind the sleeping join")
    }

    /// What a join looks at may have been flushed by others meanwhile, and its part of the registry with it.
    @Test(.contract(52)) func joinBesideWorkersThatFlush() {
      for _ in 0..<(200 * stressFactor / slowness) {
        let never = Operation()
        let leaf = Hooked(after: never) { _ = Self.thiefSees(never, within: .microseconds(50)) }
        let queue = cancelOnAWorker((0..<200).map { _ in BlockOperation {} } + [leaf])
        queue.expectQuiet()
      }
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
      // Before its body is called another thread may list the members, and cancel them before it
      // adds them: an override that waits for another member then waits for what its own thread is
      // about to add.
      let isOpen = Turnstile()
      let group = GroupOperation([freed, leaf]) { _ in isOpen.signal() }
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
      isOpen.wait()
      #expect(waitUntil(deadline: patience) { executing.allSatisfy { $0.isExecuting } })
      queue.cancelAllOperations()
      queue.expectQuiet()
      groups.expectQuiet()
      let didEnd = hasEnded.load(ordering: .acquiring)
      #expect(didEnd)
    }

    /// How many bodies run of operations that are cancelled with `first`, and wait for it, when an override in their middle
    /// has `hook` wait for it; that must end.
    private func bodiesThatRun(
      on queue: OperationQueue, hook: @escaping @Sendable (_ first: Operation) -> Bool,
      cancel: (@escaping @Sendable () -> Void) -> Void
    ) -> Int {
      let never = Operation()
      let ran = Counter()
      let first = TestOperation()
      let third = BlockOperation { ran.add(1) }
      let fourth = GroupOperation([GroupOperation([BlockOperation { ran.add(1) }])])
      first.addDependency(never)
      third.addDependency(first)
      fourth.addDependency(first)
      let hasEnded = Atomic<Bool>(false)
      let second = Hooked(after: never) { hasEnded.store(hook(first), ordering: .releasing) }
      queue.addOperations([first, second, third, fourth], waitUntilFinished: false)
      cancel { queue.cancelAllOperations() }
      queue.expectQuiet()
      let didEnd = hasEnded.load(ordering: .acquiring)
      #expect(didEnd)
      return ran.value
    }

    /// All of a queue are marked before the first one is set free, although an override in the middle waits for that one.
    @Test(.contract(52, 101), arguments: Kind.each)
    func nothingRunsBecauseAnotherOneWasFlushed(_ kind: Kind) {
      let count = bodiesThatRun(
        on: kind.queue(), hook: { $0.wait(timeout: patience) }, cancel: { $0() })
      #expect(count == 0)
    }

    /// A join calls no override; it marks what is of no class of a user's.
    @Test(.contract(52, 101), arguments: Kind.each.filter { !$0.isInline })
    func nothingRunsBecauseAJoinLetsGo(_ kind: Kind) {
      let count = bodiesThatRun(
        on: kind.queue(), hook: { Self.thiefSees($0, within: patience) },
        cancel: { onAWorker($0) })
      #expect(count == 0)
    }

    /// More overrides than may run inside of each other wait for the first operation of their queue.
    @Test(.contract(52, 101)) func manyOverridesWaitForWhatIsMarked() {
      let queue = OperationQueue(scheduler: ThreadPoolScheduler(workers: 2))
      let never = Operation()
      let first = TestOperation()
      first.addDependency(never)
      let ended = Atomic<Int>(0)
      let others = (0..<200).map { _ in
        Hooked(after: never) {
          if first.wait(timeout: patience) { ended.add(1, ordering: .relaxed) }
        }
      }
      queue.addOperations([first] + others, waitUntilFinished: false)
      queue.cancelAllOperations()
      queue.expectQuiet()
      let count = ended.load(ordering: .relaxed)
      #expect(count == 200)
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
