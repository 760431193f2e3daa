// SPDX-License-Identifier: Apache-2.0

import Operations
import Synchronization
import TestSupport
import Testing

extension OperationLayer {
  @Suite struct DependencyTests {
    @Test(.contract(23, 24, 27)) func finishedDependencyIsListedAndHoldsNothingBack() {
      let done = Operation()
      done.start()
      let operation = Operation()
      operation.addDependency(done)
      operation.addDependency(done)
      #expect(operation.isReady)
      #expect(operation.dependencies == [done])
      operation.removeDependency(done)
      operation.removeDependency(done)
      #expect(operation.dependencies.isEmpty)
    }

    @Test(.contract(30)) func selfDependencyThrows() {
      let operation = Operation()
      #expect(throws: OperationError.self) { try operation.tryAddDependency(operation) }
      #expect(operation.dependencies.isEmpty)
    }

    @Test(.contract(26, 130)) func dependencyThatDiesUnfinishedFreesItsFormerDependents() {
      let lifetimes = LifetimeCounter()
      let queue = Kind.pools[1].queue()
      do {
        let never = Operation()
        let removed = TestOperation(lifetimes)
        let cancelled = TestOperation(lifetimes)
        for operation in [removed, cancelled] {
          operation.addDependency(never)
          operation.retainsFinishedDependencies = false
          queue.addOperation(operation)
        }
        removed.removeDependency(never)
        cancelled.cancel()
        queue.expectQuiet()
        #expect(removed.runCount == 1 && cancelled.runCount == 0)
      }
      #expect(waitUntil { lifetimes.live == 0 })
    }

    @Test(.contract(131)) func finishedDependenciesAreDroppedOnDemand() {
      let lifetimes = LifetimeCounter()
      let operation = Operation()
      operation.retainsFinishedDependencies = false
      do {
        for _ in 0..<6 {
          let dependency = TestOperation(lifetimes)
          operation.addDependency(dependency)
          dependency.start()
        }
      }
      #expect(lifetimes.live == 6)
      #expect(operation.dependencies.count == 6)
      operation.start()
      #expect(operation.dependencies.isEmpty)
      #expect(lifetimes.live == 0)
    }

    /// Cancelled while it waits: it lists what somebody keeps, and keeps nothing that may wait for
    /// it in turn.
    @Test(.contract(25, 47), arguments: Kind.each, [true, false])
    func dependenciesOfASkippedOperationStayListed(_ kind: Kind, isCancelledFirst: Bool) {
      let (queue, held) = (kind.queue(), kind.queue())
      held.isSuspended = true
      let operation = TestOperation()
      func add(_ names: ClosedRange<Int>) {
        for name in names {
          let dependency = BlockOperation {}
          dependency.name = "\(name)"
          held.addOperation(dependency)
          operation.addDependency(dependency)
        }
      }
      add(1...6)
      // Held back after the cancellation, by a barrier.
      let older = TestAsyncOperation()
      queue.addOperation(older)
      queue.addBarrierBlock {}
      if isCancelledFirst { operation.cancel() }
      queue.addOperation(operation)
      operation.cancel()
      add(7...8)
      older.finish()
      queue.expectQuiet()
      let names = (1...8).map { "\($0)" }
      #expect(operation.dependencies.map { $0.name ?? "" } == names)
      let kept = Array(operation.dependencies.prefix(2))
      held.isSuspended = false
      held.expectQuiet()
      #expect(waitUntil { operation.dependencies.map { $0.name ?? "" } == ["1", "2"] })
      withExtendedLifetime(kept) {}
    }

    @Test(.contract(31, 131), arguments: Kind.each, [true, false])
    func cancelledCycleLeavesNothing(_ kind: Kind, isCancelledFirst: Bool) {
      let queue = kind.queue()
      let lifetimes = LifetimeCounter()
      for size in 2...4 {
        let operations = (0..<size).map { _ in TokenOperation(lifetimes.token()) }
        for index in 0..<size {
          operations[index].addDependency(operations[(index + 1) % size])
        }
        if isCancelledFirst { operations[0].cancel() }
        queue.addOperations(operations, waitUntilFinished: false)
        operations[0].cancel()
        queue.expectQuiet()
      }
      #expect(waitUntil { lifetimes.live == 0 })
    }

    /// The operation that waits for the cancelled one ends before that leaves its queue, or its
    /// start by hand.
    @Test(.contract(18, 31, 131), arguments: Kind.all, [true, false])
    func cycleThatEndsBeforeItsCancelledMemberHasLeft(_ kind: Kind, isByHand: Bool) {
      let queue = kind.queue()
      let lifetimes = LifetimeCounter()
      do {
        let cancelled = TokenOperation(lifetimes.token())
        let waiting = TokenOperation(lifetimes.token())
        cancelled.addDependency(waiting)
        waiting.addDependency(cancelled)
        // What waits was released before the block runs (contract 127).
        cancelled.completionBlock = { waiting.waitUntilFinished() }
        cancelled.cancel()
        queue.addOperation(waiting)
        if isByHand { cancelled.start() } else { queue.addOperation(cancelled) }
        queue.expectQuiet()
        #expect(cancelled.isFinished && waiting.isFinished && !waiting.isCancelled)
      }
      #expect(waitUntil { lifetimes.live == 0 })
    }

    /// Letting go of all of them costs the same per dependency however many there are.
    @Test(.contract(36, 134), arguments: Kind.each)
    func skipOfAnOperationWithManyDependencies(_ kind: Kind) {
      let queue = kind.queue()
      let operation = TestOperation()
      let dependencies = (0..<(100_000 / slowness)).map { _ in Operation() }
      for dependency in dependencies { operation.addDependency(dependency) }
      queue.addOperation(operation)
      operation.cancel()
      queue.expectQuiet()
      #expect(operation.dependencies.count == dependencies.count)
    }
  }
}

/// Keeps a token for as long as it lives itself.
private final class TokenOperation: Operation, @unchecked Sendable {
  private let token: LifetimeCounter.Token

  init(_ token: LifetimeCounter.Token) { self.token = token }
}
