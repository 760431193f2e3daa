// SPDX-License-Identifier: Apache-2.0

import Scheduling
import Synchronization
import TestSupport
import Testing

extension SchedulerSeam {
  /// Two schedulers that share threads of the process.
  @Suite struct BlockingTests {
    @Test func workersOfOneSchedulerAreForeignToAnother() {
      let (pool, dispatch) = (
        SchedulerUnderTest.threadPool.make(), SchedulerUnderTest.dispatch.make()
      )
      let wrong = Atomic<Int>(0)
      let done = Atomic<Int>(0)
      for _ in 0..<100 {
        pool.submit {
          if dispatch.help() { wrong.add(1, ordering: .relaxed) }
          dispatch.willBlock()
          dispatch.submit {
            if pool.help() { wrong.add(1, ordering: .relaxed) }
            done.add(1, ordering: .relaxed)
          }
          dispatch.didUnblock()
        }
      }
      #expect(waitUntil { done.load(ordering: .relaxed) == 100 })
      #expect(wrong.load(ordering: .relaxed) == 0)
      #expect(dispatch.counters.compensations == 0)
    }
  }
}
