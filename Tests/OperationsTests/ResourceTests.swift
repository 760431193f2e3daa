// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
import Operations
import Synchronization
import TestSupport
import Testing
import WorkStealingBackend

extension OperationLayer {
  /// Resources, strict order, and what a wait does to its worker.
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
        // The first wants all of it, so those behind must not pass although there would be enough for them.
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

    /// A queue that starts nothing keeps nothing from others, whenever it was stopped.
    @Test(.contract(115), arguments: Kind.each, [true, false])
    func stoppedQueueHoldsNoResource(_ kind: Kind, isSuspended: Bool) {
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

    /// Cancelled, finished early, given another dependency: nobody stays in line and nothing stays in use.
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

    /// A queue that starts nothing keeps no grant: the whole line is told, one after the other, on one small stack.
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
  }

  @Suite(.contract(113)) struct StrictOrderTests {
    @Test(arguments: Kind.all, [-1, 1])
    func whatIsNotReadyHoldsBackTheOthers(_ kind: Kind, limit: Int) {
      let queue = OperationQueue(scheduler: kind.make(kind.workers), startsInOrder: true)
      #expect(queue.startsInOrder && queue.maxConcurrentOperationCount == -1)
      queue.maxConcurrentOperationCount = limit
      let log = Log()
      let gate = Operation()
      let head = TestOperation { _ in log.note(0) }
      head.addDependency(gate)
      queue.addOperation(head)
      let handle = queue.addOperation { log.note(1) }
      let urgent = TestOperation { _ in log.note(2) }
      urgent.queuePriority = .veryHigh
      queue.addOperation(urgent)
      queue.addBarrierBlock { log.note(3) }
      queue.addOperations(
        [4, 5].map { number in BlockOperation { log.note(number) } }, waitUntilFinished: false)
      #expect(!queue.wait(timeout: .milliseconds(5)))
      #expect(log.values.isEmpty)
      let report = queue.stallReport()
      #expect(report[head]?.root === gate)
      #expect(report[urgent]?.reasons == [.behindInOrder(head)] && report[urgent]?.root === gate)
      #expect(report[handle.operation]?.reasons == [.behindInOrder(head)])
      gate.start()
      queue.expectQuiet()
      if kind.isInline || limit == 1 {
        #expect(log.values == Array(0...5))
      } else {
        #expect(Set(log.values) == Set(0...5) && log.values.firstIndex(of: 3) == 3)
      }
    }

    @Test(arguments: Kind.each)
    func cancelledOnesLeaveWithoutTheirTurn(_ kind: Kind) {
      let queue = OperationQueue(scheduler: kind.make(kind.workers), startsInOrder: true)
      // Bodies of two workers could note themselves in either order.
      queue.maxConcurrentOperationCount = 1
      let log = Log()
      let stuck = BlockOperation { log.note(0) }
      stuck.addDependency(Operation())
      let second = BlockOperation { log.note(1) }
      let third = BlockOperation { log.note(2) }
      queue.addOperations([stuck, second, third], waitUntilFinished: false)
      let handle = queue.addOperation { log.note(3) }
      second.cancel()
      #expect(second.wait(timeout: patience) && !third.isFinished)
      stuck.cancel()
      queue.expectQuiet()
      #expect(log.values == [2, 3] && handle.isFinished)
      queue.isSuspended = true
      for number in 0..<50 { queue.addOperation { log.note(number) } }
      queue.cancelAllOperations()
      queue.isSuspended = false
      queue.expectQuiet()
      #expect(log.values == [2, 3])
    }

    @Test(arguments: Kind.each)
    func aDependencyOnALaterOperationShowsAsACycle(_ kind: Kind) {
      let queue = OperationQueue(scheduler: kind.make(kind.workers), startsInOrder: true)
      let (first, second) = (TestOperation(), TestOperation())
      first.addDependency(second)
      queue.addOperations([first, second], waitUntilFinished: false)
      let report = queue.stallReport()
      #expect(report.cycles.count == 1 && Set(report.cycles[0]) == [first, second])
      first.removeDependency(second)
      queue.expectQuiet()
    }

    /// Random readiness, many submitters: within one submitter starts follow the order of adding.
    @Test(arguments: Kind.each)
    func orderHoldsUnderLoad(_ kind: Kind) {
      let queue = OperationQueue(scheduler: kind.make(kind.workers), startsInOrder: true)
      queue.maxConcurrentOperationCount = 1
      let logs = [Log(), Log()]
      let count = 2_000 / slowness
      onThreads(2) { index in
        for number in 0..<count {
          let operation = BlockOperation { logs[index].note(number) }
          let gate = number % 3 == 0 ? Operation() : nil
          if let gate { operation.addDependency(gate) }
          operation.queuePriority = number % 2 == 0 ? .veryHigh : .veryLow
          queue.addOperation(operation)
          gate?.start()
          if number % 7 == 0 { operation.queuePriority = .normal }
        }
      }
      queue.expectQuiet()
      #expect(logs.allSatisfy { $0.values == Array(0..<count) })
    }
  }

  @Suite(.contract(101)) struct BlockingPolicyTests {
    @Test(arguments: Kind.pools)
    func compensatingWorkersNest(_ kind: Kind) {
      let scheduler = kind.make(kind.workers)
      let queue = OperationQueue(scheduler: scheduler)
      #expect(queue.blockingPolicy == .automatic)
      queue.blockingPolicy = .compensate
      @Sendable func descend(_ level: Int) {
        guard level > 0 else { return }
        let inner = BlockOperation { descend(level - 1) }
        queue.addOperation(inner)
        inner.waitUntilFinished()
      }
      queue.addOperation { descend(30) }
      queue.expectQuiet()
      #expect(queue.blockingCounters.blocked >= 1 && queue.blockingCounters.helped == 0)
      #expect(queue.blockingCounters.refused == 0 && scheduler.counters.helped == 0)
    }

    @Test(arguments: Kind.single)
    func helpingWorkersRunWhatIsQueued(_ kind: Kind) {
      let scheduler = kind.make(1)
      let queue = OperationQueue(scheduler: scheduler)
      queue.blockingPolicy = .help
      let log = Log()
      queue.isSuspended = true
      let last = BlockOperation { log.note(3) }
      queue.addOperation {
        last.waitUntilFinished()
        log.note(4)
      }
      for number in 0..<3 { queue.addOperation { log.note(number) } }
      queue.addOperation(last)
      queue.isSuspended = false
      queue.expectQuiet()
      #expect(log.values.last == 4 && log.values.contains(3))
      #expect(queue.blockingCounters.helped >= 1)
      #expect(queue.blockingCounters.blocked == 0 && scheduler.counters.compensations == 0)
    }

    @Test(arguments: Kind.each)
    func refusedTimedWaitsReturnAtOnce(_ kind: Kind) {
      let queue = kind.queue()
      queue.blockingPolicy = .fail
      let other = kind.queue()
      other.isSuspended = true
      other.addOperation {}
      let never = Operation()
      let answers = Log()
      queue.addOperation {
        answers.note(never.wait(timeout: patience) ? 1 : 0)
        answers.note(other.wait(timeout: patience) ? 1 : 0)
        // What has finished needs no wait.
        let done = Operation()
        done.start()
        done.waitUntilFinished()
      }
      queue.expectQuiet()
      #expect(answers.values == [0, 0] && queue.blockingCounters.refused == 2)
      other.isSuspended = false
      other.expectQuiet()
    }

    @Test func refusedWaitStopsTheProcess() async {
      let result = await #expect(
        processExitsWith: .failure, observing: [\.standardErrorContent]
      ) {
        func misuse() {
          let queue = Kind.single[1].queue()
          queue.name = "no waiting"
          queue.blockingPolicy = .fail
          let never = Operation()
          never.name = "never"
          queue.addOperation { never.waitUntilFinished() }
          queue.waitUntilAllOperationsAreFinished()
        }
        misuse()
      }
      let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
      #expect(text.contains("\"never\"") && text.contains("\"no waiting\""))
    }

    /// 64 operations blocked outside the library, who say so.
    @Test(.contract(138), arguments: Kind.pools)
    func announcedBlockingDelaysNobody(_ kind: Kind) {
      let scheduler = kind.make(kind.workers)
      let blocked = OperationQueue(scheduler: scheduler)
      let other = OperationQueue(scheduler: scheduler)
      let release = Gate()
      for _ in 0..<64 {
        blocked.addOperation { #expect(OperationQueue.blocking { release.wait() }) }
      }
      #expect(waitUntil(deadline: patience) { blocked.blockingCounters.blocked == 64 })
      let last = TestOperation()
      other.addOperation(last)
      #expect(last.wait(timeout: patience))
      release.open()
      blocked.expectQuiet()
    }
  }
}
