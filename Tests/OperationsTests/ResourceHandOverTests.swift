// SPDX-License-Identifier: Apache-2.0

import Operations
import Scheduling
import Synchronization
import TestSupport
import Testing
import ThreadPoolBackend

extension OperationLayer {
  /// An operation that runs on the thread which gives it its resource: that thread has done
  /// everything else before, so that the operation may wait for it.
  @Suite(.contract(101, 139)) struct ResourceHandOverTests {
    /// How the operation ends that has the resource.
    enum End: CaseIterable { case inFastMode, inASlot, withABlock, fromOutside, byHand }

    /// What a body saw.
    private final class Answer: Sendable {
      private let isRight = Atomic<Bool>(false)
      func note(_ isRight: Bool) { self.isRight.store(isRight, ordering: .releasing) }
      var value: Bool { isRight.load(ordering: .acquiring) }
    }

    /// A queue of its own scheduler without threads, with or without a limit.
    private func inlineQueue(isLimited: Bool) -> OperationQueue {
      let queue = Kind.inline.queue()
      if isLimited { queue.maxConcurrentOperationCount = 1 }
      return queue
    }

    /// An operation that has `resources` and executes until somebody calls `finish()`.
    private func holder(of resources: [OperationResource], in queue: OperationQueue)
      -> TestAsyncOperation
    {
      let holder = TestAsyncOperation()
      for resource in resources { holder.require(resource) }
      queue.addOperation(holder)
      #expect(waitUntil(deadline: patience) { holder.isExecuting })
      return holder
    }

    @Test(arguments: Kind.all, End.allCases)
    func itRunsWhenTheFinishIsOver(_ kind: Kind, _ end: End) {
      for isLimited in [false, true] {
        let queue = kind.queue()
        let inlineQueue = inlineQueue(isLimited: isLimited)
        if end == .inASlot { queue.maxConcurrentOperationCount = 1 }
        let resource = OperationResource(name: "lock", capacity: 2)
        let hasBlock = end != .inFastMode && end != .inASlot
        let (blockRan, answer) = (Answer(), Answer())
        let after = TestOperation()
        after.require(resource)
        let onInline = TestOperation { _ in
          let isDone = kind.isInline || after.wait(timeout: patience)
          answer.note(isDone && queue.wait(timeout: patience) && blockRan.value == hasBlock)
        }
        onInline.require(resource)
        // Both stand in line while the first one has it, where there is a worker for that.
        let isAlone = kind.isInline || kind.workers == 1 || end == .inASlot || end == .fromOutside
        let add: @Sendable () -> Void = {
          inlineQueue.addOperation(onInline)
          guard !kind.isInline else { return }
          queue.addOperation(after)
          if !isAlone { #expect(waitUntil(deadline: patience) { resource.waiting == 2 }) }
        }
        let first =
          end == .fromOutside ? TestAsyncOperation { _ in add() } : TestOperation { _ in add() }
        first.require(resource, amount: 2)
        if hasBlock { first.completionBlock = { blockRan.note(true) } }
        if end == .byHand { first.start() } else { queue.addOperation(first) }
        if end == .fromOutside {
          let count = kind.isInline ? 1 : 2
          #expect(waitUntil(deadline: patience) { resource.waiting == count })
          (first as? TestAsyncOperation)?.finish()
        }
        #expect(onInline.wait(timeout: patience))
        #expect(answer.value, "limited: \(isLimited)")
        inlineQueue.expectQuiet()
        queue.expectQuiet()
        #expect(resource.used == 0)
      }
    }

    /// A handle that a change of level has put out of date comes back without a slot while the one
    /// that was granted both is on its way.
    @Test(arguments: Kind.single) func aHandleThatIsOutOfDateGivesNothingUp(_ kind: Kind) {
      let scheduler = kind.make(1)
      let (queue, other) = (
        OperationQueue(scheduler: scheduler), OperationQueue(scheduler: scheduler)
      )
      let elsewhere = OperationQueue(scheduler: ThreadPoolScheduler(workers: 2))
      let resource = OperationResource(name: "lock")
      let holder = holder(of: [resource], in: elsewhere)
      let (order, begun, gates) = (Log(), [Gate(), Gate()], [Gate(), Gate()])
      let blockers = [0, 1].map { number in
        BlockOperation {
          begun[number].open()
          gates[number].wait()
        }
      }
      other.addOperation(blockers[0])
      begun[0].wait()
      let first = BlockOperation { order.note(1) }
      first.require(resource)
      queue.addOperation(first)
      // The new handle comes to the worker, is parked, and the old one stays behind the blocker.
      first.queuePriority = .veryHigh
      blockers[1].queuePriority = .veryHigh
      other.addOperation(blockers[1])
      gates[0].open()
      begun[1].wait()
      #expect(resource.waiting == 1)
      queue.maxConcurrentOperationCount = 1
      let second = BlockOperation { order.note(2) }
      second.require(resource)
      elsewhere.addOperation(second)
      #expect(waitUntil(deadline: patience) { resource.waiting == 2 })
      holder.finish()
      gates[1].open()
      for queue in [queue, other, elsewhere] { queue.expectQuiet() }
      #expect(order.values == [1, 2] && resource.used == 0)
    }

    /// How an operation leaves the line.
    enum Leaving: CaseIterable { case cancelled, cancelledWithItsQueue, finishedEarly }

    /// The head of the line leaves, and those behind it get what it waited for.
    @Test(arguments: Kind.all, Leaving.allCases)
    func itRunsWhenTheHeadOfTheLineHasLeft(_ kind: Kind, _ leaving: Leaving) {
      for isLimited in [false, true] {
        let (queue, inlineQueue) = (kind.queue(), inlineQueue(isLimited: isLimited))
        let other = OperationQueue(scheduler: ThreadPoolScheduler(workers: 2))
        let resource = OperationResource(name: "lock", capacity: 3)
        let holder = holder(of: [resource], in: other)
        let head = TestAsyncOperation { $0.finish() }
        head.require(resource, amount: 3)
        queue.addOperation(head)
        #expect(waitUntil(deadline: patience) { resource.waiting == 1 })
        let (after, answer) = (TestOperation(), Answer())
        after.require(resource)
        let onInline = TestOperation { _ in
          let isGone = head.wait(timeout: patience) && queue.wait(timeout: patience)
          answer.note(isGone && after.wait(timeout: patience))
        }
        onInline.require(resource)
        inlineQueue.addOperation(onInline)
        other.addOperation(after)
        #expect(waitUntil(deadline: patience) { resource.waiting == 3 })
        _ = warnings {
          switch leaving {
          case .cancelled: head.cancel()
          case .cancelledWithItsQueue: queue.cancelAllOperations()
          case .finishedEarly: head.finish()
          }
        }
        #expect(onInline.wait(timeout: patience))
        #expect(answer.value, "limited: \(isLimited)")
        holder.finish()
        for queue in [queue, inlineQueue, other] { queue.expectQuiet() }
        #expect(resource.used == 0)
      }
    }

    /// The head of the line is of the same queue: both are handed over in one step.
    @Test(arguments: [Leaving.cancelled, .finishedEarly])
    func itMayWaitForAnotherOneOfItsQueue(_ leaving: Leaving) {
      for isLimited in [false, true] {
        let inlineQueue = inlineQueue(isLimited: isLimited)
        let other = OperationQueue(scheduler: ThreadPoolScheduler(workers: 1))
        let resource = OperationResource(name: "lock", capacity: 2)
        let holder = holder(of: [resource], in: other)
        let head = TestAsyncOperation { $0.finish() }
        head.require(resource, amount: 2)
        let answer = Answer()
        let onInline = TestOperation { _ in answer.note(head.wait(timeout: patience)) }
        onInline.require(resource)
        inlineQueue.addOperations([head, onInline], waitUntilFinished: false)
        #expect(resource.waiting == 2)
        _ = warnings {
          if leaving == .cancelled { head.cancel() } else { head.finish() }
        }
        #expect(answer.value, "limited: \(isLimited)")
        holder.finish()
        for queue in [inlineQueue, other] { queue.expectQuiet() }
      }
    }

    /// The members get their resources while the only worker of their queue is busy until the gate
    /// opens.
    private func grant(
      to members: [TestOperation], of queue: OperationQueue, resources: [OperationResource],
      from other: OperationQueue
    ) -> Gate {
      let holder = holder(of: resources, in: other)
      queue.addOperations(members, waitUntilFinished: false)
      #expect(waitUntil(deadline: patience) { resources.allSatisfy { $0.waiting == 1 } })
      let (isBlocked, go) = (Gate(), Gate())
      OperationQueue(scheduler: queue.scheduler).addOperation {
        isBlocked.open()
        go.wait()
      }
      #expect(isBlocked.wait())
      holder.finish()
      #expect(
        waitUntil(deadline: patience) { resources.allSatisfy { $0.used == 1 && $0.waiting == 0 } })
      return go
    }

    /// A handle that comes too late gives up what came with it: whatever is more urgent may need
    /// it.
    @Test(arguments: Kind.single)
    func aLostHandleGivesUpWhatItHas(_ kind: Kind) {
      let queue = kind.queue()
      queue.maxConcurrentOperationCount = 1
      let other = OperationQueue(scheduler: ThreadPoolScheduler(workers: 2))
      let resource = OperationResource(name: "lock")
      let member = TestOperation()
      member.require(resource)
      let go = grant(to: [member], of: queue, resources: [resource], from: other)
      // Another handle starts it from here on; the one that came with resource and slot is lost.
      member.queuePriority = .low
      let answer = Answer()
      let urgent = TestOperation { _ in
        let awaited = TestOperation()
        awaited.require(resource)
        other.addOperation(awaited)
        answer.note(awaited.wait(timeout: patience))
        awaited.cancel()
      }
      urgent.queuePriority = .high
      queue.addOperation(urgent)
      go.open()
      for queue in [queue, other] { queue.expectQuiet() }
      #expect(answer.value && member.runCount == 1 && resource.used == 0)
    }

    /// A queue that goes elsewhere skips what is cancelled without a worker at home; what has its
    /// resource and a slot runs when that has come to it.
    @Test(.contract(49, 120), arguments: Kind.single)
    func aQueueThatMovesSkipsAndKeepsTheGrant(_ kind: Kind) {
      let queue = kind.queue()
      let other = OperationQueue(scheduler: ThreadPoolScheduler(workers: 2))
      let resource = OperationResource(name: "lock")
      let (member, cancelled, urgent) = (TestOperation(), Operation(), TestOperation())
      member.require(resource)
      let go = grant(to: [member], of: queue, resources: [resource], from: other)
      queue.addOperation(cancelled)
      cancelled.cancel()
      urgent.require(resource)
      other.addOperation(urgent)
      #expect(waitUntil(deadline: patience) { resource.waiting == 1 })
      queue.move(to: ThreadPoolScheduler(workers: queue.scheduler.workerCount))
      #expect(cancelled.wait(timeout: patience) && resource.used == 1)
      go.open()
      #expect(urgent.wait(timeout: patience))
      for queue in [queue, other] { queue.expectQuiet() }
      #expect(member.runCount == 1 && resource.used == 0)
    }

    /// The worker that loses the handle gives its slot up, too, before what gets the resource runs
    /// on it.
    @Test(arguments: Kind.single)
    func itRunsWhenALostHandleHasGivenUpItsSlot(_ kind: Kind) {
      let queue = kind.queue()
      queue.maxConcurrentOperationCount = 1
      let inlineQueue = inlineQueue(isLimited: false)
      let other = OperationQueue(scheduler: ThreadPoolScheduler(workers: 2))
      let resource = OperationResource(name: "lock")
      let member = TestOperation()
      member.require(resource)
      let go = grant(to: [member], of: queue, resources: [resource], from: other)
      let (plain, answer) = (TestOperation(), Answer())
      let onInline = TestOperation { _ in answer.note(plain.wait(timeout: patience)) }
      onInline.require(resource)
      inlineQueue.addOperation(onInline)
      member.queuePriority = .low
      queue.addOperation(plain)
      go.open()
      for queue in [queue, inlineQueue, other] { queue.expectQuiet() }
      #expect(answer.value && member.runCount == 1)
    }

    /// Levels, limits, cancellations and finishes while handles with resources are out.
    @Test(arguments: Kind.pools)
    func handlesAreLostAllTheTime(_ kind: Kind) {
      let lifetimes = LifetimeCounter()
      let scheduler = kind.make(kind.workers)
      let queues = (0..<2).map { _ in OperationQueue(scheduler: scheduler) }
      let inlineQueue = inlineQueue(isLimited: false)
      let resources = (1...2).map { OperationResource(name: "lock \($0)", capacity: $0) }
      let concurrency = Concurrency()
      for round in 0..<(400 * stressFactor / slowness + 1) {
        let operations = (0..<6).map { number in
          let operation = TestAsyncOperation(lifetimes) {
            // What another thread finishes gives its resources back while its body may still run.
            if number % 2 == 0, number != (round + 3) % 6 { concurrency.body() }
            $0.finish()
          }
          operation.require(resources[number % 2])
          if number % 3 == 0 { operation.require(resources[(number + 1) % 2]) }
          return operation
        }
        _ = warnings {
          onThreads(3) { index in
            switch index {
            case 0:
              for (number, operation) in operations.enumerated() {
                (number == 5 ? inlineQueue : queues[number % 2]).addOperation(operation)
              }
            case 1:
              for level in [Operation.QueuePriority.high, .low, .veryHigh, .normal] {
                for operation in operations { operation.queuePriority = level }
              }
              operations[round % 6].cancel()
            default:
              for limit in [1, -1, 2, 0, 1] { queues[0].maxConcurrentOperationCount = limit }
              operations[(round + 3) % 6].finish()
            }
          }
        }
        for queue in queues + [inlineQueue] { queue.expectQuiet("round \(round)") }
        #expect(resources.allSatisfy { $0.used == 0 && $0.waiting == 0 })
        #expect(concurrency.peak <= 1)
      }
      #expect(waitUntil { lifetimes.live == 0 })
    }

    /// In strict order, too, what stands behind an operation that finishes early runs when that has
    /// finished.
    @Test(.contract(66)) func whatStandsBehindAnEarlyFinishMayWaitForIt() {
      let queue = OperationQueue(scheduler: InlineScheduler(), startsInOrder: true)
      let (dependency, answer) = (Operation(), Answer())
      let head = TestAsyncOperation { $0.finish() }
      head.addDependency(dependency)
      queue.addOperation(head)
      queue.addOperation { answer.note(head.wait(timeout: patience)) }
      _ = warnings { head.finish() }
      #expect(answer.value)
      queue.expectQuiet()
    }
  }
}
