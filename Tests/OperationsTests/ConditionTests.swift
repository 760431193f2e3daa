// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
import Operations
import Scheduling
import Synchronization
import TestSupport
import Testing

extension OperationLayer {
  @Suite struct ConditionTests {
    // MARK: Readiness conditions

    @Test(.contract(42), arguments: Kind.all)
    func aClosedGateHoldsBackWhateverTheClass(_ kind: Kind) {
      let queue = kind.queue()
      for limit in [-1, 1] {
        queue.maxConcurrentOperationCount = limit
        let gate = ReadinessGate()
        let begun = Atomic<Int>(0)
        let operations: [Operation] = [
          TestOperation { _ in begun.add(1, ordering: .relaxed) },
          BlockOperation { begun.add(1, ordering: .relaxed) },
          TestAsyncOperation {
            begun.add(1, ordering: .relaxed)
            $0.finish()
          },
        ]
        let dependency = TestOperation()
        for operation in operations {
          operation.addReadinessCondition(gate)
          operation.addDependency(dependency)
          #expect(!operation.isReady)
        }
        let fence = TestOperation()
        fence.addDependency(dependency)
        queue.addOperations(operations + [dependency, fence], waitUntilFinished: false)
        #expect(fence.wait(timeout: patience))
        #expect(begun.load(ordering: .relaxed) == 0 && queue.operationCount >= 3)
        gate.open()
        queue.expectQuiet()
        #expect(begun.load(ordering: .relaxed) == 3)
      }
    }

    @Test(.contract(41, 42), arguments: Kind.each)
    func aGateMayCloseAgain(_ kind: Kind) {
      let queue = kind.queue()
      let gate = ReadinessGate(isOpen: true)
      let operation = BlockOperation {}
      operation.addReadinessCondition(gate)
      queue.isSuspended = true
      queue.addOperation(operation)
      gate.close()
      queue.isSuspended = false
      let fence = TestOperation()
      queue.addOperation(fence)
      #expect(fence.wait(timeout: patience))
      #expect(!operation.isFinished && !operation.isReady)
      gate.open()
      queue.expectQuiet()
      #expect(operation.isFinished)
    }

    @Test(.contract(42), arguments: Kind.each)
    func aPredicateIsAskedAgainWhenSignalled(_ kind: Kind) {
      let queue = kind.queue()
      let left = Atomic<Int>(2)
      let condition = ReadinessPredicate { left.load(ordering: .acquiring) == 0 }
      let operation = TestOperation()
      operation.addReadinessCondition(condition)
      queue.addOperation(operation)
      for _ in 0..<2 {
        #expect(!operation.isFinished)
        left.subtract(1, ordering: .releasing)
        condition.signal()
      }
      queue.expectQuiet()
      #expect(operation.runCount == 1)
    }

    @Test(.contract(42), arguments: Kind.each)
    func aCancelledOperationDoesNotWaitForConditions(_ kind: Kind) {
      let queue = kind.queue()
      let gate = ReadinessGate()
      let operation = BlockOperation {}
      operation.addReadinessCondition(gate)
      queue.addOperation(operation)
      let fence = TestOperation()
      queue.addOperation(fence)
      #expect(fence.wait(timeout: patience))
      operation.cancel()
      queue.expectQuiet()
      #expect(operation.isFinished)
    }

    @Test(.contract(14, 42)) func aManualStartNeedsTheCondition() throws {
      let gate = ReadinessGate()
      let operation = Operation()
      operation.addReadinessCondition(gate)
      #expect(throws: OperationError.self) { try operation.tryStart() }
      let watch = Watch(operation)
      gate.open()
      try operation.tryStart()
      #expect(operation.isFinished)
      #expect(watch.lines.all.first == "ready false→true")
    }

    @Test(.contract(40, 42), arguments: Kind.pools)
    func openingRacesWithAdding(_ kind: Kind) {
      let queue = kind.queue()
      for round in 0..<(10_000 / slowness) {
        let gate = ReadinessGate()
        let operation: Operation = round % 2 == 0 ? BlockOperation {} : TestOperation()
        operation.addReadinessCondition(gate)
        let opener = BlockOperation { gate.open() }
        queue.addOperation(opener)
        queue.addOperation(operation)
      }
      queue.expectQuiet()
    }

    // MARK: Cancellation of dependents

    @Test(.contract(53), arguments: Kind.all)
    func dependentsAreCancelledOnlyWhereAskedFor(_ kind: Kind) {
      let queue = kind.queue()
      for isAsked in [false, true] {
        let head = TestOperation()
        head.cancelDependentsOnCancel = isAsked
        #expect(head.cancelDependentsOnCancel == isAsked)
        let middle = TestOperation()
        middle.cancelDependentsOnCancel = true
        let (last, removed) = (BlockOperation {}, TestOperation())
        let gate = Operation()
        head.addDependency(gate)
        middle.addDependency(head)
        last.addDependency(middle)
        removed.addDependency(head)
        let other = kind.queue()
        queue.addOperations([head, last, removed], waitUntilFinished: false)
        other.addOperation(middle)
        removed.removeDependency(head)
        head.cancel()
        queue.expectQuiet()
        other.expectQuiet()
        #expect(head.isCancelled && head.runCount == 0)
        #expect(middle.isCancelled == isAsked && middle.runCount == (isAsked ? 0 : 1))
        #expect(last.isCancelled == isAsked)
        #expect(!removed.isCancelled && removed.runCount == 1)
        // Dependents that come after the end.
        let (late, manual, running) = (TestOperation(), TestOperation(), TestOperation())
        late.addDependency(head)
        manual.addDependency(head)
        queue.addOperation(late)
        queue.isSuspended = true
        queue.addOperation(running)
        running.addDependency(head)
        queue.isSuspended = false
        queue.expectQuiet()
        manual.start()
        for operation in [late, manual, running] {
          #expect(operation.isCancelled == isAsked && operation.runCount == (isAsked ? 0 : 1))
        }
      }
    }

    @Test(.contract(53), arguments: Kind.each)
    func anOperationCancelledWhileItRunsCancelsItsDependents(_ kind: Kind) {
      let queue = kind.queue()
      let head = TestOperation { $0.cancel() }
      head.cancelDependentsOnCancel = true
      let dependents = (0..<10).map { _ in TestOperation() }
      for dependent in dependents { dependent.addDependency(head) }
      queue.addOperations(dependents + [head], waitUntilFinished: false)
      queue.expectQuiet()
      #expect(head.runCount == 1)
      #expect(dependents.allSatisfy { $0.isCancelled && $0.runCount == 0 })
    }

    /// A cancelled operation was added without its ordinary edges: removing one must not make it
    /// wait for another.
    @Test(.contract(47, 54), arguments: Kind.each)
    func removingADependencyOfACancelledOperationBehindABarrier(_ kind: Kind) {
      let queue = kind.queue()
      queue.isSuspended = true
      queue.addOperation {}
      queue.addBarrierBlock {}
      let never = [Operation(), Operation()]
      let operation = TestOperation()
      for dependency in never { operation.addDependency(dependency) }
      operation.cancel()
      queue.addOperation(operation)
      operation.removeDependency(never[0])
      queue.isSuspended = false
      queue.expectQuiet()
      #expect(operation.isFinished && operation.runCount == 0)
    }

    // MARK: Finished dependencies

    @Test(.contract(25, 131), arguments: Kind.all)
    func finishedDependenciesAreDroppedWhereAskedFor(_ kind: Kind) {
      let lifetimes = LifetimeCounter()
      let queue = kind.queue()
      let chains = [true, false].map { retains -> Operation in
        var last = TestOperation(lifetimes)
        queue.isSuspended = true
        queue.addOperation(last)
        for _ in 0..<5 {
          let next = TestOperation(lifetimes)
          #expect(next.retainsFinishedDependencies)
          next.retainsFinishedDependencies = retains
          next.addDependency(last)
          #expect(next.dependencies.count == 1)
          queue.addOperation(next)
          last = next
        }
        queue.isSuspended = false
        queue.expectQuiet()
        return last
      }
      #expect(chains[0].dependencies.count == 1)
      #expect(chains[1].dependencies.isEmpty)
      #expect(waitUntil { lifetimes.live == 7 })
      // Of closures and handles.
      let handle = queue.addOperation {}
      queue.expectQuiet()
      #expect(handle.operation.dependencies.isEmpty)
      #expect(!BlockOperation(retainsFinishedDependencies: false) {}.retainsFinishedDependencies)
      withExtendedLifetime(chains) {}
    }

    /// The property of a queue counts for what is added, with or without dependencies by then.
    @Test(.contract(25, 131), arguments: Kind.all, [false, true])
    func aQueueMakesOperationsDropFinishedDependencies(_ kind: Kind, isObserved: Bool) {
      let lifetimes = LifetimeCounter()
      let queue = kind.queue()
      let names = Lines()
      let token = isObserved ? queue.observe(\.operationCount) { _, _ in names.note("") } : nil
      if isObserved { queue.eventHandler = { _ in } }
      func dependent(on dependency: Operation) -> Operation {
        let operation = BlockOperation {}
        operation.addDependency(dependency)
        return operation
      }
      queue.isSuspended = true
      var operations: [Operation] = []
      do {
        let first = TestOperation(lifetimes)
        let (early, one, batch) = (dependent(on: first), dependent(on: first), dependent(on: first))
        let (later, keeps) = (BlockOperation {}, dependent(on: TestOperation(lifetimes)))
        let many = BlockOperation {}
        for _ in 0..<5 { many.addDependency(TestOperation(lifetimes)) }
        queue.addOperations([first, early], waitUntilFinished: false)
        queue.addOperations(many.dependencies + keeps.dependencies, waitUntilFinished: false)
        #expect(queue.retainsFinishedDependencies)
        queue.retainsFinishedDependencies = false
        #expect(!queue.retainsFinishedDependencies)
        queue.addOperation(one)
        queue.addOperations([batch, many, keeps], waitUntilFinished: false)
        queue.addOperation(later)
        later.addDependency(first)
        keeps.retainsFinishedDependencies = true
        operations = [early, keeps, one, batch, later, many]
      }
      #expect(
        operations.map(\.retainsFinishedDependencies) == [true, true] + [
          false, false, false, false,
        ])
      #expect(operations.map(\.dependencies.count) == [1, 1, 1, 1, 1, 5])
      queue.isSuspended = false
      queue.expectQuiet()
      #expect(operations.map(\.dependencies.count) == [1, 1, 0, 0, 0, 0])
      // What the two keep.
      #expect(waitUntil { lifetimes.live == 2 })
      withExtendedLifetime(token) {}
    }

    // MARK: State of their own

    @Test(.contract(63, 64, 65, 71), arguments: Kind.all)
    func operationsWithStateOfTheirOwn(_ kind: Kind) {
      let queue = kind.queue()
      for limit in [-1, 1] {
        queue.maxConcurrentOperationCount = limit
        for isVerbose in [true, false] {
          for isSynchronous in [true, false] {
            let operation = OwnState(isVerbose: isVerbose, isSynchronous: isSynchronous)
            let dependent = TestOperation()
            dependent.addDependency(operation)
            let watch = Watch(operation)
            let completions = Log()
            operation.completionBlock = { completions.note(1) }
            queue.addOperations([operation, dependent], waitUntilFinished: false)
            if !isSynchronous {
              // Told, not only set: an end in between would leave no change to tell of.
              #expect(
                waitUntil(deadline: patience) { watch.lines.all == ["executing false→true"] })
              #expect(operation.isExecuting && dependent.runCount == 0)
              #expect(queue.operations.contains(operation))
              operation.end()
            }
            queue.expectQuiet()
            #expect(dependent.runCount == 1 && completions.values == [1])
            #expect(
              watch.lines.all == [
                "executing false→true", "executing true→false", "finished false→true",
              ])
          }
        }
      }
    }

    @Test(.contract(13, 55, 63), arguments: Kind.all)
    func cancelledOperationsWithStateOfTheirOwn(_ kind: Kind) {
      let queue = kind.queue()
      let gate = Operation()
      let operation = OwnState(isSynchronous: false)
      operation.addDependency(gate)
      let watch = Watch(operation)
      queue.addOperation(operation)
      operation.cancel()
      queue.expectQuiet()
      #expect(operation.starts.load(ordering: .relaxed) == 1)
      #expect(
        watch.lines.all == ["cancelled false→true", "ready false→true", "finished false→true"])
    }

    /// Started by hand, it releases dependents and waiters and runs its completion block like one
    /// in a queue.
    @Test(.contract(18, 63)) func manualStartOfAnOperationWithStateOfItsOwn() {
      let operation = OwnState(isSynchronous: false)
      let log = Log()
      let watch = Watch(operation)
      operation.completionBlock = { log.note(1) }
      operation.onFinish { _ in log.note(2) }
      let dependent = TestOperation()
      dependent.addDependency(operation)
      let queue = Kind.pools[1].queue()
      queue.addOperation(dependent)
      operation.start()
      #expect(!operation.isFinished && dependent.runCount == 0)
      operation.end()
      queue.expectQuiet()
      #expect(dependent.runCount == 1 && log.values == [2, 1])
      #expect(operation.wait(timeout: .zero))
      #expect(
        watch.lines.all == ["executing false→true", "executing true→false", "finished false→true"])
      #expect(throws: OperationError.self) { try queue.tryAddOperation(operation) }
    }

    @Test(.contract(66), arguments: Kind.each)
    func theEndAnnouncedBeforeTheStart(_ kind: Kind) {
      let queue = kind.queue()
      for limit in [-1, 1] {
        queue.maxConcurrentOperationCount = limit
        let operation = OwnState()
        operation.addDependency(Operation())
        let dependent = TestOperation()
        dependent.addDependency(operation)
        queue.addOperations([operation, dependent], waitUntilFinished: false)
        operation.end()
        queue.expectQuiet()
        #expect(operation.starts.load(ordering: .relaxed) == 0)
        #expect(operation.isFinished && !operation.isCancelled && dependent.runCount == 1)
      }
    }

    /// An observer that uses the operation again must not meet a lock of the base class.
    @Test(.contract(71), arguments: Kind.each)
    func announcementsHoldNoLock(_ kind: Kind) {
      let queue = kind.queue()
      let operation = TestAsyncOperation()
      let token = operation.observe(\.isFinished) { operation, _ in
        (operation as? TestAsyncOperation)?.finish()
        operation.cancel()
        operation.didChangeValue(forKey: "isFinished")
        operation.didChangeValue(forKey: "isReady")
      }
      queue.addOperation(operation)
      operation.finish()
      queue.expectQuiet()
      withExtendedLifetime(token) {}
    }
  }
}
