// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
import Operations
import Scheduling
import Synchronization
import TestSupport
import Testing
import WorkStealingBackend

extension OperationLayer {
  /// Additions that meet barriers, observers, early finishes and their own batch.
  @Suite struct AdmissionTests {
    private var rounds: Int { 3_000 * stressFactor / slowness }

    /// A place in line that was passed over must not stand for whoever has its member's address
    /// afterwards.
    @Test(.contract(86)) func anAddressUsedAgainKeepsItsPlaceInAStrictQueue() {
      let queue = OperationQueue(scheduler: InlineScheduler(), startsInOrder: true)
      let lines = Lines()
      func gated(_ line: String) -> (operation: BlockOperation, gate: Operation) {
        let gate = Operation()
        let operation = BlockOperation(retainsFinishedDependencies: false) { lines.note(line) }
        operation.addDependency(gate)
        return (operation, gate)
      }
      let first = gated("first")
      queue.addOperation(first.operation)
      var cancelled: (operation: BlockOperation, gate: Operation)? = gated("cancelled")
      let address = cancelled.map { ObjectIdentifier($0.operation) }
      if let cancelled {
        queue.addOperation(cancelled.operation)
        cancelled.operation.cancel()
        cancelled.gate.start()
      }
      cancelled = nil
      // The allocator gives the address out again, usually at once.
      var others: [BlockOperation] = []
      var second = gated("second")
      while ObjectIdentifier(second.operation) != address, others.count < 10_000 {
        others.append(second.operation)
        second = gated("second")
      }
      queue.addOperation(second.operation)
      queue.addOperation { lines.note("third") }
      first.gate.start()
      #expect(lines.all == ["first"])
      second.gate.start()
      queue.expectQuiet()
      #expect(lines.all == ["first", "second", "third"])
    }

    @Test(.contract(116), arguments: Kind.each.filter { !$0.isInline })
    func barriersAgainstAdditionsInAStrictQueue(_ kind: Kind) {
      let scheduler = kind.make(kind.workers)
      Duel.fight(
        rounds: rounds / 20,
        prepare: { _ in OperationQueue(scheduler: scheduler, startsInOrder: true) },
        left: { queue in for _ in 0..<40 { queue.addOperation {} } },
        right: { queue in for _ in 0..<20 { queue.addBarrierBlock {} } },
        check: { queue, round in
          queue.expectQuiet("in round \(round), seed \(stressSeed)")
          return queue.operationCount == 0
        })
    }

    /// An observer's first look waits for closures that are being added, whose adders meet a
    /// barrier's adder.
    @Test(.contract(116, 129), arguments: Kind.each.filter { !$0.isInline })
    func observersAgainstBarriersAndClosures(_ kind: Kind) {
      let scheduler = kind.make(kind.workers)
      for _ in 0..<(rounds / 20 + 1) {
        let queue = OperationQueue(scheduler: scheduler)
        queue.isSuspended = true
        queue.addBarrierBlock {}
        onThreads(3) { thread in
          switch thread {
          case 0: for _ in 0..<60 { queue.addOperation {} }
          case 1: for _ in 0..<20 { queue.addBarrierBlock {} }
          default:
            for _ in 0..<20 { queue.observe(\.operationCount) { _, _ in }.invalidate() }
          }
        }
        queue.isSuspended = false
        queue.expectQuiet()
      }
    }

    private final class Pair: Sendable {
      let dependency = TestAsyncOperation()
      let operation = Locked<TestAsyncOperation?>(TestAsyncOperation())
    }

    /// The last dependency hands the operation over while `finish()` finishes it in its place.
    ///
    /// It stays alive until both are done. The worker is busy, so that the handle lies in a list
    /// meanwhile.
    @Test(.contract(66), arguments: Kind.single)
    func earlyFinishAgainstTheLastDependency(_ kind: Kind) {
      let scheduler = kind.make(1)
      let (queue, other) = (
        OperationQueue(scheduler: scheduler), OperationQueue(scheduler: scheduler)
      )
      var pairs: [Pair] = []
      Duel.fight(
        rounds: rounds,
        prepare: { number -> (pair: Pair, hold: Turnstile) in
          let pair = Pair()
          pair.operation.withLock { $0?.addDependency(pair.dependency) }
          queue.addOperation(pair.dependency)
          #expect(waitUntil(deadline: patience) { pair.dependency.isExecuting })
          if let operation = pair.operation.withLock({ $0 }) { queue.addOperation(operation) }
          let hold = Turnstile()
          other.addOperation { hold.wait() }
          return (pair, hold)
        },
        left: { round in round.pair.operation.withLock { $0.take() }?.finish() },
        right: { round in round.pair.dependency.finish() },
        check: { round, number in
          round.hold.signal()
          pairs.append(round.pair)
          if pairs.count > 64 { pairs = [] }
          queue.expectQuiet("in round \(number), seed \(stressSeed)")
          return queue.operationCount == 0
        })
      other.expectQuiet()
    }

    /// Handlers that run in the middle of an addition see the whole batch.
    @Test(.contract(87, 117), arguments: Kind.each)
    func theWholeBatchIsInBeforeAnyHandlerOfItRuns(_ kind: Kind) {
      let queue = kind.queue()
      let seen = Locked<[Int]>([])
      let operations = (0..<130).map { _ in BlockOperation {} }
      operations[5].addDependency(cancelledDependency())
      let token = operations[5].observe(\.isCancelled) { _, _ in
        seen.withLock { $0.append(queue.operations.count) }
      }
      // Else some have left when it is told.
      queue.isSuspended = true
      queue.addOperations(operations, waitUntilFinished: false)
      queue.isSuspended = false
      queue.expectQuiet()
      #expect(seen.withLock { $0 } == [130])
      token.invalidate()
    }

    /// Somebody begins to look at the queue in the middle of an addition: order and members stay as
    /// they are.
    @Test(.contract(86, 87), arguments: Kind.each.filter(\.isExact))
    func aWatcherInTheMiddleOfABatchChangesNoOrder(_ kind: Kind) {
      let queue = kind.queue()
      queue.maxConcurrentOperationCount = 1
      let order = Locked<[Int]>([])
      let operations = (0..<130).map { number in
        BlockOperation { order.withLock { $0.append(number) } }
      }
      operations[5].addDependency(cancelledDependency())
      let token = operations[5].observe(\.isCancelled) { _, _ in
        queue.observe(\.operationCount) { _, _ in }.invalidate()
      }
      queue.addOperations(operations, waitUntilFinished: false)
      queue.expectQuiet()
      #expect(order.withLock { $0 } == (0..<130).filter { $0 != 5 })
      token.invalidate()
    }

    @Test(.contract(66, 87), arguments: Kind.each)
    func aHandlerOfABatchFinishesALaterMember(_ kind: Kind) {
      let queue = kind.queue()
      let first = BlockOperation {}
      let never = Operation()
      let later = TestAsyncOperation()
      later.addDependency(never)
      first.addDependency(cancelledDependency())
      let token = first.observe(\.isCancelled) { _, _ in later.finish() }
      queue.addOperations([first, later], waitUntilFinished: false)
      queue.expectQuiet()
      #expect(later.isFinished)
      token.invalidate()
    }

    /// A change of level that meets the last dependency takes effect.
    @Test(.contract(88), arguments: Kind.each)
    func changeOfLevelAgainstTheLastDependency(_ kind: Kind) {
      final class Round: Sendable {
        let queue: OperationQueue
        let dependency = TestAsyncOperation()
        let operation: BlockOperation
        let order = Lines()
        init(_ queue: OperationQueue) {
          self.queue = queue
          let order = order
          operation = BlockOperation { order.note("raised") }
          operation.addDependency(dependency)
        }
      }
      let scheduler = kind.make(kind.workers)
      let other = OperationQueue(scheduler: scheduler)
      Duel.fight(
        rounds: rounds,
        prepare: { _ in
          let round = Round(OperationQueue(scheduler: scheduler))
          round.queue.maxConcurrentOperationCount = 1
          round.queue.isSuspended = true
          let order = round.order
          round.queue.addOperation(round.operation)
          round.queue.addOperation { order.note("normal") }
          other.addOperation(round.dependency)
          #expect(waitUntil(deadline: patience) { round.dependency.isExecuting })
          return round
        },
        left: { $0.operation.queuePriority = .veryHigh }, right: { $0.dependency.finish() },
        check: { round, number in
          round.queue.isSuspended = false
          round.queue.expectQuiet()
          #expect(round.order.all == ["raised", "normal"], "round \(number), seed \(stressSeed)")
          return round.order.all == ["raised", "normal"]
        })
    }
  }
}

/// Finished, cancelled, and passes its cancellation on.
func cancelledDependency() -> Operation {
  let dependency = Operation()
  dependency.cancelDependentsOnCancel = true
  dependency.cancelAndFinish()
  return dependency
}
