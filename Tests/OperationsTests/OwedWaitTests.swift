// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
import Glibc
import Operations
import Scheduling
import TestSupport
import Testing

/// A wait for what a finish on the same thread has made startable on another scheduler without
/// threads, where it starts when that finish has done everything else.
enum OwedWait: Int, Codable, CaseIterable, Sendable {
  case blockForOperation, blockForQueue, blockForLimited, blockWithDeadline
  case blockForDependent, blockForWaiting, blockForResource
  case blockAfterManualStart, blockAfterFinishOutside
  case bodyForNext, bodyForPrevious, bodyBehindFinishOutside
  case bodyAfterOwnFinish, bodyForQueueOfFinish, handlerForNext

  func run(_ kind: Kind) {
    let (queue, inline, other) = (kind.queue(), Kind.inline.queue(), Kind.inline.queue())
    let pool = Kind.single[0].queue()
    let next = TestOperation()
    let ran = Log()
    switch self {
    case .blockForOperation:
      follow(TestOperation(), in: queue, by: next, in: inline) { next.waitUntilFinished() }
    case .blockForQueue:
      follow(TestOperation(), in: queue, by: next, in: inline) {
        inline.waitUntilAllOperationsAreFinished()
      }
    case .blockForLimited:
      inline.maxConcurrentOperationCount = 1
      follow(TestOperation(), in: queue, by: next, in: inline) { next.waitUntilFinished() }
    case .blockWithDeadline:
      follow(TestOperation(), in: queue, by: next, in: inline) {
        if next.wait(timeout: patience) { ran.note(1) }
      }
      guard queue.wait(timeout: patience), ran.values == [1] else { exit(2) }
    case .blockForDependent:
      let last = TestOperation()
      last.addDependency(next)
      pool.addOperation(last)
      follow(TestOperation(), in: queue, by: next, in: inline) { last.waitUntilFinished() }
    case .blockForWaiting:
      let waiting = TestOperation { _ in next.waitUntilFinished() }
      pool.addOperation(waiting)
      _ = waitUntil(deadline: patience) { waiting.isExecuting }
      follow(TestOperation(), in: queue, by: next, in: inline) { waiting.waitUntilFinished() }
    case .blockForResource:
      let resource = OperationResource(name: "one")
      let first = TestOperation { _ in inline.addOperation(next) }
      for operation in [first, next] { operation.require(resource) }
      first.completionBlock = { next.waitUntilFinished() }
      queue.addOperation(first)
    case .blockAfterManualStart:
      let first = TestOperation()
      follow(first, in: nil, by: next, in: inline) { next.waitUntilFinished() }
      first.start()
    case .blockAfterFinishOutside:
      let first = TestAsyncOperation()
      follow(first, in: queue, by: next, in: inline) { next.waitUntilFinished() }
      _ = waitUntil(deadline: patience) { first.isExecuting }
      first.finish()
    case .bodyForNext, .bodyForPrevious:
      let (gate, sibling) = (TestOperation(), TestOperation { _ in next.waitUntilFinished() })
      for operation in self == .bodyForNext ? [next, sibling] : [sibling, next] {
        operation.addDependency(gate)
      }
      inline.addOperation(next)
      other.addOperation(sibling)
      queue.addOperation(gate)
    case .bodyBehindFinishOutside:
      // Where the queue is inline as well, `next` is queued there while the finish goes on.
      let first = TestAsyncOperation()
      let sibling = TestOperation { _ in next.waitUntilFinished() }
      for operation in [next, sibling] { operation.addDependency(first) }
      queue.addOperations([first, next], waitUntilFinished: false)
      other.addOperation(sibling)
      _ = waitUntil(deadline: patience) { first.isExecuting }
      first.finish()
    case .bodyAfterOwnFinish:
      let first = AsyncOperation {
        $0.finish()
        next.waitUntilFinished()
      }
      next.addDependency(first)
      inline.addOperation(next)
      queue.addOperation(first)
    // Must not start on top of the completion block: it waits for what that keeps.
    case .bodyForQueueOfFinish:
      let (first, slow) = (TestOperation(), TestOperation { _ in usleep(200_000) })
      let patient = TestOperation { _ in queue.waitUntilAllOperationsAreFinished() }
      patient.addDependency(first)
      first.completionBlock = { slow.waitUntilFinished() }
      pool.addOperation(slow)
      inline.addOperations([next, patient], waitUntilFinished: false)
      queue.addOperation(first)
    // In a handler that is called while the operation leaves its queue.
    case .handlerForNext:
      let first = TestOperation()
      next.addDependency(first)
      let token = queue.observe(\.operationCount) { _, change in
        if change.newValue == 0 { next.waitUntilFinished() }
      }
      inline.addOperation(next)
      queue.addOperation(first)
      withExtendedLifetime(token) { _ = queue.wait(timeout: patience) }
    }
    for queue in [queue, inline, other, pool] where !queue.wait(timeout: patience) { exit(3) }
    if next.runCount != 1 { exit(4) }
  }

  /// `next` depends on `first`, whose completion block waits.
  private func follow(
    _ first: Operation, in queue: OperationQueue?, by next: Operation, in inline: OperationQueue,
    _ block: @escaping @Sendable () -> Void
  ) {
    next.addDependency(first)
    first.completionBlock = block
    inline.addOperation(next)
    queue?.addOperation(first)
  }
}

extension OperationLayer {
  @Suite struct OwedWaitTests {
    /// In a process of its own, which a wait that does not end keeps until the alarm.
    @Test(.contract(62, 101), arguments: Kind.each.indices, OwedWait.allCases)
    func waitForWhatThisThreadStartsLastEnds(_ kind: Int, _ wait: OwedWait) async {
      await #expect(processExitsWith: .success) { [kind, wait] in
        alarm(20)
        wait.run(Kind.each[kind])
      }
    }

    /// Each queue's scheduler runs them in place, when the call has done all else.
    @Test func dependentsInSeveralInlineQueuesStartInOrder() {
      let queues = (0..<3).map { _ in OperationQueue(scheduler: InlineScheduler()) }
      let first = Operation()
      let order = Locked<[Int]>([])
      for (number, queue) in queues.enumerated() {
        let next = BlockOperation { order.withLock { $0.append(number) } }
        next.addDependency(first)
        queue.addOperation(next)
      }
      first.start()
      let seen = order.withLock { $0 }
      #expect(seen == [0, 1, 2])
    }
  }
}
