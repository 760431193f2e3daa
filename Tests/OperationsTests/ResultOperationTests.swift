// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
import Operations
import Synchronization
import TestSupport
import Testing

/// The case of an operation error, for comparison.
func caseName(_ error: (any Error)?) -> String {
  switch error as? OperationError {
  case .notFinished: "notFinished"
  case .cancelled: "cancelled"
  case .graphCycle: "graphCycle"
  case .nodeOfAnotherGraph: "nodeOfAnotherGraph"
  case .graphIsRunning: "graphIsRunning"
  case .timedOut: "timedOut"
  case .alreadyQueued: "alreadyQueued"
  case .alreadyFinished: "alreadyFinished"
  case .alreadyExecuting: "alreadyExecuting"
  case .ownedByQueue: "ownedByQueue"
  case .notReady: "notReady"
  case .dependencyCycle: "dependencyCycle"
  case .invalidLimit: "invalidLimit"
  case .invalidRetryPolicy: "invalidRetryPolicy"
  case .resourcesInUse: "resourcesInUse"
  case .badAmount: "badAmount"
  case .resourcesAskedFor: "resourcesAskedFor"
  case .listedTwice: "listedTwice"
  case nil: error.map { "\($0)" } ?? "none"
  }
}

/// What `body` throws.
func thrown<Value>(_ body: () throws -> Value) -> (any Error)? {
  do {
    _ = try body()
    return nil
  } catch {
    return error
  }
}

/// Both forms of a body: as a call and as a task.
private func both<Success: Sendable>(
  _ body: @escaping @Sendable () throws -> Success
) -> [ResultOperation<Success>] {
  [
    ResultOperation(body),
    ResultOperation {
      await Task.yield()
      return try body()
    },
  ]
}

extension OperationLayer {
  /// Operations with a typed result.
  @Suite struct ResultOperationTests {
    @Test(.contract(79, 80), arguments: Kind.all)
    func resultIsNilUntilFinishedThenTheBodys(_ kind: Kind) throws {
      let queue = kind.queue()
      queue.isSuspended = true
      let values = both { 42 }
      let failures = both { () throws -> Int in throw BodyError(number: 7) }
      queue.addOperations(values + failures, waitUntilFinished: false)
      for operation in values + failures {
        #expect(operation.result == nil)
        #expect(caseName(thrown(operation.value)) == "notFinished")
      }
      queue.isSuspended = false
      queue.expectQuiet()
      for operation in values { #expect(try operation.value() == 42) }
      for operation in failures {
        #expect(thrown(operation.value) as? BodyError == BodyError(number: 7))
        let error = thrown { try operation.result?.get() }
        #expect(error as? BodyError == BodyError(number: 7))
      }
      #expect(values.map(\.isAsynchronous) == [false, true])
    }

    @Test(.contract(80), arguments: Kind.each)
    func voidIsAnOrdinaryValue(_ kind: Kind) throws {
      let queue = kind.queue()
      let operations = both {}
      queue.addOperations(operations, waitUntilFinished: false)
      queue.expectQuiet()
      for operation in operations { try operation.value() }
    }

    @Test(.contract(80), arguments: Kind.each)
    func cancelledBeforeItRanThrowsCancelled(_ kind: Kind) {
      let queue = kind.queue()
      let blocker = Operation()
      let operations = both { 1 }
      for operation in operations { operation.addDependency(blocker) }
      queue.addOperations(operations, waitUntilFinished: false)
      for operation in operations { operation.cancel() }
      queue.expectQuiet()
      for operation in operations {
        #expect(caseName(thrown(operation.value)) == "cancelled")
        #expect(operation.result != nil)
      }
      let manual = ResultOperation { 1 }
      manual.cancel()
      #expect(caseName(thrown(manual.value)) == "notFinished")
      manual.start()
      #expect(caseName(thrown(manual.value)) == "cancelled")
    }

    @Test(.contract(81), arguments: Kind.all)
    func cancelledMidwayKeepsTheRealResult(_ kind: Kind) throws {
      let queue = kind.queue()
      let operation = ResultOperation { () -> Bool in
        let mine = queue.operations.first { $0.isExecuting }
        mine?.cancel()
        return mine?.isCancelled ?? false
      }
      queue.addOperation(operation)
      queue.expectQuiet()
      #expect(operation.isCancelled)
      #expect(try operation.value() == true)
      // A task that takes no notice of its cancellation.
      let gate = AsyncGate()
      let task = ResultOperation { () async -> Bool in
        await gate.wait()
        // The worker that started the task may not have passed the cancellation on yet.
        let deadline = ContinuousClock.now + patience
        while !Task.isCancelled, ContinuousClock.now < deadline { await Task.yield() }
        return Task.isCancelled
      }
      queue.addOperation(task)
      #expect(waitUntil(deadline: patience) { gate.waitingCount == 1 })
      task.cancel()
      gate.open()
      queue.expectQuiet()
      #expect(try task.value() == true)
    }

    /// Readers on other threads see nothing or the whole value.
    @Test(.contract(80, 9), arguments: Kind.each)
    func readersSeeNothingOrTheWholeValue(_ kind: Kind) {
      let queue = kind.queue()
      for round in 0..<(1_000 / slowness + 10) {
        let operation = both { Array(repeating: round, count: 8) }[round % 2]
        onThreads(3) { thread in
          if thread == 0 { queue.addOperation(operation) }
          while true {
            guard let result = operation.result else { continue }
            #expect((try? result.get()) == Array(repeating: round, count: 8))
            return
          }
        }
      }
      queue.expectQuiet()
    }

    @Test(.contract(79, 130), arguments: Kind.each)
    func capturesDieAtTheFinishAndTheResultWithTheOperation(_ kind: Kind) {
      let (captures, results) = (LifetimeCounter(), LifetimeCounter())
      let queue = kind.queue()
      do {
        var operations: [Operation] = []
        for _ in 0..<10 {
          let token = captures.token()
          operations += both { () -> LifetimeCounter.Token in
            withExtendedLifetime(token) { results.token() }
          }
        }
        for operation in operations.prefix(4) { operation.cancel() }
        queue.addOperations(operations, waitUntilFinished: false)
        queue.expectQuiet()
        #expect(captures.live == 0)
        #expect(results.live == 16)
      }
      #expect(waitUntil { results.live == 0 })
    }

    // MARK: Passing results on

    @Test(.contract(82), arguments: Kind.all)
    func resultIsPassedInBeforeTheStart(_ kind: Kind) {
      let queue = kind.queue()
      for sources in [both { 20 }, both { () throws -> Int in throw BodyError() }] {
        let received = Locked<[Result<Int, any Error>]>([])
        let dependents: [Operation] = [
          TestOperation { _ in #expect(received.withLock { $0.count } >= 2) },
          TestAsyncOperation { $0.finish() },
          BlockOperation { #expect(received.withLock { $0.count } >= 2) },
          AsyncOperation { await Task.yield() },
        ]
        for dependent in dependents {
          for source in sources {
            dependent.addDependency(on: source) { [unowned dependent] result in
              #expect(source.isFinished && !dependent.isFinished)
              received.withLock { $0.append(result) }
            }
          }
          #expect(dependent.dependencies == sources)
        }
        queue.addOperations(dependents + sources, waitUntilFinished: false)
        queue.expectQuiet()
        let results = received.withLock { $0 }
        #expect(results.count == 8)
        #expect(results.allSatisfy { (try? $0.get()) == (try? sources[0].value()) })
      }
    }

    @Test(.contract(82), arguments: Kind.each)
    func chainOfValues(_ kind: Kind) throws {
      let queue = kind.queue()
      let first = ResultOperation { 1 }
      var last = first
      for number in 0..<100 {
        last =
          number % 2 == 0
          ? ResultOperation(from: last) { $0 + 1 }
          : ResultOperation(from: last) { value async in
            await Task.yield()
            return value + 1
          }
        queue.addOperation(last)
      }
      queue.addOperation(first)
      queue.expectQuiet()
      #expect(try last.value() == 101)
    }

    /// A body may be all that keeps what it computes from, and so on.
    @Test(.contract(132), arguments: [false, true])
    func longChainOfValuesIsReleasedOnASmallStack(_ isRun: Bool) throws {
      let last = Locked<ResultOperation<Int>?>(ResultOperation { 0 })
      for number in 0..<20_000 {
        last.withLock { last in
          guard let source = last else { return }
          let next = ResultOperation(from: source) { $0 + 1 }
          if number % 2 == 0 { next.addDependency(on: source) { _ in } }
          last = next
        }
      }
      if isRun {
        let queue = Kind.pools[1].queue()
        var operations: [Operation] = []
        var next: Operation? = last.withLock { $0 }
        while let operation = next {
          operations.append(operation)
          next = operation.dependencies.first
        }
        queue.addOperations(operations, waitUntilFinished: false)
        queue.expectQuiet()
        let value = try last.withLock { $0 }?.value()
        #expect(value == 20_000)
      }
      try SystemThread.start(name: "releaser", stackSize: 512 << 10) {
        let end = last.withLock { $0.take() }
        #expect(end != nil)
      }.join()
    }

    @Test(.contract(82), arguments: Kind.each)
    func dependentFailsWithItsDependencysError(_ kind: Kind) {
      let queue = kind.queue()
      let ran = Atomic<Int>(0)
      let failing = both { () throws -> Int in throw BodyError(number: 3) }
      for source in failing + both({ 1 }) {
        let dependents = both { _ = ran.add(1, ordering: .relaxed) }
        for dependent in dependents {
          // Fails with the dependency's error or with its own.
          dependent.addDependency(onValueOf: source, inject: { _ in throw BodyError(number: 3) })
        }
        let mapped = ResultOperation(from: failing[0]) { _ in
          _ = ran.add(1, ordering: .relaxed)
        }
        queue.addOperations(dependents + [source, mapped], waitUntilFinished: false)
        for dependent in dependents + (source === failing[0] ? [mapped] : []) {
          dependent.waitUntilFinished()
          #expect(thrown(dependent.value) as? BodyError == BodyError(number: 3))
        }
      }
      queue.expectQuiet()
      #expect(ran.load(ordering: .relaxed) == 0)
      let cancelled = ResultOperation { 1 }
      cancelled.cancel()
      let dependent = ResultOperation(from: cancelled) { $0 }
      queue.addOperations([dependent, cancelled], waitUntilFinished: false)
      queue.expectQuiet()
      #expect(caseName(thrown(dependent.value)) == "cancelled")
    }

    /// Another thread finishes the operation while results are passed in, and lets go of those that
    /// come after.
    @Test(.contract(69, 82), arguments: Kind.pools)
    func finishingWhileResultsArePassedIn(_ kind: Kind) {
      let queue = kind.queue()
      queue.retainsFinishedDependencies = false
      let dependent = AsyncOperation { _ in }
      do {
        let sources = [ResultOperation { 1 }, ResultOperation { 2 }]
        dependent.addDependency(on: sources[0]) { [unowned dependent] _ in
          try? SystemThread.start(name: "finisher") { dependent.finish() }.join()
        }
        dependent.addDependency(on: sources[1]) { _ in }
        queue.addOperations(sources + [dependent], waitUntilFinished: false)
      }
      queue.expectQuiet()
      #expect(dependent.isFinished)
    }

    @Test(.contract(82), arguments: Kind.each)
    func nothingIsPassedToWhatDoesNotRunOrDependsNoMore(_ kind: Kind) {
      let queue = kind.queue()
      let lifetimes = LifetimeCounter()
      let passed = Atomic<Int>(0)
      let source = ResultOperation { 1 }
      let (removed, cancelled, late) = (Operation(), Operation(), Operation())
      late.start()
      for dependent in [removed, cancelled, late] {
        let token = lifetimes.token()
        dependent.addDependency(on: source) { _ in
          withExtendedLifetime(token) {}
          passed.add(1, ordering: .relaxed)
        }
      }
      removed.removeDependency(source)
      removed.addDependency(source)
      queue.addOperations([removed, cancelled], waitUntilFinished: false)
      cancelled.cancel()
      queue.addOperation(source)
      queue.expectQuiet()
      #expect(passed.load(ordering: .relaxed) == 0)
      #expect(lifetimes.live == 0)
    }

    /// An edge added while the dependent is already with the scheduler passes the result, or has no
    /// effect at all.
    @Test(.contract(82, 28), arguments: Kind.each)
    func lateEdgePassesTheResultOrHasNoEffect(_ kind: Kind) {
      let queue = kind.queue()
      for _ in 0..<(1_000 / slowness + 10) {
        let source = ResultOperation { 5 }
        let passed = Atomic<Int>(0)
        let seen = Atomic<Int>(-1)
        let dependent = TestOperation { _ in
          seen.store(passed.load(ordering: .relaxed), ordering: .relaxed)
        }
        queue.addOperation(dependent)
        dependent.addDependency(on: source) { result in
          passed.store((try? result.get()) ?? 0, ordering: .relaxed)
        }
        queue.addOperation(source)
        dependent.waitUntilFinished()
        #expect(seen.load(ordering: .relaxed) == passed.load(ordering: .relaxed))
      }
      queue.expectQuiet()
    }
  }
}
