// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
import Glibc
import Scheduling
import Synchronization
import TestSupport
import Testing

@testable import Operations

extension OperationLayer {
  /// The list of queues behind a report on the whole process.
  @Suite(.contract(117)) struct LiveQueuesTests {
    /// A report that waits until others let go of a queue holds up no thread that makes one.
    @Test func queuesAreMadeWhileAReportWaits() async {
      await #expect(processExitsWith: .success) {
        func program() throws -> Bool {
          let scheduler = InlineScheduler()
          let queue = OperationQueue(scheduler: scheduler)
          queue.isSuspended = true
          queue.addOperation {}
          let pins = UInt64(MemberCount.mostPins) * MemberCount.pin
          queue.count.word.wrappingAdd(pins, ordering: .relaxed)
          let isAsking = Turnstile()
          let members = Atomic<Int>(-1)
          let asker = try SystemThread.start(name: "asker") {
            isAsking.signal()
            let count = OperationQueue.stallReport().entries.count
            members.store(count, ordering: .releasing)
          }
          isAsking.wait()
          let isOver = Atomic<Bool>(false)
          let maker = try SystemThread.start(name: "maker") {
            for _ in 0..<20_000 { _ = OperationQueue(scheduler: scheduler) }
            isOver.store(true, ordering: .releasing)
          }
          let hasMade = waitUntil(deadline: .seconds(20)) { isOver.load(ordering: .acquiring) }
          let hasWaited = members.load(ordering: .acquiring) < 0
          guard hasMade, hasWaited else { return false }
          for _ in 0..<MemberCount.mostPins { queue.unpin() }
          asker.join()
          maker.join()
          queue.isSuspended = false
          return members.load(ordering: .acquiring) == 1 && queue.wait(timeout: patience)
        }
        exit((try? program()) == true ? 0 : 1)
      }
    }
  }
}
