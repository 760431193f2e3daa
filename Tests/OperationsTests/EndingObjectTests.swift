// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
import Glibc
import Scheduling
import Synchronization
import TestSupport
import Testing

@testable import Operations

extension OperationLayer {
  /// Who looks at an object by its address, under a lock that its deinit wants, must not be the one
  /// whose release ends it.
  @Suite struct EndingObjectTests {
    /// Takes steps on two threads, as many as `rounds`, each pair at the same time.
    private static func race(
      _ rounds: Int, _ one: @escaping @Sendable (Int) -> Void,
      _ other: @escaping @Sendable (Int) -> Void
    ) throws {
      let arrived = Shared(Atomic<Int>(0))
      let run: @Sendable (@escaping @Sendable (Int) -> Void) -> Void = { step in
        for round in 0..<rounds {
          arrived.value.wrappingAdd(1, ordering: .acquiringAndReleasing)
          while arrived.value.load(ordering: .acquiring) < 2 * (round + 1) { sched_yield() }
          step(round)
        }
      }
      let thread = try SystemThread.start(name: "other") { run(other) }
      run(one)
      thread.join()
    }

    @Test(.contract(67)) func aTimeoutEndsWhileItsMemberIsRefused() async {
      await #expect(processExitsWith: .success) {
        try Self.endTimeouts(20_000)
      }
    }

    /// Drops a timeout while its member is added to a queue, so many times.
    private static func endTimeouts(_ rounds: Int) throws {
      alarm(60)
      let members = (0..<rounds).map { _ in BlockOperation {} }
      let owners = Shared(
        Mutex(members.map { Optional(TimeoutOperation($0, within: .seconds(60))) }))
      let queue = OperationQueue(scheduler: InlineScheduler())
      queue.isSuspended = true
      try race(
        rounds,
        { round in
          for _ in 0..<(round % 64) { sched_yield() }
          _ = owners.value.withLock { $0[round].take() }
        },
        { round in
          // Refused until the timeout has ended.
          while (try? queue.tryAddOperation(members[round])) == nil {}
        })
      queue.isSuspended = false
      queue.waitUntilAllOperationsAreFinished()
    }
  }
}

/// Something that closures of several threads share.
private final class Shared<Value: ~Copyable & Sendable>: Sendable {
  let value: Value

  init(_ value: consuming Value) { self.value = value }
}
