// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
import Glibc
import Scheduling
import Synchronization
import TestSupport
import Testing
import WorkStealingBackend

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

    /// Its queue may be gone, and is not to be reached by way of the slot that it had.
    @Test(.contract(110, 130)) func whatHasFinishedNamesNoQueue() {
      let queue = OperationQueue(scheduler: InlineScheduler())
      queue.isSuspended = true
      let operation = BlockOperation { [queue] in
        #expect(queue.operations.first?.queueIfMember === queue)
      }
      queue.addOperation(operation)
      #expect(operation.queueIfMember === queue)
      queue.isSuspended = false
      queue.waitUntilAllOperationsAreFinished()
      #expect(operation.queueIfMember == nil)
    }

    @Test(.contract(67)) func aTimeoutEndsWhileItsMemberIsRefused() async {
      await #expect(processExitsWith: .success) {
        try Self.endTimeouts(10_000)
      }
    }

    /// Drops a timeout while its member is added to a queue, so many times.
    private static func endTimeouts(_ rounds: Int) throws {
      alarm(120)
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

    // MARK: What users pass in, and what its end asks

    @Test func anOlderFailureOfARetryMayAskIt() async {
      await #expect(processExitsWith: .success) { Self.endOlderFailures() }
    }

    /// Three attempts fail; the end of each error asks the operation.
    private static func endOlderFailures() {
      alarm(120)
      let asked = Shared(Atomic<Int>(0))
      let retry = Shared(Mutex<RetryOperation<Int>?>(nil))
      let operation = RetryOperation(RetryPolicy(attempts: 3)) { _ in
        ResultOperation { () throws -> Int in
          throw Ending {
            guard let retry = retry.value.withLock({ $0 }) else { return }
            asked.value.add(retry.attemptCount, ordering: .relaxed)
          }
        }
      }
      retry.value.withLock { $0 = operation }
      let queue = OperationQueue(scheduler: WorkStealingScheduler(workers: 1))
      queue.addOperation(operation)
      queue.waitUntilAllOperationsAreFinished()
      // The first two have gone; the last one is the result.
      precondition(asked.value.load(ordering: .relaxed) > 0)
    }

    @Test(.contract(124)) func anObserverOfTheMembersOfAGroupMayAskIt() async {
      await #expect(processExitsWith: .success) { Self.endGroupQueue() }
    }

    /// The queue of a group's members ends, and with it what observes it.
    private static func endGroupQueue() {
      alarm(120)
      let ended = Shared(Atomic<Bool>(false))
      let observation = Shared(Mutex<Observation?>(nil))
      let group = GroupOperation()
      group.addOperation { [weak group] in
        let end = Ending { [weak group] in
          precondition(group?.operations.isEmpty == true)
          ended.value.store(true, ordering: .relaxed)
        }
        let token = OperationQueue.current?.observe(\.isSuspended) { _, _ in
          withExtendedLifetime(end) {}
        }
        observation.value.withLock { $0 = token }
      }
      let queue = OperationQueue(scheduler: WorkStealingScheduler(workers: 1))
      queue.addOperation(group)
      while !ended.value.load(ordering: .relaxed) { sched_yield() }
    }

    @Test(.contract(42)) func operationsEndWhileTheirConditionGetsMore() async {
      await #expect(processExitsWith: .success) { try Self.endConditioned(40) }
    }

    /// Operations go on one thread, newest first, while another looks through them, oldest first:
    /// of the one where they meet that may have the last reference.
    private static func endConditioned(_ rounds: Int) throws {
      alarm(120)
      let gate = Shared(Mutex(ReadinessGate()))
      let operations = Shared(Mutex<[Conditioned]>([]))
      let looker = Shared(Atomic<UInt>(UInt(pthread_self())))
      try race(
        2 * rounds,
        { round in
          if round % 2 == 0 {
            let next = ReadinessGate()
            // One less than the next look through all of them.
            let all = (1..<8_192).map { _ in Conditioned(next, looker) }
            for operation in all { operation.addReadinessCondition(next) }
            operations.value.withLock { $0 = all }
            gate.value.withLock { $0 = next }
          } else {
            BlockOperation {}.addReadinessCondition(gate.value.withLock { $0 })
          }
        },
        { round in
          guard round % 2 == 1 else { return }
          var ending: [Conditioned] = []
          operations.value.withLock { swap(&$0, &ending) }
          while ending.popLast() != nil {}
        })
    }
  }
}

/// Gives its condition another operation when it ends on the thread that looks through them.
private final class Conditioned: Operation, @unchecked Sendable {
  private let condition: ReadinessCondition
  private let looker: Shared<Atomic<UInt>>

  init(_ condition: ReadinessCondition, _ looker: Shared<Atomic<UInt>>) {
    self.condition = condition
    self.looker = looker
  }

  deinit {
    guard looker.value.load(ordering: .relaxed) == UInt(pthread_self()) else { return }
    BlockOperation {}.addReadinessCondition(condition)
  }
}

/// Does something when it ends: an error, or what a closure captures.
private final class Ending: Error {
  private let end: @Sendable () -> Void

  init(_ end: @escaping @Sendable () -> Void) { self.end = end }

  deinit { end() }
}

/// Something that closures of several threads share.
private final class Shared<Value: ~Copyable & Sendable>: Sendable {
  let value: Value

  init(_ value: consuming Value) { self.value = value }
}
