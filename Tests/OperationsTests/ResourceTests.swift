// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
import Operations
import OperationsDiagnosis
import Synchronization
import TestSupport
import Testing
import WorkStealingBackend

extension OperationLayer {
  /// What operations take when they start.
  @Suite struct ResourceTests {
    @Test(.contract(139), arguments: Kind.all)
    func neverMoreInUseThanThereIs(_ kind: Kind) {
      for (capacity, amount) in [(1, 1), (3, 1), (5, 2)] {
        let resource = OperationResource(name: "disk", capacity: capacity)
        let concurrency = Concurrency()
        let scheduler = kind.make(kind.workers)
        let queues = (0..<3).map { _ in OperationQueue(scheduler: scheduler) }
        queues[1].maxConcurrentOperationCount = 2
        for number in 0..<200 {
          let operation = BlockOperation { concurrency.body() }
          operation.require(resource, amount: amount)
          #expect(operation.requiredResources.first === resource && operation.isReady)
          queues[number % 3].addOperation(operation)
        }
        for queue in queues { queue.expectQuiet() }
        #expect(concurrency.peak >= 1 && concurrency.peak <= capacity / amount)
        #expect(resource.used == 0 && resource.waiting == 0)
      }
    }

    /// Whoever waits holds no worker, no slot and nobody else up.
    @Test(.contract(136), arguments: Kind.each)
    func waitingForAResourceTakesNoSlot(_ kind: Kind) {
      let resource = OperationResource(name: "printer")
      let queue = kind.queue()
      queue.maxConcurrentOperationCount = 2
      let holder = TestAsyncOperation()
      holder.require(resource)
      let waiting = (0..<20).map { _ in TestOperation() }
      for operation in waiting { operation.require(resource) }
      let free = (0..<20).map { _ in TestOperation() }
      queue.addOperation(holder)
      #expect(waitUntil(deadline: patience) { holder.isExecuting })
      queue.addOperations(waiting + free, waitUntilFinished: false)
      for operation in free { #expect(operation.wait(timeout: patience)) }
      #expect(waiting.allSatisfy { $0.runCount == 0 && $0.isReady && !$0.isExecuting })
      #expect(waitUntil(deadline: patience) { resource.waiting == 20 })
      let report = queue.stallReport()
      #expect(waiting.allSatisfy { report[$0]?.reasons == [.waitingForResources(["printer"])] })
      holder.finish()
      queue.expectQuiet()
      #expect(waiting.allSatisfy { $0.runCount == 1 })
    }

    @Test(.contract(86), arguments: Kind.each)
    func firstComeFirstServed(_ kind: Kind) {
      let resource = OperationResource(name: "line", capacity: 2)
      let queue = kind.queue()
      let holder = TestAsyncOperation()
      holder.require(resource)
      queue.addOperation(holder)
      #expect(waitUntil(deadline: patience) { holder.isExecuting })
      let log = Log()
      var operations: [Operation] = []
      for number in 0..<30 {
        let operation = TestOperation { _ in log.note(number) }
        // The first wants all of it, so those behind must not pass although there would be enough
        // for them.
        operation.require(resource, amount: number % 3 == 0 ? 2 : 1)
        queue.addOperation(operation)
        operations.append(operation)
        #expect(waitUntil(deadline: patience) { resource.waiting == number + 1 })
      }
      holder.finish()
      queue.expectQuiet()
      // Of two that fit together either may come first.
      let order = log.values.map { 2 * ($0 / 3) + ($0 % 3 == 0 ? 0 : 1) }
      #expect(order == order.sorted() && order.count == 30)
    }

    /// Each takes two of five in some order; nobody ever holds one and waits for the other.
    @Test(arguments: Kind.all)
    func severalResourcesAtATimeNeverDeadlock(_ kind: Kind) {
      let resources = (0..<5).map { OperationResource(name: "fork \($0)") }
      let scheduler = kind.make(kind.workers)
      let queues = (0..<2).map { _ in OperationQueue(scheduler: scheduler) }
      queues[1].maxConcurrentOperationCount = 1
      let eating = (0..<5).map { _ in Concurrency() }
      for number in 0..<500 {
        let (left, right) = (number % 5, (number + 1 + number % 3) % 5)
        let operation = BlockOperation {
          eating[left].body()
          if left != right { eating[right].body() }
        }
        operation.require(resources[max(left, right)])
        if left != right { operation.require(resources[min(left, right)]) }
        queues[number % 2].addOperation(operation)
      }
      for queue in queues { queue.expectQuiet() }
      #expect(eating.allSatisfy { $0.peak == 1 })
      #expect(resources.allSatisfy { $0.used == 0 })
    }

    /// A queue that starts nothing keeps nothing from others, whenever it was stopped: what has a
    /// slot by then runs.
    @Test(.contract(115), arguments: Kind.each, [true, false])
    func aStoppedQueueKeepsNoResource(_ kind: Kind, isSuspended: Bool) {
      let resource = OperationResource(name: "lock")
      let (stopped, other) = (kind.queue(), kind.queue())
      stopped.maxConcurrentOperationCount = 1
      for _ in 0..<(300 / slowness + 1) {
        let holder = TestAsyncOperation()
        holder.require(resource)
        other.addOperation(holder)
        #expect(waitUntil(deadline: patience) { holder.isExecuting })
        let waiting = TestOperation()
        waiting.require(resource)
        stopped.addOperation(waiting)
        onThreads(2) { index in
          if index == 0 {
            holder.finish()
          } else if isSuspended {
            stopped.isSuspended = true
          } else {
            stopped.maxConcurrentOperationCount = 0
          }
        }
        let urgent = TestOperation()
        urgent.require(resource)
        other.addOperation(urgent)
        #expect(urgent.wait(timeout: patience))
        stopped.isSuspended = false
        stopped.maxConcurrentOperationCount = 1
        stopped.expectQuiet()
        other.expectQuiet()
        #expect(waiting.runCount == 1 && resource.used == 0)
      }
    }

    /// What waits for the only slot of its queue has no resource, which what holds the slot waits
    /// for elsewhere.
    @Test(.contract(136), arguments: Kind.each.filter { !$0.isInline })
    func whatWaitsForASlotHoldsNoResource(_ kind: Kind) {
      for _ in 0..<(100 / slowness + 1) {
        let scheduler = kind.make(3)
        let (first, second) = (
          OperationQueue(scheduler: scheduler), OperationQueue(scheduler: scheduler)
        )
        first.maxConcurrentOperationCount = 1
        let resource = OperationResource(name: "lock")
        let holder = TestAsyncOperation()
        holder.require(resource)
        second.addOperation(holder)
        #expect(waitUntil(deadline: patience) { holder.isExecuting })
        let waiting = TestOperation()
        waiting.require(resource)
        first.addOperation(waiting)
        #expect(waitUntil(deadline: patience) { resource.waiting == 1 })
        let awaited = TestOperation()
        awaited.require(resource)
        let hasSlot = Gate()
        first.addOperation {
          hasSlot.open()
          second.addOperation(awaited)
          awaited.waitUntilFinished()
        }
        #expect(hasSlot.wait())
        holder.finish()
        first.expectQuiet()
        second.expectQuiet()
        #expect(waiting.runCount == 1 && awaited.runCount == 1 && resource.used == 0)
      }
    }

    /// A limit that comes between the grant and the start finds a slot counted for the resource's
    /// user.
    @Test(.contract(111), arguments: Kind.each.filter { !$0.isInline })
    func aLimitHoldsNobodyBackWhoHasTheResource(_ kind: Kind) {
      let scheduler = kind.make(2)
      for _ in 0..<(300 / slowness + 1) {
        let (first, second) = (
          OperationQueue(scheduler: scheduler), OperationQueue(scheduler: scheduler)
        )
        let resource = OperationResource(name: "lock")
        let (holder, slot) = (TestAsyncOperation(), TestAsyncOperation())
        holder.require(resource)
        second.addOperation(holder)
        first.addOperation(slot)
        #expect(waitUntil(deadline: patience) { holder.isExecuting && slot.isExecuting })
        let waiting = TestOperation()
        waiting.require(resource)
        first.addOperation(waiting)
        onThreads(2) { index in
          if index == 0 { holder.finish() } else { first.maxConcurrentOperationCount = 1 }
        }
        let urgent = TestOperation()
        urgent.require(resource)
        second.addOperation(urgent)
        #expect(urgent.wait(timeout: patience))
        slot.finish()
        first.expectQuiet()
        second.expectQuiet()
        #expect(waiting.runCount == 1 && resource.used == 0)
      }
    }

    /// One that waits inside its body for what needs its resource: the report names both, and the
    /// resource.
    @Test(.contract(100), arguments: Kind.each.filter { !$0.isInline })
    func theReportNamesTheHolderAndTheCycle(_ kind: Kind) throws {
      let queue = kind.queue()
      let resource = OperationResource(name: "lock")
      let awaited = TestOperation()
      awaited.name = "awaited"
      awaited.require(resource)
      let holder = BlockOperation {
        queue.addOperation(awaited)
        awaited.waitUntilFinished()
      }
      holder.name = "holder"
      holder.require(resource)
      queue.addOperation(holder)
      #expect(waitUntil(deadline: patience) { queue.stallReport().cycles.count == 1 })
      let report = queue.stallReport()
      #expect(report[awaited]?.blocker === holder)
      let text = report.description
      #expect(
        text.contains("holder") && text.contains("awaited")
          && text.contains("operations that use \"lock\""), "\(text)")
      awaited.cancel()
      queue.expectQuiet()
    }

    /// Where a change of level comes between the grant and the start, the turn is not lost.
    @Test(.contract(88)) func aChangeOfLevelKeepsTheGrant() {
      let resource = OperationResource(name: "turn")
      let queue = OperationQueue(scheduler: WorkStealingScheduler(workers: 1))
      let log = Log()
      let holder = TestAsyncOperation()
      let waiting = (0..<2).map { number in TestOperation { _ in log.note(number) } }
      for operation in [holder] + waiting { operation.require(resource) }
      queue.addOperations([holder] + waiting, waitUntilFinished: false)
      #expect(waitUntil(deadline: patience) { resource.waiting == 2 })
      let (isBusy, gate) = (Turnstile(), Turnstile())
      queue.addOperation {
        isBusy.signal()
        gate.wait()
      }
      isBusy.wait()
      // The first one is granted, and its handle lies before the one that the change makes.
      holder.finish()
      waiting[0].queuePriority = .veryLow
      #expect(resource.used == 1 && resource.waiting == 1)
      gate.signal()
      queue.expectQuiet()
      #expect(log.values == [0, 1])
    }

    /// Cancelled, finished early, given another dependency: nobody stays in line and nothing stays
    /// in use.
    @Test(.contract(47), arguments: Kind.each)
    func whateverHappensInLine(_ kind: Kind) {
      let lifetimes = LifetimeCounter()
      let resource = OperationResource(name: "lock", capacity: 2)
      let queue = kind.queue()
      for round in 0..<(1_000 / slowness) {
        queue.maxConcurrentOperationCount = round % 4 - 1 == 0 ? 1 : round % 4 - 1
        let holder = TestAsyncOperation(lifetimes)
        holder.require(resource, amount: 2)
        let late = Operation()
        let operations = (0..<4).map { _ in TestAsyncOperation(lifetimes) { $0.finish() } }
        for (number, operation) in operations.enumerated() {
          operation.require(resource, amount: 1 + number % 2)
        }
        queue.addOperation(holder)
        queue.addOperations(operations, waitUntilFinished: false)
        _ = warnings {
          onThreads(3) { index in
            switch index {
            case 0: holder.finish()
            case 1:
              operations[0].cancel()
              operations[1].addDependency(late)
              operations[2].queuePriority = .high
            default:
              operations[3].finish()
              late.start()
            }
          }
        }
        queue.expectQuiet("round \(round)")
        #expect(resource.used == 0 && resource.waiting == 0)
      }
      #expect(waitUntil { lifetimes.live == 0 })
    }

    /// A queue that starts nothing keeps no grant: the whole line is told, one after the other, on
    /// one small stack.
    @Test func aLongLineThatKeepsNothingIsToldOnASmallStack() throws {
      let queue = OperationQueue(scheduler: WorkStealingScheduler(workers: 1))
      let resource = OperationResource(name: "one")
      let holder = TestAsyncOperation()
      holder.require(resource)
      queue.addOperation(holder)
      #expect(waitUntil(deadline: patience) { holder.isExecuting })
      let count = 20_000 / (slowness > 1 ? 2 : 1)
      let waiting = (0..<count).map { _ in
        let operation = BlockOperation {}
        operation.require(resource)
        return operation
      }
      queue.addOperations(waiting, waitUntilFinished: false)
      #expect(waitUntil(deadline: patience) { resource.waiting == count })
      queue.isSuspended = true
      try SystemThread.start(name: "finisher", stackSize: 512 << 10) { holder.finish() }.join()
      #expect(resource.waiting == 0)
      #expect(resource.used == 0)
      queue.isSuspended = false
      queue.expectQuiet()
    }

    @Test func misuseIsRefused() throws {
      let resource = OperationResource(name: "small", capacity: 2)
      let operation = Operation()
      for amount in [0, -1, 3] {
        let error = #expect(throws: OperationError.self) {
          try operation.tryRequire(resource, amount: amount)
        }
        #expect(error?.description.contains("\"small\"") == true)
      }
      try operation.tryRequire(resource)
      try operation.tryRequire(resource)
      #expect(throws: OperationError.self) { try operation.tryRequire(resource) }
      let other = AsyncOperation()
      other.require(resource)
      other.start()
      // By hand there is nobody to wait for it.
      let error = #expect(throws: OperationError.self) { try operation.tryStart() }
      #expect(error?.description.contains("in use") == true)
      other.finish()
      operation.start()
      #expect(operation.isFinished && resource.used == 0)
      #expect(throws: OperationError.self) { try operation.tryRequire(resource) }
    }

    /// The largest amounts there are, and what comes too late although nothing executes.
    @Test(arguments: Kind.each)
    func amountsAreComparedWithoutOverflow(_ kind: Kind) throws {
      let queue = kind.queue()
      let all = OperationResource(name: "all", capacity: .max)
      let greedy = Operation()
      try greedy.tryRequire(all)
      let tooMuch = thrown { try greedy.tryRequire(all, amount: .max) }
      #expect(caseName(tooMuch) == "badAmount")
      let holder = TestAsyncOperation()
      holder.require(all, amount: .max)
      queue.addOperation(holder)
      #expect(waitUntil(deadline: patience) { holder.isExecuting })
      queue.addOperation(greedy)
      #expect(waitUntil(deadline: patience) { all.waiting == 1 })
      let late = thrown { try greedy.tryRequire(OperationResource(name: "another")) }
      #expect(caseName(late) == "resourcesAskedFor")
      #expect((late as? OperationError)?.description.contains("waits for its resources") == true)
      holder.finish()
      queue.expectQuiet()
      #expect(greedy.isFinished && all.used == 0)
    }
  }
}
