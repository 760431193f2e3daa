// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
import Glibc
import Scheduling
import Synchronization
import TestSupport
import Testing

@testable import Operations

extension OperationLayer {
  /// Members that come from several threads while others enumerate.
  struct RegistryStripeTests {
    /// Each thread has as many additions behind it as its counter says.
    private final class Progress: Sendable {
      let added = Atomic<Int>(0)
    }

    private final class Flag: Sendable {
      let value = Atomic<Bool>(false)
    }

    /// More threads than there are stripes of one thread's own.
    @Test(.contract(117), .timeLimit(.minutes(2)), arguments: [1, Registry.ownedStripes + 4])
    func anEnumerationFindsEveryMemberThatWasAddedBefore(_ adders: Int) throws {
      let queue = OperationQueue(scheduler: InlineScheduler())
      queue.isSuspended = true
      let each = 6_000 / adders
      let progress = (0..<adders).map { _ in Progress() }
      let hasLooked = Flag()
      let threads = try progress.map { progress in
        try SystemThread.start(name: "adder", stackSize: 1 << 20) {
          for number in 1...each {
            // Half of them come after the first look, however late that is.
            while number > each / 2, !hasLooked.value.load(ordering: .relaxed) { sched_yield() }
            queue.addOperation {}
            // release: pairs with the acquire below.
            progress.added.store(number, ordering: .releasing)
          }
        }
      }
      var looks = 0
      while true {
        // acquire: what was added before is in the queue.
        let before = progress.reduce(0) { $0 + $1.added.load(ordering: .acquiring) }
        let found = queue.registry.membersAndClosures().count
        #expect(found >= before)
        looks += 1
        hasLooked.value.store(true, ordering: .relaxed)
        if before == adders * each { break }
      }
      for thread in threads { thread.join() }
      #expect(looks > 1)
      #expect(queue.registry.membersAndClosures().count == adders * each)
      queue.isSuspended = false
      queue.waitUntilAllOperationsAreFinished()
      #expect(queue.registry.membersAndClosures().isEmpty)
    }

    @Test func theFirstThreadsHaveStripesOfTheirOwn() {
      let owned = (0..<Registry.ownedStripes).map(RegistryStripe.index(ofRecord:))
      #expect(owned == Array(0..<Registry.ownedStripes))
      for record in Registry.ownedStripes..<100 {
        let stripe = RegistryStripe.index(ofRecord: record)
        #expect((Registry.ownedStripes..<Registry.stripeCount).contains(stripe))
      }
    }
  }
}
