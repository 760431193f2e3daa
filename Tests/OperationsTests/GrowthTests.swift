// SPDX-License-Identifier: Apache-2.0

import Glibc
import Operations
import Synchronization
import TestSupport
import Testing

extension OperationLayer {
  /// What one call costs while many of a kind are there: eight times as many make none dearer.
  @Suite(.contract(134)) struct GrowthTests {
    /// Expects that `cost`, the processor time of `count` items, grows with their number and no faster.
    ///
    /// Processor time, so that other programs count little, and the best of several; measured again
    /// where that is not enough. A quadratic cost would be eight times as much per item, every
    /// time.
    private func expectConstantCost(
      _ few: Int, _ what: String, sourceLocation: SourceLocation = #_sourceLocation,
      _ work: (Int) -> Void
    ) {
      func nanosecondsPerItem(_ count: Int, rounds: Int) -> Double {
        let times = (0..<rounds).map { _ in
          let start = processorTime()
          work(count)
          return Double(processorTime() - start) / Double(count)
        }
        return times.min() ?? 0
      }
      let few = max(250, few / slowness)
      var (small, large) = (0.0, 0.0)
      for _ in 0..<Self.attempts {
        small = nanosecondsPerItem(few, rounds: 5)
        large = nanosecondsPerItem(8 * few, rounds: 3)
        if large < 3 * small { return }
      }
      Issue.record(
        "\(what): \(Int(large)) ns with \(8 * few), \(Int(small)) ns with \(few)",
        sourceLocation: sourceLocation)
    }

    /// Measurements that must all show the growth.
    private static let attempts = 5

    @Test(.contract(116), arguments: Kind.each) func aBarrierWhileOthersArePending(_ kind: Kind) {
      let queue = kind.queue()
      expectConstantCost(2_000, "a barrier among others") { count in
        queue.isSuspended = true
        for _ in 0..<count { queue.addBarrierBlock {} }
        queue.isSuspended = false
        queue.expectQuiet()
      }
    }

    @Test(.contract(116), arguments: Kind.each)
    func anOperationWhileBarriersArePending(_ kind: Kind) {
      let queue = kind.queue()
      expectConstantCost(2_000, "an operation before and after barriers") { count in
        queue.isSuspended = true
        for _ in 0..<count { queue.addOperation {} }
        for _ in 0..<count { queue.addBarrierBlock {} }
        for _ in 0..<count { queue.addOperation {} }
        queue.isSuspended = false
        queue.expectQuiet()
      }
    }

    @Test(.contract(59), arguments: Kind.each) func aFinishHandler(_ kind: Kind) {
      let queue = kind.queue()
      expectConstantCost(4_000, "a handler of the finish") { count in
        let calls = Tally()
        let operation = Operation()
        for _ in 0..<count { operation.onFinish { _ in calls.note() } }
        queue.addOperation(operation)
        queue.expectQuiet()
        #expect(calls.number == count)
      }
    }

    /// Changes are told to those who observe them, and handlers of the finish do not.
    @Test(.contract(88)) func aChangeOfLevelBesideFinishHandlers() {
      expectConstantCost(4_000, "a change of level beside handlers") { count in
        let operation = Operation()
        for _ in 0..<count { operation.onFinish { _ in } }
        for number in 0..<count { operation.queuePriority = number % 2 == 0 ? .high : .low }
        operation.start()
      }
    }

    /// Adds `count` of them; the odd ones go in the order in which they came, the others the other way round.
    private func comeAndGo(_ count: Int, _ observe: () -> Observation) {
      let observations = (0..<count).map { _ in observe() }
      for place in stride(from: 1, to: count, by: 2) { observations[place].invalidate() }
      for place in stride(from: 0, to: count, by: 2).reversed() { observations[place].invalidate() }
    }

    @Test(.contract(124)) func anObserverOfAnOperation() {
      expectConstantCost(4_000, "an observer of an operation") { count in
        let operation = Operation()
        comeAndGo(count) { operation.observe(\.isFinished) { _, _ in } }
        comeAndGo(count) { operation.observe(\.queuePriority) { _, _ in } }
      }
    }

    /// Changes are told to those who observe the property, and others make it no dearer.
    @Test(.contract(124)) func aChangeOfLevelBesideObserversOfTheFinish() {
      expectConstantCost(4_000, "a change of level beside observers") { count in
        let operation = Operation()
        let observations = (0..<count).map { _ in operation.observe(\.isFinished) { _, _ in } }
        for number in 0..<count { operation.queuePriority = number % 2 == 0 ? .high : .low }
        withExtendedLifetime(observations) {}
      }
    }

    @Test(.contract(124)) func anObserverOfAQueue() {
      let queue = Kind.inline.queue()
      expectConstantCost(4_000, "an observer of a queue") { count in
        comeAndGo(count) { queue.observe(\.isSuspended) { _, _ in } }
        comeAndGo(count) { queue.observe(\.operationCount) { _, _ in } }
      }
    }

    @Test(.contract(121)) func anObserverOfTheProgress() {
      let queue = Kind.inline.queue()
      expectConstantCost(4_000, "an observer of the progress") { count in
        comeAndGo(count) { queue.progressCounter.observe { _ in } }
      }
    }

    @Test(.contract(102)) func aTaskThatAwaitsTheFinish() async {
      func nanosecondsPerTask(_ count: Int) async -> Double {
        let operation = Operation()
        let arrived = Tally()
        return await withTaskGroup(of: Void.self) { group in
          for _ in 0..<count {
            group.addTask {
              arrived.note()
              await operation.finished()
            }
          }
          while arrived.number < count { await Task.yield() }
          let start = processorTime()
          operation.start()
          await group.waitForAll()
          return Double(processorTime() - start) / Double(count)
        }
      }
      let few = max(250, 4_000 / slowness)
      var (small, large) = (0.0, 0.0)
      for _ in 0..<Self.attempts {
        (small, large) = (.infinity, .infinity)
        for _ in 0..<5 { small = min(small, await nanosecondsPerTask(few)) }
        for _ in 0..<3 { large = min(large, await nanosecondsPerTask(8 * few)) }
        if large < 3 * small { return }
      }
      Issue.record("\(Int(large)) ns with \(8 * few) tasks, \(Int(small)) ns with \(few)")
    }
  }
}

/// Counts.
private final class Tally: Sendable {
  private let count = Atomic<Int>(0)
  func note() { count.add(1, ordering: .relaxed) }
  var number: Int { count.load(ordering: .relaxed) }
}

/// Processor time of the whole process, ns.
private func processorTime() -> UInt64 {
  var time = timespec()
  unsafe clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
  return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}
