// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
import Operations
import Scheduling
import Synchronization
import TestSupport
import Testing

/// Suspends tasks until it is opened; whoever opens it resumes them.
final class AsyncGate: Sendable {
  private struct State: Sendable {
    var isOpen = false
    var waiting: [CheckedContinuation<Void, Never>] = []
  }
  private let state = Locked(State())

  func wait() async {
    await withCheckedContinuation { continuation in
      let isOpen = state.withLock { state in
        if !state.isOpen { state.waiting.append(continuation) }
        return state.isOpen
      }
      if isOpen { continuation.resume() }
    }
  }

  var waitingCount: Int { state.withLock { $0.waiting.count } }

  func open() {
    let waiting = state.withLock { state in
      state.isOpen = true
      defer { state.waiting = [] }
      return state.waiting
    }
    for continuation in waiting { continuation.resume() }
  }
}

/// What a body of a test fails with.
struct BodyError: Error, Equatable {
  var number = 0
}

/// Where parts of bodies ran.
private final class Places: Sendable {
  private let found = Locked<[(thread: ThreadProbe, queue: OperationQueue?)]>([])
  func noteHere() {
    let here = (ThreadProbe.current, OperationQueue.current)
    found.withLock { $0.append(here) }
  }
  var threads: Set<ThreadProbe> { Set(found.withLock { $0 }.map(\.thread)) }
  var queues: [OperationQueue?] { found.withLock { $0 }.map(\.queue) }
}

extension OperationLayer {
  /// Bodies that run as tasks.
  @Suite struct TaskBodyTests {
    @Test(.contract(72), arguments: Kind.all)
    func everyPartRunsOnTheSchedulersWorkers(_ kind: Kind) {
      let scheduler = kind.make(kind.workers)
      let queue = OperationQueue(scheduler: scheduler)
      let (places, gate) = (Places(), AsyncGate())
      let operation = AsyncOperation {
        places.noteHere()
        await Task.yield()
        places.noteHere()
        await gate.wait()
        places.noteHere()
        async let child: Void = places.noteHere()
        await child
        await withTaskGroup(of: Void.self) { group in
          for _ in 0..<4 { group.addTask { places.noteHere() } }
        }
        places.noteHere()
      }
      queue.addOperation(operation)
      #expect(waitUntil(deadline: patience) { gate.waitingCount == 1 })
      #expect(operation.isExecuting)
      onThreads(1) { _ in gate.open() }
      queue.expectQuiet()
      #expect(operation.error == nil)
      let queues = places.queues
      #expect(queues.count == 9 && queues.allSatisfy { $0 === queue })
      // libdispatch's threads come and go, and inline has none: there the queue above says it.
      if kind.name == "thread-pool" || kind.name == "work-stealing" {
        #expect(places.threads.isSubset(of: ThreadProbe.workers(kind.workers, of: scheduler)))
      }
    }

    /// Decision on `inline`: whoever makes a part runnable runs it.
    @Test(.contract(72)) func inlineRunsPartsOnTheThreadThatStartsOrResumes() {
      let queue = Kind.inline.queue()
      let (gate, before, after) = (AsyncGate(), Places(), Places())
      let operation = AsyncOperation {
        before.noteHere()
        await gate.wait()
        after.noteHere()
      }
      queue.addOperation(operation)
      #expect(before.threads == [.current] && after.threads.isEmpty)
      let resumer = Locked<ThreadProbe?>(nil)
      onThreads(1) { _ in
        let here = ThreadProbe.current
        resumer.withLock { $0 = here }
        gate.open()
      }
      #expect(operation.isFinished)
      #expect(after.threads == resumer.withLock { $0.map { [$0] } ?? [] })
    }

    @Test(.contract(72, 18)) func manualStartBeginsOnTheCallingThread() {
      let places = Places()
      let operation = AsyncOperation {
        places.noteHere()
        await Task.yield()
        throw BodyError()
      }
      operation.start()
      #expect(operation.isFinished && places.threads == [.current])
      #expect(operation.error as? BodyError == BodyError())
    }

    @Test(.contract(72, 136), arguments: Kind.all)
    func suspendedBodiesHoldNoWorker(_ kind: Kind) {
      let queue = kind.queue()
      let gate = AsyncGate()
      let count = 200
      let suspended = (0..<count).map { _ in AsyncOperation { await gate.wait() } }
      queue.addOperations(suspended, waitUntilFinished: false)
      #expect(waitUntil(deadline: patience) { gate.waitingCount == count })
      let other = TestOperation()
      queue.addOperation(other)
      #expect(other.wait(timeout: patience))
      #expect(suspended.allSatisfy { $0.isExecuting && !$0.isFinished })
      #expect(queue.operationCount >= count)
      gate.open()
      queue.expectQuiet()
      #expect(suspended.allSatisfy { $0.isFinished && $0.surplusFinishCount == 0 })
    }

    @Test(.contract(72, 65), arguments: Kind.each)
    func suspendedBodyKeepsItsSlot(_ kind: Kind) {
      let queue = kind.queue()
      queue.maxConcurrentOperationCount = 1
      let gate = AsyncGate()
      let first = AsyncOperation { await gate.wait() }
      let second = TestOperation()
      queue.addOperations([first, second], waitUntilFinished: false)
      #expect(waitUntil(deadline: patience) { gate.waitingCount == 1 })
      #expect(!second.isExecuting && !second.isFinished)
      gate.open()
      queue.expectQuiet()
      #expect(second.runCount == 1)
    }

    @Test(.contract(72), arguments: Kind.all)
    func cancelCancelsTheTask(_ kind: Kind) {
      let queue = kind.queue()
      let begun = Atomic<Int>(0)
      let operations = (0..<20).map { _ in
        AsyncOperation {
          begun.add(1, ordering: .releasing)
          try await Task.sleep(for: .seconds(3_600))
        }
      }
      queue.addOperations(operations, waitUntilFinished: false)
      #expect(waitUntil(deadline: patience) { begun.load(ordering: .acquiring) == 20 })
      queue.cancelAllOperations()
      queue.expectQuiet()
      #expect(operations.allSatisfy { $0.isFinished && $0.error is CancellationError })
    }

    /// A cancellation between the start and the moment the task is known must reach it as well.
    @Test(.contract(72), arguments: Kind.each)
    func cancelRacingTheStartIsNotLost(_ kind: Kind) {
      let queue = kind.queue()
      for _ in 0..<(5_000 / slowness) {
        let operation = AsyncOperation { try await Task.sleep(for: .seconds(3_600)) }
        if kind.isInline {
          // Cancelled from inside another operation, after the start.
          queue.addOperations(
            [operation, BlockOperation { operation.cancel() }], waitUntilFinished: false)
        } else {
          queue.addOperation(operation)
          operation.cancel()
        }
        operation.waitUntilFinished()
      }
      queue.expectQuiet()
    }

    @Test(.contract(72, 13), arguments: Kind.each)
    func cancelledBeforeTheStartNeverRuns(_ kind: Kind) {
      let queue = kind.queue()
      let ran = Atomic<Bool>(false)
      let lifetimes = LifetimeCounter()
      var operations: [Operation] = []
      for _ in 0..<10 {
        let token = lifetimes.token()
        operations.append(
          AsyncOperation {
            withExtendedLifetime(token) {}
            ran.store(true, ordering: .relaxed)
          })
      }
      for operation in operations { operation.cancel() }
      queue.addOperations(operations, waitUntilFinished: false)
      queue.expectQuiet()
      #expect(ran.load(ordering: .relaxed) == false)
      #expect(operations.allSatisfy(\.isFinished) && lifetimes.live == 0)
    }

    /// Needs no slot: the class has no hooks.
    @Test(.contract(49, 72), arguments: Kind.each)
    func cancelledOneNeedsNoSlot(_ kind: Kind) {
      let queue = kind.queue()
      queue.maxConcurrentOperationCount = 1
      let gate = AsyncGate()
      let holder = AsyncOperation { await gate.wait() }
      queue.addOperation(holder)
      #expect(waitUntil(deadline: patience) { gate.waitingCount == 1 })
      let waiting: [Operation] = [
        AsyncOperation {}, AsyncOperation { $0.finish() }, ResultOperation<Int> { 1 },
        ResultOperation<Int> {
          await Task.yield()
          return 1
        },
      ]
      queue.addOperations(waiting, waitUntilFinished: false)
      for operation in waiting { operation.cancel() }
      for operation in waiting { #expect(operation.wait(timeout: patience)) }
      #expect(!holder.isFinished)
      gate.open()
      queue.expectQuiet()
    }

    @Test(.contract(72, 130), arguments: Kind.all)
    func capturesDieWithTheBody(_ kind: Kind) {
      let lifetimes = LifetimeCounter()
      let queue = kind.queue()
      var operations: [AsyncOperation] = []
      for number in 0..<50 {
        let token = lifetimes.token()
        let operation = AsyncOperation {
          await Task.yield()
          withExtendedLifetime(token) {}
          if number % 2 == 0 { throw BodyError(number: number) }
        }
        operation.completionBlock = { [token = lifetimes.token()] in
          withExtendedLifetime(token) {}
        }
        operations.append(operation)
      }
      queue.addOperations(operations, waitUntilFinished: false)
      queue.expectQuiet()
      #expect(lifetimes.live == 0)
      let errors = operations.compactMap { ($0.error as? BodyError)?.number }
      #expect(errors == Array(stride(from: 0, to: 50, by: 2)))
    }

    /// What the body writes is visible to dependents, and they start after it only.
    @Test(.contract(72, 35), arguments: Kind.all)
    func dependentsFollowTheEndOfTheTask(_ kind: Kind) {
      let queue = kind.queue()
      nonisolated(unsafe) var value = 0
      var previous: Operation?
      for _ in 0..<100 {
        let operation = AsyncOperation {
          unsafe value += 1
          await Task.yield()
          unsafe value += 1
        }
        if let previous { operation.addDependency(previous) }
        queue.addOperation(operation)
        previous = operation
      }
      queue.expectQuiet()
      #expect(unsafe value == 200)
    }
  }
}
