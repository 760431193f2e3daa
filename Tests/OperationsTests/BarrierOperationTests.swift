// SPDX-License-Identifier: Apache-2.0

import Operations
import OperationsDiagnosis
import Synchronization
import TestSupport
import Testing

extension OperationLayer {
  /// The operation behind `addBarrierBlock`, which a stall report shows.
  @Suite struct BarrierOperationTests {
    /// Something that holds a barrier back when it is due.
    enum Hindrance: CaseIterable, Sendable { case condition, resource }

    /// How its queue drops it.
    enum Drop: CaseIterable, Sendable {
      case cancelAll, invalidate, cancelThenLimit, limitThenCancel

      func callAsFunction(_ queue: OperationQueue) {
        switch self {
        case .cancelAll: queue.cancelAllOperations()
        case .invalidate: queue.invalidate()
        case .cancelThenLimit:
          queue.cancelAllOperations()
          queue.maxConcurrentOperationCount = 0
        case .limitThenCancel:
          queue.maxConcurrentOperationCount = 0
          queue.cancelAllOperations()
        }
      }
    }

    /// Suspended; its only member is a barrier.
    private func barrier(
      in queue: OperationQueue, _ block: @escaping @Sendable () -> Void
    ) throws -> Operation {
      queue.isSuspended = true
      queue.addBarrierBlock(block)
      return try #require(queue.stallReport().entries.first?.operation)
    }

    private func isHeldBack(_ barrier: Operation, in queue: OperationQueue) -> Bool {
      let entry = queue.stallReport().entries.first { $0.operation === barrier }
      return (entry?.reasons ?? []).contains { reason in
        switch reason {
        case .gateClosed, .waitingForResources: true
        default: false
        }
      }
    }

    @Test(.contract(42, 47, 116, 133), arguments: Kind.all, Hindrance.allCases)
    func whatHoldsItBackHoldsNoCancelledOne(_ kind: Kind, by hindrance: Hindrance) throws {
      for drop in Drop.allCases {
        let queue = kind.queue()
        let log = Log()
        let barrier = try barrier(in: queue) { log.note(1) }
        let holder = TestAsyncOperation()
        let elsewhere = Kind.pools[0].queue()
        switch hindrance {
        case .condition: barrier.addReadinessCondition(ReadinessGate())
        case .resource:
          let resource = OperationResource(name: "one")
          holder.require(resource)
          barrier.require(resource)
          elsewhere.addOperation(holder)
          #expect(waitUntil { holder.isExecuting })
        }
        let younger = TestOperation { _ in log.note(2) }
        queue.addOperation(younger)
        queue.isSuspended = false
        #expect(waitUntil { isHeldBack(barrier, in: queue) }, "\(queue.stallReport())")
        drop(queue)
        queue.expectQuiet("after \(drop)")
        #expect(log.values.isEmpty && barrier.isFinished && younger.isFinished)
        if hindrance == .resource {
          holder.finish()
          elsewhere.expectQuiet()
        }
      }
    }

    /// As long as it likes, in its completion block.
    @Test(.contract(116, 117), arguments: Kind.pools)
    func isNotCountedWhileItFinishes(_ kind: Kind) throws {
      let queue = kind.queue()
      let (inBlock, mayLeave) = (Gate(), Gate())
      try barrier(in: queue) {}.completionBlock = {
        inBlock.open()
        mayLeave.wait()
      }
      #expect(queue.operationCount == 0)
      queue.isSuspended = false
      inBlock.wait()
      #expect(queue.operationCount == 0 && queue.operations.isEmpty)
      let other = kind.queue()
      other.addBarrierBlock {}
      #expect(!queue.wait(timeout: .milliseconds(1)))
      mayLeave.open()
      queue.expectQuiet()
      other.expectQuiet()
      queue.addOperation {}
      queue.expectQuiet()
      #expect(queue.operationCount == 0)
    }
  }
}
