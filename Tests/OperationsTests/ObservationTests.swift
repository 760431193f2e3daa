// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
import Operations
import Scheduling
import Synchronization
import TestSupport
import Testing

extension OperationLayer {
  @Suite struct ObservationTests {
    @Test(.contract(122, 126), arguments: Kind.all)
    func aLifeIsToldInOrder(_ kind: Kind) {
      let queue = kind.queue()
      for limit in [-1, 1] {
        queue.maxConcurrentOperationCount = limit
        for make in [{ TestOperation() as Operation }, { BlockOperation {} }, { Operation() }] {
          let (gate, operation) = (TestOperation(), make())
          operation.addDependency(gate)
          let watch = Watch(operation)
          queue.addOperation(operation)
          #expect(watch.lines.all == [])
          queue.addOperation(gate)
          queue.expectQuiet()
          #expect(
            watch.lines.all == [
              "ready false→true", "executing false→true", "executing true→false",
              "finished false→true",
            ])
        }
      }
    }

    @Test(.contract(43, 122, 126), arguments: Kind.all)
    func aCancelledLifeIsToldInOrder(_ kind: Kind) {
      let queue = kind.queue()
      let gate = Operation()
      for make in [
        { TestOperation() as Operation }, { BlockOperation {} }, { TestAsyncOperation() },
      ] {
        let operation = make()
        operation.addDependency(gate)
        let watch = Watch(operation)
        queue.addOperation(operation)
        operation.cancel()
        operation.cancel()
        queue.expectQuiet()
        operation.cancel()
        #expect(
          watch.lines.all == ["cancelled false→true", "ready false→true", "finished false→true"])
      }
    }

    @Test(.contract(65, 122, 126), arguments: Kind.all)
    func anAsynchronousLifeIsToldInOrder(_ kind: Kind) {
      let queue = kind.queue()
      for isQueued in [true, false] {
        let operation = TestAsyncOperation()
        let watch = Watch(operation)
        if isQueued { queue.addOperation(operation) } else { operation.start() }
        #expect(waitUntil(deadline: patience) { operation.isExecuting })
        #expect(waitUntil(deadline: patience) { watch.lines.all == ["executing false→true"] })
        operation.cancel()
        operation.finish()
        operation.finish()
        queue.expectQuiet()
        // The worker that told the beginning may be telling the rest.
        _ = waitUntil(deadline: patience) { watch.lines.all.count == 4 }
        #expect(
          watch.lines.all == [
            "executing false→true", "cancelled false→true", "executing true→false",
            "finished false→true",
          ])
      }
    }

    @Test(.contract(18, 122)) func aManualStartIsTold() {
      for cancelled in [false, true] {
        let operation = TestOperation()
        let watch = Watch(operation)
        if cancelled { operation.cancel() }
        operation.start()
        #expect(
          watch.lines.all
            == (cancelled
              ? ["cancelled false→true", "finished false→true"]
              : ["executing false→true", "executing true→false", "finished false→true"]))
      }
    }

    /// In no queue nobody registers edges: readiness is told all the same.
    @Test(.contract(122, 126)) func readinessOutsideAQueueIsTold() {
      let (first, second, operation) = (Operation(), Operation(), Operation())
      operation.addDependency(first)
      let watch = Watch(operation)
      operation.addDependency(second)
      first.start()
      #expect(watch.lines.all == [])
      second.start()
      #expect(watch.lines.all == ["ready false→true"])
      let third = Operation()
      operation.addDependency(third)
      #expect(watch.lines.all.last == "ready true→false")
      operation.removeDependency(third)
      #expect(watch.lines.all.count == 3 && watch.lines.all.last == "ready false→true")
      operation.addDependency(first)
      third.start()
      #expect(watch.lines.all.count == 3)
    }

    @Test(.contract(36, 122)) func readinessOfAnOperationWithManyDependencies() {
      let gates = (0..<2_000).map { _ in Operation() }
      let operation = Operation()
      for gate in gates { operation.addDependency(gate) }
      let watch = Watch(operation)
      for gate in gates.dropLast().reversed() { gate.start() }
      #expect(watch.lines.all == [])
      gates.last?.start()
      #expect(watch.lines.all == ["ready false→true"])
    }

    @Test(.contract(122, 126)) func listPriorityAndBlockAreTold() {
      let lines = Lines()
      let (first, second, operation) = (Operation(), Operation(), Operation())
      first.name = "first"
      second.name = "second"
      let tokens = [
        operation.observe(\.dependencies) { _, change in
          let (old, new) = (
            change.oldValue.compactMap(\.name), change.newValue.compactMap(\.name)
          )
          lines.note("dependencies \(old)→\(new)")
        },
        operation.observe(\.queuePriority) { _, change in
          lines.note("priority \(change.oldValue)→\(change.newValue)")
        },
        operation.observe(\.completionBlock) { _, change in
          lines.note("block \(change.oldValue != nil)→\(change.newValue != nil)")
        },
      ]
      operation.addDependency(first)
      operation.addDependency(first)
      operation.addDependency(second)
      operation.removeDependency(first)
      operation.removeDependency(first)
      operation.queuePriority = .high
      operation.queuePriority = .high
      operation.completionBlock = {}
      operation.completionBlock = { lines.note("runs") }
      second.start()
      operation.retainsFinishedDependencies = false
      operation.start()
      #expect(
        lines.all == [
          "dependencies []→[\"first\"]", "dependencies [\"first\"]→[\"first\", \"second\"]",
          "dependencies [\"first\", \"second\"]→[\"second\"]", "priority normal→high",
          "block false→true", "block true→true", "dependencies [\"second\"]→[]",
          "block true→false", "runs",
        ])
      withExtendedLifetime(tokens) {}
    }

    @Test(.contract(122), arguments: Kind.each)
    func aChangeOfPriorityInAQueueIsTold(_ kind: Kind) {
      let queue = kind.queue()
      queue.isSuspended = true
      let lines = Lines()
      let operation = TestOperation()
      let token = operation.observe(\.queuePriority) { _, change in
        lines.note("\(change.oldValue)→\(change.newValue)")
      }
      queue.addOperation(operation)
      operation.queuePriority = .veryLow
      operation.queuePriority = .veryHigh
      queue.isSuspended = false
      queue.expectQuiet()
      operation.queuePriority = .low
      #expect(lines.all == ["normal→veryLow", "veryLow→veryHigh", "veryHigh→low"])
      withExtendedLifetime(token) {}
    }

    @Test(.contract(124)) func droppingTheTokenEndsIt() {
      let lifetimes = LifetimeCounter()
      let operation = Operation()
      let lines = Lines()
      do {
        let capture = lifetimes.token()
        let dropped = operation.observe(\.isCancelled) { _, _ in
          lines.note("dropped")
          withExtendedLifetime(capture) {}
        }
        let ended = operation.observe(\.isCancelled) { _, _ in lines.note("ended") }
        ended.invalidate()
        ended.invalidate()
        withExtendedLifetime(dropped) {}
        #expect(lifetimes.live == 1)
      }
      #expect(lifetimes.live == 0)
      let kept = operation.observe(\.isCancelled) { _, _ in lines.note("kept") }
      operation.cancel()
      #expect(lines.all == ["kept"])
      withExtendedLifetime(kept) {}
    }

    @Test(.contract(124)) func aTokenOutlivesItsOperation() {
      let lifetimes = LifetimeCounter()
      let token: Observation
      do {
        let operation = TestOperation(lifetimes)
        token = operation.observe(\.isFinished) { _, _ in }
      }
      #expect(lifetimes.live == 0)
      token.invalidate()
    }

    @Test(.contract(126)) func anObserverIsToldOnlyWhatComesAfterHim() {
      let operation = Operation()
      let lines = Lines()
      let first = operation.observe(\.queuePriority) { operation, change in
        lines.note("first \(change.newValue)")
        guard change.newValue == .high else { return }
        // Told after this handler has returned, to the new observer as well.
        operation.queuePriority = .veryHigh
        lines.note("returns")
      }
      let second = Locked<Observation?>(nil)
      let early = operation.observe(\.queuePriority) { operation, _ in
        second.withLock { second in
          guard second == nil else { return }
          second = operation.observe(\.queuePriority) { _, change in
            lines.note("second \(change.newValue)")
          }
        }
      }
      operation.queuePriority = .high
      #expect(lines.all == ["first high", "returns", "first veryHigh"])
      operation.queuePriority = .low
      #expect(lines.all.suffix(2) == ["first low", "second low"])
      withExtendedLifetime((first, early)) {}
      second.withLock { $0 = nil }
    }

    /// Conditions do not hold back what will be skipped.
    @Test(.contract(37, 126), arguments: [true, false])
    func whatWillBeSkippedIsToldToBeReadyDespiteACondition(isCancelled: Bool) {
      let (operation, lines) = (TestAsyncOperation(), Lines())
      operation.addReadinessCondition(ReadinessGate())
      let token = operation.observe(\.isReady, options: [.initial, .new]) { _, change in
        lines.note("ready \(change.newValue == true)")
      }
      if isCancelled { operation.cancel() } else { operation.finish() }
      #expect(operation.isReady)
      #expect(lines.all == ["ready false", "ready true"])
      withExtendedLifetime(token) {}
    }

    /// Who comes while an earlier event is told is told what changes before that is over.
    @Test(.contract(126)) func anObserverIsToldWhatComesBeforeHisTurn() {
      let operation = Operation()
      let lines = Lines()
      let late = Locked<[Observation]>([])
      let early = operation.observe(\.queuePriority) { operation, _ in
        let tokens = [
          operation.observe(\.isCancelled) { _, change in lines.note("cancelled \(change.newValue)")
          },
          operation.observe(\.isFinished) { _, change in lines.note("finished \(change.newValue)")
          },
        ]
        late.withLock { $0 = tokens }
        operation.cancel()
        operation.start()
        #expect(operation.isCancelled && operation.isFinished)
      }
      operation.queuePriority = .high
      #expect(lines.all == ["cancelled true", "finished true"])
      withExtendedLifetime(early) {}
      late.withLock { $0 = [] }
    }

    @Test(.contract(125), arguments: Kind.all)
    func handlersMayUseTheWholeInterface(_ kind: Kind) {
      let queue = kind.queue()
      let other = kind.queue()
      let added = Atomic<Int>(0)
      let operation = TestOperation()
      let gate = TestOperation()
      operation.addDependency(gate)
      let tokens = [\Operation.isReady, \.isExecuting, \.isFinished, \.isCancelled].map { key in
        operation.observe(key) { operation, _ in
          operation.queuePriority = .high
          operation.name = "observed"
          operation.completionBlock = {}
          operation.addDependency(gate)
          operation.removeDependency(gate)
          _ = (operation.isReady, operation.isExecuting, operation.dependencies)
          queue.addOperation { added.add(1, ordering: .relaxed) }
          queue.isSuspended = false
          queue.maxConcurrentOperationCount = 4
          // Waiting for something that can run elsewhere blocks nobody for good.
          if !kind.isInline {
            let awaited = TestOperation()
            other.addOperation(awaited)
            awaited.waitUntilFinished()
          }
          operation.cancel()
        }
      }
      queue.addOperations([operation, gate], waitUntilFinished: false)
      queue.expectQuiet()
      #expect(added.load(ordering: .relaxed) >= 2)
      withExtendedLifetime(tokens) {}
    }

    /// Handlers run on the thread that makes the change when it is alone.
    @Test(.contract(125)) func handlersRunOnTheChangingThread() {
      let operation = Operation()
      let here = ThreadProbe.current
      let same = Log()
      let token = operation.observe(\.isFinished) { _, _ in
        same.note(ThreadProbe.current == here ? 1 : 0)
      }
      operation.start()
      #expect(same.values == [1])
      withExtendedLifetime(token) {}
    }

    @Test(.contract(127), arguments: Kind.all)
    func theOrderOfEventsAtTheFinish(_ kind: Kind) {
      let queue = kind.queue()
      let later = kind.queue()
      for isAsynchronous in [false, true] {
        let lines = Lines()
        let operation: Operation =
          isAsynchronous ? TestAsyncOperation { $0.finish() } : TestOperation()
        // The dependent waits in a queue that does not start it.
        later.isSuspended = true
        let dependent = TestOperation()
        dependent.addDependency(operation)
        later.addOperation(dependent)
        let watches = [Watch(operation, into: lines), Watch(dependent, "dependent ", into: lines)]
        operation.onFinish { _ in lines.note("onFinish") }
        operation.completionBlock = { lines.note("completion block") }
        let tokens = [
          queue.observe(\.operations) { queue, change in
            lines.note("operations \(change.oldValue.count)→\(change.newValue.count)")
            if change.newValue.isEmpty { #expect(queue.operations.isEmpty) }
          },
          queue.observe(\.operationCount) { queue, change in
            lines.note("count \(change.oldValue)→\(change.newValue)")
            if change.newValue == 0 { #expect(queue.operationCount == 0) }
          },
        ]
        queue.isSuspended = true
        queue.addOperation(operation)
        #expect(lines.all == ["operations 0→1", "count 0→1"])
        queue.isSuspended = false
        queue.expectQuiet()
        #expect(
          lines.all == [
            "operations 0→1", "count 0→1", "executing false→true", "executing true→false",
            "finished false→true", "onFinish", "dependent ready false→true", "completion block",
            "operations 1→0", "count 1→0",
          ])
        later.isSuspended = false
        later.expectQuiet()
        withExtendedLifetime((watches, tokens)) {}
      }
    }

    /// The slot is free before the completion block runs, wherever in the start the finish comes.
    @Test(.contract(61, 127), arguments: Kind.pools)
    func finishByWhoIsToldOfTheStart(_ kind: Kind) {
      let queue = kind.queue()
      queue.maxConcurrentOperationCount = 1
      let next = TestOperation()
      let operation = AsyncOperation { $0.finish() }
      let token = operation.observe(\.isExecuting) { operation, change in
        if change.newValue { operation.finish() }
      }
      operation.completionBlock = { next.waitUntilFinished() }
      queue.addOperations([operation, next], waitUntilFinished: false)
      queue.expectQuiet()
      #expect(next.runCount == 1)
      withExtendedLifetime(token) {}
    }
  }
}
