// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
import Operations
import Synchronization
import TestSupport
import Testing

extension OperationLayer {
  /// Operations made of operations.
  @Suite struct GroupTests {
    @Test(arguments: Kind.all)
    func finishesAfterAllMembersAndTheBody(_ kind: Kind) {
      let queue = kind.queue()
      let ran = Atomic<Int>(0)
      let members = (0..<20).map { _ in
        TestOperation { _ in _ = ran.add(1, ordering: .acquiringAndReleasing) }
      }
      for (earlier, later) in zip(members, members.dropFirst()) { later.addDependency(earlier) }
      let group = GroupOperation(members) { group in
        // Added while the group executes, by the body and by members.
        for _ in 0..<10 {
          group.addOperation {
            ran.add(1, ordering: .acquiringAndReleasing)
            group.addOperation { ran.add(1, ordering: .acquiringAndReleasing) }
          }
        }
        ran.add(1, ordering: .acquiringAndReleasing)
      }
      let seen = Atomic<Int>(0)
      let dependent = BlockOperation {
        seen.store(ran.load(ordering: .acquiring), ordering: .relaxed)
      }
      dependent.addDependency(group)
      #expect(group.operations == members && !group.isFinished)
      queue.addOperations([group, dependent], waitUntilFinished: false)
      queue.expectQuiet()
      #expect(ran.load(ordering: .relaxed) == 41 && seen.load(ordering: .relaxed) == 41)
      #expect(group.isFinished && group.operations.isEmpty)
      #expect(members.allSatisfy { $0.isFinished })
    }

    @Test(arguments: Kind.all)
    func emptyGroupsFinish(_ kind: Kind) {
      let queue = kind.queue()
      let groups = (0..<50).map { _ in GroupOperation() }
      queue.addOperations(groups, waitUntilFinished: true)
      queue.expectQuiet()
      let manual = GroupOperation([TestOperation()])
      manual.start()
      #expect(manual.isFinished)
    }

    /// Groups nested deeper than there are workers, whose innermost member comes last, and another
    /// operation beside them.
    @Test(.contract(136), arguments: Kind.all)
    func noWorkerWaitsForMembers(_ kind: Kind) {
      let queue = kind.queue()
      let gate = AsyncGate()
      var outermost: Operation = AsyncOperation { await gate.wait() }
      for _ in 0..<20 { outermost = GroupOperation([outermost]) }
      queue.addOperation(outermost)
      #expect(waitUntil(deadline: patience) { gate.waitingCount == 1 })
      let other = TestOperation()
      queue.addOperation(other)
      #expect(other.wait(timeout: patience))
      #expect(outermost.isExecuting)
      #expect(waitUntil(deadline: patience) { queue.operationCount == 1 })
      gate.open()
      queue.expectQuiet()
    }

    @Test(arguments: Kind.each)
    func holdsOneSlotUntilItsMembersHaveFinished(_ kind: Kind) {
      let queue = kind.queue()
      queue.maxConcurrentOperationCount = 1
      let gate = AsyncGate()
      let group = GroupOperation((0..<5).map { _ in AsyncOperation { await gate.wait() } })
      let next = TestOperation()
      queue.addOperations([group, next], waitUntilFinished: false)
      #expect(waitUntil(deadline: patience) { gate.waitingCount == 5 })
      #expect(next.runCount == 0)
      gate.open()
      queue.expectQuiet()
      #expect(next.runCount == 1)
    }

    @Test(.contract(112, 115, 85), arguments: Kind.all)
    func limitSuspensionAndPrioritiesOfItsOwn(_ kind: Kind) {
      let queue = kind.queue()
      let log = Log()
      let (running, most) = (Counter(), Counter())
      let priorities: [Operation.QueuePriority] = [.low, .veryHigh, .normal, .veryLow, .high]
      let members = priorities.enumerated().map { number, priority in
        let member = BlockOperation {
          most.raise(to: running.add(1))
          log.note(number)
          running.add(-1)
        }
        member.queuePriority = priority
        return member
      }
      let group = GroupOperation(members)
      group.maxConcurrentOperationCount = 1
      group.isSuspended = true
      queue.addOperation(group)
      #expect(waitUntil(deadline: patience) { group.isExecuting })
      #expect(!group.wait(timeout: .milliseconds(1)) && log.values.isEmpty)
      group.isSuspended = false
      queue.expectQuiet()
      #expect(log.values == [1, 4, 2, 0, 3])
      #expect(most.value == 1)
      #expect(group.maxConcurrentOperationCount == 1 && !group.isSuspended)
    }

    @Test(arguments: Kind.all)
    func cancelCancelsMembersExecutingOrNot(_ kind: Kind) {
      let queue = kind.queue()
      let begun = Atomic<Int>(0)
      let sleepers = (0..<5).map { _ in
        AsyncOperation {
          begun.add(1, ordering: .releasing)
          try await Task.sleep(for: .seconds(3_600))
        }
      }
      let waiting = (0..<5).map { _ in TestOperation() }
      for operation in waiting { operation.addDependency(sleepers[0]) }
      let some: [Operation] = waiting + Array(sleepers[3...])
      let inner = GroupOperation(some)
      let others: [Operation] = Array(sleepers[..<3]) + [inner]
      let group = GroupOperation(others)
      queue.addOperation(group)
      #expect(waitUntil(deadline: patience) { begun.load(ordering: .acquiring) == 5 })
      group.cancel()
      let all: [Operation] = sleepers + waiting + [inner, group]
      #expect(all.allSatisfy { $0.isCancelled })
      queue.expectQuiet()
      #expect(all.allSatisfy { $0.isFinished })
      #expect(waiting.allSatisfy { $0.runCount == 0 })
    }

    /// Dependents outside wait for members: those finish although the group never began.
    @Test(.contract(47), arguments: Kind.all)
    func cancelledBeforeItBeganSkipsItsMembers(_ kind: Kind) {
      let queue = kind.queue()
      let members = (0..<5).map { _ in TestOperation() }
      let ranBody = Atomic<Bool>(false)
      let group = GroupOperation([GroupOperation(members)]) { _ in
        ranBody.store(true, ordering: .relaxed)
      }
      let dependent = TestOperation()
      dependent.addDependency(members[4])
      group.addDependency(Operation())
      queue.addOperations([dependent, group], waitUntilFinished: false)
      group.cancel()
      #expect(members.allSatisfy { $0.isCancelled })
      queue.expectQuiet()
      #expect(dependent.runCount == 1)
      #expect(members.allSatisfy { $0.isFinished && $0.runCount == 0 })
      #expect(ranBody.load(ordering: .relaxed) == false)
      // What is added to a cancelled group is cancelled.
      let manual = GroupOperation()
      manual.cancel()
      let late = TestOperation()
      manual.addOperation(late)
      manual.start()
      #expect(manual.isFinished && late.isFinished && late.runCount == 0)
    }

    @Test(.contract(67, 106)) func membersAreClaimedAndAFinishedGroupTakesNone() throws {
      let queue = Kind.inline.queue()
      let member = TestOperation()
      let group = GroupOperation([member])
      let fresh = TestOperation()
      #expect(caseName(thrown { try queue.tryAddOperation(member) }) == "alreadyQueued")
      #expect(caseName(thrown { try group.tryAddOperation(member) }) == "alreadyQueued")
      #expect(caseName(thrown { try group.tryAddOperations([fresh, member]) }) == "alreadyQueued")
      #expect(caseName(thrown { try member.tryStart() }) == "ownedByQueue")
      try group.tryAddOperation(fresh)
      queue.addOperation(group)
      #expect(group.isFinished && fresh.runCount == 1)
      let late = TestOperation()
      #expect(caseName(thrown { try group.tryAddOperation(late) }) == "alreadyFinished")
      queue.addOperation(late)
      #expect(late.runCount == 1)
      // A group that goes without having run gives its members back.
      let returned = TestOperation()
      do { _ = GroupOperation([returned]) }
      queue.addOperation(returned)
      #expect(returned.runCount == 1)
    }

    /// Adding from outside while the group may be finishing: the member runs, or the call throws.
    @Test(arguments: Kind.each)
    func addRacingTheFinish(_ kind: Kind) {
      let queue = kind.queue()
      let (added, refused, ran) = (Counter(), Counter(), Counter())
      // On a busy machine the two threads seldom run at the same time.
      var rounds = 0
      while rounds < 1_000 / slowness + 20 || (refused.value == 0 && rounds < 100_000) {
        rounds += 1
        let group = GroupOperation([TestOperation()])
        onThreads(2) { thread in
          if thread == 0 { return queue.addOperation(group) }
          // Bounded: a group that is fed faster than it runs does not finish.
          for _ in 0..<20 {
            let member = BlockOperation { ran.add(1) }
            do {
              try group.tryAddOperation(member)
              added.add(1)
            } catch {
              refused.add(1)
              return
            }
            if group.isFinished { #expect(member.isFinished) }
          }
        }
        group.waitUntilFinished()
      }
      queue.expectQuiet()
      #expect(ran.value == added.value && refused.value > 0)
    }

    /// Cancelling while the group starts, and while members are added to it: none of them is
    /// missed.
    @Test(.contract(52), arguments: Kind.each)
    func cancelRacingTheStartAndTheAdd(_ kind: Kind) {
      let queue = kind.queue()
      @Sendable func endless() -> Operation {
        AsyncOperation { try await Task.sleep(for: .seconds(3_600)) }
      }
      for round in 0..<(2_000 / slowness + 50) {
        let group = GroupOperation([endless(), endless()])
        onThreads(3) { thread in
          switch thread {
          case 0: queue.addOperation(group)
          case 1:
            for _ in 0..<round % 64 { yieldCore() }
            group.cancel()
          default: for _ in 0..<4 { try? group.tryAddOperation(endless()) }
          }
        }
        #expect(group.wait(timeout: patience), "round \(round)")
      }
      queue.expectQuiet()
    }

    @Test(arguments: Kind.each)
    func errorsOfMembersAreCollected(_ kind: Kind) {
      let queue = kind.queue()
      func failing(_ number: Int) -> Operation {
        ResultOperation { () throws -> Int in throw BodyError(number: number) }
      }
      let group = GroupOperation(
        [
          failing(0), TestOperation(), AsyncOperation { throw BodyError(number: 1) },
          GroupOperation([failing(2)], collectsErrors: true), ResultOperation { 1 },
        ], collectsErrors: true)
      queue.addOperation(group)
      queue.expectQuiet()
      #expect(group.errors.compactMap { ($0 as? BodyError)?.number } == [0, 1, 2])
    }

    @Test(.contract(130), arguments: Kind.all)
    func nothingIsLeftAlive(_ kind: Kind) {
      let lifetimes = LifetimeCounter()
      do {
        let queue = kind.queue()
        for round in 0..<20 {
          let token = lifetimes.token()
          let group = GroupOperation(collectsErrors: round % 2 == 0) { group in
            withExtendedLifetime(token) { group.addOperation(TestOperation(lifetimes)) }
          }
          group.addOperations((0..<10).map { _ in TestOperation(lifetimes) })
          group.addOperation(GroupOperation([TestOperation(lifetimes)]))
          if round % 5 == 0 { group.cancel() }
          if round % 7 != 0 { queue.addOperation(group) }
        }
        queue.expectQuiet()
      }
      #expect(waitUntil { lifetimes.live == 0 })
    }

    // MARK: Depth

    private func nested(_ depth: Int, _ innermost: Operation) -> Operation {
      var group = innermost
      for _ in 0..<depth { group = GroupOperation([group]) }
      return group
    }

    @Test(.contract(132), arguments: Kind.each)
    func tenThousandLevelsRunAndEndOnASmallStack(_ kind: Kind) throws {
      let queue = kind.queue()
      let innermost = TestOperation()
      let outermost = Locked<Operation?>(nested(10_000, innermost))
      try SystemThread.start(name: "starter", stackSize: 512 << 10) {
        if let group = outermost.withLock({ $0.take() }) { queue.addOperation(group) }
      }.join()
      queue.expectQuiet()
      #expect(innermost.runCount == 1)
    }

    @Test(.contract(132), arguments: Kind.each)
    func tenThousandLevelsAreCancelledOnASmallStack(_ kind: Kind) throws {
      let queue = kind.queue()
      for isExecuting in [false, true] {
        let gate = AsyncGate()
        let innermost = AsyncOperation {
          await withTaskCancellationHandler {
            await gate.wait()
          } onCancel: {
            gate.open()
          }
        }
        let outermost = nested(10_000, innermost)
        if isExecuting {
          queue.addOperation(outermost)
          #expect(waitUntil(deadline: patience) { gate.waitingCount == 1 })
        }
        try SystemThread.start(name: "canceller", stackSize: 512 << 10) {
          outermost.cancel()
          if !isExecuting { queue.addOperation(outermost) }
        }.join()
        #expect(innermost.isCancelled)
        queue.expectQuiet()
        #expect(innermost.isFinished)
      }
    }

    @Test(.contract(132)) func tenThousandLevelsAreReleasedOnASmallStack() throws {
      let lifetimes = LifetimeCounter()
      let outermost = Locked<Operation?>(nested(10_000, TestOperation(lifetimes)))
      try SystemThread.start(name: "releaser", stackSize: 512 << 10) {
        let group = outermost.withLock { $0.take() }
        #expect(group != nil)
      }.join()
      #expect(lifetimes.live == 0)
    }
  }
}

/// A number that threads add to.
final class Counter: Sendable {
  private let number = Atomic<Int>(0)
  var value: Int { number.load(ordering: .acquiring) }
  @discardableResult func add(_ difference: Int) -> Int {
    number.add(difference, ordering: .acquiringAndReleasing).newValue
  }
  func raise(to value: Int) { _ = number.max(value, ordering: .acquiringAndReleasing) }
}
