// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
import Glibc
import Operations
import Synchronization
import TestSupport
import Testing

extension OperationLayer {
  @Suite struct MemoryTests {
    /// Built, run and released on a stack that no recursion over the chain would fit on.
    @Test(.contract(132), arguments: Kind.each)
    func longFinishedChainLivesAndDiesOnASmallStack(_ kind: Kind) throws {
      let length = slowness > 1 ? 50_000 : 1_000_000
      let lifetimes = LifetimeCounter()
      let queue = kind.queue()
      try SystemThread.start(name: "releaser", stackSize: 512 << 10) {
        var last: Operation?
        do {
          let operations = chain(length, lifetimes)
          queue.addOperations(operations, waitUntilFinished: false)
          #expect(queue.wait(timeout: patience))
          last = operations.last
        }
        #expect(lifetimes.live == length)
        #expect(last?.isFinished == true)
        last = nil
      }.join()
      #expect(waitUntil { lifetimes.live == 0 })
    }

    /// Asking costs no memory and no stack, however often it was done before.
    @Test(.contract(118)) func theCurrentQueueMayBeAskedForAnyNumberOfTimes() throws {
      try SystemThread.start(name: "asker", stackSize: 512 << 10) {
        #expect((0..<100_000).allSatisfy { _ in OperationQueue.current == nil })
      }.join()
    }

    @Test(.contract(132)) func longUnfinishedChainIsReleasedOnASmallStack() throws {
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

    /// 40 rounds of 20 000 operations; the first one fills the caches that stay.
    ///
    /// Not under a sanitizer: AddressSanitizer keeps freed memory, and what ThreadSanitizer keeps
    /// varies with the load.
    @Test(.contract(130), .enabled(if: Sanitizer.active == nil), arguments: Kind.each)
    func memoryDoesNotGrowWithTheRounds(_ kind: Kind) {
      let lifetimes = LifetimeCounter()
      let queue = kind.queue()
      let rounds = 40
      var settled = 0
      for round in 0..<rounds {
        // All of the first round wait at the same time, so that no later one can need more.
        queue.isSuspended = round == 0
        for number in 0..<20_000 {
          if number % 2 == 0 {
            queue.addOperation {}
          } else {
            queue.addOperation(number % 100 == 1 ? TestOperation(lifetimes) : Operation())
          }
        }
        queue.isSuspended = false
        queue.expectQuiet()
        if round == rounds / 2 { settled = ResidentMemory.bytes }
      }
      let grown = ResidentMemory.bytes - settled
      #expect(waitUntil { lifetimes.live == 0 })
      // One leaked word per operation of the second half would be more; allocators round up and
      // hold on to some.
      let leak = rounds / 2 * 20_000 * 8
      #expect(grown < leak, "resident memory grew by \(grown) bytes in \(rounds / 2) rounds")
    }

    /// Overridden readiness is asked a constant number of times however many others wait.
    @Test(.contract(134)) func othersAreNotAskedAgain() {
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

/// What the system counts as this process's memory.
private enum ResidentMemory {
  static var bytes: Int {
    guard
      let pages = textOfFile("/proc/self/statm").split(separator: " ").dropFirst().first
        .flatMap({ Int($0) })
    else {
      fatalError("/proc/self/statm is missing; the tests need Linux's /proc.")
    }
    return pages * Int(sysconf(Int32(_SC_PAGESIZE)))
  }
}
