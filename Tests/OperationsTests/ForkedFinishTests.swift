// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
import Operations
import Synchronization
import TestSupport
import Testing
import WorkStealingBackend

/// Keeps its own state, and forks inside `start()`.
private final class ForkingStart: Operation, @unchecked Sendable {
  private let isOver = Atomic<Bool>(false)
  private let body: @Sendable (ForkingStart) -> Void

  init(_ body: @escaping @Sendable (ForkingStart) -> Void) {
    self.body = body
    super.init()
  }

  override var isFinished: Bool { isOver.load(ordering: .acquiring) }
  override func start() { body(self) }

  func end() {
    isOver.store(true, ordering: .releasing)
    didChangeValue(forKey: "isFinished")
  }
}

extension OperationLayer {
  /// Operations whose end comes from a half of a fork that another worker runs.
  @Suite struct ForkedFinishTests {
    private func queue() -> OperationQueue {
      let queue = OperationQueue(scheduler: WorkStealingScheduler(workers: 2))
      queue.maxConcurrentOperationCount = 1
      return queue
    }

    /// Runs `end` in the half of a fork that the other worker takes.
    private static func fork(_ end: @Sendable () -> Void) {
      let thread = ThreadProbe.current
      let isEnded = Gate()
      _ = forkJoin(
        { isEnded.wait() },
        {
          #expect(ThreadProbe.current != thread)
          end()
          isEnded.open()
        })
    }

    private func expectWholeFinish(of operation: Operation, in queue: OperationQueue) {
      let hasBlockRun = Atomic<Bool>(false)
      operation.completionBlock = { hasBlockRun.store(true, ordering: .releasing) }
      let next = TestOperation()
      queue.addOperations([operation, next], waitUntilFinished: false)
      queue.expectQuiet()
      #expect(operation.isFinished && next.runCount == 1)
      let didBlockRun = hasBlockRun.load(ordering: .acquiring)
      #expect(didBlockRun)
    }

    @Test(.contract(56, 60, 65))
    func finishInAStolenHalf() {
      for _ in 0..<20 {
        let queue = queue()
        expectWholeFinish(of: TestAsyncOperation { op in Self.fork { op.finish() } }, in: queue)
      }
    }

    @Test(.contract(56, 60, 69))
    func announcementInAStolenHalf() {
      for _ in 0..<20 {
        let queue = queue()
        expectWholeFinish(of: ForkingStart { op in Self.fork { op.end() } }, in: queue)
      }
    }
  }
}
