// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
import Operations
import Synchronization
import TestSupport
import Testing

extension OperationLayer {
  /// Pairs of calls that meet at the same moment, many thousand times.
  @Suite struct RaceTests {
    private var rounds: Int { 4_000 * stressFactor / slowness }

    /// Waits for one operation per round; a wait that takes for ever names the round.
    private func expectFinished(_ operation: Operation, _ round: Int) -> Bool {
      let isFinished = operation.wait(timeout: patience)
      #expect(isFinished, "round \(round), seed \(stressSeed): the operation did not finish")
      return isFinished
    }

    @Test(.contract(40), arguments: Kind.each)
    func announcementAgainstAdd(_ kind: Kind) {
      let queue = kind.queue()
      Duel.fight(
        rounds: rounds, prepare: { _ in ConditionalOperation() },
        left: { queue.addOperation($0) }, right: { $0.set(open: true) },
        check: { operation, round in
          expectFinished(operation, round) && operation.runs.load(ordering: .relaxed) == 1
        })
      queue.expectQuiet()
    }

    /// A bare atomic store before the announcement: no lock of the subclass helps to order it.
    @Test(.contract(40), arguments: Kind.each)
    func announcementAgainstTheLook(_ kind: Kind) {
      let queue = kind.queue()
      Duel.fight(
        rounds: rounds,
        prepare: { _ -> ConditionalOperation in
          let operation = ConditionalOperation()
          queue.addOperation(operation)
          return operation
        },
        left: { operation in operation.didChangeValue(forKey: "isReady") },
        right: { operation in
          operation.isOpen.store(true, ordering: .relaxed)
          operation.didChangeValue(forKey: "isReady")
        },
        check: { operation, round in
          expectFinished(operation, round) && operation.runs.load(ordering: .relaxed) == 1
        })
      queue.expectQuiet()
    }

    private final class Pair: Sendable {
      let dependency = TestOperation()
      let operation = TestOperation()
      /// Written after the call under test has returned and before the dependency finishes.
      let sawUnstarted = Atomic<Bool>(false)
    }

    @Test(.contract(47), arguments: Kind.each)
    func cancelAgainstTheLastDependency(_ kind: Kind) {
      let queue = kind.queue()
      Duel.fight(
        rounds: rounds,
        prepare: { _ -> Pair in
          let pair = Pair()
          pair.operation.addDependency(pair.dependency)
          queue.addOperation(pair.operation)
          return pair
        },
        left: { $0.operation.cancel() }, right: { $0.dependency.start() },
        check: { pair, round in
          expectFinished(pair.operation, round) && pair.operation.runCount <= 1
        })
      queue.expectQuiet()
      #expect(queue.operations.isEmpty)
    }

    @Test(.contract(47, 51), arguments: Kind.each)
    func cancelAgainstTheFinish(_ kind: Kind) {
      let queue = kind.queue()
      Duel.fight(
        rounds: rounds, prepare: { _ in TestOperation() },
        left: { $0.cancel() }, right: { queue.addOperation($0) },
        check: { operation, round in
          guard expectFinished(operation, round) else { return false }
          if operation.runCount == 0 { #expect(operation.isCancelled) }
          return operation.runCount <= 1
        })
      queue.expectQuiet()
      #expect(queue.operations.isEmpty)
    }

    @Test(.contract(49), arguments: Kind.each)
    func cancelAgainstTheStartInALimitedQueue(_ kind: Kind) {
      let queue = kind.queue()
      queue.maxConcurrentOperationCount = 1
      Duel.fight(
        rounds: rounds,
        prepare: { _ in [BlockOperation {}, BlockOperation {}, BlockOperation {}] },
        left: { for operation in $0 { operation.cancel() } },
        right: { queue.addOperations($0, waitUntilFinished: false) },
        check: { operations, round in operations.allSatisfy { expectFinished($0, round) } })
      queue.expectQuiet()
      #expect(queue.operations.isEmpty)
    }

    @Test(.contract(28), arguments: Kind.each)
    func addedDependencyAgainstItsFinish(_ kind: Kind) {
      let queue = kind.queue()
      let gates = (0..<2).map { _ in Operation() }
      Duel.fight(
        rounds: rounds,
        prepare: { round -> Pair in
          let pair = Pair()
          // With and without another dependency that is finished or removed already.
          if round % 3 == 0 { pair.operation.addDependency(gates[0]) }
          if round % 2 == 0 { queue.isSuspended = true }
          queue.addOperation(pair.operation)
          return pair
        },
        left: { pair in
          pair.operation.addDependency(pair.dependency)
          queue.isSuspended = false
          pair.operation.removeDependency(gates[0])
        },
        right: { $0.dependency.start() },
        check: { pair, round in
          expectFinished(pair.operation, round) && pair.operation.runCount == 1
        })
      queue.expectQuiet()
    }

    @Test(.contract(26), arguments: Kind.each)
    func removedDependencyAgainstItsFinish(_ kind: Kind) {
      let queue = kind.queue()
      Duel.fight(
        rounds: rounds,
        prepare: { _ -> Pair in
          let pair = Pair()
          pair.operation.addDependency(pair.dependency)
          queue.addOperation(pair.operation)
          return pair
        },
        left: { $0.operation.removeDependency($0.dependency) }, right: { $0.dependency.start() },
        check: { pair, round in
          expectFinished(pair.operation, round) && pair.operation.runCount == 1
        })
      queue.expectQuiet()
    }

    @Test(.contract(115), arguments: Kind.each)
    func suspendAgainstTheStart(_ kind: Kind) {
      let queue = kind.queue()
      Duel.fight(
        rounds: rounds, prepare: { _ in (0..<3).map { _ in TestOperation() } },
        left: { _ in
          queue.isSuspended = true
          queue.isSuspended = false
        },
        right: { for operation in $0 { queue.addOperation(operation) } },
        check: { operations, round in
          operations.allSatisfy { expectFinished($0, round) && $0.runCount == 1 }
        })
      queue.expectQuiet()
    }

    /// An add that begins after the setter has returned starts nothing.
    @Test(.contract(115), arguments: Kind.each)
    func nothingStartsOnceSuspended(_ kind: Kind) {
      let queue = kind.queue()
      let isSuspended = Atomic<Bool>(false)
      let early = Atomic<Int>(0)
      Duel.fight(
        rounds: rounds, prepare: { _ in TestOperation() },
        left: { operation in
          queue.isSuspended = true
          isSuspended.store(true, ordering: .sequentiallyConsistent)
          queue.addOperation {
            if isSuspended.load(ordering: .sequentiallyConsistent) {
              early.add(1, ordering: .relaxed)
            }
          }
          isSuspended.store(false, ordering: .sequentiallyConsistent)
          queue.isSuspended = false
        },
        right: { queue.addOperation($0) },
        check: { operation, round in
          // What was claimed before the setter may still be about to enter its body: let it.
          queue.expectQuiet()
          return expectFinished(operation, round)
        })
      queue.expectQuiet()
      let count = early.load(ordering: .relaxed)
      #expect(count == 0)
    }

    @Test(.contract(112), arguments: Kind.each)
    func limitAgainstTheStart(_ kind: Kind) {
      let queue = kind.queue()
      Duel.fight(
        rounds: rounds, prepare: { _ in (0..<3).map { _ in TestOperation() } },
        left: { _ in
          queue.maxConcurrentOperationCount = 1
          queue.maxConcurrentOperationCount = 3
          queue.maxConcurrentOperationCount = -1
        },
        right: { for operation in $0 { queue.addOperation(operation) } },
        check: { operations, round in
          operations.allSatisfy { expectFinished($0, round) && $0.runCount == 1 }
        })
      // A slot that went astray would show now.
      for limit in 1...3 {
        queue.maxConcurrentOperationCount = limit
        let concurrency = Concurrency()
        for _ in 0..<30 { queue.addOperation { concurrency.body() } }
        queue.expectQuiet("with limit \(limit)")
        #expect(concurrency.peak <= limit)
      }
    }

    @Test(.contract(99, 102), arguments: Kind.each)
    func waitAgainstTheFinish(_ kind: Kind) {
      let queue = kind.queue()
      Duel.fight(
        rounds: rounds, prepare: { _ in TestOperation() },
        left: { operation in
          for _ in 0..<3 { _ = operation.wait(timeout: .nanoseconds(500)) }
          operation.waitUntilFinished()
        },
        right: { queue.addOperation($0) },
        check: { operation, round in operation.isFinished })
      queue.expectQuiet()
    }

    @Test(.contract(103), arguments: Kind.each)
    func queueWaitAgainstTheLastFinish(_ kind: Kind) {
      let queue = kind.queue()
      Duel.fight(
        rounds: rounds, prepare: { _ in Log() }, left: { _ in queue.expectQuiet() },
        right: { log in queue.addOperation { log.note(1) } },
        check: { log, round in
          queue.waitUntilAllOperationsAreFinished()
          #expect(log.values == [1], "round \(round)")
          return log.values == [1]
        })
    }

    @Test(.contract(88), arguments: Kind.each)
    func priorityChangeAgainstTheStart(_ kind: Kind) {
      let queue = kind.queue()
      Duel.fight(
        rounds: rounds,
        prepare: { round -> Pair in
          queue.maxConcurrentOperationCount = round % 2 == 0 ? 1 : -1
          let pair = Pair()
          if round % 3 == 0 { pair.operation.addDependency(pair.dependency) }
          return pair
        },
        left: { pair in
          pair.operation.queuePriority = .high
          pair.operation.queuePriority = .low
          pair.operation.cancel()
        },
        right: { pair in
          queue.addOperation(pair.operation)
          pair.dependency.start()
        },
        check: { pair, round in
          expectFinished(pair.operation, round) && pair.operation.runCount <= 1
        })
      queue.expectQuiet()
      #expect(queue.operations.isEmpty)
    }

    @Test(.contract(108), arguments: Kind.each)
    func handleAgainstTheClosure(_ kind: Kind) {
      let queue = kind.queue()
      let lifetimes = LifetimeCounter()
      final class Round: Sendable {
        let handle = Locked<OperationHandle?>(nil)
        let runs = Atomic<Int>(0)
        let isCancelled = Atomic<Bool>(false)
      }
      Duel.fight(
        rounds: rounds,
        prepare: { number -> Round in
          let round = Round()
          if number % 4 == 0 { queue.isSuspended = true }
          let token = lifetimes.token()
          let handle = queue.addOperation {
            withExtendedLifetime(token) { _ = round.runs.add(1, ordering: .relaxed) }
          }
          round.handle.withLock { $0 = handle }
          return round
        },
        left: { round in
          queue.isSuspended = false
          guard let handle = round.handle.withLock({ $0 }) else { return }
          _ = handle.operation.isFinished
          handle.operation.completionBlock = { _ = round.runs.load(ordering: .relaxed) }
        },
        right: { round in
          guard let handle = round.handle.withLock({ $0 }) else { return }
          if handle.isFinished { return }
          round.isCancelled.store(true, ordering: .relaxed)
          handle.cancel()
          _ = queue.operations.count
        },
        check: { round, number in
          let isFinished = round.handle.withLock { $0 }?.wait(timeout: patience) ?? false
          let runs = round.runs.load(ordering: .relaxed)
          let wasCancelled = round.isCancelled.load(ordering: .relaxed)
          #expect(isFinished && (runs == 1 || runs == 0 && wasCancelled), "round \(number)")
          return isFinished
        })
      queue.expectQuiet()
      #expect(queue.operations.isEmpty)
      #expect(waitUntil { lifetimes.live == 0 })
    }

    @Test(.contract(69), arguments: Kind.each)
    func finishAgainstCancelAndDetach(_ kind: Kind) {
      let queue = kind.queue()
      Duel.fight(
        rounds: rounds,
        prepare: { round -> TestAsyncOperation in
          queue.maxConcurrentOperationCount = round % 2 == 0 ? 1 : -1
          let operation = TestAsyncOperation()
          if round % 3 == 0 { operation.completionBlock = {} }
          return operation
        },
        left: { operation in
          operation.cancel()
          operation.finish()
          operation.finish()
        },
        right: { queue.addOperation($0) },
        check: { operation, round in expectFinished(operation, round) })
      queue.expectQuiet()
      #expect(queue.operations.isEmpty && queue.operationCount == 0)
    }

    /// The second `finish()` meets the worker that carries out the first.
    @Test(.contract(66, 69), arguments: Kind.each)
    func finishedBeforeTheAddAndAgain(_ kind: Kind) {
      let queue = kind.queue()
      Duel.fight(
        rounds: rounds / 4,
        prepare: { _ -> TestAsyncOperation in
          let operation = TestAsyncOperation()
          operation.finish()
          return operation
        },
        left: { $0.finish() }, right: { queue.addOperation($0) },
        check: { operation, round in expectFinished(operation, round) })
      queue.expectQuiet()
      #expect(queue.operations.isEmpty && queue.operationCount == 0)
    }

    @Test(.contract(10, 67), arguments: Kind.each)
    func addAgainstManualStart(_ kind: Kind) {
      let queue = kind.queue()
      Duel.fight(
        rounds: rounds, prepare: { _ in TestOperation() },
        left: { operation in try? operation.tryStart() },
        right: { operation in try? queue.tryAddOperation(operation) },
        check: { operation, round in
          expectFinished(operation, round) && operation.runCount == 1
        })
      queue.expectQuiet()
      #expect(queue.operations.isEmpty)
    }

    @Test(.contract(116), arguments: Kind.each)
    func barrierAgainstAdds(_ kind: Kind) {
      let queue = kind.queue()
      Duel.fight(
        rounds: rounds / 4, prepare: { _ in Log() },
        left: { log in
          for _ in 0..<3 { queue.addBarrierBlock { log.note(1) } }
        },
        right: { log in
          for _ in 0..<3 {
            queue.addOperation { log.note(1) }
            queue.addOperation(BlockOperation { log.note(1) })
          }
        },
        check: { log, round in
          let isQuiet = queue.wait(timeout: patience)
          #expect(isQuiet && log.values.count == 9, "round \(round)")
          return isQuiet
        })
    }
  }
}
