// SPDX-License-Identifier: Apache-2.0

import Dispatch
import DispatchBackend
import Glibc
import Operations
import OperationsDiagnosis
import Scheduling
import Synchronization
import TestSupport
import Testing
import WorkStealingBackend

/// A queue whose operations do not go straight to its scheduler.
enum QueueForm: Int, Codable, CaseIterable, Sendable {
  case limited
  case ordered
  case serialElsewhere
  case concurrentElsewhere
  case limitedElsewhere
  case orderedElsewhere

  static let atHome: [QueueForm] = [.limited, .ordered]
  static let elsewhere = allCases.filter { !atHome.contains($0) }
  /// Those that run on one thread.
  static let serial: [QueueForm] = [.serialElsewhere, .limitedElsewhere, .orderedElsewhere]

  /// - Parameters:
  ///   - limit: for those that have one.
  ///   - target: where one runs that is away; nil for a dispatch queue of its own.
  func queue(
    _ kind: Kind, limit: Int = 10_000, on target: DispatchQueue? = nil
  ) -> OperationQueue {
    let isOrdered = self == .ordered || self == .orderedElsewhere
    let queue = OperationQueue(scheduler: kind.make(kind.workers), startsInOrder: isOrdered)
    if self == .limited || self == .limitedElsewhere { queue.maxConcurrentOperationCount = limit }
    guard Self.elsewhere.contains(self) else { return queue }
    let own = DispatchQueue(
      label: "of the user", attributes: self == .concurrentElsewhere ? .concurrent : [])
    let scheduler = DispatchScheduler(workers: queue.scheduler.workerCount)
    scheduler.targetQueue = target ?? own
    queue.move(to: scheduler)
    return queue
  }
}

extension OperationLayer {
  /// Waits inside bodies on queues with a limit, on those that keep strict order, and away from
  /// home.
  @Suite struct WaitsByQueueTests {
    /// Deeper than there may be slots for compensation, or one stack has room for.
    @Test(.contract(101), .serialized, arguments: Kind.pools, QueueForm.atHome)
    func chainOfWaitsEnds(_ kind: Kind, _ form: QueueForm) {
      let depth = (isDeep ? 5_000 : 600) / (slowness > 10 ? 10 : 1)
      let queue = form.queue(kind)
      let chain = NestedWaits(in: queue)
      chain.begin(levels: depth)
      queue.expectQuiet()
      #expect(chain.count == depth + 1)
    }

    /// A serial queue has one thread, which runs all of it on its stack.
    @Test(.contract(101, 120), .serialized, arguments: Kind.each, QueueForm.elsewhere)
    func chainOfWaitsEndsElsewhere(_ kind: Kind, _ form: QueueForm) {
      let depth = 600 / (slowness > 10 ? 10 : 1)
      let queue = form.queue(kind)
      let chain = NestedWaits(in: queue)
      chain.begin(levels: depth)
      queue.expectQuiet()
      #expect(chain.count == depth + 1)
    }

    /// In strict order on one thread a child of a child would have to begin before its uncles.
    @Test(.contract(101), arguments: QueueForm.allCases.filter { $0 != .orderedElsewhere })
    func unbalancedTreeIsCountedByWaits(_ form: QueueForm) {
      let kind = Kind(name: "work-stealing", workers: 2) { WorkStealingScheduler(workers: $0) }
      let queue = form.queue(kind)
      #expect(BinomialTree.small.countByWaits(in: queue) == BinomialTree.small.size)
      queue.expectQuiet()
    }

    /// What is waited for becomes ready by an operation of another scheduler, when the only thread
    /// waits already.
    @Test(.contract(101, 120), arguments: QueueForm.elsewhere)
    func waitForWhatIsNotReadyYetEnds(_ form: QueueForm) {
      let queue = form.queue(Kind.inline)
      let other = Kind.single[0].queue()
      let awaited = TestOperation()
      let first = BlockOperation {
        _ = waitUntil(deadline: patience) { queue.blockingCounters.blocked == 1 }
      }
      awaited.addDependency(first)
      queue.addOperation { awaited.waitUntilFinished() }
      queue.addOperation(awaited)
      other.addOperation(first)
      queue.expectQuiet()
      #expect(awaited.runCount == 1)
    }

    /// What is waited for needs others of the queue: a dependency, the members of a group.
    @Test(.contract(101, 120), arguments: QueueForm.elsewhere.filter { $0 != .orderedElsewhere })
    func waitForWhatNeedsOthersEnds(_ form: QueueForm) {
      let queue = form.queue(Kind.inline)
      let dependencies = (0..<20).map { _ in TestOperation() }
      let members = (0..<20).map { _ in TestOperation() }
      let group = GroupOperation(members)
      group.addDependency(dependencies[0])
      for number in 1..<20 { dependencies[number - 1].addDependency(dependencies[number]) }
      queue.addOperation {
        queue.addOperations([group] + dependencies, waitUntilFinished: false)
        group.waitUntilFinished()
      }
      queue.expectQuiet()
      #expect((dependencies + members).allSatisfy { $0.runCount == 1 })
    }

    /// What is waited for has parts that the machinery has a worker run: a task, a further attempt.
    @Test(.contract(101, 120), arguments: QueueForm.elsewhere)
    func waitForWhatGoesOnInPartsEnds(_ form: QueueForm) {
      let queue = form.queue(Kind.inline)
      let attempts = Counter()
      let results: [Operation] = [
        AsyncOperation { await Task.yield() },
        RetryOperation(RetryPolicy(attempts: 3, delay: .milliseconds(1))) { _ in
          ResultOperation<Int> {
            attempts.add(1)
            throw CancellationError()
          }
        },
      ]
      queue.addOperation {
        for operation in results {
          queue.addOperation(operation)
          operation.waitUntilFinished()
        }
      }
      queue.expectQuiet()
      #expect(results.allSatisfy { $0.isFinished } && attempts.value == 3)
    }

    /// Queues that name one serial dispatch queue have one thread together, whatever they wait for
    /// is limited, in order, or goes on in parts.
    @Test(.contract(101, 120), arguments: QueueForm.serial, QueueForm.serial)
    func waitsAcrossQueuesOfOneThreadEnd(_ form: QueueForm, _ otherForm: QueueForm) {
      let target = DispatchQueue(label: "of the user")
      let queue = form.queue(Kind.inline, limit: 2, on: target)
      let other = otherForm.queue(Kind.single[0], limit: 1, on: target)
      let (last, inner) = (TestOperation(), TestOperation())
      let retry = RetryOperation(RetryPolicy(attempts: 2, delay: .milliseconds(1))) { _ in
        ResultOperation<Int> { throw CancellationError() }
      }
      let back = TestOperation { _ in
        queue.addOperation(inner)
        inner.waitUntilFinished()
      }
      let awaited = [last, AsyncOperation { await Task.yield() }, retry, back]
      queue.addOperation {
        for operation in awaited {
          other.addOperation(operation)
          operation.waitUntilFinished()
        }
        other.waitUntilAllOperationsAreFinished()
      }
      queue.expectQuiet()
      #expect(awaited.allSatisfy { $0.isFinished })
      #expect(last.runCount == 1 && inner.runCount == 1)
    }

    /// Observed, with a barrier, with a resource, or of another priority: the waiter runs it as a
    /// worker would.
    @Test(.contract(101, 120), arguments: QueueForm.elsewhere)
    func waitForWhatIsNotPlainEnds(_ form: QueueForm) {
      let queue = form.queue(Kind.inline)
      let resource = OperationResource(name: "one")
      let seen = Counter()
      queue.addOperation {
        let using = TestOperation()
        using.require(resource)
        let observed = TestOperation()
        let token = observed.observe(\.isFinished) { _, _ in seen.add(1) }
        let moved = TestOperation()
        for operation in [using, observed, moved] {
          queue.addOperation(operation)
          if operation === moved {
            operation.queuePriority = .high
            operation.queuePriority = .low
          }
          operation.waitUntilFinished()
          #expect(operation.runCount == 1)
        }
        withExtendedLifetime(token) {}
      }
      queue.expectQuiet()
      #expect(seen.value > 0)
    }

    private static func text(_ result: ExitTest.Result?) -> String {
      String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    }

    /// An operation waits for another of the one thread that may run nothing on top of a wait.
    ///
    /// Returns, which fails the test, when no report names both.
    private static func waitForEver(_ form: QueueForm, across isAcross: Bool) {
      let target = DispatchQueue(label: "of the user")
      let queue = form.queue(Kind.inline, on: target)
      let other = isAcross ? form.queue(Kind.inline, on: target) : queue
      queue.blockingPolicy = .compensate
      let awaited = TestOperation()
      awaited.name = "awaited"
      let waiting = BlockOperation {
        other.addOperation(awaited)
        awaited.waitUntilFinished()
      }
      queue.addOperation(waiting)
      let isReported = waitUntil(deadline: patience) {
        queue.stallReport()[waiting]?.reasons == [.blockedOn(awaited)]
          && other.stallReport()[awaited]?.reasons == [.noWorker(blocked: 1)]
      }
      if isReported { _ = queue.wait(timeout: patience) }
    }

    /// Processes side by side: each sleeps for as long as a wait that goes nowhere may last.
    @Test(.contract(101, 117, 120)) func waitThatNothingCanEndStopsTheProcess() async {
      await withTaskGroup { group in
        for form in QueueForm.serial {
          for isAcross in [false, true] {
            group.addTask { await Self.expectStop(form, across: isAcross) }
          }
        }
      }
    }

    private static func expectStop(_ form: QueueForm, across isAcross: Bool) async {
      let result = await #expect(
        processExitsWith: .failure, observing: [\.standardErrorContent]
      ) { [form, isAcross] in Self.waitForEver(form, across: isAcross) }
      let text = Self.text(result)
      for part in ["awaited", "no thread is left", "underlyingQueue"] {
        #expect(text.contains(part), "\(form), across: \(isAcross): \(text)")
      }
    }

    /// Adds to a queue whose only thread waits for it, for longer than a wait that goes nowhere may
    /// last; another member keeps the wait from ending.
    private static func addWhileWaiting() {
      let scheduler = DispatchScheduler(workers: 1)
      scheduler.targetQueue = DispatchQueue(label: "of the user")
      let queue = OperationQueue(scheduler: scheduler)
      let awaited = OperationQueue(scheduler: scheduler)
      let (gate, last) = (Operation(), TestOperation())
      last.addDependency(gate)
      awaited.addOperation(last)
      queue.addOperation { awaited.waitUntilAllOperationsAreFinished() }
      let end = ContinuousClock.now + .seconds(7)
      while ContinuousClock.now < end {
        awaited.addOperation(TestOperation())
        usleep(2_000)
      }
      gate.start()
      guard queue.wait(timeout: patience), last.runCount == 1 else { exit(1) }
    }

    /// At each look something is ready that has no thread, but the waiting one has run what was.
    @Test(.contract(101, 120)) func waitThatGoesOnIsNotTakenForOneThatCannot() async {
      let result = await #expect(
        processExitsWith: .success, observing: [\.standardErrorContent]
      ) { Self.addWhileWaiting() }
      #expect(Self.text(result).isEmpty, "\(Self.text(result))")
    }

    /// What is waited for has no slot until somebody outside ends an operation without a thread,
    /// later than a wait that goes nowhere may last.
    private static func waitForASlotThatIsFreed() {
      let queue = QueueForm.limitedElsewhere.queue(Kind.inline, limit: 2)
      let (holding, awaited) = (TestAsyncOperation(), TestOperation())
      queue.addOperation(holding)
      queue.addOperation {
        queue.addOperation(awaited)
        awaited.waitUntilFinished()
      }
      sleep(7)
      guard awaited.runCount == 0 else { exit(1) }
      holding.finish()
      guard queue.wait(timeout: patience), awaited.runCount == 1 else { exit(1) }
    }

    @Test(.contract(101, 120)) func waitForASlotThatSomebodyOutsideFreesEnds() async {
      let result = await #expect(
        processExitsWith: .success, observing: [\.standardErrorContent]
      ) { Self.waitForASlotThatIsFreed() }
      #expect(Self.text(result).isEmpty, "\(Self.text(result))")
    }

    private static func waitForSlots() {
      let queue = QueueForm.limitedElsewhere.queue(Kind.inline, limit: 3)
      let chain = NestedWaits(in: queue)
      chain.begin(levels: 3)
      _ = queue.wait(timeout: patience)
    }

    /// Every slot is held by what waits on the one thread.
    @Test(.contract(101, 120)) func waitForASlotThatNothingFreesStopsTheProcess() async {
      let result = await #expect(
        processExitsWith: .failure, observing: [\.standardErrorContent]
      ) { Self.waitForSlots() }
      let text = Self.text(result)
      #expect(text.contains("no thread is left"), "\(text)")
    }
  }
}
