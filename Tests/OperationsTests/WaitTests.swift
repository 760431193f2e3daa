// SPDX-License-Identifier: Apache-2.0

import Operations
import Synchronization
import TestSupport
import Testing

extension OperationLayer {
  @Suite struct WaitTests {
    @Test(.contract(102)) func timedWaitGivesUp() {
      let never = Operation()
      for _ in 0..<100 { #expect(!never.wait(timeout: .microseconds(10))) }
      #expect(!never.wait(timeout: .zero))
      never.start()
      #expect(never.wait(timeout: .zero))
      let queue = Kind.inline.queue()
      queue.isSuspended = true
      queue.addOperation {}
      #expect(!queue.wait(timeout: .microseconds(10)))
      queue.isSuspended = false
      #expect(queue.wait(timeout: .zero))
    }

    @Test(.contract(99)) func manyThreadsWaitForOneOperation() {
      let operation = Operation()
      let woken = Atomic<Int>(0)
      onThreads(5) { index in
        if index == 0 {
          operation.start()
        } else if index % 2 == 0 {
          operation.waitUntilFinished()
          woken.add(1, ordering: .relaxed)
        } else if operation.wait(timeout: patience) {
          woken.add(1, ordering: .relaxed)
        }
      }
      #expect(woken.load(ordering: .relaxed) == 4)
    }
  }
}
