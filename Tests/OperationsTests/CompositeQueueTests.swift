// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
import Operations
import OperationsDiagnosis
import TestSupport
import Testing

extension OperationLayer {
  /// The queue inside of a retry or a timeout, which what runs there may give away.
  @Suite struct CompositeQueueTests {
    /// The deinit of an attempt's dependency is user code.
    @Test(arguments: Kind.all)
    func whatDiesWithAnAttemptMayAskTheRetry(_ kind: Kind) throws {
      let queue = kind.queue()
      let asked = Locked(0)
      let held = Locked<RetryOperation<Int>?>(nil)
      let retry = RetryOperation(RetryPolicy(attempts: 2, delay: .zero)) { number in
        let source = Farewell {
          guard let retry = held.withLock({ $0 }) else { return }
          asked.withLock { $0 += retry.attemptCount }
        }
        source.start()
        let attempt = ResultOperation { if number == 1 { throw BodyError() } else { number } }
        attempt.addDependency(source)
        return attempt
      }
      held.withLock { $0 = retry }
      queue.addOperation(retry)
      queue.expectQuiet()
      #expect(try retry.value() == 2)
      #expect(waitUntil { asked.withLock { $0 } >= 3 })
      held.withLock { $0 = nil }
    }

    /// The queue of a timeout may be given away, and what others add there holds it up.
    @Test(arguments: Kind.all)
    func whatHasEndedInTimeIsNotLate(_ kind: Kind) throws {
      let queue = kind.queue()
      let other = TestAsyncOperation()
      let timeout = TimeoutOperation(
        ResultOperation {
          OperationQueue.current?.addOperation(other)
          return 1
        }, within: .milliseconds(30))
      queue.addOperation(timeout)
      #expect(timeout.wait(timeout: patience))
      #expect(try timeout.value() == 1)
      other.finish()
      queue.expectQuiet()
    }

    /// The queue of the attempts must be empty, and what waits there for the retry closes a circle.
    @Test(.contract(31, 117), arguments: Kind.all)
    func whatOthersAddToItsQueueIsReported(_ kind: Kind) throws {
      let queue = kind.queue()
      let held = Locked<RetryOperation<Int>?>(nil)
      let other = TestOperation()
      let retry = RetryOperation(RetryPolicy(attempts: 1)) { _ in
        ResultOperation {
          if let retry = held.withLock({ $0 }) { other.addDependency(retry) }
          OperationQueue.current?.addOperation(other)
          return 1
        }
      }
      held.withLock { $0 = retry }
      queue.addOperation(retry)
      #expect(waitUntil(deadline: patience) { !queue.stallReport().cycles.isEmpty })
      other.removeDependency(retry)
      queue.expectQuiet()
      #expect(try retry.value() == 1)
      held.withLock { $0 = nil }
    }

    /// What others have added to the queue of a retry is neither cancelled nor resumed with it.
    @Test(.contract(133), arguments: Kind.all)
    func invalidatingLeavesAloneWhatOthersAddedToTheQueueOfARetry(_ kind: Kind) {
      let queue = kind.queue()
      let ran = Locked(false)
      let group = GroupOperation([BlockOperation { ran.withLock { $0 = true } }])
      group.isSuspended = true
      let retry = RetryOperation(RetryPolicy(attempts: 1)) { _ in
        ResultOperation {
          OperationQueue.current?.addOperation(group)
          return 1
        }
      }
      queue.addOperation(retry)
      #expect(waitUntil(deadline: patience) { group.isExecuting })
      queue.invalidate()
      #expect(group.isSuspended && !group.isCancelled && !ran.withLock { $0 })
      group.cancel()
      group.isSuspended = false
      queue.expectQuiet()
      #expect(!ran.withLock { $0 })
    }

    /// It is the retry's own queue that keeps the attempt, not what others have added there.
    @Test(.contract(133), arguments: Kind.all)
    func invalidatingResumesTheQueueOfARetry(_ kind: Kind) {
      let queue = kind.queue()
      let retry = RetryOperation(RetryPolicy(attempts: 2, delay: .zero)) { _ in
        ResultOperation<Int> {
          OperationQueue.current?.isSuspended = true
          OperationQueue.current?.maxConcurrentOperationCount = 0
          throw BodyError()
        }
      }
      queue.addOperation(retry)
      #expect(waitUntil { retry.attemptCount == 2 })
      queue.invalidate()
      queue.expectQuiet()
    }

    @Test(.contract(133), arguments: Kind.all)
    func invalidatingResumesTheQueueOfATimeout(_ kind: Kind) {
      let queue = kind.queue()
      let other = TestOperation()
      let first = ResultOperation {
        OperationQueue.current?.isSuspended = true
        OperationQueue.current?.maxConcurrentOperationCount = 0
        OperationQueue.current?.addOperation(other)
        return 1
      }
      queue.addOperation(TimeoutOperation(first, within: .seconds(3_600)))
      #expect(waitUntil { first.isFinished })
      queue.invalidate()
      queue.expectQuiet()
      #expect(other.runCount == 1)
    }

    @Test(.contract(133), arguments: Kind.all)
    func invalidatingResumesTheQueueOfAGroup(_ kind: Kind) {
      let queue = kind.queue()
      let (first, second) = (TestOperation(), TestOperation())
      let group = GroupOperation([
        BlockOperation {
          OperationQueue.current?.isSuspended = true
          OperationQueue.current?.maxConcurrentOperationCount = 0
          OperationQueue.current?.addOperations([first, second], waitUntilFinished: false)
        }
      ])
      queue.addOperation(group)
      #expect(waitUntil { group.isSuspended && group.operations.count == 2 })
      queue.invalidate()
      queue.expectQuiet()
      #expect(first.isFinished && first.runCount + second.runCount == 0)
    }

    /// The only thread waits for the timeout, whose operation has ended.
    @Test(.contract(101)) func awaitedTimeoutRunsWhatOthersAddedToItsQueue() {
      let queue = OperationQueue(scheduler: WithoutSpares(workers: 1, stealBatch: 1))
      let (other, ran) = (TestOperation(), Log())
      queue.addOperation {
        let first = ResultOperation {
          OperationQueue.current?.addOperation(other)
          return 1
        }
        let timeout = TimeoutOperation(first, within: .seconds(2))
        queue.addOperation(timeout)
        timeout.waitUntilFinished()
        ran.note(other.runCount)
      }
      queue.expectQuiet()
      #expect(ran.values == [1])
    }

    /// What observes the queue inside of a timeout dies with that queue.
    @Test(arguments: Kind.all)
    func whatDiesWithTheQueueOfATimeoutMayCancelIt(_ kind: Kind) throws {
      let queue = kind.queue()
      let held = Locked<TimeoutOperation<Int>?>(nil)
      let gone = Locked(false)
      let timeout = TimeoutOperation(
        ResultOperation {
          let farewell = Farewell {
            held.withLock { $0 }?.cancel()
            gone.withLock { $0 = true }
          }
          OperationQueue.current?.eventHandler = { _ in withExtendedLifetime(farewell) {} }
          return 1
        }, within: .seconds(3_600))
      held.withLock { $0 = timeout }
      queue.addOperation(timeout)
      queue.expectQuiet()
      #expect(try timeout.value() == 1)
      #expect(waitUntil { gone.withLock { $0 } })
      held.withLock { $0 = nil }
    }

    /// An attempt may give its queue away, which then becomes empty more often than attempts end.
    @Test(.contract(103), arguments: Kind.all)
    func whatOthersAddToItsQueueEndsNoAttempt(_ kind: Kind) throws {
      let queue = kind.queue()
      let added = Locked<OperationQueue?>(nil)
      let retry = RetryOperation(RetryPolicy(attempts: 2, delay: .milliseconds(20))) { number in
        ResultOperation {
          added.withLock { $0 = OperationQueue.current }
          if number == 1 { throw BodyError() }
          return number
        }
      }
      queue.addOperation(retry)
      // In the delay, if the machine is not too busy; at any other time it must do no harm either.
      try #require(waitUntil { added.withLock { $0 != nil } })
      let inner = try #require(added.withLock { $0.take() })
      for _ in 0..<3 {
        let other = Operation()
        inner.addOperation(other)
        #expect(other.wait(timeout: patience))
      }
      queue.expectQuiet()
      #expect(try retry.value() == 2)
    }
  }
}

/// Calls back when it dies.
private final class Farewell: Operation, @unchecked Sendable {
  private let call: @Sendable () -> Void

  init(_ call: @escaping @Sendable () -> Void) {
    self.call = call
    super.init()
  }

  deinit { call() }
}
