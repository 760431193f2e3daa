// SPDX-License-Identifier: Apache-2.0

import Operations
import Synchronization
import TestSupport
import Testing

extension OperationLayer {
  /// Contract 37–41.
  @Suite struct ReadinessTests {
    @Test(arguments: Kind.all)
    func conditionHoldsTheStartBackUntilAnnounced(_ kind: Kind) {
      let queue = kind.queue()
      let dependency = Operation()
      dependency.start()
      let conditional = ConditionalOperation()
      conditional.addDependency(dependency)
      let fence = TestOperation()
      queue.addOperations([conditional, fence], waitUntilFinished: false)
      fence.waitUntilFinished()
      #expect(!conditional.isReady && !conditional.isFinished)
      // An announcement without a change.
      conditional.didChangeValue(forKey: "isReady")
      #expect(!conditional.isFinished)
      conditional.set(open: true)
      queue.expectQuiet()
      #expect(conditional.runs.load(ordering: .relaxed) == 1)
    }

    @Test(arguments: Kind.each)
    func withdrawnConditionPreventsTheStart(_ kind: Kind) {
      let queue = kind.queue()
      queue.isSuspended = true
      let conditional = ConditionalOperation(isOpen: true)
      queue.addOperation(conditional)
      conditional.set(open: false)
      queue.isSuspended = false
      let fence = TestOperation()
      queue.addOperation(fence)
      fence.waitUntilFinished()
      #expect(conditional.runs.load(ordering: .relaxed) == 0)
      conditional.set(open: true)
      queue.expectQuiet()
      #expect(conditional.runs.load(ordering: .relaxed) == 1)
    }

    @Test(arguments: Kind.each)
    func cancelEndsTheWaitForACondition(_ kind: Kind) {
      let queue = kind.queue()
      let conditional = ConditionalOperation()
      let fence = TestOperation()
      queue.addOperations([conditional, fence], waitUntilFinished: false)
      fence.waitUntilFinished()
      conditional.cancel()
      queue.expectQuiet()
      #expect(conditional.isFinished && conditional.runs.load(ordering: .relaxed) == 0)
    }

    @Test(arguments: Kind.each)
    func conditionAndLateDependencyBothCount(_ kind: Kind) {
      let queue = kind.queue()
      let conditional = ConditionalOperation()
      let fence = TestOperation()
      queue.addOperations([conditional, fence], waitUntilFinished: false)
      fence.waitUntilFinished()
      let gate = Operation()
      conditional.addDependency(gate)
      conditional.set(open: true)
      #expect(!conditional.isFinished)
      gate.start()
      queue.expectQuiet()
      #expect(conditional.runs.load(ordering: .relaxed) == 1)
    }

    /// A wait looks at the operation on the waiting worker while its job is still queued.
    @Test(arguments: Kind.single)
    func waitForAConditionalOperationLeavesItIntact(_ kind: Kind) {
      let lifetimes = LifetimeCounter()
      let queue = kind.queue()
      for _ in 0..<50 {
        let conditional = ConditionalOperation()
        let waiter = TestOperation(lifetimes) { _ in conditional.waitUntilFinished() }
        let opener = TestOperation(lifetimes) { _ in conditional.set(open: true) }
        queue.addOperations([waiter, conditional, opener], waitUntilFinished: false)
        queue.expectQuiet()
        #expect(conditional.runs.load(ordering: .relaxed) == 1)
        #expect(queue.operations.isEmpty)
      }
      #expect(waitUntil { lifetimes.live == 0 })
    }

    @Test(arguments: Kind.each)
    func manualStartHonoursTheCondition(_ kind: Kind) {
      let conditional = ConditionalOperation()
      #expect {
        try conditional.tryStart()
      } throws: { error in
        if case OperationError.notReady? = error as? OperationError { true } else { false }
      }
      let queue = kind.queue()
      queue.addOperation(conditional)
      conditional.set(open: true)
      queue.expectQuiet()
      #expect(conditional.runs.load(ordering: .relaxed) == 1)
    }
  }
}
