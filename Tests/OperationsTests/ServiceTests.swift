// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
import Operations
import Scheduling
import Synchronization
import TestSupport
import Testing

extension OperationLayer {
  /// What a queue counts and tells besides, and what its operations ask of their threads.
  @Suite struct ServiceTests {
    // MARK: Events

    @Test(.contract(129), arguments: Kind.all)
    func everyStepOfALifeIsAnEvent(_ kind: Kind) {
      let queue = kind.queue()
      let events = Locked<[OperationEvent]>([])
      queue.eventHandler = { event in events.withLock { $0.append(event) } }
      for limit in [-1, 1] {
        queue.maxConcurrentOperationCount = limit
        let gate = BlockOperation {}
        let operation = TestOperation()
        operation.addDependency(gate)
        let skipped = TestOperation()
        skipped.addDependency(operation)
        skipped.completionBlock = {}
        let outside = TestAsyncOperation { $0.finish() }
        queue.addOperations([operation, skipped, outside], waitUntilFinished: false)
        skipped.cancel()
        queue.addOperation(gate)
        queue.addOperation {}
        queue.expectQuiet()
        let all = events.withLock { events in
          defer { events = [] }
          return events
        }
        #expect(all.count == 5 * OperationEvent.Phase.allCases.count)
        for (_, life) in Dictionary(grouping: all, by: \.operation) {
          #expect(life.map(\.phase) == OperationEvent.Phase.allCases)
          #expect(zip(life, life.dropFirst()).allSatisfy { $0.nanoseconds <= $1.nanoseconds })
          let started = life.first { $0.phase == .started }
          #expect((started?.worker ?? -1) >= 0)
        }
        let order = all.filter { $0.phase == .started || $0.phase == .ready }.map(\.operation)
        #expect(order.contains(operation))
        let end = all.first { $0.phase == .ended && $0.operation === gate }
        let ready = all.first { $0.phase == .ready && $0.operation === operation }
        if let end, let ready { #expect(end.nanoseconds <= ready.nanoseconds) }
      }
      queue.eventHandler = nil
      queue.addOperation(TestOperation())
      queue.expectQuiet()
      #expect(events.withLock { $0.count } == 0)
    }

    // MARK: Progress

    @Test(.contract(121), arguments: Kind.all)
    func progressCountsWhatRunsWhenTheTotalIsSet(_ kind: Kind) {
      final class Plain: BlockOperation, @unchecked Sendable {}
      for isBlock in [true, false] {
        let (begun, gate) = (Gate(), Gate())
        let body: @Sendable () -> Void = {
          begun.open()
          gate.wait()
        }
        let operation: Operation = isBlock ? Plain(block: body) : TestOperation { _ in body() }
        let queue = kind.queue()
        // The inline scheduler runs a body where it is added.
        onThreads(2) { index in
          guard index == 1 else { return queue.addOperation(operation) }
          begun.wait()
          queue.progressCounter.totalUnitCount = 2
          queue.addOperation(TestAsyncOperation { $0.finish() })
          gate.open()
        }
        queue.expectQuiet()
        #expect(queue.progressCounter.completedUnitCount == 2)
      }
    }

    @Test(.contract(121), arguments: Kind.all)
    func progressCountsBodiesThatEnded(_ kind: Kind) {
      let queue = kind.queue()
      queue.addOperation(TestOperation())
      queue.expectQuiet()
      let progress = queue.progressCounter
      #expect(progress.completedUnitCount == 0 && progress.fractionCompleted == 0)
      progress.totalUnitCount = 8
      let told = Log()
      let token = progress.observe { told.note($0) }
      queue.isSuspended = true
      let cancelled = [TestOperation(), TestAsyncOperation(), BlockOperation {}]
      queue.addOperations(
        cancelled + [
          TestOperation(), BlockOperation {}, TestAsyncOperation { $0.finish() }, OwnState(),
        ], waitUntilFinished: false)
      queue.addOperation {}.cancel()
      queue.addOperation {}
      queue.addBarrierBlock {}
      for operation in cancelled { operation.cancel() }
      queue.isSuspended = false
      queue.expectQuiet()
      #expect(progress.completedUnitCount == 4)
      #expect(progress.fractionCompleted == 0.5)
      #expect(told.values == [1, 2, 3, 4])
      progress.countsCancelled = true
      let late = TestOperation()
      late.cancel()
      queue.addOperation(late)
      queue.expectQuiet()
      #expect(progress.completedUnitCount == 5)
      withExtendedLifetime(token) {}
    }

    // MARK: Level and thread priority

    @Test(.contract(93, 94, 95, 96), arguments: Kind.all)
    func theEffectiveLevelReachesTheThread(_ kind: Kind) {
      let queue = kind.queue()
      let seen = Locked<[QualityOfService]>([])
      func run(_ level: QualityOfService) -> ServiceReport? {
        let operation = TestOperation { operation in
          seen.withLock { $0.append(operation.effectiveQualityOfService) }
        }
        operation.qualityOfService = level
        queue.addOperation(operation)
        queue.expectQuiet()
        return operation.serviceReport
      }
      #expect(run(.default) == nil)
      let alone = run(.utility)
      #expect(alone?.qualityOfService == .utility)
      queue.qualityOfService = .utility
      #expect(run(.default)?.qualityOfService == .utility)
      #expect(run(.background)?.qualityOfService == .utility)
      let higher = run(.userInitiated)
      #expect(higher?.qualityOfService == .userInitiated)
      #expect(
        seen.withLock { $0 } == [.default, .utility, .utility, .utility, .userInitiated])
      // What was not applied is reported as such, and the thread is as before.
      if let alone, alone.isApplied {
        #expect(alone.appliedNiceness > (higher?.appliedNiceness ?? 0))
      }
      queue.qualityOfService = .default
      #expect(run(.default) == nil)
    }

    /// The level is looked at when the operation starts, not when it was added.
    @Test(.contract(96), arguments: Kind.each)
    func aChangeOfTheQueueCountsForWhatWaits(_ kind: Kind) {
      let queue = kind.queue()
      queue.isSuspended = true
      let operation = BlockOperation {}
      queue.addOperation(operation)
      queue.qualityOfService = .background
      queue.isSuspended = false
      queue.expectQuiet()
      #expect(operation.serviceReport?.qualityOfService == .background)
      #expect(operation.effectiveQualityOfService == .background)
    }

    @Test(.contract(97), arguments: Kind.all)
    func threadPriorityHoldsDuringTheBody(_ kind: Kind) {
      let queue = kind.queue()
      queue.maxConcurrentOperationCount = 1
      let operation = TestOperation()
      #expect(operation.threadPriority == 0.5)
      operation.threadPriority = 7
      #expect(operation.threadPriority == 1)
      operation.threadPriority = -.infinity
      #expect(operation.threadPriority == 0)
      operation.threadPriority = .nan
      #expect(operation.threadPriority == 0.5)
      operation.threadPriority = 0
      let plain = TestOperation()
      plain.qualityOfService = .userInitiated
      plain.addDependency(operation)
      queue.addOperations([operation, plain], waitUntilFinished: false)
      queue.expectQuiet()
      let report = operation.serviceReport
      #expect(report?.threadPriority == 0)
      // Not applied unless it can be put back: the next one finds the thread as it was.
      if let report, let next = plain.serviceReport {
        #expect(report.appliedNiceness == report.requestedNiceness || !report.isApplied)
        #expect(next.requestedNiceness < report.requestedNiceness)
      }
      #expect(plain.isFinished)
    }

    /// The completion block runs as the thread was before, wherever the operation was finished.
    @Test(.contract(61, 97), arguments: Kind.each)
    func threadPriorityDoesNotHoldInTheCompletionBlock(_ kind: Kind) {
      let wanted = [TestOperation(), AsyncOperation { $0.finish() }, OwnState()].map { operation in
        let queue = kind.queue()
        let probe = BlockOperation {}
        probe.qualityOfService = .utility
        operation.threadPriority = 0
        // Asks for a niceness that depends on what the thread has.
        operation.completionBlock = { probe.start() }
        queue.addOperation(operation)
        queue.expectQuiet()
        #expect(operation.serviceReport?.threadPriority == 0)
        return probe.serviceReport?.requestedNiceness
      }
      #expect(wanted[0] != nil && Set(wanted).count == 1)
    }

    /// Its body has not begun, whoever starts it.
    @Test(.contract(46, 95), arguments: Kind.each)
    func whatIsSkippedHasNoReport(_ kind: Kind) {
      let queue = kind.queue()
      let (queued, started) = (TestOperation(), TestOperation())
      for operation in [queued, started] {
        operation.qualityOfService = .utility
        operation.cancel()
      }
      queue.addOperation(queued)
      started.start()
      queue.expectQuiet()
      for operation in [queued, started] {
        #expect(operation.isFinished && operation.runCount == 0 && operation.serviceReport == nil)
      }
    }

    @Test(.contract(91, 92)) func levelsAndTheirDefault() {
      #expect(QualityOfService.allCases.count == 5)
      #expect(Operation().qualityOfService == .default)
      let operation = Operation()
      for level in QualityOfService.allCases {
        operation.qualityOfService = level
        #expect(operation.qualityOfService == level)
      }
      #expect(QualityOfService.userInteractive > .userInitiated)
      #expect(QualityOfService.utility > .background && QualityOfService.background > .default)
    }
  }
}
