// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
import Operations
import OperationsDiagnosis
import Scheduling
import Synchronization
import TestSupport
import Testing

/// Operations that finish inside of their `start()`, each in its own way.
private enum EarlyEnd: CaseIterable {
  case callback, cancelled, ownStart, announcedInMain, closures, observed

  var operation: Operation {
    switch self {
    case .callback: return AsyncOperation { $0.finish() }
    case .cancelled:
      let operation = AsyncOperation { $0.cancel() }
      operation.finishOnCancel = true
      return operation
    case .ownStart: return OwnState()
    case .announcedInMain: return AnnouncesInMain()
    case .closures:
      let operation = BlockOperation {}
      operation.addExecutionBlock {}
      return operation
    case .observed:
      let operation = AsyncOperation { $0.finish() }
      operation.onFinish { _ in }
      operation.threadPriority = 0.4
      return operation
    }
  }
}

/// Says that it is finished before `main()` has returned.
private final class AnnouncesInMain: Operation, @unchecked Sendable {
  private let isOver = Atomic<Bool>(false)
  override var isFinished: Bool { isOver.load(ordering: .acquiring) }
  override func main() {
    isOver.store(true, ordering: .releasing)
    didChangeValue(forKey: "isFinished")
  }
}

extension OperationLayer {
  /// Waits on top of something else that runs on the same thread.
  @Suite struct NestedWaitTests {
    // MARK: Finishing inside of start()

    @Test(.contract(61, 62, 101), arguments: Kind.all)
    func blockOfWhatFinishedInItsStartMayWaitForTheSlot(_ kind: Kind) {
      for end in EarlyEnd.allCases {
        let queue = kind.queue()
        queue.maxConcurrentOperationCount = 1
        queue.isSuspended = true
        let (operation, next) = (end.operation, TestOperation())
        let returned = Log()
        operation.completionBlock = {
          next.waitUntilFinished()
          returned.note(1)
        }
        queue.addOperations([operation, next], waitUntilFinished: false)
        queue.isSuspended = false
        queue.expectQuiet("\(end)")
        #expect(returned.values == [1] && next.runCount == 1, "\(end)")
      }
    }

    /// Dependents and waiters do not wait for the rest of `start()`; the completion block does,
    /// once.
    @Test(.contract(61, 65, 127), arguments: Kind.pools)
    func restOfTheFinishFollowsTheReturnOfStart(_ kind: Kind) {
      let queue = kind.queue()
      let order = Log()
      let other = OperationQueue(scheduler: kind.make(1))
      let dependent = BlockOperation { order.note(1) }
      let operation = AsyncOperation { operation in
        operation.finish()
        operation.finish()
        #expect(operation.isFinished && !operation.isExecuting)
        #expect(dependent.wait(timeout: patience))
        order.note(2)
      }
      operation.completionBlock = { order.note(3) }
      dependent.addDependency(operation)
      other.addOperation(dependent)
      queue.addOperation(operation)
      queue.expectQuiet()
      #expect(order.values == [1, 2, 3] && operation.surplusFinishCount == 1)
      let manual = AsyncOperation { operation in
        operation.finish()
        order.note(4)
      }
      manual.completionBlock = { order.note(5) }
      manual.start()
      #expect(order.values == [1, 2, 3, 4, 5])
    }

    /// `finish()` from a thread outside: what becomes ready starts after the completion block,
    /// which may wait for it.
    @Test(.contract(61, 62, 101)) func inlineGivesTheSlotUpBeforeTheBlock() {
      let queue = Kind.inline.queue()
      queue.maxConcurrentOperationCount = 1
      let order = Log()
      let operation = AsyncOperation { (_: AsyncOperation) in }
      let (first, second) = (BlockOperation { order.note(1) }, BlockOperation { order.note(3) })
      operation.completionBlock = {
        order.note(0)
        first.waitUntilFinished()
        order.note(2)
      }
      second.addDependency(first)
      queue.addOperations([operation, first, second], waitUntilFinished: false)
      operation.finish()
      #expect(operation.isFinished)
      queue.expectQuiet()
      #expect(order.values == [0, 1, 2, 3] || order.values == [0, 1, 3, 2])
    }

    // MARK: Compensation

    /// One worker, and a completion block on top of an operation of it: of an operation started by
    /// hand, of one of another scheduler.
    @Test(.contract(62, 101), arguments: Kind.single + [.inline])
    func blocksOnTopOfAnOperationAreCompensated(_ kind: Kind) {
      for isByHand in [true, false] {
        let (queue, other) = (kind.queue(), kind.queue())
        let awaited = TestOperation()
        let inner = AsyncOperation { (_: AsyncOperation) in }
        inner.completionBlock = { awaited.waitUntilFinished() }
        if !isByHand {
          other.addOperation(inner)
          #expect(waitUntil(deadline: patience) { inner.isExecuting })
        }
        queue.addOperation {
          queue.addOperation(awaited)
          if isByHand { inner.start() }
          inner.finish()
        }
        queue.expectQuiet("by hand: \(isByHand)")
        #expect(awaited.runCount == 1)
        other.expectQuiet()
      }
    }

    /// What is nested runs on the calling thread, whose worker is missing meanwhile.
    @Test(.contract(101, 145), arguments: Kind.single)
    func waitsInsideOfInlineSchedulersAreCompensated(_ kind: Kind) throws {
      let never = Operation()
      let inline = OperationQueue(scheduler: InlineScheduler())
      let wait: @Sendable () -> Void = { #expect(never.wait(timeout: patience)) }
      let (run, started) = (
        try OperationGraph { $0.add(wait) }, try OperationGraph { $0.add(wait) }.operation()
      )
      let nested: [@Sendable () -> Void] = [
        { inline.addOperation(wait) }, { run.runAndWait(on: InlineScheduler()) },
        { started.start() }, { BlockOperation(block: wait).start() },
      ]
      let queue = kind.queue()
      for body in nested { queue.addOperation(body) }
      queue.addOperation { never.start() }
      queue.expectQuiet()
    }

    @Test(.contract(101, 145), arguments: Kind.single)
    func waitsInHandlersOfRunsAreCompensated(_ kind: Kind) throws {
      let scheduler = kind.make(1)
      let ran = Log()
      let (first, second) = (
        try OperationGraph { $0.add {} }, try OperationGraph { $0.add { ran.note(1) } }
      )
      let gate = Turnstile()
      let run = try OperationGraph { $0.add { gate.wait() } }.run(on: scheduler)
      run.onFinish { run in
        #expect(GraphRun.current == nil)
        first.runAndWait(on: run.scheduler)
        second.runAndWait(on: run.scheduler)
      }
      let isOver = Turnstile()
      run.onFinish { _ in isOver.signal() }
      gate.signal()
      isOver.wait()
      #expect(ran.values == [1])
    }

    // MARK: Who runs what

    /// Only workers run what is waited for.
    @Test(.contract(64), arguments: Kind.single) func threadsOutsideRunNoBodies(_ kind: Kind) {
      let queue = kind.queue()
      let (gate, entered) = (Turnstile(), Turnstile())
      let remote = AsyncOperation { (_: AsyncOperation) in }
      let place = Locked<ThreadProbe?>(nil)
      let awaited = BlockOperation {
        let here = ThreadProbe.current
        place.withLock { $0 = here }
      }
      remote.completionBlock = {
        gate.signal()
        awaited.waitUntilFinished()
      }
      queue.addOperation(remote)
      #expect(waitUntil(deadline: patience) { remote.isExecuting })
      queue.addOperation {
        entered.signal()
        gate.wait()
      }
      entered.wait()
      queue.addOperation(awaited)
      remote.finish()
      queue.expectQuiet()
      #expect(place.withLock { $0 != nil && $0 != .current })
    }

    @Test(.contract(102)) func timedWaitOnInlineRunsWhatMayStart() {
      let queue = Kind.inline.queue()
      let operation = TestOperation()
      let answers = Log()
      queue.addOperation {
        queue.addOperation(operation)
        answers.note(operation.wait(timeout: patience) ? 1 : 0)
        answers.note(Operation().wait(timeout: .milliseconds(1)) ? 1 : 0)
      }
      #expect(answers.values == [1, 0] && operation.runCount == 1)
    }

    // MARK: Reports

    @Test(.contract(117), arguments: Kind.single)
    func reportNamesEverythingThatAWaitHoldsUp(_ kind: Kind) {
      let queue = kind.queue()
      let never = Operation()
      never.name = "never"
      let outer = TestOperation { _ in
        BlockOperation { #expect(never.wait(timeout: patience)) }.start()
      }
      queue.addOperation(outer)
      #expect(
        waitUntil(deadline: patience) {
          queue.stallReport()[outer]?.reasons == [.blockedOn(never)]
        })
      never.start()
      queue.expectQuiet()
    }
  }
}
