// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
import Operations
import OperationsDiagnosis
import Scheduling
import Synchronization
import TestSupport
import Testing

extension OperationLayer {
  /// What is done to an operation between a `finish()` in no queue and the moment when its queue
  /// lets go of it.
  @Suite(.contract(66)) struct EarlyFinishEditTests {
    /// Handed over and not begun: a limit that comes then makes a second handle, and the first one
    /// must not be parked.
    @Test(.contract(28, 66, 103), arguments: Kind.pools)
    func dependenciesAddedWhileItsHandleIsOutHoldNothingBack(_ kind: Kind) {
      let scheduler = kind.make(kind.workers)
      let occupation = Occupation(scheduler, workers: kind.workers)
      var queue: OperationQueue? = OperationQueue(scheduler: scheduler)
      weak let gone = queue
      let operation = TestAsyncOperation()
      let dependency = TestOperation()
      operation.finish()
      queue?.addOperation(operation)
      operation.addDependency(dependency)
      for _ in 0..<2 {
        queue?.maxConcurrentOperationCount = 1
        queue?.maxConcurrentOperationCount = -1
      }
      queue?.maxConcurrentOperationCount = 1
      _ = warnings(naming: "TestAsyncOperation") {
        occupation.end()
        queue?.expectQuiet()
      }
      #expect(operation.isFinished && operation.runs.load(ordering: .relaxed) == 0)
      #expect(operation.dependencies == [dependency])
      // The end of the dependency hands nothing over a second time.
      let other = OperationQueue(scheduler: scheduler)
      other.addOperation(dependency)
      other.expectQuiet()
      #expect(queue?.operationCount == 0)
      let last = TestOperation()
      queue?.addOperation(last)
      queue?.expectQuiet()
      #expect(last.runCount == 1)
      queue = nil
      #expect(waitUntil { gone == nil })
    }

    /// What may happen to an operation while its queue keeps it.
    enum Edit: CaseIterable, Sendable {
      case nothing, adding, removing, removingAll, addingMany, replacing, observing, condition
      case cancelling, level, limits

      func change(_ operation: Operation, in queue: OperationQueue) -> Any? {
        let listed = operation.dependencies
        switch self {
        case .nothing: break
        case .adding: operation.addDependency(Operation())
        case .removing: operation.removeDependency(listed[1])
        case .removingAll: for dependency in listed { operation.removeDependency(dependency) }
        case .addingMany: for _ in 0..<5 { operation.addDependency(Operation()) }
        case .replacing:
          operation.removeDependency(listed[0])
          operation.addDependency(Operation())
        case .observing: return operation.observe(\.isReady) { _, _ in }
        case .condition: operation.addReadinessCondition(ReadinessGate())
        case .cancelling: operation.cancel()
        case .level: operation.queuePriority = .high
        case .limits:
          queue.maxConcurrentOperationCount = 1
          queue.maxConcurrentOperationCount = -1
        }
        return nil
      }
    }

    /// An operation that was finished in no queue, with that many dependencies which never finish.
    private func finished(dependencies: Int) -> TestAsyncOperation {
      let operation = TestAsyncOperation()
      for _ in 0..<dependencies { operation.addDependency(Operation()) }
      operation.finish()
      return operation
    }

    @Test(.contract(26, 28, 66, 103), arguments: Kind.all, [2, 5])
    func editsBehindABarrierLoseNothing(_ kind: Kind, dependencies: Int) {
      for edit in Edit.allCases {
        for takesEvents in [false, true] {
          let queue = kind.queue()
          if takesEvents { queue.eventHandler = { _ in } }
          let older = TestAsyncOperation()
          queue.addOperation(older)
          let barrier = Atomic<Int>(0)
          queue.addBarrierBlock { barrier.add(1, ordering: .relaxed) }
          let operation = finished(dependencies: dependencies)
          let dependent = TestOperation()
          dependent.addDependency(operation)
          queue.addOperations([operation, dependent], waitUntilFinished: false)
          let kept = edit.change(operation, in: queue)
          guard case .behindBarrier? = queue.stallReport()[operation]?.reasons.first else {
            Issue.record("\(edit): \(queue.stallReport())")
            continue
          }
          _ = warnings(naming: "TestAsyncOperation") {
            older.finish()
            queue.expectQuiet("\(edit), events taken: \(takesEvents)\n\(queue.stallReport())")
          }
          #expect(operation.isFinished && dependent.isFinished && dependent.runCount == 1)
          #expect(barrier.load(ordering: .relaxed) == 1)
          withExtendedLifetime(kept) {}
        }
      }
    }

    @Test(.contract(28, 66, 115), arguments: Kind.all, [0, 2, 5])
    func editsUnderASuspensionLoseNothing(_ kind: Kind, dependencies: Int) {
      for edit in Edit.allCases where dependencies > 1 || edit != .removing && edit != .replacing {
        let queue = kind.queue()
        queue.isSuspended = true
        let operation = finished(dependencies: dependencies)
        queue.addOperation(operation)
        let kept = edit.change(operation, in: queue)
        #expect(queue.stallReport()[operation]?.reasons == [.suspended], "\(edit)")
        _ = warnings(naming: "TestAsyncOperation") {
          queue.isSuspended = false
          queue.expectQuiet("\(edit)\n\(queue.stallReport())")
        }
        #expect(operation.isFinished && operation.runs.load(ordering: .relaxed) == 0)
        withExtendedLifetime(kept) {}
      }
    }

    @Test(arguments: Kind.each)
    func itIsReadyAndObserversAreTold(_ kind: Kind) {
      let operation = TestAsyncOperation()
      operation.addDependency(Operation())
      operation.addReadinessCondition(ReadinessGate())
      let watch = Watch(operation)
      #expect(!operation.isReady)
      operation.finish()
      #expect(operation.isReady && !operation.isFinished && !operation.isCancelled)
      operation.addDependency(Operation())
      #expect(operation.isReady)
      let queue = kind.queue()
      _ = warnings(naming: "TestAsyncOperation") {
        queue.addOperation(operation)
        queue.expectQuiet()
      }
      #expect(watch.lines.all == ["ready false→true", "finished false→true"])
      watch.end()
    }

    @Test(.contract(14, 66)) func startFinishesItWhateverItWaitsFor() throws {
      let operation = TestAsyncOperation()
      operation.addDependency(Operation())
      operation.finish()
      operation.addDependency(Operation())
      try operation.tryStart()
      #expect(operation.isFinished && operation.runs.load(ordering: .relaxed) == 0)
    }

    /// A finished dependency that passes its cancellation on is ignored like any other.
    @Test(.contract(53, 66), arguments: Kind.each)
    func itInheritsNoCancellation(_ kind: Kind) throws {
      let source = Operation()
      source.cancelDependentsOnCancel = true
      source.cancelAndFinish()
      let (added, started) = (TestAsyncOperation(), TestAsyncOperation())
      for operation in [added, started] {
        operation.addDependency(source)
        operation.finish()
      }
      let queue = kind.queue()
      _ = warnings(naming: "TestAsyncOperation") {
        queue.addOperation(added)
        queue.expectQuiet()
      }
      try started.tryStart()
      #expect(added.isFinished && started.isFinished)
      #expect(!added.isCancelled && !started.isCancelled)
    }

    /// What needs no slot waits for a worker, and closes no cycle of slots.
    @Test(.contract(49, 117), arguments: Kind.pools, [0, 1])
    func theReportBlamesNoSlotForASkip(_ kind: Kind, limit: Int) {
      let scheduler = kind.make(kind.workers)
      let queue = OperationQueue(scheduler: scheduler)
      let holder = TestAsyncOperation()
      queue.addOperation(holder)
      #expect(waitUntil(deadline: patience) { holder.isExecuting })
      let occupation = Occupation(scheduler, workers: kind.workers)
      queue.maxConcurrentOperationCount = limit
      let cancelled = BlockOperation {}
      let finished = finished(dependencies: 1)
      let waiting = BlockOperation {}
      cancelled.cancel()
      queue.addOperations([cancelled, finished, waiting], waitUntilFinished: false)
      let report = queue.stallReport()
      for operation in [cancelled, finished] {
        guard case .noWorker? = report[operation]?.reasons.first else {
          Issue.record("\(report)")
          continue
        }
      }
      #expect(report[waiting]?.reasons == [.noSlot(limit: limit, running: 1)])
      queue.maxConcurrentOperationCount = -1
      _ = warnings(naming: "TestAsyncOperation") {
        occupation.end()
        holder.finish()
        queue.expectQuiet()
      }
    }

    /// However often a limit comes and goes while no worker has come to it.
    @Test(.contract(49, 134), arguments: Kind.pools)
    func oneSkipIsEnough(_ kind: Kind) {
      let scheduler = CountingScheduler(kind.make(kind.workers))
      let occupation = Occupation(scheduler, workers: kind.workers)
      let queue = OperationQueue(scheduler: scheduler)
      let cancelled = BlockOperation {}
      cancelled.cancel()
      queue.addOperations([cancelled, finished(dependencies: 0)], waitUntilFinished: false)
      let before = scheduler.submittedJobs
      for _ in 0..<100 {
        queue.maxConcurrentOperationCount = 1
        queue.maxConcurrentOperationCount = -1
      }
      #expect(scheduler.submittedJobs == before + 2)
      _ = warnings(naming: "TestAsyncOperation") {
        occupation.end()
        queue.expectQuiet()
      }
    }

    /// A report shows the operation behind `addBarrierBlock`; an edge would let it run before its
    /// time.
    @Test(.contract(116, 117), arguments: Kind.all, [true, false])
    func aBarrierTakesNoDependencies(_ kind: Kind, removes: Bool) {
      let (queue, other) = (kind.queue(), kind.queue())
      let older = TestAsyncOperation()
      let log = Log()
      queue.addOperation(older)
      queue.addBarrierBlock { log.note(1) }
      queue.addOperation(TestOperation { _ in log.note(2) })
      let barriers = queue.stallReport().entries.filter {
        if case .olderOperations? = $0.reasons.first { true } else { false }
      }
      guard let barrier = barriers.first?.operation else {
        Issue.record("\(queue.stallReport())")
        return older.finish()
      }
      let dependency = TestOperation()
      barrier.addDependency(dependency)
      if removes { barrier.removeDependency(dependency) }
      other.addOperation(dependency)
      other.expectQuiet()
      #expect(log.values.isEmpty && barrier.dependencies.isEmpty)
      older.finish()
      queue.expectQuiet()
      #expect(log.values == [1, 2])
    }
  }
}

/// Keeps all workers of a scheduler busy.
private final class Occupation: Sendable {
  private let queue: OperationQueue
  private let gate = Turnstile()
  private let workers: Int

  init(_ scheduler: any Scheduler, workers: Int) {
    queue = OperationQueue(scheduler: scheduler)
    self.workers = workers
    let (gate, arrived) = (gate, Log())
    for number in 0..<workers {
      queue.addOperation {
        arrived.note(number)
        gate.wait()
      }
    }
    #expect(waitUntil(deadline: patience) { arrived.values.count == workers })
  }

  /// Lets the workers go on.
  func end() {
    for _ in 0..<workers { gate.signal() }
    queue.expectQuiet()
  }
}
