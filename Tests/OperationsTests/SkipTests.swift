// SPDX-License-Identifier: Apache-2.0

import Operations
import Synchronization
import TestSupport
import Testing

extension OperationLayer {
  /// What leaves a queue that starts nothing, and what does not.
  @Suite struct SkipTests {
    @Test(.contract(49, 109, 112), arguments: Kind.all)
    func limitZeroLetsCancelledOperationsGo(_ kind: Kind) {
      let lifetimes = LifetimeCounter()
      let queue = kind.queue()
      queue.maxConcurrentOperationCount = 0
      let log = Log()
      let token = lifetimes.token()
      for number in 0..<300 {
        switch number % 3 {
        case 0:
          queue.addOperation {
            log.note(1)
            withExtendedLifetime(token) {}
          }
        case 1: queue.addOperation(BlockOperation { log.note(2) })
        default:
          let waiting = BlockOperation { log.note(3) }
          waiting.addDependency(Operation())
          queue.addOperation(waiting)
        }
      }
      queue.addBarrierBlock { log.note(4) }
      queue.addOperation { log.note(5) }
      #expect(queue.operationCount == 301)
      queue.cancelAllOperations()
      // The limit is 0 to the end.
      queue.expectQuiet()
      #expect(log.values.isEmpty && queue.operations.isEmpty && queue.operationCount == 0)
    }

    /// Nobody keeps what another worker finishes while its skip is on the way: in release it is
    /// gone at once.
    @Test(.contract(49, 47), arguments: Kind.all.filter { !$0.isInline }, 0..<3)
    func skippedOperationsThatOthersFinish(_ kind: Kind, way: Int) {
      for _ in 0..<(400 * stressFactor / slowness) {
        let queue = kind.queue()
        queue.maxConcurrentOperationCount = 0
        for _ in 0..<8 {
          switch way {
          case 0: queue.addOperation(GroupOperation())
          case 1: queue.addOperation(GroupOperation([TestOperation(), GroupOperation()]))
          default: queue.addOperation(TimeoutOperation(TestOperation(), within: .seconds(60)))
          }
        }
        queue.cancelAllOperations()
        queue.expectQuiet()
      }
    }

    /// Cancelled in an open queue, with the scheduler already when the limit comes.
    @Test(.contract(49), arguments: Kind.single, [0, 1])
    func cancelledClosuresLeaveWhenALimitComesBeforeTheyRun(_ kind: Kind, limit: Int) {
      let scheduler = kind.make(1)
      let other = OperationQueue(scheduler: scheduler)
      let queue = OperationQueue(scheduler: scheduler)
      let slot = TestAsyncOperation()
      queue.addOperation(slot)
      #expect(waitUntil(deadline: patience) { slot.isExecuting })
      let (inside, go) = (Gate(), Gate())
      other.addOperation {
        inside.open()
        go.wait()
      }
      inside.wait()
      let log = Log()
      let handles = (0..<4).map { number in queue.addOperation { log.note(number) } }
      let facade = handles[0].operation
      let kept = queue.addOperation { log.note(4) }
      for handle in handles { handle.cancel() }
      queue.maxConcurrentOperationCount = limit
      go.open()
      #expect(waitUntil(deadline: patience) { handles.allSatisfy(\.isFinished) })
      #expect(facade.isFinished && !slot.isFinished && !kept.isFinished)
      slot.finish()
      queue.maxConcurrentOperationCount = 1
      queue.expectQuiet()
      #expect(log.values == [4])
    }

    /// A barrier that is due waits for a slot only.
    @Test(.contract(116, 49), arguments: Kind.all)
    func dueBarrierGoesWhenCancelled(_ kind: Kind) {
      let queue = kind.queue()
      queue.maxConcurrentOperationCount = 0
      let log = Log()
      queue.addBarrierBlock { log.note(1) }
      queue.addBarrierBlock { log.note(2) }
      #expect(!queue.wait(timeout: .milliseconds(1)))
      queue.cancelAllOperations()
      queue.expectQuiet()
      #expect(log.values.isEmpty)
      queue.maxConcurrentOperationCount = 1
      queue.addBarrierBlock { log.note(3) }
      queue.expectQuiet()
      #expect(log.values == [3])
    }

    /// What stays behind keeps its order, and nothing of it starts.
    @Test(.contract(49, 86), arguments: Kind.all)
    func othersKeepTheirOrderWhenCancelledOnesLeave(_ kind: Kind) {
      let queue = kind.queue()
      queue.maxConcurrentOperationCount = 0
      let log = Log()
      let operations = (0..<500).map { number in BlockOperation { log.note(number) } }
      queue.addOperations(operations, waitUntilFinished: false)
      for number in 0..<500 where number % 5 != 0 { operations[number].cancel() }
      #expect(waitUntil(deadline: patience) { queue.operationCount == 100 })
      #expect(log.values.isEmpty)
      queue.maxConcurrentOperationCount = 1
      queue.expectQuiet()
      #expect(log.values == (0..<100).map { $0 * 5 })
    }

    /// A class that overrides `start()` takes a slot unless it says that it needs none; every other
    /// class needs none.
    @Test(.contract(49), arguments: Kind.each)
    func onlyClassesWithAStartOfTheirOwnNeedASlot(_ kind: Kind) {
      class Eager: Operation, @unchecked Sendable {
        override func start() { super.start() }
      }
      final class Heir: Eager, @unchecked Sendable {}
      final class Modest: Eager, @unchecked Sendable {
        override var isSkippedWithoutSlot: Bool { true }
      }
      final class Ready: Operation, @unchecked Sendable {
        override var isReady: Bool { super.isReady }
        override func cancel() { super.cancel() }
        override func main() { Issue.record("a cancelled operation ran") }
      }
      let (queue, watch) = (kind.queue(), Lines())
      queue.maxConcurrentOperationCount = 0
      let free: [Operation] = [
        Modest(), TestOperation(), Ready(), TestAsyncOperation(), ResultOperation { 1 },
        RetryOperation(RetryPolicy(attempts: 1)) { _ in ResultOperation { 1 } },
      ]
      let held: [Operation] = [Eager(), Heir()]
      for operation in free { operation.completionBlock = { watch.note("free") } }
      queue.addOperations(free + held, waitUntilFinished: false)
      queue.cancelAllOperations()
      for operation in free {
        #expect(operation.wait(timeout: patience), "\(type(of: operation))")
      }
      #expect(waitUntil(deadline: patience) { queue.operationCount == held.count })
      #expect(queue.operations == held && watch.all.count == free.count)
      queue.maxConcurrentOperationCount = 1
      queue.expectQuiet()
      #expect((free + held).allSatisfy { $0.isFinished && $0.isCancelled })
    }

    /// The case that the reference texts are about: a subclass that overrides `main`, behind one
    /// that runs for long.
    @Test(.contract(49), arguments: Kind.pools.filter { $0.workers > 1 })
    func aCancelledSubclassDoesNotWaitForTheOneThatRuns(_ kind: Kind) {
      let (queue, gate, other) = (kind.queue(), Gate(), TestOperation())
      queue.maxConcurrentOperationCount = 1
      let running = TestOperation { _ in gate.wait() }
      queue.addOperation(running)
      #expect(waitUntil(deadline: patience) { running.isExecuting })
      queue.addOperation(other)
      other.cancel()
      #expect(other.wait(timeout: patience) && running.isExecuting)
      gate.open()
      queue.expectQuiet()
    }

    @Test(.contract(50), arguments: Kind.all)
    func suspensionHoldsCancelledOperationsWhateverTheLimit(_ kind: Kind) {
      for limit in [-1, 0, 2] {
        let queue = kind.queue()
        queue.isSuspended = true
        queue.maxConcurrentOperationCount = limit
        let operations = (0..<50).map { _ in BlockOperation {} }
        queue.addOperations(operations, waitUntilFinished: false)
        queue.addBarrierBlock {}
        queue.cancelAllOperations()
        #expect(!queue.wait(timeout: .milliseconds(1)))
        #expect(queue.operationCount == 50 && !operations.contains { $0.isFinished })
        queue.isSuspended = false
        queue.expectQuiet()
        #expect(operations.allSatisfy { $0.isFinished })
      }
    }

    @Test(.contract(54), arguments: Kind.each)
    func removingDependenciesAfterTheCancelHarmsNothing(_ kind: Kind) {
      for limit in [-1, 1] {
        let queue = kind.queue()
        queue.maxConcurrentOperationCount = limit
        for round in 0..<(2_000 / slowness) {
          let dependencies = (0..<4).map { _ in Operation() }
          let operation = TestOperation()
          for dependency in dependencies { operation.addDependency(dependency) }
          queue.addOperation(operation)
          operation.cancel()
          if round % 2 == 0 { dependencies[0].start() }
          for dependency in dependencies { operation.removeDependency(dependency) }
          #expect(operation.isReady)
          queue.expectQuiet()
          #expect(operation.isFinished && operation.runCount == 0)
        }
      }
    }

    /// Additions behind a barrier and a cancellation of everything at the same instant, in a queue
    /// with a limit.
    @Test(.contract(52, 116), arguments: Kind.each)
    func closureBehindABarrierCancelledInTheInstantOfItsAddition(_ kind: Kind) {
      let lifetimes = LifetimeCounter()
      for round in 0..<(4_000 / slowness) {
        let queue = kind.queue()
        queue.maxConcurrentOperationCount = round % 3
        let older = TestAsyncOperation()
        if round % 2 == 0 { queue.addOperation(older) }
        let barrierRan = Atomic<Bool>(false)
        queue.addBarrierBlock { barrierRan.store(true, ordering: .releasing) }
        let early = Atomic<Int>(0)
        let isHeld = round % 2 == 0 && round % 3 != 0
        if isHeld { #expect(waitUntil(deadline: patience) { older.isExecuting }) }
        onThreads(2) { index in
          guard index == 0 else { return queue.cancelAllOperations() }
          for _ in 0..<3 {
            let token = lifetimes.token()
            queue.addOperation {
              if isHeld, !older.isFinished { early.add(1, ordering: .relaxed) }
              withExtendedLifetime(token) {}
            }
          }
        }
        #expect(early.load(ordering: .relaxed) == 0)
        _ = warnings { older.finish() }
        queue.maxConcurrentOperationCount = 1
        queue.expectQuiet()
      }
      #expect(waitUntil { lifetimes.live == 0 })
    }
  }

  /// Departures that a worker holds back.
  @Suite(.contract(103)) struct CreditTests {
    /// The worker has run a few operations and now runs something else for as long as it likes.
    @Test(arguments: Kind.pools)
    func waitersDoNotWaitForOtherJobs(_ kind: Kind) {
      let scheduler = kind.make(kind.workers)
      let queue = OperationQueue(scheduler: scheduler)
      for round in 0..<5 {
        let release = Gate()
        let inside = Atomic<Int>(0)
        let count = Atomic<Int>(0)
        for _ in 0..<10 { queue.addOperation { count.add(1, ordering: .relaxed) } }
        for _ in 0..<kind.workers {
          scheduler.submit {
            inside.add(1, ordering: .releasing)
            release.wait()
          }
        }
        if round % 2 == 0 {
          #expect(
            waitUntil(deadline: patience) { inside.load(ordering: .acquiring) == kind.workers })
        }
        #expect(queue.wait(timeout: patience))
        #expect(count.load(ordering: .relaxed) == 10 && queue.operationCount == 0)
        release.open()
        #expect(waitUntil(deadline: patience) { inside.load(ordering: .acquiring) == kind.workers })
      }
      scheduler.shutDown()
    }

    @Test(.contract(116), arguments: Kind.pools.filter { $0.workers > 1 })
    func barriersDoNotWaitForOtherJobs(_ kind: Kind) {
      let scheduler = kind.make(kind.workers)
      let queue = OperationQueue(scheduler: scheduler)
      for _ in 0..<20 {
        let (begun, go, release) = (Gate(), Gate(), Gate())
        queue.addOperation {
          begun.open()
          go.wait()
          // Likely the next job of this worker.
          scheduler.submit { release.wait() }
        }
        begun.wait()
        let log = Log()
        queue.addBarrierBlock { log.note(1) }
        go.open()
        #expect(waitUntil(deadline: patience) { log.values == [1] })
        release.open()
        queue.expectQuiet()
      }
      scheduler.shutDown()
    }

    /// Two queues whose operations alternate on the same workers: nobody takes the other's credits.
    @Test(arguments: Kind.pools)
    func collectedCreditsBelongToTheirQueue(_ kind: Kind) {
      let scheduler = kind.make(kind.workers)
      let queues = (0..<3).map { _ in OperationQueue(scheduler: scheduler) }
      let ran = Atomic<Int>(0)
      let rounds = 3_000 / slowness
      onThreads(3) { index in
        for round in 0..<rounds {
          for queue in queues { queue.addOperation { ran.add(1, ordering: .relaxed) } }
          if round % 4 == 0 { queues[index].waitUntilAllOperationsAreFinished() }
          if round % 16 == 0 { queues[index].addBarrierBlock {} }
        }
      }
      for queue in queues { queue.expectQuiet() }
      #expect(ran.load(ordering: .relaxed) == 9 * rounds)
      #expect(queues.allSatisfy { $0.operationCount == 0 && $0.operations.isEmpty })
    }

    /// As in a queue: the cycle goes when its members have been finished.
    @Test(.contract(31, 49), arguments: [true, false])
    func aCycleThatIsFinishedByHandGoes(cancelsFirst: Bool) {
      let lifetimes = LifetimeCounter()
      do {
        let pair = [TestOperation(lifetimes), TestOperation(lifetimes)]
        pair[0].addDependency(pair[1])
        pair[1].addDependency(pair[0])
        if cancelsFirst { for operation in pair { operation.cancel() } }
        for operation in pair { operation.cancelAndFinish() }
        #expect(pair.allSatisfy { $0.isFinished })
      }
      #expect(lifetimes.live == 0)
    }
  }
}
