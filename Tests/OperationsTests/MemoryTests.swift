// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
import Operations
import Synchronization
import TestSupport
import Testing

extension OperationLayer {
  /// Contract 130–134.
  @Suite struct MemoryTests {
    /// A chain whose last operation holds the others through `dependencies`.
    private func chain(_ length: Int, _ lifetimes: LifetimeCounter) -> [Operation] {
      var operations: [Operation] = []
      for _ in 0..<length {
        let operation = TestOperation(lifetimes)
        if let last = operations.last { operation.addDependency(last) }
        operations.append(operation)
      }
      return operations
    }

    @Test func longFinishedChainIsReleasedOnASmallStack() throws {
      let length = slowness > 1 ? 50_000 : 200_000
      let lifetimes = LifetimeCounter()
      let queue = Kind.pools[1].queue()
      var operations = chain(length, lifetimes)
      let last = Locked<Operation?>(operations[length - 1])
      queue.addOperations(operations, waitUntilFinished: true)
      queue.expectQuiet()
      operations = []
      #expect(lifetimes.live == length)
      try SystemThread.start(name: "releaser", stackSize: 512 << 10) {
        let end = last.withLock { $0.take() }
        #expect(end != nil)
      }.join()
      #expect(lifetimes.live == 0)
    }

    @Test func longUnfinishedChainIsReleasedOnASmallStack() throws {
      let length = slowness > 1 ? 50_000 : 200_000
      let lifetimes = LifetimeCounter()
      let last = Locked(chain(length, lifetimes).last)
      #expect(lifetimes.live == length)
      try SystemThread.start(name: "releaser", stackSize: 512 << 10) {
        let end = last.withLock { $0.take() }
        #expect(end != nil)
      }.join()
      #expect(lifetimes.live == 0)
    }

    @Test(arguments: Kind.each)
    func longChainRunsWithoutRecursion(_ kind: Kind) {
      let length = slowness > 1 ? 20_000 : 200_000
      let lifetimes = LifetimeCounter()
      for limit in [-1, 1] {
        let queue = kind.queue()
        queue.maxConcurrentOperationCount = limit
        queue.addOperations(chain(length, lifetimes).reversed(), waitUntilFinished: false)
        queue.expectQuiet()
        #expect(waitUntil { lifetimes.live == 0 })
      }
    }

    @Test(arguments: Kind.all)
    func nothingIsLeftAlive(_ kind: Kind) {
      let lifetimes = LifetimeCounter()
      do {
        let queue = kind.queue()
        for round in 0..<20 {
          for number in 0..<50 {
            let token = lifetimes.token()
            let operation: Operation
            switch number % 3 {
            case 0: operation = TestOperation(lifetimes)
            case 1: operation = BlockOperation { withExtendedLifetime(token) {} }
            default: operation = TestAsyncOperation(lifetimes) { $0.finish() }
            }
            operation.completionBlock = { withExtendedLifetime(token) {} }
            queue.addOperation(operation)
            queue.addOperation { withExtendedLifetime(token) {} }
            if number % 7 == 0 { operation.cancel() }
          }
          queue.maxConcurrentOperationCount = round % 2 == 0 ? 2 : -1
        }
        queue.expectQuiet()
      }
      #expect(waitUntil { lifetimes.live == 0 })
    }

    /// Contract 134, as counts of what the operation layer asks of its scheduler instead of times.
    @Test func costGrowsLinearly() {
      func submissions(_ count: Int, behindGate: Bool) -> Int {
        let scheduler = CountingScheduler()
        let queue = OperationQueue(scheduler: scheduler)
        let gate = Operation()
        for _ in 0..<count {
          let operation = Operation()
          if behindGate { operation.addDependency(gate) }
          queue.addOperation(operation)
        }
        queue.addOperation(gate)
        queue.expectQuiet()
        return scheduler.submitted.load(ordering: .relaxed)
      }
      for behindGate in [false, true] {
        let small = submissions(1_000, behindGate: behindGate)
        let large = submissions(16_000, behindGate: behindGate)
        #expect(large <= 16 * small + 16)
        #expect(small <= 1_002)
      }
    }

    /// Overridden readiness is asked a constant number of times however many others wait.
    @Test func othersAreNotAskedAgain() {
      final class Asked: Operation, @unchecked Sendable {
        let times = Atomic<Int>(0)
        override var isReady: Bool {
          times.add(1, ordering: .relaxed)
          return super.isReady
        }
      }
      let queue = Kind.inline.queue()
      let gate = Operation()
      let waiting = (0..<1_000).map { _ in
        let operation = Asked()
        operation.addDependency(gate)
        return operation
      }
      queue.addOperations(waiting, waitUntilFinished: false)
      for _ in 0..<1_000 { queue.addOperation {} }
      queue.addOperation(gate)
      queue.expectQuiet()
      #expect(waiting.allSatisfy { $0.times.load(ordering: .relaxed) <= 3 })
    }
  }
}
