// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
import Operations
import Synchronization
import TestSupport
import Testing

extension OperationLayer {
  /// Closures and their handles: contract 108, decision 13.
  @Suite struct HandleTests {
    @Test(arguments: Kind.all)
    func handleTellsWhenTheClosureHasFinished(_ kind: Kind) {
      let queue = kind.queue()
      queue.isSuspended = true
      let log = Log()
      let handle = queue.addOperation { log.note(1) }
      let other = queue.addOperation { log.note(2) }
      #expect(handle != other && handle == handle)
      #expect(!handle.isFinished && !handle.isCancelled)
      queue.isSuspended = false
      queue.expectQuiet()
      #expect(handle.isFinished && other.isFinished)
      // The cell may stand for another closure by now.
      queue.isSuspended = true
      for _ in 0..<200 { queue.addOperation { log.note(3) } }
      #expect(handle.isFinished && !handle.isCancelled)
      handle.cancel()
      handle.waitUntilFinished()
      #expect(handle.wait(timeout: .zero))
      #expect(handle.operation.isFinished)
      queue.isSuspended = false
      queue.expectQuiet()
      #expect(log.values.sorted() == [1, 2] + Array(repeating: 3, count: 200))
    }

    @Test(arguments: Kind.all)
    func cancelledClosureIsSkipped(_ kind: Kind) {
      let lifetimes = LifetimeCounter()
      let queue = kind.queue()
      for limit in [-1, 1] {
        queue.maxConcurrentOperationCount = limit
        queue.isSuspended = true
        let log = Log()
        let handles = (0..<20).map { number in
          let token = lifetimes.token()
          return queue.addOperation { withExtendedLifetime(token) { log.note(number) } }
        }
        for handle in handles.prefix(10) {
          handle.cancel()
          handle.cancel()
          #expect(handle.isCancelled)
        }
        queue.isSuspended = false
        queue.expectQuiet()
        #expect(log.values.sorted() == Array(10..<20))
        #expect(handles.allSatisfy { $0.isFinished })
        #expect(lifetimes.live == 0)
      }
    }

    @Test(arguments: Kind.all)
    func operationIsOneObjectWithTheUsualMembers(_ kind: Kind) {
      let queue = kind.queue()
      queue.isSuspended = true
      let log = Log()
      let handle = queue.addOperation { log.note(1) }
      let operation = handle.operation
      #expect(operation === handle.operation)
      #expect(queue.operations == [operation])
      operation.completionBlock = { log.note(2) }
      operation.addExecutionBlock { log.note(3) }
      operation.name = "closure"
      #expect(!operation.isFinished && operation.executionBlocks.count == 2)
      let copy = queue.operations[0]
      #expect(copy.name == "closure")
      queue.isSuspended = false
      queue.expectQuiet()
      #expect(log.values == [1, 3, 2])
      #expect(operation.isFinished && handle.isFinished)
    }

    @Test(arguments: Kind.all)
    func objectMadeWhileTheClosureRuns(_ kind: Kind) {
      let queue = kind.queue()
      let box = Box()
      let log = Log()
      queue.isSuspended = true
      let handle = queue.addOperation {
        guard let operation = box.handle?.operation else { return }
        log.note(operation.isExecuting && !operation.isFinished ? 1 : 0)
        log.note(queue.operations == [operation] ? 1 : 0)
        operation.completionBlock = { log.note(2) }
        operation.cancel()
        log.note(operation.isCancelled && box.handle?.isCancelled == true ? 1 : 0)
        box.kept = operation
      }
      box.handle = handle
      queue.isSuspended = false
      queue.expectQuiet()
      #expect(log.values == [1, 1, 1, 2])
      #expect(box.kept?.isFinished == true && handle.isFinished)
      box.kept = nil
    }

    private final class Box: Sendable {
      private let content = Locked<(handle: OperationHandle?, kept: Operation?)>((nil, nil))
      var handle: OperationHandle? {
        get { content.withLock { $0.handle } }
        set { content.withLock { $0.handle = newValue } }
      }
      var kept: Operation? {
        get { content.withLock { $0.kept } }
        set { content.withLock { $0.kept = newValue } }
      }
    }

    @Test(arguments: Kind.all)
    func closuresAndOperationsDependOnEachOther(_ kind: Kind) {
      let queue = kind.queue()
      queue.isSuspended = true
      let log = Log()
      let gate = Operation()
      let second = queue.addOperation { log.note(2) }
      second.operation.addDependency(gate)
      let third = BlockOperation { log.note(3) }
      second.addDependency(to: third)
      queue.addOperation(third)
      queue.isSuspended = false
      #expect(log.values.isEmpty)
      log.note(1)
      gate.start()
      third.waitUntilFinished()
      queue.expectQuiet()
      #expect(log.values == [1, 2, 3])
      // A finished closure holds nobody back.
      let late = TestOperation()
      second.addDependency(to: late)
      #expect(late.isReady)
    }

    @Test(arguments: Kind.all)
    func waitsForClosures(_ kind: Kind) {
      let queue = kind.queue()
      let count = Atomic<Int>(0)
      for number in 0..<200 {
        let handle = queue.addOperation { count.add(1, ordering: .releasing) }
        if number % 2 == 0 {
          handle.waitUntilFinished()
        } else {
          #expect(handle.wait(timeout: patience))
        }
        #expect(count.load(ordering: .acquiring) == number + 1)
      }
      queue.expectQuiet()
    }
  }
}
