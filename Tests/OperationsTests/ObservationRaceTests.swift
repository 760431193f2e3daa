// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
import Operations
import Scheduling
import Synchronization
import TestSupport
import Testing

extension OperationLayer {
  /// Observers that come while things happen, and those that come late.
  @Suite struct ObservationRaceTests {
    /// Whatever races, each flag alternates, begins from what it was and ends at what it is.
    @Test(.contract(126), arguments: Kind.pools.filter { $0.workers != 1 })
    func nothingIsLostOrToldTwice(_ kind: Kind) {
      let queue = kind.queue()
      for round in 0..<(4_000 / slowness) {
        let gate = TestOperation()
        let operation: Operation =
          round % 3 == 0 ? BlockOperation {} : round % 3 == 1 ? TestOperation() : Operation()
        operation.addDependency(gate)
        let watch = Watch(operation)
        let late = Locked<Watch?>(nil)
        let begun = Atomic<Int>(0)
        func race(_ body: @escaping @Sendable () -> Void) -> Operation {
          BlockOperation {
            begun.add(1, ordering: .relaxed)
            body()
          }
        }
        let others = [
          race { operation.cancel() },
          race { late.withLock { $0 = Watch(operation) } },
          race { queue.addOperation(operation) },
          race { queue.addOperation(gate) },
        ]
        let racing = OperationQueue(scheduler: queue.scheduler)
        racing.addOperations(round % 2 == 0 ? others : Array(others[1...]), waitUntilFinished: true)
        queue.expectQuiet()
        check(watch.lines.all, operation)
        let end = late.withLock { $0?.lines.all } ?? []
        check(end, operation)
        // Flag by flag: the late one's four observers did not begin in one instant.
        for flag in ["cancelled", "executing", "finished", "ready"] {
          let all = watch.lines.all.filter { $0.hasPrefix(flag) }
          let seen = end.filter { $0.hasPrefix(flag) }
          #expect(all.suffix(seen.count) == seen[...], "\(watch.lines.all) \(end)")
        }
        late.withLock { $0 = nil }
      }
    }

    private func check(_ lines: [String], _ operation: Operation) {
      var values: [Substring: String] = [:]
      for line in lines {
        let parts = line.split(separator: " ")
        let change = parts[1].split(separator: "→").map(String.init)
        #expect(change[0] != change[1], "\(lines)")
        if let before = values[parts[0]] { #expect(before == change[0], "\(lines)") }
        values[parts[0]] = change[1]
      }
      let last = [
        ("cancelled", operation.isCancelled), ("executing", operation.isExecuting),
        ("finished", operation.isFinished), ("ready", operation.isReady),
      ]
      for (name, value) in last {
        if let told = values[name[...]] { #expect(told == "\(value)", "\(name): \(lines)") }
      }
    }

    /// Who begins to observe readiness looks at dependencies that the end lets go of.
    @Test(.contract(126, 131), arguments: Kind.pools)
    func anObserverOfReadinessAgainstTheEnd(_ kind: Kind) {
      let queue = kind.queue()
      queue.retainsFinishedDependencies = false
      Duel.fight(
        rounds: 2_000 * stressFactor / slowness,
        prepare: { _ -> TestOperation in
          let operation = TestOperation()
          let dependency = TestOperation()
          operation.addDependency(dependency)
          queue.addOperation(dependency)
          return operation
        },
        left: { queue.addOperation($0) },
        right: { operation in
          withExtendedLifetime(operation.observe(\.isReady) { _, _ in }) {}
        },
        check: { operation, _ in
          operation.waitUntilFinished()
          return operation.runCount == 1
        })
      queue.expectQuiet()
    }

    /// A subclass that changes itself in its deinit tells nobody.
    @Test(.contract(126, 132)) func changesInADeinitAreToldToNobody() {
      final class Leaver: Operation, @unchecked Sendable {
        deinit {
          queuePriority = .high
          completionBlock = {}
          cancel()
        }
      }
      let lines = Lines()
      var tokens: [Observation] = []
      do {
        let leaver = Leaver()
        tokens.append(leaver.observe(\.isCancelled) { _, _ in lines.note("cancelled") })
        tokens.append(leaver.observe(\.queuePriority) { _, _ in lines.note("priority") })
        tokens.append(leaver.observe(\.isReady) { _, _ in lines.note("ready") })
      }
      #expect(lines.all == [])
      withExtendedLifetime(tokens) {}
    }

    @Test(.contract(126, 132)) func observedOperationsAreReleased() {
      let lifetimes = LifetimeCounter()
      let queue = Kind.pools[1].queue()
      for round in 0..<200 {
        let operations = (0..<10).map { _ in TestOperation(lifetimes) }
        for (before, after) in zip(operations, operations.dropFirst()) {
          after.addDependency(before)
        }
        let watches = operations.map { Watch($0) }
        if round % 3 == 0 { operations[5].cancel() }
        if round % 2 == 0 { queue.addOperations(operations, waitUntilFinished: false) }
        queue.expectQuiet()
        withExtendedLifetime(watches) {}
      }
      #expect(waitUntil { lifetimes.live == 0 })
    }

    // MARK: Late observers and waiting

    @Test(.contract(59)) func onFinishFiresAtOnceWhenLate() {
      let log = Log()
      let operation = Operation()
      operation.onFinish { _ in log.note(1) }
      operation.onFinish { operation in log.note(operation.isFinished ? 2 : 0) }
      #expect(log.values == [])
      operation.start()
      #expect(log.values == [1, 2])
      operation.onFinish { _ in log.note(3) }
      #expect(log.values == [1, 2, 3])
      operation.completionBlock = { log.note(4) }
      #expect(log.values == [1, 2, 3])
    }

    @Test(.contract(59)) func onFinishLetsGoOfItsCaptures() {
      let lifetimes = LifetimeCounter()
      let operation = Operation()
      do {
        let token = lifetimes.token()
        operation.onFinish { _ in withExtendedLifetime(token) {} }
      }
      #expect(lifetimes.live == 1)
      operation.cancelAndFinish()
      #expect(lifetimes.live == 0)
    }

    @Test(.contract(59), arguments: Kind.pools)
    func onFinishRacesWithTheFinish(_ kind: Kind) {
      let queue = kind.queue()
      let count = Atomic<Int>(0)
      let rounds = 5_000 / slowness
      for _ in 0..<rounds {
        let operation = TestOperation()
        queue.addOperation(operation)
        operation.onFinish { _ in count.add(1, ordering: .relaxed) }
      }
      queue.expectQuiet()
      #expect(waitUntil { count.load(ordering: .relaxed) == rounds })
    }

    @Test(.contract(102), arguments: Kind.all)
    func finishedSuspendsUntilTheFinish(_ kind: Kind) async {
      let queue = kind.queue()
      let operation = TestAsyncOperation()
      let log = Log()
      async let waiter: Void = {
        await operation.finished()
        log.note(operation.isFinished ? 1 : 0)
      }()
      queue.addOperation(operation)
      operation.finish()
      await waiter
      await operation.finished()
      #expect(log.values == [1])
      let cancelled = TestOperation()
      cancelled.addDependency(Operation())
      queue.addOperation(cancelled)
      cancelled.cancel()
      await cancelled.finished()
      #expect(cancelled.isFinished && cancelled.runCount == 0)
    }

    @Test(.contract(102), arguments: Kind.all)
    func waitWithATimeoutFromInsideAndOutside(_ kind: Kind) {
      let queue = kind.queue()
      let never = Operation()
      #expect(!never.wait(timeout: .milliseconds(1)))
      let answers = Log()
      queue.addOperation { answers.note(never.wait(timeout: .milliseconds(1)) ? 1 : 0) }
      queue.expectQuiet()
      #expect(answers.values == [0])
      never.start()
      #expect(never.wait(timeout: .zero))
    }
  }
}
