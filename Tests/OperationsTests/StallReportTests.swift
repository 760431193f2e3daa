// SPDX-License-Identifier: Apache-2.0

import Operations
import OperationsDiagnosis
import Synchronization
import TestSupport
import Testing

extension OperationLayer {
  /// What the stall report says about operations that do not run.
  @Suite(.contract(117)) struct StallReportTests {
    private func named(_ name: String) -> TestOperation {
      let operation = TestOperation()
      operation.name = name
      return operation
    }

    @Test(arguments: Kind.each)
    func nothingToReport(_ kind: Kind) {
      let queue = kind.queue()
      #expect(queue.stallReport().isEmpty)
      for _ in 0..<100 { queue.addOperation {} }
      queue.expectQuiet()
      let report = queue.stallReport()
      #expect(report.isEmpty && report.others.isEmpty && report.queues.isEmpty)
      #expect(report.description == "no operation is waiting")
    }

    /// Nothing else is to blame for it, so its line ends with its own reason.
    @Test(arguments: Kind.each) func theReasonOfAnOperationIsSaidOnce(_ kind: Kind) {
      let queue = kind.queue()
      queue.isSuspended = true
      queue.addOperation(named("held"))
      let report = queue.stallReport()
      #expect(report.entries.count == 1 && !report.description.contains("in the end for"))
      queue.isSuspended = false
      queue.expectQuiet()
    }

    @Test(.contract(33, 117), arguments: Kind.each, [true, false])
    func namesTheOperationThatNobodyStarts(_ kind: Kind, isCancelled: Bool) {
      let queue = kind.queue()
      queue.name = "uploads"
      let root = named("root")
      if isCancelled { root.cancel() }
      let chain = (0..<10).map { named("link \($0)") }
      chain[0].addDependency(root)
      for number in 1..<10 { chain[number].addDependency(chain[number - 1]) }
      queue.addOperations(chain, waitUntilFinished: false)
      let report = queue.stallReport()
      #expect(report.entries.map(\.operation) == chain)
      #expect(report.others.map(\.operation) == [root])
      #expect(report[root]?.reasons == [.inNoQueue] && report[root]?.isCancelled == isCancelled)
      #expect(report[chain[9]]?.reasons == [.waitingFor([chain[8]])])
      #expect(report[chain[9]]?.root === root && report[chain[9]]?.queueName == "uploads")
      #expect(report.path(from: chain[9]) == chain.reversed() + [root])
      #expect(report.cycles.isEmpty)
      let text = report.description
      #expect(text.contains("\"link 9\"") && text.contains("in no queue"))
      root.start()
      queue.expectQuiet()
      #expect(queue.stallReport().isEmpty)
    }

    @Test(.contract(31, 117), arguments: Kind.each)
    func showsCyclesAndWhatLeadsIntoThem(_ kind: Kind) {
      let (first, second) = (kind.queue(), kind.queue())
      let ring = (0..<5).map { named("ring \($0)") }
      for number in 0..<5 { ring[number].addDependency(ring[(number + 1) % 5]) }
      let victim = named("victim")
      victim.addDependency(named("elsewhere"))
      victim.addDependency(ring[2])
      first.addOperations(Array(ring[..<3]) + [victim], waitUntilFinished: false)
      second.addOperations(Array(ring[3...]), waitUntilFinished: false)
      let report = first.stallReport()
      #expect(report.cycles.count == 1 && Set(report.cycles[0]) == Set(ring))
      #expect(report.cycles[0].first === report.cycles[0].last && report.cycles[0].count == 6)
      #expect(report.entries.map(\.operation) == Array(ring[..<3]) + [victim])
      for operation in ring {
        #expect(report[operation]?.root == nil)
        guard case .cycle = report[operation]?.reasons.first else {
          Issue.record("no cycle for \(operation.name ?? "")")
          continue
        }
      }
      // Of the two dependencies the one in the cycle is the worse.
      #expect(report[victim]?.blocker === ring[2] && report[victim]?.root == nil)
      let path = report.path(from: victim)
      #expect(path.count == 7 && path.last === ring[2])
      ring[0].removeDependency(ring[1])
      victim.cancel()
      first.expectQuiet()
      second.expectQuiet()
    }

    @Test(arguments: Kind.each)
    func tellsSuspensionFromMissingSlots(_ kind: Kind) {
      let queue = kind.queue()
      queue.maxConcurrentOperationCount = 1
      let holder = TestAsyncOperation()
      let waiting = named("waiting")
      queue.addOperations([holder, waiting], waitUntilFinished: false)
      #expect(waitUntil(deadline: patience) { holder.isExecuting })
      #expect(queue.stallReport()[waiting]?.reasons == [.noSlot(limit: 1, running: 1)])
      queue.isSuspended = true
      #expect(queue.stallReport()[waiting]?.reasons == [.suspended])
      holder.finish()
      queue.maxConcurrentOperationCount = 0
      queue.isSuspended = false
      // The worker may still be leaving the holder.
      #expect(
        waitUntil(deadline: patience) {
          queue.stallReport()[waiting]?.reasons == [.noSlot(limit: 0, running: 0)]
        })
      queue.maxConcurrentOperationCount = -1
      queue.expectQuiet()
    }

    @Test(.contract(73, 117), arguments: Kind.each)
    func asynchronousOperationThatNeverFinishes(_ kind: Kind) {
      final class OldStyle: Operation, @unchecked Sendable {
        let isDone = Atomic<Bool>(false)
        override var isFinished: Bool { isDone.load(ordering: .acquiring) }
        override func start() {}
        func end() {
          isDone.store(true, ordering: .releasing)
          didChangeValue(forKey: "isFinished")
        }
      }
      let queue = kind.queue()
      let (operation, old) = (TestAsyncOperation(), OldStyle())
      let dependent = named("dependent")
      dependent.addDependency(operation)
      queue.addOperations([operation, old, dependent], waitUntilFinished: false)
      #expect(
        waitUntil(deadline: patience) {
          queue.stallReport().entries.filter { entry in
            switch entry.reasons[0] {
            case .notFinished(let elapsed), .ownStateNotFinished(let elapsed): elapsed > .zero
            default: false
            }
          }.count == 2
        })
      let report = queue.stallReport()
      #expect(report.description.contains("body returned, not finished"))
      #expect(report[dependent]?.root === operation)
      operation.finish()
      old.end()
      queue.expectQuiet()
    }

    @Test(.contract(41, 117), arguments: Kind.each)
    func tellsWithheldReadinessFromForgottenAnnouncement(_ kind: Kind) {
      let queue = kind.queue()
      let operation = ConditionalOperation()
      queue.addOperation(operation)
      #expect(
        waitUntil(deadline: patience) { queue.stallReport()[operation]?.reasons == [.notReady] })
      operation.isOpen.store(true, ordering: .releasing)
      #expect(queue.stallReport()[operation]?.reasons == [.readinessNotAnnounced])
      #expect(operation.runs.load(ordering: .relaxed) == 0)
      operation.set(open: true)
      queue.expectQuiet()
    }

    /// An older operation that depends on a younger one, which is behind the barrier, which waits
    /// for the older one.
    @Test(.contract(116, 117), arguments: Kind.each)
    func findsTheCycleThroughABarrier(_ kind: Kind) {
      let queue = kind.queue()
      let (older, younger) = (named("older"), named("younger"))
      older.addDependency(younger)
      let innocent = named("innocent")
      queue.addOperation(older)
      queue.addBarrierBlock {}
      queue.addOperation(innocent)
      queue.addBarrierBlock {}
      queue.addOperation(younger)
      let report = queue.stallReport()
      #expect(report.cycles.count == 1 && report.cycles[0].contains(older))
      #expect(report.entries.count == 5 && report.queues.first?.barrierCount == 2)
      guard case .behindBarrier = report[innocent]?.reasons.last else {
        Issue.record("\(report)")
        return
      }
      older.removeDependency(younger)
      queue.expectQuiet()
    }

    /// Who is blocked inside its body, and on what; and who waits for a worker because of it.
    @Test(arguments: Kind.pools.filter { $0.workers == 1 })
    func showsBlockedWorkers(_ kind: Kind) {
      let scheduler = kind.make(1)
      let queue = OperationQueue(scheduler: scheduler)
      queue.maxConcurrentOperationCount = 3
      let never = named("never")
      let other = OperationQueue(scheduler: scheduler)
      other.name = "other"
      other.isSuspended = true
      other.addOperation {}
      let first = TestOperation { _ in #expect(never.wait(timeout: patience)) }
      let second = TestOperation { _ in #expect(other.wait(timeout: patience)) }
      queue.addOperations([first, second], waitUntilFinished: false)
      let dependent = named("dependent")
      dependent.addDependency(first)
      queue.addOperation(dependent)
      #expect(
        waitUntil(deadline: patience) {
          let report = queue.stallReport()
          return report[first]?.reasons == [.blockedOn(never)]
            && report[second]?.reasons == [.blockedOnQueue("other")]
        })
      let report = queue.stallReport()
      #expect(report[dependent]?.root === never)
      #expect(report.path(from: dependent) == [dependent, first, never])
      never.start()
      other.isSuspended = false
      queue.expectQuiet()
      other.expectQuiet()
    }

    /// A closure that waits in its body for an operation that depends on it.
    @Test(arguments: Kind.pools.filter { $0.workers == 2 })
    func findsTheCycleThroughAWaitInsideABody(_ kind: Kind) {
      let queue = kind.queue()
      let after = named("after")
      let go = Gate()
      let isSeen = Atomic<Bool>(false)
      let handle = queue.addOperation {
        go.wait()
        while !isSeen.load(ordering: .acquiring) { _ = after.wait(timeout: .milliseconds(20)) }
      }
      after.addDependency(handle.operation)
      queue.addOperation(after)
      go.open()
      var text = ""
      #expect(
        waitUntil(deadline: patience) {
          let report = queue.stallReport()
          text = report.description
          return report.cycles.contains { Set($0) == [after, handle.operation] }
        })
      // It ends by itself.
      #expect(text.contains(": ends when the time of the wait inside"), "\(text)")
      #expect(!text.contains("cannot end"), "\(text)")
      isSeen.store(true, ordering: .releasing)
      queue.expectQuiet()
    }

    @Test(.contract(117, 133, 110), arguments: Kind.each)
    func processWideReportListsADroppedSuspendedQueue(_ kind: Kind) {
      let lifetimes = LifetimeCounter()
      let name = "dropped \(kind.name) \(UInt64.random(in: 0...UInt64.max))"
      let operation = TestOperation(lifetimes)
      weak var dropped: OperationQueue?
      do {
        let queue = kind.queue()
        queue.name = name
        queue.isSuspended = true
        queue.addOperation(operation)
        for _ in 0..<3 { queue.addOperation { _ = lifetimes } }
        dropped = queue
      }
      let report = OperationQueue.stallReport()
      let state = report.queues.first { $0.name == name }
      #expect(state?.operationCount == 4 && state?.isSuspended == true)
      #expect(report.entries.filter { $0.queueName == name }.count == 4)
      #expect(report[operation]?.reasons == [.suspended])
      #expect(report.description.contains("\"\(name)\""))
      // And it can be found and let go.
      dropped?.invalidate()
      #expect(waitUntil { operation.isFinished })
      #expect(waitUntil { !OperationQueue.stallReport().queues.contains { $0.name == name } })
      #expect(operation.isCancelled && operation.runCount == 0)
    }

    @Test(.contract(133), arguments: Kind.all, [-1, 0, 2])
    func invalidateDrainsASuspendedQueue(_ kind: Kind, limit: Int) {
      let lifetimes = LifetimeCounter()
      do {
        let queue = kind.queue()
        queue.maxConcurrentOperationCount = limit
        queue.isSuspended = true
        let log = Log()
        for number in 0..<60 {
          switch number % 4 {
          case 0: queue.addOperation(TestOperation(lifetimes) { _ in log.note(number) })
          case 1: queue.addOperation { log.note(number) }
          case 2:
            let waiting = TestAsyncOperation(lifetimes) { _ in log.note(number) }
            waiting.addDependency(Operation())
            queue.addOperation(waiting)
          default: queue.addBarrierBlock { log.note(number) }
          }
        }
        queue.invalidate()
        queue.expectQuiet()
        #expect(log.values.isEmpty && !queue.isSuspended && queue.operations.isEmpty)
        queue.addOperation { log.note(1) }
        queue.expectQuiet()
        #expect(log.values == [1])
      }
      #expect(waitUntil { lifetimes.live == 0 })
    }

    /// Reports while everything changes: no crash, no operation kept, nothing lost.
    @Test(arguments: Kind.each)
    func reportsWhileTheQueueIsBusy(_ kind: Kind) {
      let lifetimes = LifetimeCounter()
      let isOver = Atomic<Bool>(false)
      let rounds = 2_000 / slowness
      onThreads(2) { index in
        guard index == 0 else {
          while !isOver.load(ordering: .acquiring) {
            #expect(OperationQueue.stallReport().cycles.isEmpty)
          }
          return
        }
        for round in 0..<rounds {
          let queue = kind.queue()
          queue.maxConcurrentOperationCount = round % 3 - 1
          var last: Operation?
          for _ in 0..<5 {
            let operation = TestOperation(lifetimes)
            if let last { operation.addDependency(last) }
            queue.addOperation(operation)
            queue.addOperation { withExtendedLifetime(operation) {} }
            last = operation
          }
          if round % 4 == 0 { queue.addBarrierBlock {} }
          if round % 3 == 1 { queue.cancelAllOperations() }
          queue.maxConcurrentOperationCount = 2
          queue.expectQuiet()
        }
        isOver.store(true, ordering: .releasing)
      }
      #expect(waitUntil { lifetimes.live == 0 })
    }

    /// A chain of many links is reported without recursion and in linear time.
    @Test func longChain() {
      let count = 400_000 / slowness
      let queue = Kind.pools[1].queue()
      let root = Operation()
      var operations: [Operation] = []
      for _ in 0..<count {
        let operation = BlockOperation {}
        operation.addDependency(operations.last ?? root)
        operations.append(operation)
      }
      queue.addOperations(operations, waitUntilFinished: false)
      let report = queue.stallReport()
      #expect(report.entries.count == count)
      #expect(report.entries.allSatisfy { $0.root === root || $0.operation === root })
      #expect(report.path(from: operations[count - 1]).count == count + 1)
      root.start()
      queue.expectQuiet()
    }

    /// Who looks at all queues keeps them, and that is nobody's operation.
    @Test func aLookAtAllQueuesIsNotCounted() {
      let queue = Kind.pools[0].queue()
      let gate = Gate()
      queue.addOperation { gate.wait() }
      let isOver = Atomic(false)
      onThreads(3) { index in
        guard index == 0 else {
          while !isOver.load(ordering: .acquiring) { _ = OperationQueue.stallReport() }
          return
        }
        for _ in 0..<(300_000 / slowness) where queue.operationCount != 1 {
          Issue.record("\(queue.operationCount) operations")
          break
        }
        isOver.store(true, ordering: .releasing)
      }
      gate.open()
      queue.expectQuiet()
    }
  }
}
