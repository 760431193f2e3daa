// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
import Operations
import Synchronization
import TestSupport
import Testing

extension OperationLayer {
  /// Several closures of one block operation.
  @Suite struct ClosureFanTests {
    /// Closures that meet each other can only return when they run at the same time.
    @Test(.contract(75, 76), arguments: Kind.pools)
    func closuresRunAtTheSameTimeAsFarAsThereAreWorkers(_ kind: Kind) {
      let queue = kind.queue()
      queue.maxConcurrentOperationCount = 1
      let arrived = Atomic<Int>(0)
      let operation = BlockOperation()
      let count = kind.workers
      for _ in 0..<count {
        operation.addExecutionBlock {
          arrived.add(1, ordering: .releasing)
          let haveMet = waitUntil(deadline: patience) {
            arrived.load(ordering: .acquiring) == count
          }
          #expect(haveMet)
          #expect(OperationQueue.current === queue)
        }
      }
      queue.addOperation(operation)
      queue.expectQuiet()
      #expect(operation.isFinished && operation.executionBlocks.isEmpty)
    }

    @Test(.contract(76), arguments: Kind.all)
    func parallelismIsBoundedByTheWorkersAndSerialMeansOne(_ kind: Kind) {
      for execution in [BlockOperation.Execution.concurrent, .serial] {
        let queue = kind.queue()
        let running = Atomic<Int>(0)
        let most = Atomic<Int>(0)
        let log = Log()
        let operation = BlockOperation()
        operation.execution = execution
        #expect(operation.execution == execution)
        for number in 0..<40 {
          operation.addExecutionBlock {
            let now = running.add(1, ordering: .acquiringAndReleasing).newValue
            _ = most.max(now, ordering: .relaxed)
            log.note(number)
            for _ in 0..<10 { yieldCore() }
            running.subtract(1, ordering: .acquiringAndReleasing)
          }
        }
        queue.addOperation(operation)
        queue.expectQuiet()
        #expect(log.values.sorted() == Array(0..<40))
        #expect(most.load(ordering: .relaxed) <= (execution == .serial ? 1 : kind.workers))
        if execution == .serial { #expect(log.values == Array(0..<40)) }
      }
    }

    /// 76: one operation against the limit, however many closures.
    @Test(.contract(76, 112), arguments: Kind.each)
    func countsAsOneOperation(_ kind: Kind) {
      let queue = kind.queue()
      queue.maxConcurrentOperationCount = 1
      // Whose closures are inside, and how many.
      let inside = Locked<(owner: Int, count: Int)>((0, 0))
      let overlaps = Atomic<Int>(0)
      let operations = (0..<20).map { number in
        let operation = BlockOperation()
        for _ in 0..<4 {
          operation.addExecutionBlock {
            let isAlone = inside.withLock { inside in
              defer { inside = (number, inside.count + 1) }
              return inside.count == 0 || inside.owner == number
            }
            if !isAlone { overlaps.add(1, ordering: .relaxed) }
            yieldCore()
            inside.withLock { $0.count -= 1 }
          }
        }
        return operation
      }
      queue.addOperations(operations, waitUntilFinished: false)
      queue.expectQuiet()
      #expect(overlaps.load(ordering: .relaxed) == 0)
      #expect(operations.allSatisfy { $0.isFinished })
    }

    /// The last closure to return finishes the operation: dependents see what all of them wrote.
    @Test(.contract(74, 77), arguments: Kind.all)
    func finishedWhenAllHaveReturned(_ kind: Kind) {
      let queue = kind.queue()
      let lifetimes = LifetimeCounter()
      for _ in 0..<(2_000 / slowness + 10) {
        let counts = (0..<4).map { _ in SharedCount() }
        let operation = BlockOperation()
        for count in counts {
          let token = lifetimes.token()
          operation.addExecutionBlock { withExtendedLifetime(token) { count.value += 1 } }
        }
        let dependent = BlockOperation {
          for count in counts { #expect(count.value == 1) }
          #expect(lifetimes.live == 0)
        }
        dependent.addDependency(operation)
        queue.addOperations([operation, dependent], waitUntilFinished: false)
        dependent.waitUntilFinished()
      }
      queue.expectQuiet()
    }

    @Test(.contract(75, 11)) func manualStartRunsThemAllOnTheCallingThread() {
      let threads = Locked<[ThreadProbe]>([])
      let operation = BlockOperation()
      for _ in 0..<5 {
        operation.addExecutionBlock {
          let here = ThreadProbe.current
          threads.withLock { $0.append(here) }
        }
      }
      operation.start()
      #expect(operation.isFinished)
      #expect(threads.withLock { $0 } == Array(repeating: .current, count: 5))
    }

    /// A subclass may put work around the closures, so they have all returned when `super.main()`
    /// does.
    @Test(.contract(74), arguments: Kind.each)
    func subclassFindsThemReturned(_ kind: Kind) {
      final class Wrapping: BlockOperation, @unchecked Sendable {
        let count = SharedCount()
        let seen = Atomic<Int>(-1)
        override func main() {
          super.main()
          seen.store(count.value, ordering: .relaxed)
        }
      }
      let queue = kind.queue()
      let operation = Wrapping()
      for _ in 0..<5 {
        operation.addExecutionBlock { [count = operation.count] in count.value += 1 }
      }
      queue.addOperation(operation)
      queue.expectQuiet()
      #expect(operation.seen.load(ordering: .relaxed) == 5)
    }
  }
}

/// A number that one thread at a time uses; ThreadSanitizer tells when the operation layer does not
/// see to that.
private final class SharedCount: Sendable {
  nonisolated(unsafe) private var number = 0
  var value: Int {
    get { unsafe number }
    set { unsafe number = newValue }
  }
}
