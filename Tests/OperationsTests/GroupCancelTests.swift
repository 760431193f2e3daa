// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
import Operations
import Synchronization
import TestSupport
import Testing
import ThreadPoolBackend

extension OperationLayer {
  /// When a cancellation of a group has returned its members are cancelled, and none begins,
  /// whoever else is at it.
  @Suite struct GroupCancelTests {
    /// Lets another thread go on from inside its `cancel()`, and stays there.
    private final class Stopping: Operation, @unchecked Sendable {
      let isInside = Gate()
      let mayLeave = Gate()

      override func cancel() {
        let wasCancelled = isCancelled
        super.cancel()
        guard !wasCancelled else { return }
        isInside.open()
        mayLeave.wait()
      }
    }

    /// Cancels a group with these members, and `innermost` somewhere in it, on a thread that has
    /// come to the first one, and here in one of the ways.
    private func cancelOnTwoThreads(
      _ kind: Kind, way: Int, stopping: Stopping, second: Operation,
      _ group: (_ innermost: TestOperation, _ gate: Operation) -> GroupOperation
    ) throws {
      let queue = kind.queue()
      let gate = TestAsyncOperation()
      gate.finishOnCancel = true
      let innermost = TestOperation()
      for operation in [stopping, second, innermost] { operation.addDependency(gate) }
      let group = group(innermost, gate)
      let outer = way < 3 ? GroupOperation([group]) : group
      queue.addOperations([gate, outer], waitUntilFinished: false)
      #expect(waitUntil(deadline: patience) { group.isExecuting && gate.isExecuting })
      let first = try SystemThread.start(name: "first") { group.cancel() }
      #expect(stopping.isInside.wait())
      switch way {
      case 0: group.cancel()
      case 1: outer.cancel()
      // What it sets free is let go before it returns.
      default: queue.cancelAllOperations()
      }
      #expect(second.isCancelled && innermost.isCancelled)
      gate.finish()
      stopping.mayLeave.open()
      first.join()
      queue.expectQuiet()
      #expect(innermost.runCount == 0)
    }

    /// The first thread has marked the group and the first member, and comes to the second one
    /// later.
    @Test(.contract(43, 45), arguments: Kind.each, [0, 1, 2])
    func allAreMarkedWhoeverCameFirst(_ kind: Kind, way: Int) throws {
      let (stopping, second) = (Stopping(), TestOperation())
      try cancelOnTwoThreads(kind, way: way, stopping: stopping, second: second) {
        innermost, gate in
        let pending = GroupOperation([innermost])
        pending.addDependency(gate)
        return GroupOperation([stopping, second, pending])
      }
      #expect(second.runCount == 0)
    }

    /// Has a `cancel()` of its own, which may do nothing but the first time.
    private final class Overriding: GroupOperation, @unchecked Sendable {
      private let onlyOnce: Bool

      init(_ operations: [Operation], onlyOnce: Bool = false) {
        self.onlyOnce = onlyOnce
        super.init(operations)
      }

      override func cancel() {
        guard !onlyOnce || !isCancelled else { return }
        super.cancel()
      }
    }

    /// The same where the group has an override, in another group or not.
    @Test(.contract(43, 45, 52), arguments: Kind.each.filter { !$0.isInline }, 0..<5)
    func allAreMarkedOfAGroupWithAnOverride(_ kind: Kind, way: Int) throws {
      let (stopping, second) = (Stopping(), Telling())
      try cancelOnTwoThreads(kind, way: way, stopping: stopping, second: second) { innermost, _ in
        let inner = Overriding([GroupOperation([innermost])])
        return Overriding([stopping, second, inner], onlyOnce: way == 4)
      }
    }

    /// `OperationQueue.current` of a member is the queue of the members.
    @Test(.contract(46), arguments: Kind.each, [false, true])
    func whatMembersAddToTheirQueueIsCancelled(_ kind: Kind, behindBarrier: Bool) {
      let queue = kind.queue()
      let added = (0..<4).map { _ in TestOperation() }
      let closures = Counter()
      let owner = Locked<GroupOperation?>(nil)
      let member = BlockOperation {
        owner.withLock { $0.take() }?.cancel()
        guard let inner = OperationQueue.current else { return }
        if behindBarrier { inner.addBarrierBlock { closures.add(1) } }
        inner.addOperation(added[0])
        inner.addOperations([added[1], added[2]], waitUntilFinished: false)
        inner.addOperation { closures.add(1) }
        inner.maxConcurrentOperationCount = 1
        inner.addOperation { closures.add(1) }
        inner.addOperation(added[3])
      }
      let group = GroupOperation([member])
      owner.withLock { $0 = group }
      queue.addOperation(group)
      queue.expectQuiet()
      #expect(group.isCancelled)
      #expect(added.allSatisfy { $0.isFinished && $0.isCancelled && $0.runCount == 0 })
      #expect(closures.value == 0)
    }

    /// Tells its group.
    private final class Telling: Operation, @unchecked Sendable {
      weak var group: GroupOperation?

      override func cancel() {
        super.cancel()
        group?.cancel()
      }
    }

    /// A group that hears it from each of its members lists them once: 4000 took a minute when it
    /// did so every time.
    @Test(.contract(43, 134)) func membersThatCancelTheirGroup() {
      let queue = OperationQueue(scheduler: ThreadPoolScheduler(workers: 2))
      let gate = TestAsyncOperation()
      let members = (0..<4_000).map { _ in Telling() }
      for member in members { member.addDependency(gate) }
      let group = GroupOperation([gate] + members)
      for member in members { member.group = group }
      queue.addOperation(group)
      #expect(waitUntil(deadline: patience) { gate.isExecuting })
      let begin = ContinuousClock.now
      group.cancel()
      let duration = ContinuousClock.now - begin
      #expect(duration < .seconds(5 * slowness))
      #expect(members.allSatisfy { $0.isCancelled })
      gate.finish()
      queue.expectQuiet()
    }

    /// How long a group takes to be cancelled that is the innermost one of so many, all with
    /// overrides.
    private func timeToCancel(members count: Int, levels: Int) -> Duration {
      let members = (0..<count).map { _ in Telling() }
      var group = Overriding(members)
      for _ in 1..<levels { group = Overriding([group]) }
      let begin = ContinuousClock.now
      group.cancel()
      let duration = ContinuousClock.now - begin
      #expect(members.allSatisfy { $0.isCancelled })
      return duration
    }

    /// No member is looked for at every level: for these that took hundreds of times as long as in
    /// one group.
    @Test(.contract(134)) func membersBelowManyOverrides() {
      let flat = timeToCancel(members: 20_000, levels: 1)
      let deep = timeToCancel(members: 20_000, levels: 1_000)
      #expect(deep < flat * 20)
    }

    /// Whatever holds the queue of the members back when closures come.
    @Test(.contract(49, 52), arguments: Kind.all.filter { !$0.isInline }, 0..<6)
    func closuresOfACancelledGroup(_ kind: Kind, way: Int) throws {
      let queue = kind.queue()
      let ran = Counter()
      let gate = TestAsyncOperation()
      let found = Locked<OperationQueue?>(nil)
      let first = BlockOperation { found.withLock { $0 = OperationQueue.current } }
      let group = GroupOperation([gate, first])
      queue.addOperation(group)
      #expect(waitUntil(deadline: patience) { gate.isExecuting && first.isFinished })
      let inner = try #require(found.withLock { $0.take() })
      let observation = way < 2 ? nil : inner.observe(\.operations) { _, _ in }
      group.cancel()
      if way % 3 != 0 { inner.maxConcurrentOperationCount = way % 3 - 1 }
      inner.isSuspended = way % 2 == 0
      for _ in 0..<10 { inner.addOperation { ran.add(1) } }
      inner.addBarrierBlock { ran.add(1) }
      for _ in 0..<10 { inner.addOperation { ran.add(1) } }
      inner.isSuspended = false
      gate.finish()
      #expect(queue.wait(timeout: patience))
      #expect(ran.value == 0)
      withExtendedLifetime(observation) {}
    }

    /// Notes when it begins uncancelled although the group's cancellation has returned.
    private final class Member: Operation, @unchecked Sendable {
      let hasReturned = Atomic<Bool>(false)
      let isWrong = Atomic<Bool>(false)

      override func main() {
        // acquire and release: whoever began it before the cancellation returned is marked by then.
        if hasReturned.load(ordering: .acquiring), !isCancelled {
          isWrong.store(true, ordering: .releasing)
        }
      }
    }

    private struct Round: Sendable {
      let gate: TestAsyncOperation
      let group: GroupOperation
      let first: [Member]
      let later: [Member]
      let isQueued: Bool
      var all: [Member] { first + later }
    }

    @Test(.contract(46, 52), arguments: Kind.each)
    func cancelAgainstTheStartAndTheAdd(_ kind: Kind) {
      let queue = kind.queue()
      Duel.fight(
        rounds: 4_000 * stressFactor / slowness,
        prepare: { number in
          let gate = TestAsyncOperation()
          let first = (0..<2).map { _ in Member() }
          for member in first { member.addDependency(gate) }
          let round = Round(
            gate: gate, group: GroupOperation([gate] + first), first: first,
            later: (0..<2).map { _ in Member() }, isQueued: number % 2 == 0)
          if round.isQueued {
            queue.addOperation(round.group)
            if number % 4 == 0 { _ = waitUntil(deadline: patience) { gate.isExecuting } }
          }
          return round
        },
        left: { round in
          round.group.cancel()
          // One that has run meanwhile, set free by a worker that skipped the gate, is marked no
          // more.
          for member in round.first where !member.isFinished && !member.isCancelled {
            member.isWrong.store(true, ordering: .releasing)
          }
          // release: pairs with the acquire in `main`.
          for member in round.all { member.hasReturned.store(true, ordering: .releasing) }
        },
        right: { round in
          if !round.isQueued { queue.addOperation(round.group) }
          for member in round.later { try? round.group.tryAddOperation(member) }
        },
        check: { round, number in
          round.gate.finish()
          let isFinished = round.group.wait(timeout: patience)
          let areRight = round.all.allSatisfy { !$0.isWrong.load(ordering: .acquiring) }
          #expect(isFinished && areRight, "round \(number), seed \(stressSeed)")
          return isFinished && areRight
        })
      queue.expectQuiet()
    }
  }
}
