// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
import Operations
import Synchronization
import TestSupport
import Testing

/// Work that a timer of somebody else drives, and that a cancellation stops.
private final class TimerDriven: AsyncOperation, @unchecked Sendable {
  let hooks = Locked<[ThreadProbe]>([])
  let isRunning = Atomic<Bool>(false)
  private let finishesInHook: Bool

  init(finishesInHook: Bool) {
    self.finishesInHook = finishesInHook
    super.init()
  }

  override func main() { isRunning.store(true, ordering: .releasing) }

  override func didCancel() {
    let here = ThreadProbe.current
    hooks.withLock { $0.append(here) }
    // The timer is stopped: it will never call back.
    isRunning.store(false, ordering: .releasing)
    if finishesInHook { finish() }
  }
}

extension OperationLayer {
  /// The cancel hook of asynchronous operations.
  @Suite struct CancelHookTests {
    /// Stopping the timer on cancellation and never finishing would keep the queue's only slot for
    /// ever.
    @Test(.contract(70), arguments: Kind.each)
    func stoppedTimerDoesNotJamTheQueue(_ kind: Kind) {
      for finishesInHook in [true, false] {
        let queue = kind.queue()
        queue.maxConcurrentOperationCount = 1
        let operation = TimerDriven(finishesInHook: finishesInHook)
        operation.finishOnCancel = !finishesInHook
        let next = TestOperation()
        queue.addOperations([operation, next], waitUntilFinished: false)
        #expect(waitUntil(deadline: patience) { operation.isRunning.load(ordering: .acquiring) })
        operation.cancel()
        operation.cancel()
        queue.expectQuiet()
        #expect(operation.isFinished && operation.surplusFinishCount == 0)
        #expect(next.runCount == 1)
        #expect(operation.hooks.withLock { $0 } == [.current])
      }
    }

    @Test(.contract(70), arguments: Kind.each)
    func withoutFinishItGoesOnExecuting(_ kind: Kind) {
      let queue = kind.queue()
      let operation = TimerDriven(finishesInHook: false)
      queue.addOperation(operation)
      #expect(waitUntil(deadline: patience) { operation.isRunning.load(ordering: .acquiring) })
      operation.cancel()
      #expect(operation.isCancelled && operation.isExecuting && !operation.isFinished)
      #expect(!operation.wait(timeout: .milliseconds(1)))
      operation.finish()
      queue.expectQuiet()
    }

    @Test(.contract(70, 55), arguments: Kind.each)
    func notCalledUnlessExecutionHadBegun(_ kind: Kind) {
      let queue = kind.queue()
      let unqueued = TimerDriven(finishesInHook: true)
      unqueued.cancel()
      unqueued.start()
      let pending = TimerDriven(finishesInHook: true)
      pending.addDependency(Operation())
      queue.addOperation(pending)
      pending.cancel()
      let finished = TimerDriven(finishesInHook: true)
      finished.start()
      finished.finish()
      finished.cancel()
      queue.expectQuiet()
      for operation in [unqueued, pending, finished] {
        #expect(operation.isFinished && operation.hooks.withLock(\.isEmpty))
      }
      #expect(!finished.isCancelled)
      #expect(unqueued.surplusFinishCount == 0 && pending.surplusFinishCount == 0)
    }

    @Test(.contract(70)) func calledOnceHoweverManyCancel() {
      let queue = Kind.pools[4].queue()
      for _ in 0..<(300 / slowness + 10) {
        let operation = TimerDriven(finishesInHook: false)
        queue.addOperation(operation)
        #expect(waitUntil(deadline: patience) { operation.isRunning.load(ordering: .acquiring) })
        onThreads(3) { _ in operation.cancel() }
        #expect(operation.hooks.withLock(\.count) == 1)
        operation.finish()
      }
      queue.expectQuiet()
    }

    /// Every member may be used from inside the hook, other threads' calls included.
    @Test(.contract(71), arguments: Kind.each)
    func noLockIsHeldInTheHook(_ kind: Kind) {
      let queue = kind.queue()
      let done = Atomic<Bool>(false)
      let hooked = Atomic<Bool>(false)
      let operation = AsyncOperation(onCancel: { operation in
        hooked.store(true, ordering: .releasing)
        onThreads(1) { _ in
          operation.cancel()
          operation.queuePriority = .high
          operation.name = "hooked"
          operation.addDependency(Operation())
          operation.completionBlock = { done.store(true, ordering: .releasing) }
          _ = (operation.dependencies, operation.isReady, operation.isExecuting)
          _ = (queue.operations, queue.operationCount)
          queue.addOperation {}
        }
        operation.finish()
      }) { _ in }
      queue.addOperation(operation)
      #expect(waitUntil(deadline: patience) { operation.isExecuting })
      queue.cancelAllOperations()
      queue.expectQuiet()
      #expect(hooked.load(ordering: .acquiring) && done.load(ordering: .acquiring))
    }

    @Test(.contract(68), arguments: Kind.all)
    func closureBeginsTheWorkAndAnyThreadEndsIt(_ kind: Kind) {
      let queue = kind.queue()
      let lifetimes = LifetimeCounter()
      let begun = Locked<[AsyncOperation]>([])
      var operations: [AsyncOperation] = []
      for _ in 0..<20 {
        let token = lifetimes.token()
        operations.append(
          AsyncOperation(onCancel: { _ in withExtendedLifetime(token) {} }) { operation in
            withExtendedLifetime(token) {}
            begun.withLock { $0.append(operation) }
          })
      }
      queue.addOperations(operations, waitUntilFinished: false)
      #expect(waitUntil(deadline: patience) { begun.withLock { $0.count } == 20 })
      #expect(operations.allSatisfy { $0.isExecuting && $0.isAsynchronous })
      onThreads(4) { thread in
        for number in 0..<5 {
          let operation = begun.withLock { $0[thread * 5 + number] }
          if number == 0 { operation.finish(throwing: BodyError(number: thread)) }
          operation.finish()
        }
      }
      queue.expectQuiet()
      begun.withLock { $0 = [] }
      #expect(operations.compactMap { $0.error as? BodyError }.count == 4)
      #expect(operations.reduce(0) { $0 + $1.surplusFinishCount } == 4)
      #expect(lifetimes.live == 0)
    }

    /// 4: no reader sees both, while other threads start and finish.
    @Test(.contract(4, 69), arguments: Kind.each)
    func executingAndFinishedAreNeverBothTrue(_ kind: Kind) {
      let queue = kind.queue()
      for _ in 0..<(500 / slowness + 10) {
        let operation = AsyncOperation { $0.finish() }
        let stop = Atomic<Bool>(false)
        let both = Atomic<Bool>(false)
        onThreads(2) { thread in
          if thread == 0 {
            queue.addOperation(operation)
            operation.finish()
            operation.waitUntilFinished()
            stop.store(true, ordering: .releasing)
          } else {
            while !stop.load(ordering: .acquiring) {
              let isFinished = operation.isFinished
              if isFinished, operation.isExecuting { both.store(true, ordering: .relaxed) }
            }
          }
        }
        #expect(both.load(ordering: .relaxed) == false)
      }
      queue.expectQuiet()
    }

    /// A class that overrides `start()` looks for cancellation first and finishes all the same.
    @Test(.contract(55), arguments: Kind.each)
    func customStartFinishesWhenCancelledBeforeItBegan(_ kind: Kind) {
      final class Custom: Operation, @unchecked Sendable {
        let isOver = Atomic<Bool>(false)
        let ran = Atomic<Bool>(false)
        override var isAsynchronous: Bool { true }
        override var isFinished: Bool { isOver.load(ordering: .acquiring) }
        override var isExecuting: Bool { ran.load(ordering: .acquiring) && !isFinished }
        override func start() {
          if !isCancelled { ran.store(true, ordering: .releasing) }
          willChangeValue(forKey: "isFinished")
          isOver.store(true, ordering: .releasing)
          didChangeValue(forKey: "isFinished")
        }
      }
      let queue = kind.queue()
      let operations = (0..<10).map { _ in Custom() }
      let dependent = TestOperation()
      for operation in operations { dependent.addDependency(operation) }
      for operation in operations.prefix(5) { operation.cancel() }
      queue.addOperations(operations + [dependent], waitUntilFinished: false)
      queue.expectQuiet()
      #expect(operations.allSatisfy { $0.isFinished && !$0.isExecuting })
      #expect(operations.filter { $0.ran.load(ordering: .relaxed) }.count == 5)
      #expect(dependent.runCount == 1)
    }

    private final class Noting: AsyncOperation, @unchecked Sendable {
      let lines = Lines()
      override func main() { lines.note("main, cancelled \(isCancelled)") }
      override func didCancel() { lines.note("hook") }
    }

    /// Observers are told of the beginning before `main()` is called, and may cancel or finish the
    /// operation.
    @Test(.contract(70), arguments: Kind.each, [true, false])
    func hookFollowsTheBeginningOfTheBody(_ kind: Kind, isQueued: Bool) {
      let queue = kind.queue()
      func run(_ operation: Noting, _ body: @escaping @Sendable (Noting) -> Void) -> [String] {
        let token = operation.observe(\.isExecuting) { [unowned operation] _, change in
          if change.newValue { body(operation) }
        }
        if isQueued { queue.addOperation(operation) } else { operation.start() }
        #expect(operation.wait(timeout: patience) && operation.surplusFinishCount == 0)
        queue.expectQuiet()
        withExtendedLifetime(token) {}
        return operation.lines.all
      }
      let cancelled = Noting()
      cancelled.finishOnCancel = true
      #expect(run(cancelled) { $0.cancel() } == ["main, cancelled true", "hook"])
      #expect(run(Noting()) { $0.finish() } == [])
      let both = run(Noting()) { operation in
        operation.cancel()
        operation.finish()
      }
      #expect(both == [])
    }
  }
}
